//! The calls of one connection: each takes its place, and has so long to arrive.

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
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::body::Body;
use tonic::transport::server::TcpConnectInfo;
use tonic::{Code, Status};
use tower::ServiceExt as _;
use tower::util::Oneshot;

use super::places::{Call, Line};
use crate::status::Refusal;
use crate::telemetry::calls::Calls as Numbers;

/// When whoever was too slow may come again.
const AGAIN_MS: u64 = 1_000;

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

/// A request on its way in. It fails when it takes too long.
struct Arriving<B> {
    body: B,
    within: Duration,
    /// Set as soon as it has to be waited for, which most need not.
    late: Option<Pin<Box<Sleep>>>,
}

impl<S> hyper::service::Service<Request<Incoming>> for Calls<S>
where
    S: tower::Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone,
{
    type Response = Response<Held>;
    type Error = Infallible;
    type Future =
        Either<Placed<Oneshot<S, Request<Body>>>, Ready<Result<Response<Held>, Infallible>>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let call = match self.line.call() {
            Ok(call) => call,
            Err(refusal) => {
                self.numbers.refused(refusal.reason());
                let response = Status::from(refusal).into_http::<Body>();
                let response = response.map(|body| Held { body, _call: None });
                return Either::Right(ready(Ok(response)));
            }
        };
        let mut request =
            request.map(|body| Body::new(Arriving { body, within: self.within, late: None }));
        request.extensions_mut().insert(self.peer.clone());
        let answer = self.service.clone().oneshot(request);
        Either::Left(Placed { answer, call: Some(call) })
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

impl<B> HttpBody for Arriving<B>
where
    B: HttpBody + Unpin,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    type Data = B::Data;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, Status>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            let failed = |error: B::Error| Status::from_error(Box::new(error));
            return Poll::Ready(frame.map(|frame| frame.map_err(failed)));
        }
        let within = self.within;
        let late = self.late.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + within)));
        ready!(late.as_mut().poll(context));
        Poll::Ready(Some(Err(too_slow(within).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn too_slow(within: Duration) -> Refusal {
    let ms = within.as_millis();
    let message = format!("the request has not arrived in whole within {ms} ms");
    Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", message)
        .meta("limit", "milliseconds for a request to arrive")
        .meta("most", ms)
        .retry_after_ms(AGAIN_MS)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::{StreamExt as _, stream};
    use http_body::Frame;
    use http_body_util::{BodyExt as _, StreamBody};
    use tokio::time::{Instant, sleep_until};
    use tonic::{Code, Status};

    use super::Arriving;

    const WITHIN: Duration = Duration::from_secs(10);

    // fault: F18
    #[tokio::test(start_paused = true)]
    async fn a_request_that_trickles_in_fails_at_its_limit_however_much_has_come() {
        let begun = Instant::now();
        let bytes = stream::unfold(begun, |at| async move {
            sleep_until(at).await;
            let frame = Ok::<_, Status>(Frame::data(bytes_of(b"x")));
            Some((frame, at + Duration::from_secs(1)))
        });
        let body = StreamBody::new(bytes.boxed());
        let mut body = Arriving { body, within: WITHIN, late: None };
        let status = loop {
            match body.frame().await.expect("it never ends") {
                Ok(frame) => assert_eq!(frame.into_data().expect("data"), "x"),
                Err(status) => break status,
            }
        };
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert!((WITHIN..WITHIN * 2).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_there_comes_whole() {
        let frames = [b"ab", b"cd"].map(|bytes| Ok::<_, Status>(Frame::data(bytes_of(bytes))));
        let body = StreamBody::new(stream::iter(frames));
        let body = Arriving { body, within: Duration::ZERO, late: None };
        assert_eq!(body.collect().await.expect("comes").to_bytes(), "abcd");
    }

    fn bytes_of(bytes: &'static [u8]) -> tonic::codegen::Bytes {
        tonic::codegen::Bytes::from_static(bytes)
    }
}
