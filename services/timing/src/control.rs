//! Time controls: what a game may be played with, and what is refused.

use std::fmt;

/// A full minute, the unit of the reserve (rulebook C3.2).
pub const MINUTE_MS: i64 = 60_000;
/// No side may hold, or be granted, more than this: a live game lasts a day at most.
pub const MAX_HOLD_MS: i64 = 24 * 60 * MINUTE_MS;
/// The most minutes of a limit that may be reserved.
pub const MAX_RESERVED_MINUTES: u32 = 10;
/// The most periods of a Japanese control.
pub const MAX_PERIODS: u32 = 100;
/// The most stones a Canadian period may ask for.
pub const MAX_STONES: u32 = 100;

const SECOND_MS: i64 = 1_000;

/// How both sides' time is limited (rulebook C3). Checked by [`Control::validate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Control {
    /// One limit and nothing after it.
    Absolute {
        /// The limit, 1 ms to 24 h.
        main_ms: i64,
    },
    /// The last minutes of the limit are reserved: once the rest is used, each full minute that a
    /// turn takes costs one of them, and anything short of a minute is free (rulebook C3.2).
    Reserved {
        /// The whole limit, reserve included.
        limit_ms: i64,
        /// R: 1 to [`MAX_RESERVED_MINUTES`], no more than the limit holds.
        reserved_minutes: u32,
    },
    /// Main time, then periods of one length; a period costs nothing unless it is used up.
    Japanese {
        /// Time before byo-yomi; 0 starts in it.
        main_ms: i64,
        /// 1 to [`MAX_PERIODS`].
        periods: u32,
        /// Whole seconds.
        period_ms: i64,
    },
    /// Main time, then a number of stones in each period; what is left of a period is discarded
    /// when its last stone is played.
    Canadian {
        /// Time before byo-yomi; 0 starts in it.
        main_ms: i64,
        /// 1 to [`MAX_STONES`] stones a period.
        stones: u32,
        /// Whole seconds.
        period_ms: i64,
    },
    /// Main time that grows by an increment after each move.
    Fischer {
        /// Time at the start, 1 ms to 24 h.
        main_ms: i64,
        /// Added when a turn ends; at least 1 ms.
        increment_ms: i64,
        /// An increment never lifts a side above this; `None` or 0 for no cap but the 24 h.
        max_ms: Option<i64>,
    },
}

/// A number that no clock may be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlError {
    /// The field as the API names it.
    pub field: &'static str,
    /// What was given.
    pub value: i64,
    /// What was expected, in words.
    pub expected: &'static str,
}

impl Control {
    /// Checks every number of the control.
    ///
    /// # Errors
    /// The first field that is out of range.
    pub fn validate(&self) -> Result<(), ControlError> {
        match *self {
            Self::Absolute { main_ms } => positive("main_ms", main_ms),
            Self::Reserved { limit_ms, reserved_minutes } => reserved(limit_ms, reserved_minutes),
            Self::Japanese { main_ms, periods, period_ms } => {
                not_negative("main_ms", main_ms)?;
                count("periods", periods, MAX_PERIODS, "a number from 1 to 100")?;
                period(period_ms)?;
                total("period_ms", period_ms, main_ms + i64::from(periods) * period_ms)
            }
            Self::Canadian { main_ms, stones, period_ms } => {
                not_negative("main_ms", main_ms)?;
                count("stones", stones, MAX_STONES, "a number from 1 to 100")?;
                period(period_ms)?;
                total("period_ms", period_ms, main_ms + period_ms)
            }
            Self::Fischer { main_ms, increment_ms, max_ms } => {
                positive("main_ms", main_ms)?;
                positive("increment_ms", increment_ms)?;
                let max_ms = max_ms.unwrap_or(0);
                not_negative("max_ms", max_ms)?;
                check("max_ms", max_ms, max_ms == 0 || max_ms >= main_ms, "no less than main_ms")
            }
        }
    }

    /// Length of a byo-yomi minute or period; 0 for the kinds that have none.
    pub const fn period_ms(&self) -> i64 {
        match *self {
            Self::Reserved { .. } => MINUTE_MS,
            Self::Japanese { period_ms, .. } | Self::Canadian { period_ms, .. } => period_ms,
            Self::Absolute { .. } | Self::Fischer { .. } => 0,
        }
    }

    /// Whether byo-yomi takes whole periods and leaves broken ones free.
    pub(crate) const fn takes_whole_periods(&self) -> bool {
        matches!(self, Self::Reserved { .. } | Self::Japanese { .. })
    }
}

fn reserved(limit_ms: i64, minutes: u32) -> Result<(), ControlError> {
    positive("limit_ms", limit_ms)?;
    count("reserved_minutes", minutes, MAX_RESERVED_MINUTES, "a number from 1 to 10")?;
    let fits = i64::from(minutes) * MINUTE_MS <= limit_ms;
    check("reserved_minutes", i64::from(minutes), fits, "no more minutes than limit_ms holds")
}

fn positive(field: &'static str, value: i64) -> Result<(), ControlError> {
    check(field, value, (1..=MAX_HOLD_MS).contains(&value), "milliseconds, from 1 to 24 hours")
}

