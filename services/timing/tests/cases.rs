//! Faults of other servers' clocks, which must not happen here.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use tengen_timing::CreditReason::{Outage, Shift};
use tengen_timing::{Call, Clock, Control, Flag, LagPolicy, MAX_HOLD_MS, Phase, Seat};

use Seat::{Black, White};

const MINUTE: i64 = 60_000;

fn absolute(main_ms: i64) -> Control {
    Control::Absolute { main_ms }
}

fn in_byo_yomi(minutes: u32) -> Control {
    Control::Reserved { limit_ms: i64::from(minutes) * MINUTE, reserved_minutes: minutes }
}

fn started(control: Control) -> Clock {
    let mut clock = Clock::new(control).unwrap();
    clock.start(Black, 0);
    clock
}

// case: C2: one verdict around the flag, and the clock is never left in between.
#[test]
fn a_move_at_the_flag_has_one_verdict() {
    for (elapsed, wins) in [(9_999, true), (10_000, false), (10_001, false)] {
        let mut clock = started(absolute(10_000));
        let before = clock.clone();
        match clock.press(elapsed, 0) {
            Ok(_) => {
                assert!(wins);
                assert_eq!(clock.running(), Some(White));
                assert_eq!(clock.flag(elapsed), None);
            }
            Err(flag) => {
                assert!(!wins);
                assert_eq!(flag, Flag { seat: Black, at_ms: 10_000 });
                assert_eq!(clock, before, "a refused press changes nothing");
                clock.finish(elapsed);
                assert_eq!(clock.running(), None);
                assert_eq!(clock.reading(White, elapsed).total_left_ms, 10_000);
            }
        }
    }
}

// case: C8: an undo leaves the mover what he had, and a whole minute.
#[test]
fn an_undo_never_leaves_less_than_the_mover_had() {
    let mut clock = started(in_byo_yomi(3));
    let had = clock.press(59_000, 0).unwrap().left;
    clock.begin_turn(Black, 65_000);
    let reading = clock.reading(Black, 65_000);
    assert_eq!((reading.periods_left, reading.period_left_ms), (had.periods_left, MINUTE));
    assert_eq!(clock.deadline_ms(), Some(65_000 + 3 * MINUTE));
    // The opponent's turn was called off: it is shown, and cost nothing.
    assert_eq!(clock.credits(White).waived_ms, 6_000);
    assert_eq!(clock.reading(White, 65_000).total_left_ms, 3 * MINUTE);
}

// case: C9: each full minute is told without any move.
#[test]
fn a_deducted_minute_is_told_at_its_instant() {
    let clock = started(in_byo_yomi(3));
    let minutes: Vec<_> = clock
        .announcements(0, i64::MAX)
        .filter(|said| matches!(said.call, Call::MinutesLeft(_)))
        .map(|said| (said.at_ms, said.seat, said.call))
        .collect();
    let expected =
        [(MINUTE, Black, Call::MinutesLeft(2)), (2 * MINUTE, Black, Call::MinutesLeft(1))];
    assert_eq!(minutes, expected);
    assert_eq!(clock.reading(Black, MINUTE - 1).periods_left, 3);
    assert_eq!(clock.reading(Black, MINUTE).periods_left, 2);
}

// case: C14: pauses give nothing back.
#[test]
fn a_thousand_pauses_change_nothing() {
    for control in [absolute(100_000), in_byo_yomi(2)] {
        let mut clock = started(control);
        let mut now = 30_000;
        clock.stop(now).unwrap();
        let before = clock.reading(Black, now);
        for i in 0..1_000 {
            now += i;
            clock.resume(now);
            clock.stop(now).unwrap();
        }
        assert_eq!(clock.reading(Black, now), before);
        let account = clock.account(Black, now);
        assert_eq!(account.consumed_ms, 30_000);
        assert_eq!(account.remaining_ms + account.consumed_ms, account.granted_ms);
    }
}

