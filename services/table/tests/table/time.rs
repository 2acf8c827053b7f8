//! Time: the deadline to the millisecond, claims, and what falls due by itself.

use tengen_rules::Colour;
use tengen_table::{Act, Decision, EndReason, Phase, Rejection, TwoPasses, seat};
use tengen_timing::{Control, Seat};

use crate::kit::{Black, Game, White, absolute, game, timed, view};

/// One control of each kind.
pub const CONTROLS: [Control; 5] = [
    absolute(60_000),
    Control::Reserved { limit_ms: 150_000, reserved_minutes: 2 },
    Control::Japanese { main_ms: 10_000, periods: 3, period_ms: 10_000 },
    Control::Canadian { main_ms: 5_000, stones: 3, period_ms: 30_000 },
    Control::Fischer { main_ms: 20_000, increment_ms: 5_000, max_ms: None },
];

/// What a side may do in its own turn.
fn turns(game: &Game) -> [Act; 4] {
    let (number, point) = (game.next_number(), game.point("A1"));
    [Act::Play { number, point }, Act::Pass { number }, Act::Confirm { number }, Act::Resign]
}

/// Games of every kind of clock, with either side to move.
fn running_games() -> Vec<Game> {
    let mut games = Vec::new();
    for control in CONTROLS {
        for opening in ["", "E5", "E5 C3 G7 pass"] {
            let mut game = timed(9, control);
            game.plays(opening).wait(3_000).plays("D4").wait(4_000);
            games.push(game);
        }
    }
    games
}

fn deadline_ms(game: &Game) -> i64 {
    game.clock().unwrap().deadline_ms().unwrap()
}

// rulebook: C3.1, C14.5; case: C2: one verdict, a millisecond before the deadline, at it and
// after it, whatever the side does with its turn; and never a clock that stands in play.
#[test]
fn a_turn_counts_before_the_deadline_and_not_at_it() {
    for n in 0..running_games().len() {
        for act in 0..4 {
            for (after_ms, in_time) in [(-1, true), (0, false), (1, false), (3_600_000, false)] {
                let mut game = running_games().swap_remove(n);
                let (mover, act) = (game.mover(), turns(&game)[act].clone());
                let at_ms = deadline_ms(&game);
                game.now_ms = at_ms + after_ms;
                let answer = game.act(mover, act.clone());
                if in_time {
                    assert!(answer.is_ok(), "{act:?}: {answer:?}");
                    assert_ne!(game.outcome().map(|end| end.reason), Some(EndReason::Time));
                } else {
                    let reason = EndReason::Time;
                    assert_eq!(answer, Err(Rejection::Ended { reason }), "{act:?}");
                    lost_on_time(&game, mover, at_ms);
                }
                let playing = game.phase() == Phase::Playing;
                let runs = game.to_move().filter(|_| playing).map(seat);
                assert_eq!(game.running(), runs, "{act:?}");
            }
        }
    }
}

/// The end is stamped at the deadline, whenever it was noticed, and the side used all it had.
fn lost_on_time(game: &Game, loser: Colour, at_ms: i64) {
    let text = if loser == Black { "W+T" } else { "B+T" };
    let outcome = game.ended(EndReason::Time, text);
    assert_eq!((outcome.winner, outcome.at_ms), (Some(loser.opponent()), at_ms));
    assert_eq!(game.log.last().unwrap().at_ms, at_ms);
    assert_eq!(game.reading(seat(loser)).total_left_ms, 0);
    let thought = Colour::BOTH.map(|side| game.thought_ms(side, game.now_ms));
    assert_eq!(outcome.together_ms, thought.iter().sum::<i64>());
}

// rulebook: C3.1: an act of the other side does not come before the flag either.
#[test]
fn the_flag_comes_before_the_other_sides_resignation() {
    for mut game in running_games() {
        let (mover, at_ms) = (game.mover(), deadline_ms(&game));
        game.now_ms = at_ms + 500;
        assert!(game.resign(mover.opponent()).is_err());
        lost_on_time(&game, mover, at_ms);
    }
}

// rulebook: C14.5: the opponent's claim ends the game, at the deadline's instant.
#[test]
fn a_claim_in_time_is_too_early_and_a_right_one_ends_the_game() {
    for mut game in running_games() {
        let (mover, at_ms) = (game.mover(), deadline_ms(&game));
        game.now_ms = at_ms - 1;
        let before = view(&game);
        let not_due = |due_ms| Err(Rejection::NotDue { due_ms });
        assert_eq!(game.claim(mover.opponent()), not_due(Some(at_ms)));
        assert_eq!(game.claim(mover), not_due(None), "its own clock");
        assert_eq!(view(&game), before);

        game.now_ms = at_ms + 250;
        let claim = game.command(mover.opponent(), Act::ClaimTime);
        assert_eq!(game.send(&claim), Ok(game.sequence()));
        lost_on_time(&game, mover, at_ms);
        assert_eq!(game.log.last().unwrap().request, Some(claim.request));
    }
}

// A side that claims its own flag is told what fell due.
#[test]
fn a_claim_of_ones_own_flag_wins_nothing() {
    let mut game = timed(9, absolute(60_000));
    game.wait(60_000);
    let claim = game.command(Black, Act::ClaimTime);
    let due = game.due(game.now_ms);
    assert_eq!(game.decide(&claim, game.now_ms), Ok(Decision::Due(due)));
    let reason = EndReason::Time;
    assert_eq!(game.send(&claim), Err(Rejection::Ended { reason }));
    assert_eq!(game.outcome().unwrap().winner, Some(White));
}

