//! Offers: a draw, a move taken back; made, answered, lapsed.

use tengen_rules::{Colour, PointSet};
use tengen_table::{
    EndReason, Fact, IllegalMove, Offer, Phase, Rejection, TurnKind, TwoPasses, seat,
};
use tengen_timing::Seat;

use crate::kit::{Black, Game, White, absolute, game, replay, timed, view};
use crate::play::KO;

const OFFERS: [Offer; 3] = [Offer::Draw, Offer::TakeBack, Offer::Pause];

const fn no_offer(offer: Offer) -> Result<i64, Rejection> {
    Err(Rejection::NoOffer { offer })
}

// rulebook: C4.1, L8: both agree, also in a rated game, whoever is to move.
#[test]
fn a_draw_by_agreement_ends_the_game() {
    for by in Colour::BOTH {
        for rated in [false, true] {
            let mut game = game(9, |settings| {
                settings.control = Some(absolute(60_000));
                settings.rated = rated;
            });
            game.plays("E5").wait(3_000).agree(by, Offer::Draw).unwrap();
            let outcome = game.ended(EndReason::Draw, "0");
            assert_eq!((outcome.winner, outcome.together_ms), (None, 3_000));
            assert_eq!(outcome.counted, None);
        }
    }
}

// An offer stops no clock, and is gone once it is declined.
#[test]
fn an_offer_may_be_declined() {
    for offer in OFFERS {
        let mut game = timed(9, absolute(60_000));
        game.plays("E5").wait(1_000).offer_by(Black, offer).unwrap();
        assert_eq!((game.offer(Black), game.running()), (Some(offer), Some(Seat::White)));
        game.wait(1_000).answer(White, offer, false).unwrap();
        assert_eq!((game.offer(Black), game.phase()), (None, Phase::Playing));
        assert_eq!(game.answer(White, offer, true), no_offer(offer));
        game.plays("C3");
        assert_eq!(game.last_charge().unwrap().used_ms, 2_000);
    }
}

// An offer is about the position it was made in: any turn of either side ends it.
#[test]
fn an_offer_lapses_with_the_next_turn() {
    for turn in ["C3", "pass", "confirm"] {
        for by in Colour::BOTH {
            let mut game = timed(9, absolute(60_000));
            game.plays("E5").offer_by(by, Offer::Draw).unwrap();
            game.plays(turn);
            assert_eq!(game.offer(by), None);
            assert_eq!(game.answer(by.opponent(), Offer::Draw, true), no_offer(Offer::Draw));
        }
    }
}

// Nobody agrees with himself, and only to what was offered.
#[test]
fn only_the_opponent_answers() {
    let mut game = timed(9, absolute(60_000));
    game.plays("E5").offer_by(Black, Offer::TakeBack).unwrap();
    let before = view(&game);
    for accept in [true, false] {
        assert_eq!(game.answer(Black, Offer::TakeBack, accept), no_offer(Offer::TakeBack));
        assert_eq!(game.answer(White, Offer::Draw, accept), no_offer(Offer::Draw));
        assert_eq!(game.answer(White, Offer::Pause, accept), no_offer(Offer::Pause));
    }
    assert_eq!(view(&game), before);
    game.offer_by(Black, Offer::Draw).unwrap();
    assert_eq!(game.answer(White, Offer::TakeBack, true), no_offer(Offer::TakeBack));
    assert_eq!(game.offer(Black), Some(Offer::Draw), "the later one takes its place");
    game.offer_by(White, Offer::Draw).unwrap();
    game.answer(Black, Offer::Draw, true).unwrap();
    game.ended(EndReason::Draw, "0");
}

// case: C8: the move is off the board as if it had not been played; its side has the clock that it
// was left with by that move, a whole minute in byo-yomi, and never less than it had then.
#[test]
fn a_move_is_taken_back() {
    for control in crate::time::CONTROLS {
        let mut game = timed(9, control);
        game.wait(2_000).plays("E5").wait(4_000).plays("C3").wait(3_500);
        let turns = game.turns().to_vec();
        let had_ms = game.reading(Seat::Black).total_left_ms;
        game.plays("D4");
        let recorded = game.reading(Seat::Black);
        let opponents = game.reading(Seat::White);
        game.wait(3_000).agree(Black, Offer::TakeBack).unwrap();
        assert_eq!(game.log.last().unwrap().fact, Fact::TakenBack);
        assert_eq!((game.mover(), game.next_number()), (Black, 3));
        assert_eq!(game.turns(), turns);
        let stones = game.game().board().stones(Black);
        assert_eq!(stones, PointSet::from_iter([game.point("E5")]));
        let reading = game.reading(Seat::Black);
        assert_eq!(reading.total_left_ms, recorded.total_left_ms, "{control:?}");
        assert_eq!(reading.period_left_ms, recorded.period_left_ms, "{control:?}");
        assert!(reading.total_left_ms >= had_ms, "{control:?}");
        assert_eq!(game.reading(Seat::White).total_left_ms, opponents.total_left_ms);
        assert_eq!(game.running(), Some(Seat::Black));
        assert_eq!(game.next_due_ms(), Some(game.now_ms + reading.total_left_ms));
        assert_eq!(game.last_charge(), None, "no turn was charged last");
        assert_eq!(view(&replay(&game.log)), view(&game));
        game.plays("D4 G7");
    }
}