// case: C15: a stepped clock shows no negative time.
#[test]
fn time_that_steps_back_shows_nothing_negative() {
    let mut clock = started(in_byo_yomi(2));
    clock.stop(10_000).unwrap();
    clock.resume(50_000);
    let reading = clock.reading(Black, 46_846);
    assert_eq!((reading.total_left_ms, reading.period_left_ms), (110_000, 50_000));
    clock.stop(46_846).unwrap();
    clock.resume(60_000);
    assert_eq!(clock.press(30_000, -4).unwrap().charged_ms, 10_000);
}

// case: C19, C20: lag is given back within caps, and the sum is shown.
// case: C29: there is one rule for every seat, bots too.
#[test]
fn lag_credit_is_capped_by_move_and_by_game() {
    let policy = LagPolicy { per_move_ms: 300, per_game_ms: 700 };
    let mut clock = started(absolute(100_000)).with_lag(policy).unwrap();
    let mut now = 0;
    for (lag, used, credit) in [
        (200, 1_000, 200),
        (5_000, 1_000, 300),
        (250, 100, 100),
        (300, 1_000, 100),
        (300, 1_000, 0),
    ] {
        now += used;
        let charge = clock.press(now, lag).unwrap();
        assert_eq!((charge.lag_credit_ms, charge.charged_ms), (credit, used - credit), "{lag}");
        clock.press(now, 0).unwrap();
    }
    assert_eq!(clock.credits(Black).lag_ms, 700);
    assert_eq!(clock.credits(White).lag_ms, 0);
    assert_eq!(clock.reading(Black, now).main_left_ms, 100_000 - 4_100 + 700);
}

// rulebook: C3.1: a move in flight at the deadline counts within the credit.
// case: C19
#[test]
fn the_flag_is_due_when_no_move_in_flight_can_count() {
    let policy = LagPolicy { per_move_ms: 300, per_game_ms: 700 };
    let clock = started(absolute(10_000)).with_lag(policy).unwrap();
    let flag = Flag { seat: Black, at_ms: 10_000 };
    for (lag, due) in [(0, 10_000), (200, 10_200), (5_000, 10_300), (-9, 10_000)] {
        assert_eq!(clock.due_ms(lag), Some(due));
        assert_eq!(clock.clone().press(due - 1, lag).unwrap().left.main_left_ms, 1);
        assert_eq!(clock.flag_with_lag(due - 1, lag), None);
        assert_eq!(clock.clone().press(due, lag), Err(flag));
        assert_eq!(clock.flag_with_lag(due, lag), Some(flag));
    }
    let negative = LagPolicy { per_move_ms: -1, ..policy };
    assert_eq!(clock.with_lag(negative).unwrap_err().field, "per_move_ms");
}

// case: C21: granted time moves the deadline, and an old timer finds nothing due.
#[test]
fn added_time_moves_the_deadline() {
    let mut clock = started(in_byo_yomi(1));
    let old = clock.deadline_ms().unwrap();
    clock.add_time(Black, 30_000).unwrap();
    assert_eq!(clock.flag(old), None);
    assert_eq!(clock.deadline_ms(), Some(old + 30_000));
    assert_eq!(clock.reading(Black, old).total_left_ms, 30_000);
    clock.add_time(White, 5_000).unwrap();
    assert_eq!(clock.reading(White, 0).main_left_ms, 5_000);

    let refused = |clock: &Clock, ms| clock.clone().add_time(Black, ms).unwrap_err().value;
    assert_eq!(refused(&clock, 0), 0);
    assert_eq!(refused(&clock, -5), -5);
    assert_eq!(refused(&clock, i64::MAX), i64::MAX);
    assert_eq!(refused(&clock, MAX_HOLD_MS - 90_000 + 1), MAX_HOLD_MS - 90_000 + 1);
    assert_eq!(clock.add_time(Black, MAX_HOLD_MS - 90_000), Ok(()));
}

