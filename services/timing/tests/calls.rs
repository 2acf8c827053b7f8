//! What is read aloud, and when.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tengen_timing::{Call, Clock, Control, Seat};

use Call::{ByoYomiBegins, Count, MinutesLeft, PeriodsLeft, Seconds, StonesLeft, TimeIsUp};

const SECOND: i64 = 1_000;

fn reserved(rest_ms: i64, reserved_minutes: u32) -> Control {
    Control::Reserved { limit_ms: rest_ms + i64::from(reserved_minutes) * 60_000, reserved_minutes }
}

fn japanese(main_ms: i64, periods: u32, period_ms: i64) -> Control {
    Control::Japanese { main_ms, periods, period_ms }
}

fn canadian(main_ms: i64, stones: u32, period_ms: i64) -> Control {
    Control::Canadian { main_ms, stones, period_ms }
}

/// A clock on which Black's first turn began at 0.
fn started(control: Control) -> Clock {
    let mut clock = Clock::new(control).unwrap();
    clock.start(Seat::Black, 0);
    clock
}

fn calls(clock: &Clock) -> Vec<(i64, Call)> {
    clock.announcements(i64::MIN, i64::MAX).map(|said| (said.at_ms, said.call)).collect()
}

// rulebook: C3.2a: in every minute of a turn, and the count in the last.
#[test]
fn the_seconds_are_read_aloud() {
    let minute = |start: i64, left: u32| {
        [(30, Seconds(30)), (40, Seconds(40)), (50, Seconds(50)), (55, Seconds(55))]
            .into_iter()
            .chain([(58, Seconds(58)), (60, MinutesLeft(left))])
            .map(move |(second, call)| (start + second * SECOND, call))
    };
    let last = |start: i64| {
        [(30, Seconds(30)), (40, Seconds(40)), (50, Seconds(50))]
            .into_iter()
            .chain((1..=9).map(|n| (50 + i64::from(n), Count(n))))
            .chain([(60, TimeIsUp)])
            .map(move |(second, call)| (start + second * SECOND, call))
    };
    let begins = [(20_000, ByoYomiBegins), (20_000, MinutesLeft(3))];
    let expected: Vec<_> = begins
        .into_iter()
        .chain(minute(20_000, 2))
        .chain(minute(80_000, 1))
        .chain(last(140_000))
        .collect();
    assert_eq!(calls(&started(reserved(20_000, 3))), expected);

    // The next turn in byo-yomi has its own minutes, without a second beginning.
    let mut clock = started(reserved(20_000, 3));
    clock.press(100_000, 0).unwrap();
    clock.press(100_000, 0).unwrap();
    let expected: Vec<_> = minute(100_000, 1).chain(last(160_000)).collect();
    assert_eq!(calls(&clock), expected);
}

// rulebook: C3.3: other kinds by the same habit, from the end of the period.
#[test]
fn other_kinds_are_read_aloud_too() {
    let count = |end: i64, from: u32| {
        (from..=9)
            .map(move |n| (end - i64::from(10 - n) * SECOND, Count(n)))
            .chain([(end, TimeIsUp)])
    };
    let check = |control, expected: Vec<(i64, Call)>| {
        assert_eq!(calls(&started(control)), expected, "{control:?}");
    };
    let mut two_of_thirty = vec![
        (5_000, ByoYomiBegins),
        (5_000, PeriodsLeft(2)),
        (15_000, Seconds(10)),
        (25_000, Seconds(20)),
        (30_000, Seconds(25)),
        (33_000, Seconds(28)),
        (35_000, PeriodsLeft(1)),
        (45_000, Seconds(10)),
        (55_000, Seconds(20)),
    ];
    two_of_thirty.extend(count(65_000, 1));
    check(japanese(5_000, 2, 30_000), two_of_thirty);
    check(japanese(0, 1, 5_000), count(5_000, 6).collect());

    let mut canadian_calls = vec![(10_000, ByoYomiBegins), (10_000, StonesLeft(25))];
    canadian_calls.extend([570, 580, 590].map(|n| (10_000 + i64::from(n) * SECOND, Seconds(n))));
    canadian_calls.extend(count(610_000, 1));
    check(canadian(10_000, 25, 600_000), canadian_calls);

    let mut absolute = vec![(60_000, MinutesLeft(5)), (300_000, MinutesLeft(1))];
    absolute.extend([30, 40, 50].map(|n| (300_000 + i64::from(n) * SECOND, Seconds(n))));
    absolute.extend(count(360_000, 1));
    check(Control::Absolute { main_ms: 360_000 }, absolute);

    let mut short = vec![(5_000, Seconds(50))];
    short.extend(count(15_000, 1));
    check(Control::Fischer { main_ms: 15_000, increment_ms: SECOND, max_ms: None }, short);
}

// rulebook: C3.3: in a Canadian period that an earlier turn opened, only what is left is read.
#[test]
fn an_open_period_is_read_from_where_it_stands() {
    let mut clock = started(canadian(10_000, 3, 60_000));
    clock.press(55_000, 0).unwrap();
    clock.press(55_000, 0).unwrap();
    let said = calls(&clock);
    assert_eq!(said.first(), Some(&(60_000, Seconds(50))));
    assert_eq!(said.last(), Some(&(70_000, TimeIsUp)));
}
