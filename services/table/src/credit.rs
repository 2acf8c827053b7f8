//! Time that is nobody's to pay: outages of ours, jumps of the server's clock, and the delay of the
//! network (rulebook C8.4).

use tengen_rules::Colour;
use tengen_timing::CreditReason;

use crate::{Event, Fact, Phase, Table};

/// A delay that differs by less is not worth an event.
const LAG_STEP_MS: u64 = 10;

impl Table {
    /// Gives back what an outage or a shift of the server's clock cost: to the side to move on its
    /// clock, to whoever is away, to both while counting has its limit, to whoever is still to come. `None` where it
    /// cost nobody anything.
    pub fn credit(
        &self,
        reason: CreditReason,
        from_ms: i64,
        to_ms: i64,
        now_ms: i64,
    ) -> Option<Event> {
        let ms = match self.phase {
            Phase::Playing => {
                let mut clock = self.clock.clone();
                let ran_ms = clock.as_mut().map_or(0, |clock| clock.credit(reason, from_ms, to_ms));
                match reason {
                    CreditReason::Outage => ran_ms.max(self.windows_held_up_ms(from_ms, to_ms)),
                    CreditReason::Shift => ran_ms,
                }
            }
            Phase::Counting => held_up_ms(reason, from_ms, to_ms, self.counting.since_ms),
            Phase::Waiting => held_up_ms(reason, from_ms, to_ms, self.waiting_since_ms()),
            Phase::Paused | Phase::Restored | Phase::Ended => 0,
        };
        let from_ms = match reason {
            CreditReason::Outage => to_ms.saturating_sub(ms),
            CreditReason::Shift => from_ms,
        };
        // Stamped at its end or later, so that it is seen to be made good.
        let at_ms = now_ms.max(self.last_at_ms).max(to_ms);
        (ms != 0).then(|| Event::new(at_ms, Fact::Credited { reason, from_ms, to_ms }))
    }

    pub(crate) fn fold_credit(&mut self, reason: CreditReason, from_ms: i64, to_ms: i64) {
        match self.phase {
            Phase::Counting => {
                let ms = held_up_ms(reason, from_ms, to_ms, self.counting.since_ms);
                let later = |deadline_ms: i64| deadline_ms.saturating_add(ms);
                self.counting.deadline_ms = self.counting.deadline_ms.map(later);
                self.counting.since_ms = self.counting.since_ms.max(to_ms);
            }
            Phase::Waiting => {
                let ms = held_up_ms(reason, from_ms, to_ms, self.waiting_since_ms());
                self.held_up.ms = self.held_up.ms.saturating_add(ms);
                self.held_up.until_ms = self.held_up.until_ms.max(to_ms);
            }
            _ => {
                if let Some(clock) = &mut self.clock {
                    clock.credit(reason, from_ms, to_ms);
                }
                self.credit_windows(reason, from_ms, to_ms);
            }
        }
    }

    /// Takes down a measured delay, if it says something new while the game goes on. It never moves
    /// a flag that is falling, nor comes before anything that is due.
    pub fn lag_measured(&self, side: Colour, ms: i64, now_ms: i64) -> Option<Event> {
        let news = ms >= 0 && ms.abs_diff(self.lag_ms(side)) >= LAG_STEP_MS;
        let at_ms = now_ms.max(self.last_at_ms);
        let undisturbed = self.due(at_ms).is_empty() && self.no_flag_is_falling(at_ms).is_ok();
        (news && undisturbed && self.phase != Phase::Ended)
            .then(|| Event { by: Some(side), ..Event::new(at_ms, Fact::LagMeasured { ms }) })
    }
}

/// What an outage took of a limit that no clock shows, and that counts from `since_ms`.
pub(crate) fn held_up_ms(reason: CreditReason, from_ms: i64, to_ms: i64, since_ms: i64) -> i64 {
    match reason {
        CreditReason::Outage => to_ms.saturating_sub(from_ms.max(since_ms)).max(0),
        CreditReason::Shift => 0,
    }
}
