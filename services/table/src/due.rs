//! What falls due by itself: flags, the end of counting, and when absence is to be asked about.

use tengen_rules::Colour;
use tengen_timing::Flag;

use crate::{EndReason, Event, Fact, Phase, Settlement, Table, colour};

/// The dispute at which every stone stands (rulebook C12.3, C12.4).
pub(crate) const LAST_DISPUTE: u32 = 2;

impl Table {
    /// The instant at which [`Table::due`] or [`Table::absence_over`] has something; `None` while
    /// nothing can fall due.
    pub fn next_due_ms(&self) -> Option<i64> {
        match self.phase {
            Phase::Waiting => Some(self.wait_over_ms()),
            Phase::Playing => self.flag_due_ms().into_iter().chain(self.absence_due_ms()).min(),
            Phase::Paused => self.pauses.iter().filter_map(|(_, until_ms)| *until_ms).min(),
            Phase::Counting => self.counting.deadline_ms,
            Phase::Restored => self.restoration_deadline_ms(),
            Phase::Ended => None,
        }
    }

    /// The same where it is not known whether an absent player is still gone: that is asked again at
    /// `again_ms`.
    pub fn next_due_unanswered_ms(&self, again_ms: i64) -> Option<i64> {
        match self.absence_due_ms() {
            Some(_) => self.flag_due_ms().into_iter().chain([again_ms]).min(),
            None => self.next_due_ms(),
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

    /// When the flag is to be called; `None` if no clock runs.
    pub(crate) fn flag_due_ms(&self) -> Option<i64> {
        self.clock.as_ref()?.due_ms(self.lag_ms[self.to_move.index()])
    }

    fn flag(&self, now_ms: i64) -> Option<Flag> {
        self.clock.as_ref()?.flag_with_lag(now_ms, self.lag_ms[self.to_move.index()])
    }

    /// The end on time, of a player who is here or away. Its stamp is the instant the flag fell,
    /// whenever that was noticed.
    pub(crate) fn flagged(&self, flag: Flag) -> Event {
        let loser = colour(flag.seat);
        let here = self.present(loser);
        let reason = if here { EndReason::Time } else { EndReason::TimeWhileAway };
        let mut event = Event::ended(reason, Some(loser.opponent()), None);
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
