//! A request on its way in: it has so long to arrive, and is taken in whole even where nobody reads it.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tonic::{Code, Status};

use crate::service::MAX_MESSAGE_BYTES;
use crate::status::Refusal;

/// When whoever was too slow may come again.
const AGAIN_MS: u64 = 1_000;

/// The body of a request. It fails when it takes too long.
///
/// What was answered before it was there is read to its end all the same: its stream would else be
/// reset, and what still comes for it be counted as a fault of the connection, which others may share.
pub(super) struct Arriving<B: Body + Unpin + Send + 'static> {
    /// Until it is there, or too late.
    body: Option<B>,
    within: Duration,
    /// Set as soon as it has to be waited for, which most need not.
    late: Option<Pin<Box<Sleep>>>,
}

impl<B: Body + Unpin + Send + 'static> Arriving<B> {
    pub(super) fn new(body: B, within: Duration) -> Self {
        Self { body: Some(body), within, late: None }
    }
}

impl<B> Body for Arriving<B>
where
    B: Body + Unpin + Send + 'static,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    type Data = B::Data;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, Status>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(body).poll_frame(context) {
            if frame.is_none() {
                self.body = None;
            }
            let failed = |error: B::Error| Status::from_error(Box::new(error));
            return Poll::Ready(frame.map(|frame| frame.map_err(failed)));
        }
        let within = self.within;
        let late = self.late.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + within)));
        ready!(late.as_mut().poll(context));
        self.body = None;
        Poll::Ready(Some(Err(too_slow(within).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(B::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), B::size_hint)
    }
}

impl<B: Body + Unpin + Send + 'static> Drop for Arriving<B> {
    fn drop(&mut self) {
        let left = self.body.take().filter(|body| !body.is_end_stream());
        if let (Some(body), Ok(runtime)) = (left, Handle::try_current()) {
            drop(runtime.spawn(timeout(self.within, read_out(body))));
        }
    }
}

/// Reads what a request may have, to its end.
async fn read_out<B: Body + Unpin>(mut body: B) {
    let mut left = MAX_MESSAGE_BYTES;
    while let Some(Ok(frame)) = body.frame().await {
        let bytes = frame.data_ref().map_or(0, bytes::Buf::remaining);
        let Some(less) = left.checked_sub(bytes) else { return };
        left = less;
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

    use bytes::Bytes;
    use futures_util::{StreamExt as _, stream};
    use http_body::Frame;
    use http_body_util::{BodyExt as _, StreamBody};
    use tokio::sync::mpsc;
    use tokio::time::{Instant, sleep_until};
    use tonic::{Code, Status};

    use super::{Arriving, MAX_MESSAGE_BYTES};

    const WITHIN: Duration = Duration::from_secs(10);

    // fault: F18
    #[tokio::test(start_paused = true)]
    async fn a_request_that_trickles_in_fails_at_its_limit_however_much_has_come() {
        let begun = Instant::now();
        let bytes = stream::unfold(begun, |at| async move {
            sleep_until(at).await;
            let frame = Ok::<_, Status>(Frame::data(Bytes::from_static(b"x")));
            Some((frame, at + Duration::from_secs(1)))
        });
        let body = StreamBody::new(bytes.boxed());
        let mut body = Arriving::new(body, WITHIN);
        let status = loop {
            match body.frame().await.expect("it never ends") {
                Ok(frame) => assert_eq!(frame.into_data().expect("data"), "x"),
                Err(status) => break status,
            }
        };
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert!((WITHIN..WITHIN * 2).contains(&begun.elapsed()), "{:?}", begun.elapsed());
        assert!(body.frame().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_there_comes_whole() {
        let frames =
            [b"ab", b"cd"].map(|bytes| Ok::<_, Status>(Frame::data(Bytes::from_static(bytes))));
        let body = Arriving::new(StreamBody::new(stream::iter(frames)), Duration::ZERO);
        assert_eq!(body.collect().await.expect("comes").to_bytes(), "abcd");
    }

    // fault: F18
    #[tokio::test(start_paused = true)]
    async fn what_nobody_reads_is_taken_in_to_its_end_its_limit_or_its_size() {
        let (sender, arriving) = arriving();
        drop(arriving);
        sender.send(1).await.expect("it is read");
        sender.send(MAX_MESSAGE_BYTES - 1).await.expect("it is read");
        sender.send(1).await.expect("it is read");
        sender.closed().await;

        let (sender, arriving) = self::arriving();
        let begun = Instant::now();
        drop(arriving);
        sender.closed().await;
        assert!((WITHIN..WITHIN * 2).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    }

    /// A request of so many bytes a frame.
    fn arriving() -> (
        mpsc::Sender<usize>,
        Arriving<impl http_body::Body<Data = Bytes, Error = Status> + Unpin + Send + 'static>,
    ) {
        let (sender, mut lengths) = mpsc::channel::<usize>(1);
        let frames = stream::poll_fn(move |context| lengths.poll_recv(context))
            .map(|length| Ok::<_, Status>(Frame::data(Bytes::from(vec![0; length]))));
        (sender, Arriving::new(StreamBody::new(frames), WITHIN))
    }
}
