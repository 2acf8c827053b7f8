//! The layer that sees each call and its answer: counts it, times it, and puts its span around it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::Either;
use http::{HeaderMap, Request, Response};
use pin_project_lite::pin_project;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use tokio::time::Instant;
use tonic::body::Body;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;
use tower::{Layer, Service};

use super::metrics;
use super::traces::Span;
use crate::auth::Gate;

/// Asked all the time, and by nobody who plays.
const HEALTH: &str = "/grpc.health.v1.Health/";
/// The name of all methods that are none.
const OTHER: &str = "other";

/// The numbers of all calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calls(Arc<Numbers>);

#[derive(Debug)]
struct Numbers {
    calls: Family<Answered, Counter>,
    seconds: Family<Called, Histogram>,
    refusals: Family<Refused, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Called {
    method: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    reason: String,
}

/// Sees each call but health checks. The gate knows the methods, so that no caller makes up names.
#[derive(Clone)]
pub(crate) struct Seeing {
    pub(crate) calls: Calls,
    pub(crate) gate: Gate,
}

/// A service behind the layer.
#[derive(Clone)]
pub(crate) struct Seen<S> {
    seeing: Seeing,
    inner: S,
}

pin_project! {
    /// An answer on its way. A call that its caller gave up is not counted.
    pub(crate) struct Answering<F> {
        #[pin]
        answer: F,
        calls: Calls,
        method: &'static str,
        begun: Instant,
        span: Span,
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            calls: Family::default(),
            seconds: Family::new_with_constructor(metrics::seconds),
            refusals: Family::default(),
        }
    }
}

impl Calls {
    /// Shows them.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let Numbers { calls, seconds, refusals } = &*self.0;
        registry.register("calls", "Calls that were answered, by method and code", calls.clone());
        let help = "Time until an answer, or the first of a stream, by method";
        registry.register_with_unit("call", help, Unit::Seconds, seconds.clone());
        let help = "Calls that were refused, by the reason of the contract";
        registry.register("refusals", help, refusals.clone());
    }

    /// Counts a refusal.
    pub(crate) fn refused(&self, reason: &str) {
        let reason = reason.to_owned();
        self.0.refusals.get_or_create(&Refused { reason }).inc();
    }

    fn answered(&self, method: &'static str, begun: Instant, headers: &HeaderMap) -> Code {
        let refusal = Status::from_header_map(headers);
        let code = refusal.as_ref().map_or(Code::Ok, Status::code);
        let (seconds, code_name) = (begun.elapsed().as_secs_f64(), name(code));
        self.0.calls.get_or_create(&Answered { method, code: code_name }).inc();
        self.0.seconds.get_or_create(&Called { method }).observe(seconds);
        // Only services of the suite say why, so there are no more reasons than in the contract.
        let details = refusal.map(|refusal| refusal.get_error_details());
        if let Some(info) = details.as_ref().and_then(|details| details.error_info()) {
            self.refused(&info.reason);
        }
        code
    }
}

impl<S> Layer<S> for Seeing {
    type Service = Seen<S>;

    fn layer(&self, inner: S) -> Seen<S> {
        Seen { seeing: self.clone(), inner }
    }
}

impl<S, B> Service<Request<B>> for Seen<S>
where
    S: Service<Request<B>, Response = Response<Body>>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Answering<S::Future>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let path = request.uri().path();
        if path.starts_with(HEALTH) {
            return Either::Left(self.inner.call(request));
        }
        let Seeing { calls, gate } = &self.seeing;
        let method = gate.method(path).map_or(OTHER, |path| path.trim_start_matches('/'));
        let span = Span::of_call(method, request.headers());
        let begun = Instant::now();
        let calls = calls.clone();
        let answer = span.enter(|| self.inner.call(request));
        Either::Right(Answering { answer, calls, method, begun, span })
    }
}

impl<F, E> Future for Answering<F>
where
    F: Future<Output = Result<Response<Body>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.span.enter(|| this.answer.poll(context)))?;
        let code = this.calls.answered(this.method, *this.begun, answer.headers());
        this.span.end(code);
        Poll::Ready(Ok(answer))
    }
}

/// A code as the contract of gRPC names it.
const fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
