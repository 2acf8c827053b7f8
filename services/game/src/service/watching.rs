//! What one watcher of a game is sent.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;
use tengen_kit::status::Refusal;
use tokio::sync::broadcast;
use tokio_stream::Stream as _;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;
use tonic::{Code, Status};

use crate::service::encoded::Encoded;
use crate::service::watch::Hub;

/// The body of an answer to WatchGame: what the watcher lacks, what comes, and why it ends. Whoever
/// does not read is not waited for; it is cut when it reads again.
pub struct Watching {
    first: VecDeque<Encoded>,
    /// What comes; nothing of a game that is over.
    messages: Option<BroadcastStream<Encoded>>,
    /// Ends when the watcher has to go elsewhere.
    leave: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// The last it was sent.
    sequence: i64,
    over: bool,
    /// Kept alive by whoever watches.
    _hub: Arc<Hub>,
}

/// Why a watcher has to leave before the end.
pub enum Leave {
    /// It reads too slowly.
    Slow,
    /// This replica goes away, or feeds the hub no longer.
    Elsewhere,
}

impl Watching {
    /// Passes on `first`, then `messages` up to the end of the game, or until `leave` ends.
    pub fn new(
        first: Vec<Encoded>,
        messages: Option<broadcast::Receiver<Encoded>>,
        sequence: i64,
        leave: impl Future<Output = ()> + Send + 'static,
        hub: Arc<Hub>,
    ) -> Self {
        let messages = messages.map(BroadcastStream::new);
        let leave = Box::pin(leave);
        Self { first: first.into(), messages, leave, sequence, over: false, _hub: hub }
    }

    /// The next message; `None` at the end of the game.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Encoded, Leave>>> {
        if let Some(message) = self.first.pop_front() {
            return Poll::Ready(Some(Ok(message)));
        }
        let Some(messages) = &mut self.messages else { return Poll::Ready(None) };
        match Pin::new(messages).poll_next(context) {
            Poll::Ready(Some(Ok(message))) => {
                if message.ended {
                    self.messages = None;
                }
                Poll::Ready(Some(Ok(message)))
            }
            Poll::Ready(Some(Err(BroadcastStreamRecvError::Lagged(_)))) => {
                Poll::Ready(Some(Err(Leave::Slow)))
            }
            Poll::Ready(None) => Poll::Ready(Some(Err(Leave::Elsewhere))),
            Poll::Pending => {
                self.leave.as_mut().poll(context).map(|()| Some(Err(Leave::Elsewhere)))
            }
        }
    }
}

impl http_body::Body for Watching {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.over {
            return Poll::Ready(None);
        }
        let end = match ready!(self.poll(context)) {
            Some(Ok(message)) => {
                self.sequence = message.sequence.unwrap_or(self.sequence);
                return Poll::Ready(Some(Ok(Frame::data(message.framed))));
            }
            Some(Err(why)) => why.refusal().meta("sequence", self.sequence).into(),
            None => Status::ok(""),
        };
        self.over = true;
        let mut trailers = HeaderMap::new();
        end.add_header(&mut trailers)?;
        Poll::Ready(Some(Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.over
    }
}

impl Leave {
    /// What the watcher is told.
    pub fn refusal(&self) -> Refusal {
        match self {
            Self::Slow => {
                let message = "messages were read too slowly; resume from the sequence";
                Refusal::new(Code::ResourceExhausted, "SLOW_WATCHER", message)
            }
            Self::Elsewhere => {
                Refusal::new(Code::Unavailable, "RESUME_ELSEWHERE", "resume on another replica")
            }
        }
    }
}