pub(crate) fn not_negative(field: &'static str, value: i64) -> Result<(), ControlError> {
    check(field, value, (0..=MAX_HOLD_MS).contains(&value), "milliseconds, from 0 to 24 hours")
}

fn count(
    field: &'static str,
    value: u32,
    max: u32,
    expected: &'static str,
) -> Result<(), ControlError> {
    check(field, i64::from(value), (1..=max).contains(&value), expected)
}

/// Calls fall on whole seconds of a period, so a period has no broken ones.
fn period(value: i64) -> Result<(), ControlError> {
    let whole = (SECOND_MS..=MAX_HOLD_MS).contains(&value) && value % SECOND_MS == 0;
    check("period_ms", value, whole, "whole seconds in milliseconds, from 1,000 to 24 hours")
}

fn total(field: &'static str, value: i64, sum_ms: i64) -> Result<(), ControlError> {
    check(field, value, sum_ms <= MAX_HOLD_MS, "main time and periods of 24 hours together at most")
}

pub(crate) fn check(
    field: &'static str,
    value: i64,
    holds: bool,
    expected: &'static str,
) -> Result<(), ControlError> {
    if holds { Ok(()) } else { Err(ControlError { field, value, expected }) }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, expected {}", self.field, self.value, self.expected)
    }
}

impl std::error::Error for ControlError {}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = MAX_HOLD_MS;

    fn reserved(limit_ms: i64, reserved_minutes: u32) -> Control {
        Control::Reserved { limit_ms, reserved_minutes }
    }

    fn japanese(main_ms: i64, periods: u32, period_ms: i64) -> Control {
        Control::Japanese { main_ms, periods, period_ms }
    }

    fn canadian(main_ms: i64, stones: u32, period_ms: i64) -> Control {
        Control::Canadian { main_ms, stones, period_ms }
    }

    fn fischer(main_ms: i64, increment_ms: i64, max_ms: Option<i64>) -> Control {
        Control::Fischer { main_ms, increment_ms, max_ms }
    }

    // rulebook: C3.2, C3.3: each number has its range, and a refusal names the field and the value.
    #[test]
    fn controls_out_of_range_are_refused_by_field() {
        let check = |control: Control, refused: Option<(&str, i64)>| {
            let got = control.validate().map_err(|error| (error.field, error.value));
            assert_eq!(got, refused.map_or(Ok(()), Err), "{control:?}");
        };
        check(Control::Absolute { main_ms: 1 }, None);
        check(Control::Absolute { main_ms: DAY }, None);
        check(Control::Absolute { main_ms: 0 }, Some(("main_ms", 0)));
        check(Control::Absolute { main_ms: -1 }, Some(("main_ms", -1)));
        check(Control::Absolute { main_ms: DAY + 1 }, Some(("main_ms", DAY + 1)));
        check(reserved(300_000, 5), None);
        check(reserved(299_999, 5), Some(("reserved_minutes", 5)));
        check(reserved(300_000, 0), Some(("reserved_minutes", 0)));
        check(reserved(DAY, 10), None);
        check(reserved(DAY, 11), Some(("reserved_minutes", 11)));
        check(reserved(0, 1), Some(("limit_ms", 0)));
        check(reserved(i64::MIN, 1), Some(("limit_ms", i64::MIN)));
        check(japanese(0, 1, 1_000), None);
        check(japanese(-1, 1, 1_000), Some(("main_ms", -1)));
        check(japanese(0, 0, 1_000), Some(("periods", 0)));
        check(japanese(0, 101, 1_000), Some(("periods", 101)));
        check(japanese(0, 1, 0), Some(("period_ms", 0)));
        check(japanese(0, 1, 1_500), Some(("period_ms", 1_500)));
        check(japanese(0, 1, i64::MAX), Some(("period_ms", i64::MAX)));
        check(japanese(DAY - 60_000, 2, 30_000), None);
        check(japanese(DAY - 60_000, 3, 30_000), Some(("period_ms", 30_000)));
        check(canadian(0, 25, 600_000), None);
        check(canadian(0, 0, 600_000), Some(("stones", 0)));
        check(canadian(DAY, 1, 1_000), Some(("period_ms", 1_000)));
        check(canadian(0, 1, -1_000), Some(("period_ms", -1_000)));
        check(fischer(1, 1, None), None);
        check(fischer(60_000, 1, Some(60_000)), None);
        check(fischer(60_000, 1, Some(0)), None);
        check(fischer(60_000, 1, Some(59_999)), Some(("max_ms", 59_999)));
        check(fischer(60_000, 1, Some(-1)), Some(("max_ms", -1)));
        check(fischer(60_000, 0, None), Some(("increment_ms", 0)));
        check(fischer(0, 1, None), Some(("main_ms", 0)));
    }

    #[test]
    fn a_refusal_reads_as_a_sentence() {
        let error = reserved(300_000, 0).validate().unwrap_err();
        assert_eq!(error.to_string(), "reserved_minutes is 0, expected a number from 1 to 10");
    }
}
