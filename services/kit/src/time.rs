//! The time, as a parameter: the wall clock in service, a hand-moved one in tests.

use std::fmt;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Where the time comes from.
pub trait Time: Send + Sync + 'static {
    /// Now, in milliseconds since the Unix epoch. Never less than it said before.
    fn now_ms(&self) -> i64;

    /// Ends once [`Time::now_ms`] is at least `at_ms`; at once if it is already.
    fn until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// A source of time, as services hold it.
pub type SharedTime = Arc<dyn Time>;

/// The machine's clock, read once at the start and counted on from there, so that it never steps
/// back when the machine's clock is set.
#[derive(Debug, Clone, Copy)]
pub struct WallTime {
    start: Instant,
    start_ms: i64,
}

/// A clock that stands until it is moved, for tests. Its clones are the same clock.
#[derive(Clone)]
pub struct ManualTime(Arc<watch::Sender<i64>>);

impl WallTime {
    /// Reads the machine's clock. A clock set before 1970 or absurdly far ahead counts as 1970.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place where the clock is read")]
    pub fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            start: Instant::now(),
            start_ms: i64::try_from(since_epoch.as_millis()).unwrap_or_default(),
        }
    }

    /// As services hold it.
    #[must_use]
    pub fn shared() -> SharedTime {
        Arc::new(Self::start())
    }
}

impl Time for WallTime {
    fn now_ms(&self) -> i64 {
        let since_start = i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.start_ms.saturating_add(since_start)
    }

    fn until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let after_start = u64::try_from(at_ms.saturating_sub(self.start_ms)).unwrap_or(0);
        match self.start.checked_add(Duration::from_millis(after_start)) {
            Some(instant) => Box::pin(sleep_until(instant)),
            None => Box::pin(pending()),
        }
    }
}

impl ManualTime {
    /// A clock that stands at `start_ms`.
    #[must_use]
    pub fn new(start_ms: i64) -> Self {
        Self(Arc::new(watch::Sender::new(start_ms)))
    }

    /// Moves the clock on and wakes whoever waits for an instant that has come.
    pub fn advance(&self, ms: u32) {
        self.0.send_modify(|now_ms| *now_ms = now_ms.saturating_add(i64::from(ms)));
    }

    /// As services hold it; still moved by `self`.
    #[must_use]
    pub fn shared(&self) -> SharedTime {
        Arc::new(self.clone())
    }
}

impl Time for ManualTime {
    fn now_ms(&self) -> i64 {
        *self.0.borrow()
    }

    fn until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut clock = self.0.subscribe();
        Box::pin(async move {
            // A clock that nobody can move any more never gets there.
            if clock.wait_for(|now_ms| *now_ms >= at_ms).await.is_err() {
                pending::<()>().await;
            }
        })
    }
}

impl fmt::Debug for ManualTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManualTime").field(&self.now_ms()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{ManualTime, Time, WallTime};

    #[tokio::test]
    async fn manual_time_wakes_those_who_are_due_and_only_them() {
        let time = ManualTime::new(1_000);
        let early = tokio::spawn(time.until(1_500));
        let late = tokio::spawn(time.until(2_000));

        time.advance(499);
        tokio::task::yield_now().await;
        assert!(!early.is_finished());

        time.advance(1);
        early.await.expect("1500 has come");
        tokio::task::yield_now().await;
        assert!(!late.is_finished());

        time.advance(500);
        late.await.expect("2000 has come");
        assert_eq!(time.now_ms(), 2_000);
        time.until(2_000).await;
        time.until(i64::MIN).await;
    }

    #[tokio::test(start_paused = true)]
    async fn wall_time_ends_a_wait_no_sooner_than_asked() {
        let time = WallTime::start();
        let start_ms = time.now_ms();
        time.until(start_ms + 25).await;
        assert!(time.now_ms() >= start_ms + 25);
        time.until(start_ms - 25).await;
    }

    #[tokio::test]
    async fn wall_time_waits_for_ever_for_the_end_of_time() {
        let mut wait = WallTime::start().until(i64::MAX);
        let poll = std::future::poll_fn(|context| {
            std::task::Poll::Ready(wait.as_mut().poll(context).is_pending())
        });
        assert!(poll.await);
    }
}
