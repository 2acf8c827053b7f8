//! One who watches clocks: its stream, and the hub it keeps alive.

use std::sync::Arc;

use tengen_kit::time::SharedTime;
use tengen_link::Stay;
use tengen_live::Live;
use tengen_proto::clock::v1::WatchClockResponse;
use tengen_proto::clock::v1::watch_clock_response::Message as Told;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::dial::Message;
use super::watch::Hub;
use crate::error;
use crate::lag::Nonces;

/// How long a stream lives before its client must choose a replica again.
const STREAM_MS: i64 = 30 * 60 * 1_000;

/// What a watcher reads.
pub type Watching = ReceiverStream<Result<WatchClockResponse, Status>>;

/// What puts a nonce on a player's messages, to measure the delay by.
pub struct Stamp {
    /// Issues them.
    pub nonces: Nonces,
    /// Whose clock they are measured by.
    pub live: Arc<dyn Live>,
    /// The game.
    pub game_id: String,
    /// The player.
    pub player_id: String,
    /// Keeps the player present.
    pub _stay: Stay,
}

/// Passes messages on to one stream.
pub struct Watcher {
    sender: mpsc::Sender<Result<WatchClockResponse, Status>>,
    time: SharedTime,
    ends_ms: i64,
    /// Of the last clock that was sent.
    sequence: i64,
    stamp: Option<Stamp>,
    _hub: Arc<Hub>,
}

impl Watcher {
    /// Sends the first message and then the others, up to the end of the game.
    pub fn start(
        first: Option<WatchClockResponse>,
        messages: Option<Receiver<Message>>,
        hub: Arc<Hub>,
        time: SharedTime,
        stamp: Option<Stamp>,
    ) -> Watching {
        let (sender, receiver) = mpsc::channel(1);
        let mut watcher = Self {
            sender,
            ends_ms: time.now_ms().saturating_add(STREAM_MS),
            time,
            sequence: 0,
            stamp,
            _hub: hub,
        };
        tokio::spawn(async move {
            if let Some(first) = first
                && !watcher.send(first).await
            {
                return;
            }
            if let Some(messages) = messages
                && let Err(status) = watcher.run(messages).await
            {
                // The watcher may be gone.
                let _ = watcher.sender.send(Err(status)).await;
            }
        });
        ReceiverStream::new(receiver)
    }

    /// Ends well with the game, or with the watcher.
    async fn run(&mut self, mut messages: Receiver<Message>) -> Result<(), Status> {
        loop {
            let message = tokio::select! {
                biased;
                message = messages.recv() => message,
                () = self.sender.closed() => return Ok(()),
                () = self.time.until(self.ends_ms) => return Err(error::elsewhere(self.sequence)),
            };
            let message = match message {
                Ok(message) => message,
                Err(RecvError::Lagged(_)) => return Err(error::slow(self.sequence)),
                // Nothing feeds the hub any more: the replica goes away, or the game is lost.
                Err(RecvError::Closed) => return Err(error::elsewhere(self.sequence)),
            };
            let ended = matches!(message.message, Some(Told::Ended(_)));
            if !self.send((*message).clone()).await || ended {
                return Ok(());
            }
        }
    }

    /// False if the watcher left.
    async fn send(&mut self, mut message: WatchClockResponse) -> bool {
        if let Some(Told::Clock(clock)) = &message.message {
            self.sequence = clock.sequence;
            if let Some(Stamp { nonces, live, game_id, player_id, .. }) = &self.stamp {
                message.nonce = nonces.issue(game_id, player_id, live.now_ms());
            }
        }
        self.sender.send(Ok(message)).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tengen_kit::time::ManualTime;
    use tengen_proto::clock::v1::{Call, Clock};
    use tokio_stream::StreamExt;
    use tonic::Code;
    use tonic_types::StatusExt;

    fn told(message: Told) -> WatchClockResponse {
        WatchClockResponse { message: Some(message), ..WatchClockResponse::default() }
    }

    // A watcher that lags behind is cut and told so; it held nobody up.
    #[tokio::test]
    async fn a_slow_watcher_is_cut() {
        let (messages, receiver) = tokio::sync::broadcast::channel(2);
        for _ in 0..3 {
            messages.send(Arc::new(told(Told::Call(Call::default())))).unwrap();
        }
        let first = told(Told::Clock(Clock { sequence: 7, ..Clock::default() }));
        let time = ManualTime::new(0).shared();
        let hub = Arc::new(Hub::default());
        let mut watching = Watcher::start(Some(first.clone()), Some(receiver), hub, time, None);
        assert_eq!(watching.next().await.unwrap().unwrap(), first);
        let status = watching.next().await.unwrap().unwrap_err();
        assert_eq!(status.code(), Code::ResourceExhausted);
        let info = status.get_details_error_info().unwrap();
        assert_eq!(info.reason, "SLOW_WATCHER");
        assert_eq!(info.metadata["sequence"], "7");
        assert!(watching.next().await.is_none());
    }

    // A client that stays must choose a replica again now and then.
    #[tokio::test]
    async fn a_stream_has_an_end() {
        let (_messages, receiver) = tokio::sync::broadcast::channel(2);
        let time = ManualTime::new(0);
        let hub = Arc::new(Hub::default());
        let mut watching = Watcher::start(None, Some(receiver), hub, time.shared(), None);
        time.advance(u32::try_from(STREAM_MS).unwrap());
        let status = watching.next().await.unwrap().unwrap_err();
        let info = status.get_details_error_info().unwrap();
        assert_eq!(info.reason, "RESUME_ELSEWHERE");
    }
}
