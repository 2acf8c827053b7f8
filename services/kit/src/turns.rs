//! Whose turn it is: what a client does beyond its pace is put off, one thing behind another.
//!
//! To refuse costs work too, and whoever comes again at once would else take all there is of it. A
//! client that keeps to its pace is not remembered.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The turns of all clients.
pub(crate) struct Turns<C> {
    /// From one turn to the next.
    pace: Duration,
    /// How far ahead of that a client may be: what it has saved up.
    saved: Duration,
    /// The longest that anything is put off.
    most_held: Duration,
    /// When a client has saved up everything again.
    clients: Mutex<HashMap<C, Instant>>,
}

impl<C: Eq + Hash> Turns<C> {
    /// So many a second, lasting, of which so many may be taken at once; none is put off for longer.
    pub(crate) fn new(per_s: u32, at_once: u32, most_held: Duration) -> Self {
        let pace = Duration::from_secs(1) / per_s.max(1);
        let saved = pace * at_once.saturating_sub(1);
        Self { pace, saved, most_held, clients: Mutex::default() }
    }

    /// When the next turn of a client is: now, or later.
    pub(crate) fn next(&self, client: C) -> Instant {
        let now = Instant::now();
        let mut clients = self.clients();
        let full = clients.entry(client).or_insert(now);
        let taken = (*full).clamp(now, now + self.saved + self.most_held);
        *full = taken + self.pace;
        taken.checked_sub(self.saved).map_or(now, |at| at.max(now))
    }

    /// Forgets who keeps to his pace. To be called now and then.
    pub(crate) fn forget(&self) {
        let now = Instant::now();
        let mut clients = self.clients();
        clients.retain(|_, full| *full > now);
        clients.shrink_to_fit();
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<C, Instant>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::Turns;

    const MOST_HELD: Duration = Duration::from_secs(2);

    // fault: F18
    #[tokio::test(start_paused = true)]
    async fn turns_come_one_after_another_and_none_is_put_off_for_long() {
        let turns = Turns::new(10, 1, MOST_HELD);
        let next = |who| turns.next(who) - Instant::now();
        for nth in 0..20 {
            assert_eq!(next("ada"), Duration::from_millis(100) * nth);
        }
        assert_eq!(next("bo"), Duration::ZERO, "others are not meant");
        for _ in 0..1_000 {
            assert_eq!(next("ada"), MOST_HELD);
        }
        turns.forget();
        assert_eq!(turns.clients().len(), 2);
        advance(Duration::from_millis(50)).await;
        assert_eq!(next("ada"), MOST_HELD);
        assert_eq!(next("bo"), Duration::from_millis(50));
        advance(2 * MOST_HELD).await;
        turns.forget();
        assert_eq!(turns.clients().len(), 0);
    }

    // fault: F18
    #[tokio::test(start_paused = true)]
    async fn what_was_saved_up_is_taken_at_once() {
        let turns = Turns::new(10, 3, MOST_HELD);
        let next = || turns.next("ada") - Instant::now();
        let ms = Duration::from_millis;
        assert_eq!([(); 5].map(|()| next()), [ms(0), ms(0), ms(0), ms(100), ms(200)]);
        advance(ms(400)).await;
        assert_eq!([(); 3].map(|()| next()), [ms(0), ms(0), ms(100)]);
        for _ in 0..1_000 {
            assert!(next() <= MOST_HELD);
        }
        advance(MOST_HELD + ms(300)).await;
        assert_eq!([(); 4].map(|()| next()), [ms(0), ms(0), ms(0), ms(100)]);
    }
}
