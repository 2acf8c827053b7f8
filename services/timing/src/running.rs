//! A running turn, known by one reading of its clock.

use crate::call::calls;
use crate::control::{MAX_PERIODS, check, not_negative};
use crate::{Announcement, Bank, Control, ControlError, Phase, Reading, Seat};

/// A turn in progress, for those who know one reading of its clock and not the game behind it.
/// If nobody acts it reads, and is read aloud, as the [`Clock`](crate::Clock) it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunningTurn {
    control: Control,
    seat: Seat,
    left: Bank,
    at_ms: i64,
}

impl RunningTurn {
    /// The seat's clock ran at `at_ms`, and `left` was what it held then.
    ///
    /// # Errors
    /// A control that [`Control::validate`] refuses, or the first number of `left` that it cannot
    /// leave.
    pub fn new(control: Control, seat: Seat, left: Bank, at_ms: i64) -> Result<Self, ControlError> {
        control.validate()?;
        not_negative("main_left_ms", left.main_left_ms)?;
        check(
            "period_left_ms",
            left.period_left_ms,
            (0..=control.period_ms()).contains(&left.period_left_ms),
            "milliseconds, no more than a whole period",
        )?;
        check(
            "periods_left",
            i64::from(left.periods_left),
            left.periods_left <= MAX_PERIODS,
            "a number up to 100",
        )?;
        Ok(Self { control, seat, left, at_ms })
    }

    /// When the flag falls if nobody acts.
    pub fn deadline_ms(&self) -> i64 {
        self.at_ms.saturating_add(self.left.total_ms(&self.control))
    }

    /// What the clock shows at an instant after it was read, if nobody acts.
    pub fn reading(&self, now_ms: i64) -> Reading {
        let total_ms = self.left.total_ms(&self.control);
        let used_ms = now_ms.saturating_sub(self.at_ms).clamp(0, total_ms);
        let left = self.left.after(used_ms, &self.control);
        let total_left_ms = total_ms - used_ms;
        Reading {
            seat: self.seat,
            phase: match left.periods_left {
                _ if total_left_ms == 0 => Phase::TimeUp,
                _ if left.main_left_ms > 0 => Phase::Main,
                1 if self.control.takes_whole_periods() => Phase::LastPeriod,
                _ => Phase::ByoYomi,
            },
            main_left_ms: left.main_left_ms,
            periods_left: left.periods_left,
            period_left_ms: left.period_left_ms,
            stones_left: left.stones_left,
            total_left_ms,
            deadline_ms: Some(self.deadline_ms()),
        }
    }

    /// The calls that are due after `after_ms` and up to `until_ms`, if nobody acts
    /// (rulebook C3.2a). What was due when the clock was read has been said.
    pub fn announcements(
        &self,
        after_ms: i64,
        until_ms: i64,
    ) -> impl Iterator<Item = Announcement> + use<> {
        let Self { seat, at_ms, .. } = *self;
        let after_ms = after_ms.max(at_ms);
        calls(self.left, self.control)
            .map(move |(used_ms, call)| Announcement {
                at_ms: at_ms.saturating_add(used_ms),
                seat,
                call,
            })
            .filter(move |said| said.at_ms > after_ms && said.at_ms <= until_ms)
    }
}
