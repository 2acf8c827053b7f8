//! What one seat holds, and how used time is taken from it.

use crate::control::{Control, MAX_HOLD_MS, MINUTE_MS};

/// The time a seat holds. Nothing in it is ever negative.
///
/// Time is used in this order: main time, the period that is open, the whole periods after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bank {
    /// Main time, for [`Control::Reserved`] the part of the limit that is not reserved.
    pub main_left_ms: i64,
    /// Reserved minutes or periods left, the open one included; 1 for Canadian until time is up;
    /// 0 where the control has none.
    pub periods_left: u32,
    /// What is left of the period that is, or will be, open: a whole one wherever byo-yomi has not
    /// begun. 0 where the control has none.
    pub period_left_ms: i64,
    /// Canadian: stones still to be played in the period; else 0.
    pub stones_left: u32,
}

/// What the end of a turn gave and threw away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refill {
    pub(crate) bank: Bank,
    pub(crate) granted_ms: i64,
    pub(crate) discarded_ms: i64,
}

impl Bank {
    /// What each side holds before its first turn.
    pub fn opening(control: &Control) -> Self {
        let bank = |main_left_ms, periods_left, stones_left| Self {
            main_left_ms,
            periods_left,
            period_left_ms: control.period_ms(),
            stones_left,
        };
        match *control {
            Control::Absolute { main_ms } | Control::Fischer { main_ms, .. } => bank(main_ms, 0, 0),
            Control::Reserved { limit_ms, reserved_minutes } => {
                bank(limit_ms - i64::from(reserved_minutes) * MINUTE_MS, reserved_minutes, 0)
            }
            Control::Japanese { main_ms, periods, .. } => bank(main_ms, periods, 0),
            Control::Canadian { main_ms, stones, .. } => bank(main_ms, 1, stones),
        }
    }

    /// All that may be used in one turn before the flag falls.
    pub fn total_ms(&self, control: &Control) -> i64 {
        let closed = i64::from(self.periods_left.saturating_sub(1));
        self.main_left_ms + self.period_left_ms + closed * control.period_ms()
    }

    /// What is left in mid-turn, `used_ms` later. Steps add up: `after(a).after(b)` is
    /// `after(a + b)`. Using all there is, or more, leaves nothing.
    pub(crate) fn after(self, used_ms: i64, control: &Control) -> Self {
        let from_main = used_ms.clamp(0, self.main_left_ms);
        let main_left_ms = self.main_left_ms - from_main;
        let over_ms = used_ms.max(0) - from_main;
        if over_ms < self.period_left_ms {
            return Self { main_left_ms, period_left_ms: self.period_left_ms - over_ms, ..self };
        }
        if self.periods_left == 0 {
            return Self { main_left_ms, ..self };
        }
        let period_ms = control.period_ms();
        let rest_ms = over_ms - self.period_left_ms;
        // The open period, and every full one after it.
        let gone = 1 + rest_ms / period_ms;
        let periods_left = i64::from(self.periods_left) - gone;
        if periods_left <= 0 {
            return Self { main_left_ms: 0, periods_left: 0, period_left_ms: 0, stones_left: 0 };
        }
        Self {
            main_left_ms,
            periods_left: u32::try_from(periods_left).unwrap_or(self.periods_left),
            period_left_ms: period_ms - rest_ms % period_ms,
            ..self
        }
    }

    /// The turn ended in time: what the next one starts with (rulebook C3.2, C3.3).
    pub(crate) fn turn_ended(self, control: &Control) -> Refill {
        match *control {
            Control::Absolute { .. } => Refill { bank: self, granted_ms: 0, discarded_ms: 0 },
            Control::Reserved { .. } | Control::Japanese { .. } => self.whole_period(control),
            Control::Canadian { stones, .. } if self.main_left_ms == 0 => {
                match self.stones_left.saturating_sub(1) {
                    0 => Self { stones_left: stones, ..self }.new_period(control),
                    stones_left => Refill {
                        bank: Self { stones_left, ..self },
                        granted_ms: 0,
                        discarded_ms: 0,
                    },
                }
            }
            Control::Canadian { .. } => Refill { bank: self, granted_ms: 0, discarded_ms: 0 },
            Control::Fischer { increment_ms, max_ms, .. } => {
                let cap_ms = max_ms.filter(|ms| *ms > 0).unwrap_or(MAX_HOLD_MS).min(MAX_HOLD_MS);
                let gain_ms = increment_ms.min((cap_ms - self.main_left_ms).max(0));
                Refill {
                    bank: Self { main_left_ms: self.main_left_ms + gain_ms, ..self },
                    granted_ms: increment_ms,
                    discarded_ms: increment_ms - gain_ms,
                }
            }
        }
    }

    /// A turn never starts on a broken minute: an opened one is replaced by a whole one, so that
    /// what was used of it was free. A Canadian period goes on over several turns.
    pub(crate) fn whole_period(self, control: &Control) -> Refill {
        let each_turn = !matches!(control, Control::Canadian { .. });
        let broken =
            each_turn && self.periods_left > 0 && self.period_left_ms < control.period_ms();
        if broken {
            self.new_period(control)
        } else {
            Refill { bank: self, granted_ms: 0, discarded_ms: 0 }
        }
    }

    fn new_period(self, control: &Control) -> Refill {
        let period_ms = control.period_ms();
        Refill {
            bank: Self { period_left_ms: period_ms, ..self },
            granted_ms: period_ms,
            discarded_ms: self.period_left_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bank() -> impl Strategy<Value = (Control, Bank)> {
        (0..100_i64, 1..6_u32, 1..4_i64, 1..4_u32, 0..3).prop_map(
            |(main_ms, n, secs, stones, kind)| {
                let control = match kind {
                    0 => Control::Absolute { main_ms: main_ms + 1 },
                    1 => Control::Japanese { main_ms, periods: n, period_ms: secs * 1_000 },
                    _ => Control::Canadian { main_ms, stones, period_ms: secs * 1_000 },
                };
                (control, Bank::opening(&control))
            },
        )
    }

    proptest! {
        // rulebook: C3.2: a turn charged at once or in steps comes to the same.
        #[test]
        fn steps_add_up((control, bank) in bank(), a in 0..8_000_i64, b in 0..8_000_i64) {
            prop_assert_eq!(bank.after(a, &control).after(b, &control), bank.after(a + b, &control));
        }

        // Using time takes exactly that time, until nothing is left.
        #[test]
        fn what_is_used_is_gone((control, bank) in bank(), used in 0..30_000_i64) {
            let left_ms = bank.after(used, &control).total_ms(&control);
            prop_assert_eq!(left_ms, (bank.total_ms(&control) - used).max(0));
        }
    }
}
