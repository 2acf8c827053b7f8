//! What one watcher of a game is sent.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_link::Stay;
use tokio::sync::broadcast;
use tokio_stream::Stream as _;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;
use tonic::{Code, Status};

use crate::metrics::Metrics;
use crate::service::encoded::Encoded;
use crate::service::watch::Hub;

/// The body of an answer to WatchGame: what the watcher lacks, what comes, and why it ends. Whoever
/// does not read is not waited for; it is cut when it reads again.
pub struct Watching {
    first: VecDeque<Encoded>,
    /// What comes; nothing of a game that is over.
    messages: Option<BroadcastStream<Encoded>>,
    /// When the watcher has to go elsewhere. Looked at with every message: there is a heartbeat every
    /// few seconds, and a timer for each watcher would cost more than it is worth.
    end: (SharedTime, i64),
    /// The last it was sent.
    sequence: i64,
    over: bool,
    metrics: Metrics,
    /// Kept while it watches: the hub, and the player's presence.
    _held: (Arc<Hub>, Option<Stay>),
}

/// Why a watcher has to leave before the end.
pub enum Leave {
    /// It reads too slowly.
    Slow,
    /// This replica goes away, or feeds the hub no longer.
    Elsewhere,
}

impl Watching {
    /// Passes on `first`, then `messages` up to the end of the game, or until the instant of `end`.
    pub fn new(
        first: Vec<Encoded>,
        messages: Option<broadcast::Receiver<Encoded>>,
        sequence: i64,
        end: (SharedTime, i64),
        metrics: Metrics,
        held: (Arc<Hub>, Option<Stay>),
    ) -> Self {
        let messages = messages.map(BroadcastStream::new);
        metrics.watchers.inc();
        Self { first: first.into(), messages, end, sequence, over: false, metrics, _held: held }
    }

    /// The next message; `None` at the end of the game.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Encoded, Leave>>> {
        if let Some(message) = self.first.pop_front() {
            return Poll::Ready(Some(Ok(message)));
        }
        let Some(messages) = &mut self.messages else { return Poll::Ready(None) };
        let (time, ends_ms) = &self.end;
        let message = match ready!(Pin::new(messages).poll_next(context)) {
            Some(Ok(message)) if message.ended || time.now_ms() < *ends_ms => message,
            Some(Err(BroadcastStreamRecvError::Lagged(_))) => {
                return Poll::Ready(Some(Err(Leave::Slow)));
            }
            Some(Ok(_)) | None => return Poll::Ready(Some(Err(Leave::Elsewhere))),
        };
        if message.ended {
            self.messages = None;
        }
        Poll::Ready(Some(Ok(message)))
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
            Some(Err(why)) => {
                if matches!(why, Leave::Slow) {
                    self.metrics.watchers_cut.inc();
                }
                why.refusal().meta("sequence", self.sequence).into()
            }
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

impl Drop for Watching {
    fn drop(&mut self) {
        self.metrics.watchers.dec();
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
