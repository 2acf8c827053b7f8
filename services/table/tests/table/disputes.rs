//! Counts that fail: disputes and deadlines, what reopens, and why every game ends.

use tengen_rules::Colour;
use tengen_table::{Act, Decision, EndReason, Event, Fact, Phase, Rejection, Settlement, seat};
use tengen_timing::{Control, Seat};

use crate::counting::counting;
use crate::kit::{Black, Game, White, absolute, game, marked, replay, scheduled, timed, view};

const BOARD: [&str; 3] = ["X.XXO.", "XXXXO.", "O.XXO."];
const LIMIT_MS: i64 = 300_000;

/// Everybody's count failed: a dispute by Black, by White, or the deadline.
#[derive(Clone, Copy, Debug)]
enum Failure {
    By(Colour),
    Deadline,
}

impl Failure {
    const ALL: [Self; 3] = [Self::By(Black), Self::By(White), Self::Deadline];

    fn happens(self, game: &mut Game) {
        match self {
            Self::By(side) => {
                game.wait(1_000).dispute(side).unwrap();
            }
            Self::Deadline => {
                game.wait(LIMIT_MS - 1);
                assert!(!game.tick());
                assert!(game.wait(1).tick());
            }
        }
    }
}

// rulebook: C12.3; case: C11, C12, S8, S9: play goes on with the side next to move and the clock
// it had; counting cost nobody anything, and the game remembers the dispute.
#[test]
fn a_failed_count_reopens_play() {
    for failure in Failure::ALL {
        let mut game = timed(9, absolute(60_000));
        game.wait(5_000).plays("E5").wait(8_000).plays("C3");
        game.wait(1_000).plays("confirm").wait(2_000).plays("confirm");
        let at_opening = Seat::BOTH.map(|seat| game.reading(seat));
        game.mark(White, "E5", true).unwrap();
        game.accept(White).unwrap();

        failure.happens(&mut game);
        assert_eq!(game.phase(), Phase::Playing, "{failure:?}");
        assert_eq!((game.mover(), game.running()), (Black, Some(Seat::Black)));
        let reopened = Seat::BOTH.map(|seat| game.reading(seat));
        for (before, after) in at_opening.iter().zip(&reopened) {
            assert_eq!(after.total_left_ms, before.total_left_ms);
            assert_eq!(after.phase, before.phase);
        }
        let left_ms = 60_000 - 6_000;
        assert_eq!(reopened[0].deadline_ms, Some(game.now_ms + left_ms));
        assert_eq!(game.disputes(), 1);
        assert!(game.dead().is_empty(), "the marks are gone");
        assert_eq!([game.accepted(Black), game.accepted(White)], [None; 2]);
        assert!(!game.confirmed(Black) && !game.confirmed(White));
        assert_eq!(game.counting_deadline_ms(), None);
        assert_eq!(game.next_number(), 5, "no turn was lost or gained");
        game.plays("D4 E4");
    }
}

// rulebook: C12.3: a reopened game needs both confirmations anew.
#[test]
fn after_a_dispute_both_confirm_again() {
    let mut game = counting(&BOARD, |_| {});
    game.dispute(White).unwrap();
    game.plays("confirm");
    assert_eq!(game.phase(), Phase::Playing);
    game.plays("confirm");
    assert_eq!(game.phase(), Phase::Counting);
    game.accept(Black).unwrap();
    game.accept(White).unwrap();
    game.ended(EndReason::Count, "W+4.5");
}

// rulebook: C12.3, C12.4; case: S16: the second time, dispute or silence, every stone stands.
#[test]
fn at_the_second_failure_every_stone_stands() {
    for first in Failure::ALL {
        for second in Failure::ALL {
            let mut game = counting(&BOARD, |settings| settings.komi_quarters = 0);
            first.happens(&mut game);
            game.plays("confirm confirm");
            game.mark(White, "A3", true).unwrap();
            game.mark(White, "E3", true).unwrap();
            game.accept(White).unwrap();
            second.happens(&mut game);

            let outcome = game.ended(EndReason::Count, "B+3");
            assert_eq!((outcome.winner, outcome.at_ms), (Some(Black), game.now_ms));
            let proof = outcome.counted.as_ref().unwrap();
            assert_eq!(proof.settlement, Settlement::AllStand);
            assert!(proof.dead.is_empty(), "{first:?}, {second:?}");
            assert_eq!(proof.accepted, [None; 2]);
            assert_eq!((proof.area.black, proof.area.white), (10, 7));
            assert_eq!(game.count(&marked(&BOARD, ' ')), (proof.area, proof.count));
        }
    }
}

