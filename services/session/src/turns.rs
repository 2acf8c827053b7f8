//! When those who find a queue full shall come again: each is given a turn of his own, at the pace
//! at which the work goes, so that they do not all come at once, again and again.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The longest wait that is told; beyond it the turns are a guess.
const LONGEST: Duration = Duration::from_secs(30);

/// The turns that were given.
#[derive(Debug)]
pub(crate) struct Turns {
    /// At work at once.
    workers: u32,
    /// Those in the queue that are to be done before the first turn.
    ahead: u32,
    pace: Mutex<Pace>,
}

#[derive(Debug)]
struct Pace {
    /// How long one piece of work takes, lately.
    each: Duration,
    /// The last turn that was given.
    last: Option<Instant>,
}

impl Turns {
    /// Nobody waits; `each` is how long one of `workers` takes. Turns begin once `ahead` are done.
    pub(crate) fn new(workers: usize, ahead: usize, each: Duration) -> Self {
        let [workers, ahead] = [workers, ahead].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Self { workers: workers.max(1), ahead, pace: Mutex::new(Pace { each, last: None }) }
    }

    /// A piece of work took this long.
    pub(crate) fn took(&self, one: Duration) {
        let mut pace = self.pace();
        pace.each = (pace.each * 3 + one) / 4;
    }

    /// How long the next one who is sent away shall wait.
    pub(crate) fn give(&self, now: Instant) -> Duration {
        let mut pace = self.pace();
        let step = pace.each / self.workers;
        let first = now + step.saturating_mul(self.ahead);
        let turn = pace.last.map_or(first, |last| last.max(first)) + step;
        let turn = turn.min(now + LONGEST);
        pace.last = Some(turn);
        turn - now
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn turns_come_at_the_pace_of_the_work() {
        let (turns, now) = (Turns::new(2, 10, 40 * MS), Instant::now());
        // Ten before them at two at once; then one each twenty milliseconds.
        assert_eq!([(); 3].map(|()| turns.give(now)), [220 * MS, 240 * MS, 260 * MS]);
        // Turns that are over are nobody's.
        let later = now + 1_000 * MS;
        assert_eq!(turns.give(later), 220 * MS);
        for _ in 0..50 {
            turns.took(80 * MS);
        }
        assert!(turns.give(later) > 255 * MS);
    }

    #[test]
    fn nobody_is_told_to_wait_for_ever() {
        let (turns, now) = (Turns::new(1, 0, 1_000 * MS), Instant::now());
        let waits: Vec<_> = (0..100).map(|_| turns.give(now)).collect();
        assert_eq!((waits[0], waits[99]), (1_000 * MS, LONGEST));
        // The cap is no turn that others queue behind.
        assert_eq!(turns.give(now + LONGEST), 1_000 * MS);
    }
}
