//! What falls due by itself: flags and the end of counting.

use tengen_rules::Colour;
use tengen_timing::Flag;

use crate::{EndReason, Event, Fact, Phase, Settlement, Table, colour};

/// The dispute at which every stone stands (rulebook C12.3, C12.4).
pub(crate) const LAST_DISPUTE: u32 = 2;

impl Table {
    /// The instant at which [`Table::due`] has something; `None` while nothing can fall due.
    pub fn next_due_ms(&self) -> Option<i64> {
        match self.phase {
            Phase::Waiting => Some(self.wait_over_ms()),
            Phase::Playing => {
                let clock = self.clock.as_ref()?;
                clock.due_ms(self.lag_ms[self.to_move.index()])
            }
            Phase::Paused => self.pauses.iter().filter_map(|(_, until_ms)| *until_ms).min(),
            Phase::Counting => self.counting.deadline_ms,
            Phase::Restored => self.restoration_deadline_ms(),
            Phase::Ended => None,
        }
    }

    /// What has fallen due by now, to be committed before anything else is decided. Empty if
    /// nothing has: a call too early, doubled or stale changes nothing.
    pub fn due(&self, now_ms: i64) -> Vec<Event> {
        let now_ms = now_ms.max(self.last_at_ms);
        if self.next_due_ms().is_none_or(|at_ms| now_ms < at_ms) {
            return Vec::new();
        }
        match self.phase {
            Phase::Waiting => self.wait_over(now_ms),
            Phase::Playing => {
                self.flag(now_ms).map(|flag| self.flagged(flag)).into_iter().collect()
            }
            Phase::Paused => self.pauses_over(now_ms),
            Phase::Counting => self.disputed(None, now_ms),
            Phase::Restored => self.not_confirmed(now_ms),
            Phase::Ended => Vec::new(),
        }
    }

    fn flag(&self, now_ms: i64) -> Option<Flag> {
        self.clock.as_ref()?.flag_with_lag(now_ms, self.lag_ms[self.to_move.index()])
    }

    /// The end on time. Its stamp is the instant the flag fell, whenever that was noticed.
    pub(crate) fn flagged(&self, flag: Flag) -> Event {
        let winner = colour(flag.seat.other());
        let mut event = Event::ended(EndReason::Time, Some(winner), None);
        event.at_ms = flag.at_ms.max(self.last_at_ms);
        event
    }

    /// A dispute by a side, or by nobody when counting has taken too long; the last one ends the
    /// game with every stone standing, so a game always ends.
    pub(crate) fn disputed(&self, by: Option<Colour>, now_ms: i64) -> Vec<Event> {
        let mut events = vec![Event { by, ..Event::new(now_ms, Fact::Disputed) }];
        if self.counting.disputes + 1 >= LAST_DISPUTE {
            let counted = self.counted(Settlement::AllStand);
            let mut end =
                Event::ended(EndReason::Count, counted.count.winner(), Some(Settlement::AllStand));
            end.at_ms = now_ms;
            events.push(end);
        }
        events
    }
}

impl Event {
    /// A fact of nobody's, stamped.
    pub(crate) const fn new(at_ms: i64, fact: Fact) -> Self {
        Self { at_ms, by: None, request: None, word: None, fact }
    }

    pub(crate) const fn ended(
        reason: EndReason,
        winner: Option<Colour>,
        settlement: Option<Settlement>,
    ) -> Self {
        Self::new(0, Fact::Ended { reason, winner, settlement })
    }
}
