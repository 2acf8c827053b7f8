//! A turn that is known by a reading goes on like the clock that was read.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use tengen_timing::{Bank, Clock, Control, Reading, RunningTurn, Seat};

const SECOND: i64 = 1_000;

/// One control of each kind, and those whose periods are shorter than the calls.
const CONTROLS: [Control; 8] = [
    Control::Absolute { main_ms: 400_000 },
    Control::Reserved { limit_ms: 200_000, reserved_minutes: 3 },
    Control::Reserved { limit_ms: 60_000, reserved_minutes: 1 },
    Control::Japanese { main_ms: 12_345, periods: 3, period_ms: 30_000 },
    Control::Japanese { main_ms: 0, periods: 2, period_ms: 5_000 },
    Control::Canadian { main_ms: 10_000, stones: 3, period_ms: 90_000 },
    Control::Fischer { main_ms: 15_000, increment_ms: 50_000, max_ms: None },
    Control::Fischer { main_ms: 70_500, increment_ms: 1, max_ms: Some(70_500) },
];

fn seen(clock: &Clock, now_ms: i64) -> RunningTurn {
    let seat = clock.running().expect("the clock runs");
    let Reading { main_left_ms, periods_left, period_left_ms, stones_left, .. } =
        clock.reading(seat, now_ms);
    let left = Bank { main_left_ms, periods_left, period_left_ms, stones_left };
    RunningTurn::new(*clock.control(), seat, left, now_ms).unwrap()
}

/// Reads the clock at every second of the turn, and a millisecond to either side, and compares
/// what is still to come.
fn check(what: &str, clock: &Clock, began_ms: i64) {
    let seat = clock.running().expect("the clock runs");
    let deadline_ms = clock.deadline_ms().expect("the clock runs");
    let seconds = (deadline_ms - began_ms) / SECOND;
    let instants = (0..=seconds + 1)
        .flat_map(|second| [-1, 0, 1].map(|ms| began_ms + second * SECOND + ms))
        .filter(|now_ms| *now_ms >= began_ms);
    for now_ms in instants {
        let turn = seen(clock, now_ms);
        let expected = clock.announcements(now_ms, i64::MAX);
        let got = turn.announcements(i64::MIN, i64::MAX);
        assert!(got.eq(expected), "{what}: calls after {now_ms}");
        if now_ms <= deadline_ms {
            assert_eq!(turn.deadline_ms(), deadline_ms, "{what}: at {now_ms}");
        }
        for later_ms in [0, 1, 999, 29_500, 60_000, 1_000_000].map(|ms| now_ms + ms) {
            let (got, expected) = (turn.reading(later_ms), clock.reading(seat, later_ms));
            let expected = Reading { deadline_ms: got.deadline_ms, ..expected };
            assert_eq!(got, expected, "{what}: read at {now_ms}, shown at {later_ms}");
        }
    }
}

// rulebook: C3.2a, C3.3: whoever knows a reading knows every call still to come.
#[test]
fn a_turn_goes_on_from_any_second_of_it() {
    for control in CONTROLS {
        let mut clock = Clock::new(control).unwrap();
        clock.start(Seat::Black, 5_000);
        check(&format!("{control:?}, first turn"), &clock, 5_000);

        // Far enough to be in byo-yomi where there is any: minutes are broken, stones counted.
        let used_ms = clock.reading(Seat::Black, 5_000).total_left_ms * 2 / 3;
        clock.press(5_000 + used_ms, 0).unwrap();
        clock.press(6_000 + used_ms, 0).unwrap();
        check(&format!("{control:?}, second turn"), &clock, 6_000 + used_ms);

        // A paused minute goes on where it stood (rulebook C5.1).
        clock.stop(7_234 + used_ms).unwrap();
        clock.resume(100_000 + used_ms);
        check(&format!("{control:?}, resumed"), &clock, 100_000 + used_ms);

        clock.add_time(Seat::Black, 61_500).unwrap();
        check(&format!("{control:?}, time added"), &clock, 100_000 + used_ms);
    }
}

#[test]
fn the_asked_span_bounds_the_calls() {
    let mut clock = Clock::new(CONTROLS[1]).unwrap();
    clock.start(Seat::White, 0);
    let turn = seen(&clock, 0);
    // Byo-yomi begins at 20 s; the first minute's calls are at 50, 60, 70, 75, 78 and 80 s.
    let due = |after_ms, until_ms| -> Vec<i64> {
        let said = turn.announcements(after_ms, until_ms);
        said.map(|said| said.at_ms).collect()
    };
    assert_eq!(due(20_000, 70_000), [50_000, 60_000, 70_000]);
    assert_eq!(due(19_999, 20_000), [20_000, 20_000]);
    assert!(due(78_000, 79_999).is_empty());
}

#[test]
fn what_no_clock_can_show_is_refused() {
    let japanese = CONTROLS[3];
    let whole = Bank::opening(&japanese);
    let check = |left: Bank, refused: Option<&str>| {
        let got = RunningTurn::new(japanese, Seat::Black, left, 0);
        assert_eq!(got.err().map(|error| error.field), refused, "{left:?}");
    };
    check(whole, None);
    let main = |main_left_ms| Bank { main_left_ms, ..whole };
    check(main(-1), Some("main_left_ms"));
    check(main(i64::MAX), Some("main_left_ms"));
    let period = |period_left_ms| Bank { period_left_ms, ..whole };
    check(period(0), None);
    check(period(-1), Some("period_left_ms"));
    check(period(30_001), Some("period_left_ms"));
    let periods = |periods_left| Bank { periods_left, ..whole };
    check(periods(101), Some("periods_left"));
    check(periods(u32::MAX), Some("periods_left"));
    let unsound = Control::Absolute { main_ms: 0 };
    assert!(RunningTurn::new(unsound, Seat::Black, Bank::default(), 0).is_err());
}