// case: C22: what an outage gave back is returned for the event and kept in the record.
// rulebook: C8.4
#[test]
fn an_outage_costs_nobody() {
    let mut clock = started(in_byo_yomi(2));
    assert_eq!(clock.credit(Outage, 50_000, 75_000), 25_000);
    assert_eq!(clock.deadline_ms(), Some(145_000));
    assert_eq!(clock.reading(Black, 75_000).period_left_ms, 10_000);
    assert_eq!(clock.press(84_999, 0).unwrap().left.periods_left, 2);
    // Only what fell into the running turn: White's began at 84,999.
    assert_eq!(clock.credit(Outage, 80_000, 90_000), 5_001);
    assert_eq!(clock.credit(Outage, 95_000, 90_000), 0, "an empty interval");
    clock.stop(100_000).unwrap();
    assert_eq!(clock.credit(Outage, 100_000, 200_000), 0, "a standing clock loses nothing");
    assert_eq!((clock.credits(Black).outage_ms, clock.credits(White).outage_ms), (25_000, 5_001));
    assert_eq!(clock.reading(White, 200_000).total_left_ms, 120_000 - 10_000);
    assert_eq!(clock.thought_ms(White, 200_000), 10_000);
}

// case: C22: an outage told twice is credited once, and one told ahead shows nothing odd.
#[test]
fn outages_are_credited_once() {
    let mut clock = started(in_byo_yomi(2));
    assert_eq!(clock.credit(Outage, 10_000, 20_000), 10_000);
    assert_eq!(clock.credit(Outage, 10_000, 20_000), 0);
    assert_eq!(clock.credit(Outage, 15_000, 23_000), 3_000);
    assert_eq!(clock.credit(Outage, 30_000, 90_000), 60_000);
    assert_eq!(clock.reading(Black, 50_000).total_left_ms, 120_000 - 17_000);
    assert_eq!(clock.thought_ms(Black, 50_000), 17_000);
    assert_eq!(clock.thought_ms(Black, 90_001), 17_001);
}

// case: C22
// rulebook: C3.2a: what was said before an outage is not said again after it.
#[test]
fn an_outage_repeats_no_call() {
    let mut clock = started(in_byo_yomi(2));
    clock.credit(Outage, 45_000, 75_000);
    let said: Vec<_> = clock.announcements(20_000, 81_000).collect();
    assert_eq!(
        said.iter().map(|said| (said.at_ms, said.call)).collect::<Vec<_>>(),
        [(80_000, Call::Seconds(50)),]
    );
    // Nor does one at the start of a turn begin byo-yomi again.
    let mut clock = started(in_byo_yomi(2));
    clock.credit(Outage, 0, 75_000);
    let next = clock.announcements(0, i64::MAX).next().unwrap();
    assert_eq!((next.at_ms, next.call), (105_000, Call::Seconds(30)));
}

// rulebook: C7.4, C8.3: a game that a ruling takes up again does not start on a broken minute.
#[test]
fn a_game_taken_up_again_starts_on_a_whole_minute() {
    let mut clock = started(in_byo_yomi(3));
    clock.finish(75_000);
    let reading = clock.reading(Black, 80_000);
    assert_eq!((reading.periods_left, reading.period_left_ms), (2, 45_000), "as it ended");
    clock.begin_turn(Black, 500_000);
    assert_eq!(clock.deadline_ms(), Some(500_000 + 2 * MINUTE));
    let account = clock.account(Black, 500_000);
    assert_eq!((account.granted_ms, account.discarded_ms), (4 * MINUTE, 45_000));
    assert_eq!((account.consumed_ms, account.remaining_ms), (75_000, 2 * MINUTE));
}

