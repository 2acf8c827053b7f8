//! The clauses on time, by their own numbers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use tengen_timing::{Bank, Call, Clock, Control, Flag, Phase, Seat, preset};

use Seat::{Black, White};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60_000;

fn reserved(rest_ms: i64, minutes: u32) -> Control {
    Control::Reserved { limit_ms: rest_ms + i64::from(minutes) * MINUTE, reserved_minutes: minutes }
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

/// A clock on which Black's first turn began at 0.
fn started(control: Control) -> Clock {
    let mut clock = Clock::new(control).unwrap();
    clock.start(Black, 0);
    clock
}

/// What is left after turns of these lengths, White answering at once; `None`: the last one lost.
fn after_turns(control: Control, turns: &[i64]) -> Option<Bank> {
    let mut clock = started(control);
    let mut now = 0;
    let mut left = Bank::opening(&control);
    for (i, turn) in turns.iter().enumerate() {
        now += turn;
        match clock.press(now, 0) {
            Ok(charge) => left = charge.left,
            Err(flag) => {
                assert_eq!(i + 1, turns.len(), "only the last turn may lose");
                assert_eq!(flag.seat, Black);
                return None;
            }
        }
        clock.press(now, 0).unwrap();
    }
    Some(left)
}

// rulebook: C3.2: per move, n full minutes take n, the remainder is free.
#[test]
fn full_minutes_are_taken_from_the_reserve() {
    let check = |rest, minutes, turns: &[i64], left: Option<(i64, u32)>| {
        let got = after_turns(reserved(rest, minutes), turns);
        assert_eq!(got.map(|bank| (bank.main_left_ms, bank.periods_left)), left, "{turns:?}");
        assert!(got.is_none_or(|bank| bank.period_left_ms == MINUTE), "a whole minute is next");
    };
    check(0, 5, &[59_999], Some((0, 5)));
    check(0, 5, &[60_000], Some((0, 4)));
    check(0, 5, &[119_999], Some((0, 4)));
    check(0, 5, &[150_000], Some((0, 3)));
    check(0, 5, &[299_999], Some((0, 1)));
    check(0, 5, &[300_000], None);
    check(0, 5, &[300_001], None);
    // The first minute starts in mid-move at the instant the rest is used up.
    check(20_000, 5, &[19_999], Some((1, 5)));
    check(20_000, 5, &[20_000], Some((0, 5)));
    check(20_000, 5, &[79_999], Some((0, 5)));
    check(20_000, 5, &[80_000], Some((0, 4)));
    check(20_000, 5, &[319_999], Some((0, 1)));
    check(20_000, 5, &[320_000], None);
    // Several turns: broken minutes never add up, full ones do.
    check(20_000, 5, &[79_999, 59_999, 59_999], Some((0, 5)));
    check(20_000, 5, &[80_000, 60_000, 120_000], Some((0, 1)));
    check(20_000, 5, &[80_000, 60_000, 120_000, 59_999], Some((0, 1)));
    check(20_000, 5, &[80_000, 60_000, 120_000, 60_000], None);
}

// rulebook: C3.2, C3.3
// case: C5
#[test]
fn moves_within_the_last_minute_never_lose() {
    for turn in [59_900, 59_999] {
        let mut clock = started(reserved(0, 1));
        let mut now = 0;
        for _ in 0..500 {
            let reading = clock.reading(clock.to_move(), now);
            assert_eq!((reading.phase, reading.period_left_ms), (Phase::LastPeriod, MINUTE));
            now += turn;
            clock.press(now, 0).unwrap();
        }
        assert_eq!(clock.press(now + MINUTE, 0), Err(Flag { seat: Black, at_ms: now + MINUTE }));
    }
}

// rulebook: C3.1: a stamp at or after the deadline has lost, in every kind.
#[test]
fn the_deadline_itself_loses() {
    let controls = [
        (Control::Absolute { main_ms: 10 * SECOND }, 10 * SECOND),
        (reserved(10 * SECOND, 2), 130 * SECOND),
        (japanese(10 * SECOND, 3, 20 * SECOND), 70 * SECOND),
        (canadian(10 * SECOND, 5, 30 * SECOND), 40 * SECOND),
        (fischer(10 * SECOND, SECOND, None), 10 * SECOND),
    ];
    for (control, budget) in controls {
        let clock = started(control);
        let flag = Flag { seat: Black, at_ms: budget };
        assert_eq!(clock.deadline_ms(), Some(budget), "{control:?}");
        assert!(clock.clone().press(budget - 1, 0).is_ok());
        assert_eq!(clock.flag(budget - 1), None);
        for now in [budget, budget + 1, budget + MINUTE] {
            assert_eq!(clock.clone().press(now, 0), Err(flag));
            assert_eq!(clock.clone().stop(now), Err(flag));
            assert_eq!(clock.flag(now), Some(flag));
            assert_eq!(clock.reading(Black, now).phase, Phase::TimeUp);
        }
    }
}

// rulebook: C3.3: Canadian stones, the refill and what it discards.
#[test]
fn canadian_periods_ask_for_stones() {
    let control = canadian(10_000, 3, 60_000);
    let left = |turns: &[i64]| {
        after_turns(control, turns)
            .map(|bank| (bank.main_left_ms, bank.stones_left, bank.period_left_ms))
    };
    assert_eq!(left(&[9_999]), Some((1, 3, 60_000)));
    assert_eq!(left(&[10_000]), Some((0, 2, 60_000)), "a stone of the period that begins");
    assert_eq!(left(&[30_000]), Some((0, 2, 40_000)), "the crossing move counts");
    assert_eq!(left(&[30_000, 10_000]), Some((0, 1, 30_000)));
    assert_eq!(left(&[30_000, 10_000, 29_999]), Some((0, 3, 60_000)), "a new period");
    assert_eq!(left(&[30_000, 10_000, 30_000]), None);
}

// rulebook: C3.3: the increment comes after each move, the cap discards the surplus.
#[test]
fn fischer_adds_up_to_the_cap() {
    let left = |max, turns: &[i64]| {
        after_turns(fischer(60_000, 10_000, max), turns).map(|bank| bank.main_left_ms)
    };
    assert_eq!(left(None, &[1_000]), Some(69_000));
    assert_eq!(left(Some(0), &[1_000, 1_000]), Some(78_000));
    assert_eq!(left(Some(65_000), &[1_000]), Some(65_000));
    assert_eq!(left(Some(65_000), &[20_000]), Some(50_000));
    assert_eq!(left(None, &[59_999]), Some(10_001));
    assert_eq!(left(None, &[60_000]), None, "no increment comes after the deadline");

    // Granted time is not cut down to the cap; it only leaves no room for increments.
    let mut clock = started(fischer(60_000, 10_000, Some(65_000)));
    clock.add_time(Black, 30_000).unwrap();
    assert_eq!(clock.press(1_000, 0).unwrap().left.main_left_ms, 89_000);
    assert_eq!(clock.account(Black, 1_000).discarded_ms, 10_000);
}

// rulebook: C5.1: a paused minute goes on where it stood.
#[test]
fn a_pause_does_not_count() {
    let mut clock = started(reserved(0, 2));
    clock.stop(45_000).unwrap();
    assert_eq!((clock.running(), clock.deadline_ms(), clock.flag(i64::MAX)), (None, None, None));
    assert_eq!(clock.announcements(i64::MIN, i64::MAX).count(), 0);
    clock.resume(1_000_000);
    assert_eq!(clock.deadline_ms(), Some(1_075_000));
    let next = clock.announcements(0, i64::MAX).next().unwrap();
    assert_eq!((next.at_ms, next.call), (1_005_000, Call::Seconds(50)));
    assert_eq!(clock.press(1_015_000, 0).unwrap().left.periods_left, 1, "60 s in all");
}

// rulebook: C5.2: sealing ends the turn with all clocks stopped; the opponent's starts at opening.
#[test]
fn sealing_stops_all_clocks() {
    let mut clock = started(reserved(MINUTE, 1));
    clock.press(30_000, 0).unwrap();
    clock.stop(30_000).unwrap();
    assert_eq!((clock.to_move(), clock.running()), (White, None));
    clock.resume(90_000_000);
    assert_eq!(clock.deadline_ms(), Some(90_120_000));
    // A turn that ends while the clock stands hands over a standing clock.
    clock.stop(90_010_000).unwrap();
    assert_eq!(clock.press(95_000_000, 0).unwrap().charged_ms, 10_000);
    assert_eq!((clock.to_move(), clock.running()), (Black, None));
}

// rulebook: C14.3: off the unreserved part first, then whole minutes of the reserve.
#[test]
fn lateness_is_taken_off() {
    let check = |control, late, left: Option<(i64, u32, i64)>| {
        let mut clock = Clock::new(control).unwrap();
        let got = clock.late(White, late, 2_000_000);
        let reading = clock.reading(White, 2_000_000);
        assert_eq!(clock.thought_ms(White, 2_000_000), 0, "lateness is no thinking time");
        assert_eq!(clock.reading(Black, 2_000_000).total_left_ms, {
            Bank::opening(&control).total_ms(&control)
        });
        match left {
            Some(left) => {
                assert_eq!(got, Ok(()));
                let got = (reading.main_left_ms, reading.periods_left, reading.period_left_ms);
                assert_eq!(got, left, "{late}");
            }
            None => {
                assert_eq!(got.map_err(|flag| flag.seat), Err(White));
                assert_eq!(reading.phase, Phase::TimeUp);
            }
        }
    };
    let ten = reserved(5 * MINUTE, 5);
    check(ten, 0, Some((300_000, 5, MINUTE)));
    check(ten, 180_000, Some((120_000, 5, MINUTE)));
    check(ten, 300_000, Some((0, 5, MINUTE)));
    check(ten, 450_000, Some((0, 3, MINUTE)));
    check(ten, 599_999, Some((0, 1, MINUTE)));
    check(ten, 600_000, None);
    check(ten, i64::MAX, None);
    check(ten, -5, Some((300_000, 5, MINUTE)));
    check(Control::Absolute { main_ms: MINUTE }, 59_999, Some((1, 0, 0)));
    check(Control::Absolute { main_ms: MINUTE }, MINUTE, None);
    check(japanese(MINUTE, 3, 30_000), 105_000, Some((0, 2, 30_000)));
    check(canadian(MINUTE, 5, MINUTE), 90_000, Some((0, 1, 30_000)));
    check(canadian(MINUTE, 5, MINUTE), 120_000, None);

    // The instant of the loss is when the lateness had used up everything.
    let mut clock = Clock::new(ten).unwrap();
    let late = clock.late(Black, 700_000, 1_700_000);
    assert_eq!(late, Err(Flag { seat: Black, at_ms: 1_600_000 }));
}

// rulebook: C14.1, C14.3: late at a resumption, with a turn begun before the adjournment.
#[test]
fn lateness_at_a_resumption_counts_from_what_is_left() {
    let check = |rest, minutes, spent, late, total: Option<i64>| {
        let mut clock = started(reserved(rest, minutes));
        clock.stop(spent).unwrap();
        let verdict = clock.late(Black, late, 10_000_000);
        assert_eq!(verdict.is_ok(), total.is_some(), "spent {spent}, late {late}");
        clock.resume(10_000_000);
        let left = clock.reading(Black, 10_000_000).total_left_ms;
        assert_eq!(left, total.unwrap_or(0), "spent {spent}, late {late}");
        let account = clock.account(Black, 10_000_000);
        assert_eq!(
            account.granted_ms + account.credited_ms,
            account.consumed_ms + account.remaining_ms + account.discarded_ms
        );
    };
    // 10 s of the rest are left: lateness takes them, and 20 s of a minute are free.
    check(100_000, 5, 90_000, 30_000, Some(300_000));
    check(100_000, 5, 90_000, 70_000, Some(240_000));
    // Half a minute of the second is gone: whole minutes are taken, the open one stays open.
    check(0, 3, 90_000, 59_999, Some(90_000));
    check(0, 3, 90_000, 60_000, Some(30_000));
    check(0, 3, 90_000, 119_999, Some(30_000));
    check(0, 3, 90_000, 120_000, None);
}

// rulebook: L7: real running-clock time, byo-yomi included, without lateness, pauses, outages.
#[test]
fn thinking_time_is_running_clock_time() {
    use tengen_timing::CreditReason::Outage;
    let mut clock = Clock::new(reserved(MINUTE, 5)).unwrap();
    clock.late(Black, 40_000, 40_000).unwrap();
    clock.start(Black, 40_000);
    clock.press(100_000, 500).unwrap();
    assert_eq!(clock.thought_ms(Black, 100_000), MINUTE, "40 s of it in byo-yomi, lag included");
    clock.stop(110_000).unwrap();
    clock.resume(500_000);
    assert_eq!(clock.credit(Outage, 520_000, 523_000), 3_000);
    assert_eq!(clock.thought_ms(White, 530_000), 37_000);
    assert_eq!(clock.thought_ms(Black, 530_000), MINUTE);
    clock.finish(530_000);
    assert_eq!(clock.thought_ms(White, 999_999), 37_000, "nothing runs any more");

    // The border of five minutes is exact, and a flag that is noticed late ends at its instant.
    let mut clock = started(reserved(3 * MINUTE, 2));
    assert_eq!(clock.thought_ms(Black, 299_999), 299_999);
    clock.finish(320_000);
    assert_eq!(clock.thought_ms(Black, 320_000), 300_000);
}

// rulebook: C3.0: what the README's table says of the presets.
#[test]
fn presets_show_what_the_table_says() {
    let at = |name, used| {
        let reading = started(preset(name).unwrap()).reading(Black, used);
        (reading.phase, reading.main_left_ms / SECOND, reading.periods_left, reading.period_left_ms)
    };
    assert_eq!(at("local", 0), (Phase::Main, 59 * 60, 1, MINUTE));
    assert_eq!(at("local", 59 * MINUTE), (Phase::LastPeriod, 0, 1, MINUTE));
    assert_eq!(at("local", 60 * MINUTE).0, Phase::TimeUp);
    assert_eq!(at("national", 0), (Phase::Main, 175 * 60, 5, MINUTE));
    assert_eq!(at("national", 175 * MINUTE), (Phase::ByoYomi, 0, 5, MINUTE));
    assert_eq!(at("national", 179 * MINUTE), (Phase::LastPeriod, 0, 1, MINUTE));
    assert_eq!(at("national", 180 * MINUTE).0, Phase::TimeUp);
    assert_eq!(at("casual", 20 * MINUTE), (Phase::ByoYomi, 0, 5, 30_000));
    assert_eq!(at("casual", 22 * MINUTE), (Phase::LastPeriod, 0, 1, 30_000));
    assert_eq!(at("blitz", 5 * MINUTE + 40_000), (Phase::LastPeriod, 0, 1, 20_000));
    assert_eq!(at("blitz", 6 * MINUTE).0, Phase::TimeUp);
}
