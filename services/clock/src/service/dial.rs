//! What everybody who watches one game's clocks sees. Computed once, sent to all.

use std::sync::Arc;

use tengen_proto::clock::v1 as wire;
use tengen_proto::clock::v1::watch_clock_response::Message as Told;
use tokio::sync::broadcast;

use crate::convert::{self, Clocks, State};

/// Messages a watcher may lag behind before it is cut.
const BEHIND: usize = 128;
/// A call that is later than this helps nobody (fault F10).
const LATEST_MS: i64 = 500;

/// A message, shared by all who get it.
pub type Message = Arc<wire::WatchClockResponse>;

/// The clocks of one game, and who sees them.
pub struct Dial {
    state: State,
    /// Whether the game's events come in as they happen. While they do not, nothing is called:
    /// the turn may be over.
    live: bool,
    /// What was due up to here has been called, or is too late.
    called_ms: i64,
    /// `None` once the game is over.
    messages: Option<broadcast::Sender<Message>>,
}

impl Dial {
    /// A game as it stands.
    pub fn new(state: State) -> Self {
        let messages = (!state.ended).then(|| broadcast::channel(BEHIND).0);
        Self { live: true, called_ms: state.at_ms, messages, state }
    }

    /// Whether the game is over.
    pub fn ended(&self) -> bool {
        self.state.ended
    }

    /// What somebody who comes now sees first, and the messages after that; none after the end.
    pub fn join(
        &mut self,
        now_ms: i64,
    ) -> (Option<wire::WatchClockResponse>, Option<broadcast::Receiver<Message>>) {
        self.call(now_ms);
        let first = match &self.state {
            State { ended: true, .. } => Some(self.end()),
            State { clocks, .. } => clocks.as_ref().map(|clocks| shown(clocks, now_ms)),
        };
        (first, self.messages.as_ref().map(broadcast::Sender::subscribe))
    }

    /// When [`Dial::call`] has something to say next; `None` while it is unknown.
    pub fn due_ms(&self) -> Option<i64> {
        let clocks = self.state.clocks.as_ref().filter(|_| self.live)?;
        let mut coming = clocks.announcements(self.called_ms, i64::MAX);
        coming.next().map(|said| said.at_ms)
    }

    /// Calls what has fallen due.
    pub fn call(&mut self, now_ms: i64) {
        if self.live {
            self.call_until(now_ms, now_ms);
        }
    }

    /// The game went on.
    pub fn event(&mut self, next: State, now_ms: i64) {
        // Its stamp proves that the turn ran until then.
        self.call_until(next.at_ms, now_ms);
        let goes_on = match (&self.state.clocks, &next.clocks) {
            (Some(before), Some(after)) => before.go_on_as(after),
            (before, after) => before.is_none() && after.is_none(),
        };
        self.state = next;
        self.tell(!goes_on);
    }

    /// The game as it is now, whatever was seen before.
    pub fn snapshot(&mut self, state: State) {
        self.called_ms = state.at_ms;
        self.state = state;
        self.tell(true);
    }

    /// The game's events come in, or they do not.
    pub fn set_live(&mut self, live: bool) {
        self.live = live;
    }

    fn call_until(&mut self, until_ms: i64, now_ms: i64) {
        if let Some(clocks) = &self.state.clocks {
            for said in clocks.announcements(self.called_ms, until_ms) {
                if now_ms.saturating_sub(said.at_ms) <= LATEST_MS {
                    self.send(Told::Call(convert::call(&said)));
                }
            }
        }
        self.called_ms = self.called_ms.max(until_ms);
    }

    fn tell(&mut self, changed: bool) {
        if self.state.ended {
            self.send_message(self.end());
            self.messages = None;
        } else if let Some(clocks) = self.state.clocks.as_ref().filter(|_| changed) {
            self.send_message(shown(clocks, self.state.at_ms));
        }
    }

    fn end(&self) -> wire::WatchClockResponse {
        let clocks = self.state.clocks.as_ref();
        let clock = clocks.map(|clocks| clocks.at(self.state.at_ms));
        told(Told::Ended(wire::ClockEnded { clock }))
    }

    fn send(&self, message: Told) {
        self.send_message(told(message));
    }

    fn send_message(&self, message: wire::WatchClockResponse) {
        if let Some(messages) = &self.messages {
            // Nobody may be listening at this moment.
            let _ = messages.send(Arc::new(message));
        }
    }
}

fn shown(clocks: &Clocks, now_ms: i64) -> wire::WatchClockResponse {
    told(Told::Clock(clocks.at(now_ms)))
}

fn told(message: Told) -> wire::WatchClockResponse {
    wire::WatchClockResponse { message: Some(message), ..wire::WatchClockResponse::default() }
}

#[cfg(test)]
mod tests;