// fault: F20: the server's clock jumps, either way, and the charge is of real time.
#[test]
fn a_jump_of_the_server_clock_is_taken_out() {
    for jump in [10_000, -10_000] {
        let mut clock = started(absolute(60_000));
        // Another 7 s pass after the jump at 20,000.
        let now = 27_000 + jump;
        assert_eq!(clock.credit(Shift, 20_000, 20_000 + jump), jump);
        assert_eq!(clock.deadline_ms(), Some(60_000 + jump));
        assert_eq!(clock.reading(Black, now).main_left_ms, 33_000);
        assert_eq!(clock.press(now, 0).unwrap().charged_ms, 27_000, "{jump}");
        assert_eq!(clock.credits(Black).shift_ms, jump);
        assert_eq!(clock.thought_ms(Black, now), 27_000);
        // White's turn began after it.
        if jump > 0 {
            assert_eq!(clock.credit(Shift, 20_000, 20_000 + jump), 0);
        }
        let later = now + 30_000;
        clock.begin_turn(White, later);
        assert_eq!(clock.credit(Shift, later - 1, later - 9), 0, "a jump back before the turn");
    }
}

// case: C25: main time, reserved minutes and the minute are separate.
// case: C28: a pause in byo-yomi shows the minute as it stands.
#[test]
fn a_paused_minute_is_shown_as_it_stands() {
    let mut clock = started(Control::Reserved { limit_ms: 5_000 + MINUTE, reserved_minutes: 1 });
    let reading = clock.reading(Black, 0);
    assert_eq!((reading.phase, reading.main_left_ms), (Phase::Main, 5_000));
    assert_eq!((reading.periods_left, reading.period_left_ms), (1, MINUTE));
    clock.stop(25_000).unwrap();
    let reading = clock.reading(Black, 900_000);
    assert_eq!((reading.phase, reading.main_left_ms), (Phase::LastPeriod, 0));
    assert_eq!((reading.periods_left, reading.period_left_ms), (1, 40_000));
    assert_eq!(reading.deadline_ms, None);
}

// case: C30: no field ever exceeds what was granted.
#[test]
fn a_short_game_never_shows_more_than_was_granted() {
    let mut clock =
        started(Control::Fischer { main_ms: 180_000, increment_ms: 2_000, max_ms: None });
    for turn in 1..500 {
        clock.press(turn * 1_900, 0).unwrap();
        for seat in Seat::BOTH {
            let reading = clock.reading(seat, turn * 1_900);
            let account = clock.account(seat, turn * 1_900);
            assert!(reading.main_left_ms <= account.granted_ms);
            assert!(reading.total_left_ms <= MAX_HOLD_MS);
        }
    }
}

// case: C33: the flag's instant is the deadline, however late it is called.
// fault: F10
#[test]
fn a_flag_called_late_bears_its_own_instant() {
    let clock = started(absolute(10_000));
    assert_eq!(clock.flag(30_000), Some(Flag { seat: Black, at_ms: 10_000 }));
    let mut ended = clock.clone();
    ended.finish(30_000);
    let account = ended.account(Black, 30_000);
    assert_eq!((account.consumed_ms, account.remaining_ms), (10_000, 0));
}

// Stamps are the server's, but nothing here may overflow on any.
#[test]
fn extreme_stamps_are_survived() {
    const EXTREMES: [i64; 5] = [i64::MIN, -1, 0, 1, i64::MAX];
    for i in 0..EXTREMES.len().pow(3) {
        let [a, b, c] = [i, i / 5, i / 25].map(|digits| EXTREMES[digits % 5]);
        let mut clock = Clock::new(in_byo_yomi(3)).unwrap();
        clock.begin_turn(White, a);
        clock.credit(Outage, b, c);
        clock.credit(Outage, b, c);
        clock.credit(Shift, c, b);
        clock.credit(Shift, b, c);
        let _ = (clock.deadline_ms(), clock.due_ms(b), clock.flag(c), clock.press(b, c));
        let _ = (clock.announcements(b, c).count(), clock.add_time(White, c), clock.stop(b));
        let _ = clock.late(Black, a, c);
        for seat in Seat::BOTH {
            assert!(clock.reading(seat, c).total_left_ms >= 0);
            let _ = (clock.account(seat, b), clock.thought_ms(seat, c));
        }
        clock.resume(c);
        clock.begin_turn(Black, a);
        clock.finish(b);
        assert_eq!(clock.running(), None);
    }
}
