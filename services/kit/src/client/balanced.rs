//! A channel over the replicas of a service.

use std::error::Error;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use tokio::time::Instant;
use tonic::body::Body;
use tonic::{Code, ConnectError, Status};
use tonic_types::StatusExt as _;
use tower::Service;

use super::Urls;
use super::budget::Budget;
use super::replicas::{Replica, Replicas};
use crate::deadline;
use crate::status::Refusal;
use crate::telemetry::traces;
use crate::time::SharedTime;

/// What a call may take for which nobody set a deadline.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a call may reach a replica.
const MOST_TRIES: u32 = 3;

/// Calls one of the replicas of a service, and another if that fails. Its clones are the same.
///
/// A call that could not be sent goes elsewhere at once. One that was sent and failed UNAVAILABLE
/// is tried again on another replica: three times in all, and at most one try to ten calls. No try
/// is made where the answer says when to try again (RetryInfo).
#[derive(Debug, Clone)]
pub struct Balanced(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    replicas: Replicas,
    budget: Budget,
}

/// What came of one try.
enum Outcome {
    /// An answer to hand on, an error or not.
    Answer(Response<Body>),
    /// The replica says UNAVAILABLE.
    Refused(Response<Body>),
    /// The connection broke; the call may have been answered or not.
    Broken(Status),
    /// The replica is not there.
    NotSent(Status),
}

impl Balanced {
    /// Begins to look for the replicas.
    pub(super) fn new(urls: Urls, time: SharedTime) -> Self {
        let replicas = Replicas::new(urls, time);
        Self(Arc::new(Inner { replicas, budget: Budget::default() }))
    }
}

impl Service<Request<Body>> for Balanced {
    type Response = Response<Body>;
    type Error = Status;
    type Future = BoxFuture<'static, Result<Response<Body>, Status>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        traces::inject(request.headers_mut());
        let inner = Arc::clone(&self.0);
        let own = deadline::left(request.headers());
        let caller = deadline::of_caller();
        let now = Instant::now();
        let at = now.checked_add(own.unwrap_or(CALL_TIMEOUT)).unwrap_or(now + CALL_TIMEOUT);
        let at = caller.map_or(at, |caller| caller.min(at));
        // Told to the replica only where somebody set it: without, it sees us hang up.
        let told = own.is_some() || caller.is_some();
        Box::pin(async move {
            deadline::within(at, inner.call(request, told.then_some(at)))
                .await
                .and_then(|answer| answer)
        })
    }
}

impl Inner {
    async fn call(
        &self,
        request: Request<Body>,
        told: Option<Instant>,
    ) -> Result<Response<Body>, Status> {
        self.budget.earn();
        let (head, body) = request.into_parts();
        let body = Full::new(body.collect().await?.to_bytes());
        let mut tried = Vec::new();
        let mut tries = 0;
        let mut last = Err(Refusal::behind_unavailable("service").into());
        while let Some(replica) = self.replicas.choose(&tried).await {
            let spent = tries == 0 || (tries < MOST_TRIES && self.budget.spend());
            if !spent {
                break;
            }
            tried.push(replica.clone());
            let request = again(&head, Body::new(body.clone()), told);
            match attempt(replica, request).await {
                Outcome::Answer(answer) => return Ok(answer),
                Outcome::Refused(answer) => last = Ok(answer),
                Outcome::Broken(status) => last = Err(status),
                Outcome::NotSent(status) => {
                    last = Err(status);
                    continue;
                }
            }
            tries += 1;
        }
        last
    }
}

/// The request once more, with what is left by now.
fn again(head: &Parts, body: Body, told: Option<Instant>) -> Request<Body> {
    let mut request = Request::new(body);
    *request.method_mut() = head.method.clone();
    *request.uri_mut() = head.uri.clone();
    *request.version_mut() = head.version;
    *request.headers_mut() = head.headers.clone();
    if let Some(at) = told {
        deadline::write(request.headers_mut(), at.saturating_duration_since(Instant::now()));
    }
    request
}

async fn attempt(mut replica: Replica, request: Request<Body>) -> Outcome {
    use tower::ServiceExt as _;

    let sent = async { replica.channel.ready().await?.call(request).await };
    match sent.await {
        Err(error) if is_connect(&error) => Outcome::NotSent(unavailable(&error)),
        Err(error) => Outcome::Broken(Status::from_error(Box::new(error))),
        Ok(answer) => {
            let refused = is_refused(&answer);
            // Held as long as its body is: a stream counts as a call under way.
            let answer = answer.map(|body| {
                Body::new(body.map_frame(move |frame| {
                    let _held = &replica;
                    frame
                }))
            });
            if refused { Outcome::Refused(answer) } else { Outcome::Answer(answer) }
        }
    }
}

fn is_refused(answer: &Response<Body>) -> bool {
    let status = Status::from_header_map(answer.headers());
    status.is_some_and(|status| {
        status.code() == Code::Unavailable && status.get_details_retry_info().is_none()
    })
}

fn is_connect(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<ConnectError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

fn unavailable(error: &dyn std::fmt::Display) -> Status {
    tracing::debug!(%error, "a replica cannot be reached");
    Refusal::behind_unavailable("service").into()
}
