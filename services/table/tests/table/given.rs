//! Time that is given: by the referee, and for what the server cost.

use tengen_rules::Colour;
use tengen_table::{Act, EndReason, Fact, Ordered, Phase, Rejection};
use tengen_timing::{Control, CreditReason, Seat};

use crate::kit::{Black, Game, White, absolute, game, replay, scheduled, timed, view, word};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn add(game: &mut Game, side: Colour, ms: i64) -> Result<i64, Rejection> {
    game.order(Ordered::AddTime { side, ms })
}

// case: C21: added time and the new deadline are one step; what was armed for the old one finds
// nothing due.
#[test]
fn added_time_moves_the_deadline() {
    let mut game = timed(9, absolute(60_000));
    let old_ms = game.next_due_ms().unwrap();
    game.wait(59_999);
    add(&mut game, Black, 30_000).unwrap();
    let told = game.log.last().unwrap();
    assert_eq!(told.fact, Fact::TimeAdded { side: Black, ms: 30_000 });
    assert_eq!((told.by, told.word.as_deref()), (None, Some(&word())));
    assert_eq!(game.next_due_ms(), Some(old_ms + 30_000));
    game.now_ms = old_ms;
    let before = view(&game);
    assert!(!game.tick(), "the old call");
    let due_ms = Some(old_ms + 30_000);
    assert_eq!(game.claim(White), Err(Rejection::NotDue { due_ms }));
    assert_eq!(view(&game), before);
    game.now_ms = old_ms + 30_000;
    assert!(game.tick());
    assert_eq!(game.ended(EndReason::Time, "W+T").together_ms, 90_000);
}

// Either side may be given time, whosever turn it is, and also while the game is paused.
#[test]
fn time_is_added_to_either_side() {
    let mut game = timed(9, absolute(60_000));
    game.wait(5_000);
    let due_ms = game.next_due_ms();
    add(&mut game, White, 1).unwrap();
    assert_eq!(game.next_due_ms(), due_ms, "Black's deadline is Black's");
    game.halt(10_000).unwrap();
    add(&mut game, Black, 2_000).unwrap();
    add(&mut game, White, 3_000).unwrap();
    game.order(Ordered::Resume).unwrap();
    assert_eq!(game.reading(Seat::Black).total_left_ms, 57_000);
    assert_eq!(game.reading(Seat::White).total_left_ms, 63_001);
    assert_eq!(view(&replay(&game.log)), view(&game));
}

// rulebook: C3.2: in mid-turn a minute that is added comes before the reserve.
#[test]
fn added_time_saves_a_minute() {
    let control = Control::Reserved { limit_ms: 360_000, reserved_minutes: 5 };
    let mut game = timed(9, control);
    game.wait(60_000 + 130_000);
    assert_eq!(game.reading(Seat::Black).periods_left, 3);
    add(&mut game, Black, 60_000).unwrap();
    let reading = game.reading(Seat::Black);
    assert_eq!((reading.periods_left, reading.period_left_ms), (4, 50_000));
    game.plays("E5");
    assert_eq!(game.last_charge().unwrap().periods_taken, 1);
}

// case: C30: no side holds more than a day, and what is no time is refused.
#[test]
fn too_much_is_refused() {
    let mut game = timed(9, absolute(60_000));
    let before = view(&game);
    let expected = "at least 1, and no more than leaves the side with 24 hours";
    for value in [i64::MIN, -1, 0, DAY_MS - 60_000 + 1, DAY_MS, i64::MAX] {
        let refusal = Rejection::BadTime { field: "time", value, expected };
        assert_eq!(add(&mut game, White, value), Err(refusal));
    }
    assert_eq!(view(&game), before);
    add(&mut game, White, DAY_MS - 60_000).unwrap();
    assert_eq!(game.reading(Seat::White).total_left_ms, DAY_MS);
}