// rulebook: C8.2, G6: captures and the history of the board go back with the move: it repeats
// nothing when it is played again, and what it had forbidden is allowed.
#[test]
fn the_history_goes_back_with_the_move() {
    let mut ko = Game::drawn(&KO, |settings| settings.two_passes = TwoPasses::Nothing);
    ko.plays("C4");
    assert_eq!(ko.game().captured_by(Black), 1);
    assert!(ko.play("B4").is_err(), "the ko");
    ko.agree(Black, Offer::TakeBack).unwrap();
    ko.shows(&KO);
    assert_eq!(ko.game().captured_by(Black), 0);
    ko.plays("C4 pass pass");
    assert!(ko.play("B4").is_err(), "the ko, as before");

    let mut handicap = game(9, |settings| {
        *settings = settings.clone().with_handicap(2).unwrap();
    });
    handicap.plays("E5").agree(White, Offer::TakeBack).unwrap();
    assert_eq!((handicap.mover(), handicap.next_number()), (White, 1));
    assert_eq!(handicap.game().board().stones(Black).len(), 2);
    assert_eq!(handicap.game().board().stones(White).len(), 0);
}

// rulebook: C8.2: one that was answered is down, and what is no move is not taken back.
#[test]
fn only_the_last_move_is_taken_back() {
    let mut game = timed(9, absolute(60_000));
    for by in Colour::BOTH {
        assert_eq!(game.offer_by(by, Offer::TakeBack), no_offer(Offer::TakeBack), "nothing yet");
    }
    game.plays("E5");
    assert_eq!(game.offer_by(White, Offer::TakeBack), no_offer(Offer::TakeBack), "not its own");
    game.plays("C3");
    assert_eq!(game.offer_by(Black, Offer::TakeBack), no_offer(Offer::TakeBack), "answered");
    for turn in ["pass", "D4 confirm"] {
        game.plays(turn);
        let by = game.mover().opponent();
        assert_eq!(game.offer_by(by, Offer::TakeBack), no_offer(Offer::TakeBack), "{turn}");
    }
    let mut game = Game::drawn(&KO, |settings| settings.illegal_move = IllegalMove::ForfeitTurn);
    game.plays("C4 B4");
    assert!(matches!(game.turns().last().unwrap().kind, TurnKind::Forfeit(_)));
    assert_eq!(game.offer_by(White, Offer::TakeBack), no_offer(Offer::TakeBack));
}

// case: D1, D10: the number goes back with the move, and what was sent for later turns is stale.
#[test]
fn the_number_goes_back_with_the_move() {
    let mut game = timed(9, absolute(60_000));
    game.plays("E5 C3").agree(White, Offer::TakeBack).unwrap();
    let stale = Rejection::StaleNumber { given: 3, next: 2 };
    assert_eq!(game.play_as(Black, 3, "D4"), Err(stale));
    game.play_as(White, 2, "G7").unwrap();
    let moves: Vec<_> = game.turns().iter().map(|turn| turn.colour).collect();
    assert_eq!(moves, [Black, White]);
}

// rulebook: C12.1: who confirmed had its move back when the other played on; taking that move back
// confirms nothing again.
#[test]
fn a_taken_back_move_restores_no_confirmation() {
    let mut game = timed(9, absolute(60_000));
    game.plays("E5 confirm D4").agree(Black, Offer::TakeBack).unwrap();
    assert!(!game.confirmed(White) && !game.confirmed(Black));
    game.plays("confirm");
    assert_eq!(game.phase(), Phase::Playing);
    game.plays("confirm");
    assert_eq!(game.phase(), Phase::Counting);
}

// rulebook: L7: what the opponent thought about a move that was taken back was thought.
#[test]
fn a_taken_back_turn_is_free_but_was_thought() {
    let mut game = timed(9, absolute(60_000));
    game.wait(1_000).plays("E5").wait(20_000).agree(Black, Offer::TakeBack).unwrap();
    assert_eq!(game.thought_ms(White, game.now_ms), 20_000);
    assert_eq!(game.reading(Seat::White).total_left_ms, 60_000);
    assert_eq!(game.clock().unwrap().credits(seat(White)).waived_ms, 20_000);
}

// Offers belong to play.
#[test]
fn nothing_is_offered_outside_play() {
    let mut game = timed(9, absolute(60_000));
    game.plays("confirm confirm");
    let wrong = Rejection::WrongPhase { phase: Phase::Counting, expected: Phase::Playing };
    for offer in OFFERS {
        assert_eq!(game.offer_by(Black, offer), Err(wrong.clone()));
        assert_eq!(game.answer(White, offer, true), Err(wrong.clone()));
    }
}
