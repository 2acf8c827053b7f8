//! The seconds read aloud (rulebook C3.2a).

use crate::control::{Control, MINUTE_MS};
use crate::{Bank, Seat};

const SECOND_MS: i64 = 1_000;
/// Spoken by every kind when so much of a period is left: in a minute, at 30, 40 and 50 s.
const TENS_LEFT_MS: [i64; 3] = [30_000, 20_000, 10_000];
/// Spoken besides in a period that is not the last: in a minute, at 55 and 58 s.
const WARNINGS_LEFT_MS: [i64; 2] = [5_000, 2_000];
/// Spoken before the last minute where there is no byo-yomi.
const MAIN_MINUTES_LEFT: [u32; 2] = [5, 1];

/// What is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// So many seconds of the open minute or period are gone: 30, 40, 50, 55 and 58 of a minute.
    /// Where time ends without a fixed last period (absolute, Fischer), of the last minute.
    Seconds(u32),
    /// The last ten seconds of the last minute, 1 to 9; the tenth is [`Call::TimeIsUp`].
    Count(u32),
    /// "Ten, time is up": the loss.
    TimeIsUp,
    /// So many minutes are left: a reserved one was taken, or byo-yomi began with them. Absolute
    /// and Fischer: before the last five and the last one.
    MinutesLeft(u32),
    /// Main time is used up; how much byo-yomi there is follows at the same instant.
    ByoYomiBegins,
    /// Japanese: so many periods are left.
    PeriodsLeft(u32),
    /// Canadian: so many stones are to be played in the period that begins.
    StonesLeft(u32),
}

/// A call and the instant it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Announcement {
    /// When it is due.
    pub at_ms: i64,
    /// Whose time it tells.
    pub seat: Seat,
    /// What is said.
    pub call: Call,
}

/// A period as the calls see it.
struct Span {
    /// Time used in the turn when the period ends.
    end_ms: i64,
    /// How much of it the turn has; calls before that belong to an earlier turn.
    open_ms: i64,
    /// Its full length.
    whole_ms: i64,
    /// What is said at its end; `None` if it is the last.
    then: Option<Call>,
}

/// Every call of a turn that starts with `bank`, by the time used when it is due; in order. What is
/// due at 0 or before belongs to no turn, or to an earlier one.
pub(crate) fn calls(bank: Bank, control: Control) -> impl Iterator<Item = (i64, Call)> {
    let main_ms = bank.main_left_ms;
    let main = (bank.periods_left == 0).then(|| main_calls(main_ms)).into_iter().flatten();
    let begins = (bank.periods_left > 0)
        .then(|| [Call::ByoYomiBegins, left_call(bank.periods_left, bank, control)])
        .into_iter()
        .flatten()
        .map(move |call| (main_ms, call));
    let periods = (0..bank.periods_left).flat_map(move |taken| {
        let left = bank.periods_left - taken - 1;
        let whole_ms = control.period_ms();
        let span = Span {
            end_ms: main_ms + bank.period_left_ms + i64::from(taken) * whole_ms,
            // Only the first may have been opened by an earlier turn (Canadian).
            open_ms: if taken == 0 { bank.period_left_ms } else { whole_ms },
            whole_ms,
            then: (left > 0).then(|| left_call(left, bank, control)),
        };
        span.calls()
    });
    main.chain(begins).chain(periods)
}

/// Without byo-yomi the end of main time is read like a last minute.
fn main_calls(main_ms: i64) -> impl Iterator<Item = (i64, Call)> {
    let minutes = MAIN_MINUTES_LEFT
        .into_iter()
        .map(move |n| (main_ms - i64::from(n) * MINUTE_MS, Call::MinutesLeft(n)));
    let last =
        Span { end_ms: main_ms, open_ms: main_ms.min(MINUTE_MS), whole_ms: MINUTE_MS, then: None };
    minutes.chain(last.calls())
}

const fn left_call(periods_left: u32, bank: Bank, control: Control) -> Call {
    match control {
        Control::Canadian { .. } => Call::StonesLeft(bank.stones_left),
        Control::Japanese { .. } => Call::PeriodsLeft(periods_left),
        _ => Call::MinutesLeft(periods_left),
    }
}

impl Span {
    fn calls(self) -> impl Iterator<Item = (i64, Call)> {
        let Self { end_ms, open_ms, whole_ms, then } = self;
        let seconds = move |left_ms| (left_ms, Call::Seconds(seconds(whole_ms - left_ms)));
        let warnings = then.is_some().then_some(WARNINGS_LEFT_MS).into_iter().flatten();
        let counts = then.is_none().then_some(1..=9).into_iter().flatten();
        TENS_LEFT_MS
            .into_iter()
            .chain(warnings)
            .map(seconds)
            .chain(counts.map(|n| (i64::from(10 - n) * SECOND_MS, Call::Count(n))))
            .filter(move |(left_ms, _)| *left_ms < open_ms)
            .chain([(0, then.unwrap_or(Call::TimeIsUp))])
            .map(move |(left_ms, call)| (end_ms - left_ms, call))
    }
}

fn seconds(ms: i64) -> u32 {
    u32::try_from(ms / SECOND_MS).unwrap_or(u32::MAX)
}