// Time is added where a clock is in use.
#[test]
fn time_is_added_in_play() {
    let mut untimed = game(9, |_| {});
    let expected = "a game with a clock";
    let refusal = Rejection::BadTime { field: "time", value: 1_000, expected };
    assert_eq!(add(&mut untimed, Black, 1_000), Err(refusal));
    let mut counting = timed(9, absolute(60_000));
    counting.plays("confirm confirm");
    let wrong = Rejection::WrongPhase { phase: Phase::Counting, expected: Phase::Playing };
    assert_eq!(add(&mut counting, Black, 1_000), Err(wrong));
    let mut ended = timed(9, absolute(60_000));
    ended.resign(Black).unwrap();
    let reason = EndReason::Resignation;
    assert_eq!(add(&mut ended, Black, 1_000), Err(Rejection::Ended { reason }));
    let mut late = timed(9, absolute(60_000));
    late.wait(60_000);
    let reason = EndReason::Time;
    assert_eq!(add(&mut late, Black, 1_000), Err(Rejection::Ended { reason }));
}

// rulebook: C8.4, L7; case: C22, R22: an outage is given back in full and told, with its reason
// and its bounds, and is no thinking time.
#[test]
fn an_outage_is_given_back() {
    let mut game = timed(9, absolute(60_000));
    game.plays("E5").wait(20_000);
    let (from_ms, to_ms) = (game.now_ms - 12_000, game.now_ms - 2_000);
    assert!(game.credit(CreditReason::Outage, from_ms, to_ms));
    let told = game.log.last().unwrap();
    let reason = CreditReason::Outage;
    assert_eq!(told.fact, Fact::Credited { reason, from_ms, to_ms });
    assert_eq!((told.by, told.at_ms), (None, game.now_ms));
    assert_eq!(game.reading(Seat::White).total_left_ms, 50_000);
    assert_eq!(game.next_due_ms(), Some(game.now_ms + 50_000));
    assert_eq!(game.clock().unwrap().credits(Seat::White).outage_ms, 10_000);
    game.plays("C3");
    assert_eq!(game.last_charge().unwrap().charged_ms, 10_000);
    assert_eq!(game.thought_ms(White, game.now_ms), 10_000);
    assert_eq!(view(&replay(&game.log)), view(&game));
}

// rulebook: C8.4: an outage over the deadline costs nobody the game: the credit comes first.
#[test]
fn a_flag_does_not_fall_in_an_outage() {
    let mut game = timed(9, absolute(60_000));
    let now_ms = game.wait(500_000).now_ms;
    assert_ne!(game.due(now_ms), []);
    assert!(game.credit(CreditReason::Outage, now_ms - 450_000, now_ms));
    assert_eq!(game.due(now_ms), []);
    assert_eq!(game.next_due_ms(), Some(now_ms + 10_000));
    game.plays("E5");
    // What was used up before the outage is not given back by it.
    let mut game = timed(9, absolute(60_000));
    let now_ms = game.wait(500_000).now_ms;
    assert!(game.credit(CreditReason::Outage, now_ms - 430_000, now_ms));
    assert!(game.tick());
    game.ended(EndReason::Time, "W+T");
}

// rulebook: C8.4: only the turn in progress gets anything back, and only what its clock ran.
#[test]
fn a_credit_is_what_the_clock_ran() {
    for (from_ms, to_ms, given_ms) in [
        (-50_000, -20_000, 0),
        (-50_000, -10_000, 0),
        (-50_000, -9_999, 1),
        (-50_000, 0, 10_000),
        (-4_000, -1_000, 3_000),
        (-1_000, -4_000, 0),
        (-3_000, -3_000, 0),
    ] {
        let mut game = timed(9, absolute(60_000));
        game.wait(45_000).plays("E5").wait(10_000);
        let now_ms = game.now_ms;
        let told = game.credit(CreditReason::Outage, now_ms + from_ms, now_ms + to_ms);
        assert_eq!(told, given_ms > 0, "{from_ms}..{to_ms}");
        assert_eq!(game.reading(Seat::White).total_left_ms, 50_000 + given_ms);
        assert_eq!(game.reading(Seat::Black).total_left_ms, 15_000);
    }
}

