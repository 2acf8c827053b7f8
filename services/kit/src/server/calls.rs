//! The calls of one connection: each takes its place, and holds it to the end of its answer.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::future::Either;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use pin_project_lite::pin_project;
use tonic::Status;
use tonic::body::Body;
use tonic::transport::server::TcpConnectInfo;
use tower::ServiceExt as _;
use tower::util::Oneshot;

use super::arriving::Arriving;
use super::places::{Call, Line};
use crate::telemetry::calls::Calls as Numbers;

/// Answers the calls of one connection.
pub(super) struct Calls<S> {
    pub(super) service: S,
    pub(super) line: Arc<Line>,
    /// Where a call that gets no place is counted.
    pub(super) numbers: Numbers,
    pub(super) peer: TcpConnectInfo,
    /// How long a request may take to arrive.
    pub(super) within: Duration,
}

pin_project! {
    /// A call that has its place.
    pub(super) struct Placed<F> {
        #[pin]
        answer: F,
        call: Option<Call>,
    }
}

pin_project! {
    /// An answer, which holds the place of its call to the end.
    pub(super) struct Held {
        #[pin]
        body: Body,
        _call: Option<Call>,
    }
}

impl<S> hyper::service::Service<Request<Incoming>> for Calls<S>
where
    S: tower::Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone,
{
    type Response = Response<Held>;
    type Error = Infallible;
    // In a box, as a stream would else keep the room of it as long as it lasts.
    type Future = Either<
        Pin<Box<Placed<Oneshot<S, Request<Body>>>>>,
        Ready<Result<Response<Held>, Infallible>>,
    >;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let mut request = request.map(|body| Body::new(Arriving::new(body, self.within)));
        let call = match self.line.call() {
            Ok(call) => call,
            Err(refusal) => {
                self.numbers.refused(refusal.reason());
                let response = Status::from(refusal).into_http::<Body>();
                let response = response.map(|body| Held { body, _call: None });
                return Either::Right(ready(Ok(response)));
            }
        };
        request.extensions_mut().insert(self.peer.clone());
        let answer = self.service.clone().oneshot(request);
        Either::Left(Box::pin(Placed { answer, call: Some(call) }))
    }
}

impl<F> Future for Placed<F>
where
    F: Future<Output = Result<Response<Body>, Infallible>>,
{
    type Output = Result<Response<Held>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let response = ready!(this.answer.poll(context))?;
        let call = this.call.take();
        Poll::Ready(Ok(response.map(|body| Held { body, _call: call })))
    }
}

impl HttpBody for Held {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.project().body.poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