// There is no flag to claim where no clock runs.
#[test]
fn no_claim_without_a_running_clock() {
    let mut untimed = game(9, |_| {});
    untimed.wait(1_000_000_000);
    for by in Colour::BOTH {
        let not_due = Err(Rejection::NotDue { due_ms: None });
        assert_eq!(untimed.claim(by), not_due);
    }
    let mut counting = timed(9, absolute(60_000));
    counting.plays("confirm confirm").wait(100_000);
    for by in Colour::BOTH {
        let wrong = Rejection::WrongPhase { phase: Phase::Counting, expected: Phase::Playing };
        assert_eq!(counting.claim(by), Err(wrong));
    }
}

// case: C19, C29: lag measured for a seat holds its flag back, so that a move in flight counts;
// but no more than the cap, and a move without lag is judged by its stamp.
#[test]
fn lag_holds_the_flag_back() {
    let lagging = |measured_ms| {
        let mut game = timed(9, absolute(60_000));
        game.lag(Black, measured_ms);
        game.wait(5_000).plays("E5 C3");
        let at_ms = deadline_ms(&game);
        (game, at_ms)
    };
    for (measured_ms, held_ms) in [(0, 0), (400, 400), (5_000, 1_000), (-400, 0)] {
        let (mut game, at_ms) = lagging(measured_ms);
        assert_eq!(game.next_due_ms(), Some(at_ms + held_ms));
        game.now_ms = at_ms + held_ms;
        assert!(game.tick());
        lost_on_time(&game, Black, at_ms);
    }
    let (mut game, at_ms) = lagging(400);
    game.now_ms = at_ms + 399;
    game.plays("D4");
    assert_eq!(game.phase(), Phase::Playing);
    let (mut game, at_ms) = lagging(400);
    game.now_ms = at_ms + 400;
    assert!(game.play("D4").is_err());
    lost_on_time(&game, Black, at_ms);
}

// A claim that comes while a move may be in flight is told when to come again.
#[test]
fn a_claim_waits_for_a_move_in_flight() {
    let mut game = timed(9, absolute(60_000));
    game.lag(Black, 400);
    game.plays("E5 C3");
    let at_ms = deadline_ms(&game);
    game.now_ms = at_ms + 399;
    let due_ms = Some(at_ms + 400);
    assert_eq!(game.claim(White), Err(Rejection::NotDue { due_ms }));
    game.wait(1).claim(White).unwrap();
    lost_on_time(&game, Black, at_ms);
}

/// `next_due_ms` is the first instant with something due.
fn due_exactly(game: &Game) {
    let at_ms = game.next_due_ms().unwrap();
    assert_eq!(game.due(game.last_at_ms()), []);
    assert_eq!(game.due(at_ms - 1), []);
    assert_ne!(game.due(at_ms), []);
    assert_ne!(game.due(at_ms + 1_000_000), []);
}

// rulebook: C3.1, C12.4: the clock service may ask at any time, and is told when to ask.
#[test]
fn what_is_due_is_due_at_the_next_due_instant() {
    for mut game in running_games() {
        due_exactly(&game);
        game.lag(White, 700);
        game.plays("A1 B2");
        due_exactly(&game);
        game.plays("confirm confirm");
        due_exactly(&game);
        game.dispute(Black).unwrap();
        due_exactly(&game);
        game.resign(Black).unwrap();
        assert_eq!(game.next_due_ms(), None);
        assert_eq!(game.due(i64::MAX), []);
    }
    let mut untimed = game(9, |_| {});
    untimed.plays("E5");
    assert_eq!(untimed.next_due_ms(), None);
    assert_eq!(untimed.due(i64::MAX), []);
    untimed.plays("confirm confirm");
    due_exactly(&untimed);
}

// case: C21: a call of the clock that is early, stale or doubled changes nothing.
#[test]
fn early_stale_and_doubled_calls_change_nothing() {
    let mut game = timed(9, absolute(60_000));
    let stale_ms = game.next_due_ms().unwrap();
    game.wait(50_000).plays("E5");
    game.now_ms = stale_ms;
    let before = view(&game);
    assert!(!game.tick(), "the move came first");
    game.now_ms = game.next_due_ms().unwrap() - 1;
    assert!(!game.tick(), "early");
    assert_eq!(view(&game), before);
    game.wait(1);
    assert!(game.tick());
    let before = view(&game);
    assert!(!game.wait(5_000).tick(), "doubled");
    assert_eq!(view(&game), before);
}

// rulebook: C3.2; case: C5: every turn starts a whole minute, however often the last was begun.
#[test]
fn the_last_minute_is_whole_in_every_turn() {
    let control = Control::Reserved { limit_ms: 60_000, reserved_minutes: 1 };
    let mut game = game(9, |settings| {
        settings.control = Some(control);
        settings.two_passes = TwoPasses::Nothing;
    });
    for _ in 0..200 {
        game.wait(59_900).plays("pass");
        assert_eq!(game.reading(Seat::Black).period_left_ms, 60_000);
        game.plays("pass");
    }
    assert_eq!(game.thought_ms(Black, game.now_ms), 200 * 59_900);
    let at_ms = game.now_ms + 60_000;
    game.wait(60_000);
    assert!(game.pass().is_err());
    lost_on_time(&game, Black, at_ms);
}