// case: C15: the server's clock may be set; what it jumped is told and changes no time left.
#[test]
fn a_jump_of_the_servers_clock_is_evened_out() {
    for jump_ms in [3_000, -3_000] {
        let mut game = timed(9, absolute(60_000));
        let from_ms = game.wait(10_000).now_ms;
        game.now_ms = (from_ms + jump_ms).max(game.last_at_ms());
        assert!(game.credit(CreditReason::Shift, from_ms, game.now_ms));
        assert_eq!(game.reading(Seat::Black).total_left_ms, 50_000);
        assert_eq!(game.thought_ms(Black, game.now_ms), 10_000);
    }
}

// Where nobody's time runs nothing is given back.
#[test]
fn nothing_is_given_back_while_nothing_runs() {
    let waiting = scheduled(absolute(60_000), 60_000);
    let mut paused = timed(9, absolute(60_000));
    paused.halt(60_000).unwrap();
    let mut restored = timed(9, absolute(60_000));
    assert!(restored.restore());
    let mut ended = timed(9, absolute(60_000));
    ended.wait(100).act(White, Act::Resign).unwrap();
    for mut game in [waiting, paused, restored, ended, game(9, |_| {})] {
        let now_ms = game.wait(5_000).now_ms;
        for reason in [CreditReason::Outage, CreditReason::Shift] {
            assert!(!game.credit(reason, now_ms - 4_000, now_ms), "{}", game.phase());
        }
    }
}

// rulebook: C8.4, C12.4: what an outage takes of the time to count is given to both.
#[test]
fn an_outage_while_counting_moves_its_limit() {
    let mut game = timed(9, absolute(60_000));
    game.plays("E5 confirm confirm");
    let (opened_ms, limit_ms) = (game.now_ms, game.next_due_ms().unwrap());
    let now_ms = game.wait(20_000).now_ms;
    // It began before the counting did.
    assert!(game.credit(CreditReason::Outage, opened_ms - 5_000, opened_ms + 8_000));
    assert_eq!(game.next_due_ms(), Some(limit_ms + 8_000));
    assert!(!game.credit(CreditReason::Outage, opened_ms, opened_ms + 8_000), "once");
    assert!(game.credit(CreditReason::Outage, now_ms - 1_000, now_ms));
    assert_eq!(game.counting_deadline_ms(), Some(limit_ms + 9_000));
    assert!(!game.credit(CreditReason::Shift, now_ms, now_ms + 5));
    assert_eq!(view(&replay(&game.log)), view(&game));
}

// rulebook: C8.4, C14.1, C14.3: nobody is late because of us.
#[test]
fn an_outage_is_no_lateness() {
    let mut game = scheduled(absolute(600_000), 60_000);
    let start_ms = game.now_ms + 60_000;
    let limit_ms = game.next_due_ms().unwrap();
    game.now_ms = start_ms + 10_000;
    game.arrive(Black).unwrap();
    game.now_ms = start_ms + 40_000;
    // 40 s of it were before the start was due.
    assert!(game.credit(CreditReason::Outage, start_ms - 40_000, start_ms + 5_000));
    assert!(game.credit(CreditReason::Outage, start_ms + 15_000, start_ms + 35_000));
    assert_eq!(game.next_due_ms(), Some(limit_ms + 25_000));
    game.arrive(White).unwrap();
    assert_eq!((game.late_ms(Black), game.late_ms(White)), (10_000, 15_000));
    assert_eq!(game.phase(), Phase::Playing);
    assert_eq!(game.reading(Seat::White).total_left_ms, 585_000);
    assert_eq!(view(&replay(&game.log)), view(&game));
}