// rulebook: C12.4: in time is before the deadline; at it the count has failed.
#[test]
fn the_deadline_of_counting_is_exact() {
    let check = |ms_before: i64, ends: bool| {
        let mut game = counting(&BOARD, |_| {});
        assert_eq!(game.counting_deadline_ms(), Some(game.now_ms + LIMIT_MS));
        assert_eq!(game.next_due_ms(), game.counting_deadline_ms());
        game.accept(Black).unwrap();
        game.wait(LIMIT_MS - ms_before);
        let answer = game.accept(White);
        assert_eq!(answer.is_ok(), ends, "{ms_before} ms before: {answer:?}");
        assert_eq!(game.outcome().is_some(), ends);
        assert_eq!(game.disputes(), u32::from(!ends));
    };
    check(1, true);
    check(0, false);
    check(-1, false);
}

// rulebook: C12.4: the deadline is of each count, and as long as the settings say.
#[test]
fn every_count_has_its_own_deadline() {
    let mut game = counting(&BOARD, |settings| settings.counting_limit_ms = 10_000);
    game.wait(9_000).dispute(Black).unwrap();
    game.wait(50_000).plays("confirm confirm").wait(9_999);
    assert!(!game.tick());
    assert!(game.wait(1).tick());
    game.ended(EndReason::Count, "W+4.5");
}

// What fell due is told before the command that came too late, which is then decided anew.
#[test]
fn a_late_act_meets_the_reopened_game() {
    let mut game = counting(&BOARD, |_| {});
    game.wait(LIMIT_MS);
    let number = game.next_number();
    let resign = game.command(Black, Act::Resign);
    let due = Ok(Decision::Due(game.due(game.now_ms)));
    assert_eq!(game.decide(&resign, game.now_ms), due);
    let point = game.point("F1");
    game.act(game.mover(), Act::Play { number, point }).unwrap();
    let disputed = &game.log[game.log.len() - 2];
    assert_eq!((disputed.by, &disputed.fact), (None, &Fact::Disputed));
    let wrong = Err(Rejection::WrongPhase { phase: Phase::Playing, expected: Phase::Counting });
    assert_eq!(game.accept(White), wrong);
}

// case: C11: what follows a failed count is in the log: replayed, it gives the same clocks.
#[test]
fn the_log_tells_the_reopened_clocks() {
    let control = Control::Japanese { main_ms: 1_000, periods: 3, period_ms: 10_000 };
    let mut game = timed(5, control);
    game.wait(4_000).plays("confirm").wait(3_000).plays("confirm");
    game.wait(77_000).dispute(White).unwrap();
    let replayed = replay(&game.log);
    assert_eq!(view(&replayed), view(&game));
    let reading = game.reading(Seat::Black);
    assert_eq!((reading.periods_left, reading.period_left_ms), (3, 10_000));
}

/// Games that stand in every state that is not the end.
fn unfinished() -> Vec<Game> {
    let mut games = Vec::new();
    for control in [None, Some(absolute(10_000_000))] {
        for turns in ["", "E5", "E5 pass", "confirm", "E5 C3 confirm", "pass confirm", "pass pass"]
        {
            for failures in 0..2 {
                let mut game = game(9, |settings| settings.control = control);
                for _ in 0..failures {
                    game.plays("confirm confirm").dispute(White).unwrap();
                }
                game.plays(turns);
                if game.phase() == Phase::Counting {
                    game.accept(White).unwrap();
                }
                games.push(game);
            }
        }
    }
    let mut paused = timed(9, absolute(10_000_000));
    paused.plays("E5").halt(60_000).unwrap();
    games.extend([paused, scheduled(absolute(10_000_000), 60_000)]);
    games
}

// case: S5: from every state that is not the end, resigning ends the game; and so does doing
// nothing but confirm, dispute and let time go by.
#[test]
fn every_game_can_be_ended() {
    for by in Colour::BOTH {
        for mut game in unfinished() {
            game.resign(by).unwrap();
            assert_eq!(game.outcome().unwrap().reason, EndReason::Resignation);
        }
    }
    for mut game in unfinished() {
        for _ in 0..8 {
            match game.phase() {
                Phase::Playing => game.confirm().map(drop).unwrap(),
                Phase::Counting => game.dispute(Black).map(drop).unwrap(),
                Phase::Waiting | Phase::Paused | Phase::Restored => {
                    game.now_ms = game.next_due_ms().unwrap();
                    assert!(game.tick());
                }
                Phase::Ended => break,
            }
        }
        assert_eq!(game.phase(), Phase::Ended);
    }
}

// rulebook: C12.1; case: C12: whoever is next to move, it is that side's clock that goes on.
#[test]
fn the_side_next_to_move_goes_on() {
    for turns in ["confirm confirm", "E5 confirm confirm", "E5 C3 pass pass"] {
        let mut game = timed(9, absolute(60_000));
        game.plays(turns);
        let next = game.mover();
        game.wait(10).dispute(next.opponent()).unwrap();
        assert_eq!((game.mover(), game.running()), (next, Some(seat(next))));
        let disputed: &Event = game.log.last().unwrap();
        assert_eq!(disputed.by, Some(next.opponent()));
    }
}
