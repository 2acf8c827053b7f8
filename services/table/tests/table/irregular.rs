//! Moves out of turn and on forbidden points, where they cost something.

use tengen_rules::{Colour, Point, Refusal, Size};
use tengen_table::{
    Act, EndReason, Fact, ForbiddenWhy, IllegalMove, OutOfTurn, Phase, Rejection, Settings,
    TurnKind, TwoPasses,
};

use crate::kit::{Black, Game, White, absolute, game, view};
use crate::play::KO;

/// Black to move: A5 is suicide.
const SUICIDE: [&str; 5] = [".O...", "O....", ".....", ".....", "...X."];

fn forfeits(settings: &mut Settings) {
    settings.illegal_move = IllegalMove::ForfeitTurn;
    settings.two_passes = TwoPasses::Nothing;
}

// rulebook: C8.1
#[test]
fn a_move_out_of_turn_may_cost_the_game() {
    let mut game = game(9, |settings| settings.out_of_turn = OutOfTurn::Loss);
    game.plays("E5");
    game.play_as(Black, 2, "C3").unwrap();
    let outcome = game.ended(EndReason::OutOfTurn, "W+F");
    assert_eq!(outcome.winner, Some(White));
    game.shows(&[
        ".........",
        ".........",
        ".........",
        ".........",
        "....X....",
        ".........",
        ".........",
        ".........",
        ".........",
    ]);
}

// rulebook: C8.1; fault: F8: never by a stale number, and never by a retry.
#[test]
fn a_stale_number_never_loses() {
    let mut game = game(9, |settings| settings.out_of_turn = OutOfTurn::Loss);
    let point = game.point("E5");
    let first = game.command(Black, Act::Play { number: 1, point });
    game.send(&first).unwrap();
    assert_eq!(game.send(&first), Ok(2), "a retry");
    for given in [1, 3] {
        let stale = Rejection::StaleNumber { given, next: 2 };
        assert_eq!(game.play_as(Black, given, "C3"), Err(stale));
    }
    assert_eq!(game.phase(), Phase::Playing);
    game.plays("C3 G7");
}

// rulebook: C4.2, C8.1: two moves in a row lose, and a pass or a confirmation is no move.
#[test]
fn only_a_move_out_of_turn_loses() {
    let mut game = game(9, |settings| settings.out_of_turn = OutOfTurn::Loss);
    game.plays("E5");
    let not_yours = Err(Rejection::NotYourTurn { to_move: White });
    assert_eq!(game.act(Black, Act::Confirm { number: 2 }), not_yours);
    assert_eq!(game.act(Black, Act::Pass { number: 2 }), not_yours);
    game.plays("confirm");
    let not_yours = Err(Rejection::NotYourTurn { to_move: Black });
    assert_eq!(game.act(White, Act::Confirm { number: 3 }), not_yours);
}

/// The side to move tries a forbidden point: the turn is gone, the board as it was.
fn forfeit(game: &mut Game, point: &str, why: ForbiddenWhy) {
    let (colour, number) = (game.mover(), game.next_number());
    let stones = Colour::BOTH.map(|side| game.game().board().stones(side));
    let point = game.point(point);
    game.act(colour, Act::Play { number, point }).unwrap();
    let last = game.log.last().unwrap();
    assert_eq!(last.fact, Fact::Forfeit { point, why });
    assert_eq!(game.turns().last().unwrap().kind, TurnKind::Forfeit(point));
    assert_eq!(game.mover(), colour.opponent());
    assert_eq!(game.next_number(), number + 1);
    let now = Colour::BOTH.map(|side| game.game().board().stones(side));
    assert_eq!(now, stones);
}

// rulebook: C10: void, and the turn is gone.
#[test]
fn a_forbidden_point_costs_the_turn() {
    let mut game = Game::drawn(&SUICIDE, forfeits);
    forfeit(&mut game, "A5", ForbiddenWhy::Suicide);
    game.plays("A5");
    assert_eq!(game.outcome(), None, "and nothing but the turn");
}

// rulebook: C10: the turn that is forfeited was thought over.
#[test]
fn a_forfeited_turn_is_charged() {
    let mut game = Game::drawn(&SUICIDE, |settings| {
        forfeits(settings);
        settings.control = Some(absolute(60_000));
    });
    game.wait(7_000);
    forfeit(&mut game, "A5", ForbiddenWhy::Suicide);
    assert_eq!(game.thought_ms(Black, game.now_ms), 7_000);
    assert_eq!(game.running(), Some(tengen_timing::Seat::White));
}

// rulebook: C11.1, C10: a ko taken back at once costs the turn, and the turn lifts no ko.
#[test]
fn a_forfeited_turn_lifts_no_ko() {
    let mut game = Game::drawn(&KO, forfeits);
    let why = ForbiddenWhy::Superko { repeats_move: game.next_number() - 1 };
    game.plays("C4");
    forfeit(&mut game, "B4", why);
    game.plays("pass");
    forfeit(&mut game, "B4", why);
    game.plays("E1 A1 pass B4");
}

// rulebook: C10: an occupied point is always refused; a point off the board is no point at all.
#[test]
fn an_occupied_point_never_costs_the_turn() {
    let mut game = Game::drawn(&SUICIDE, forfeits);
    let (off, size) = (Point::new(5, 5), Size::square(5).unwrap());
    let before = view(&game);
    let number = game.next_number();
    let off_board = Refusal::OffBoard { point: off, size };
    for (point, refusal) in [
        (game.point("D1"), Refusal::Occupied),
        (game.point("B5"), Refusal::Occupied),
        (off, off_board),
    ] {
        let answer = game.act(Black, Act::Play { number, point });
        assert_eq!(answer, Err(Rejection::Forbidden { point, refusal }));
    }
    assert_eq!(view(&game), before);
}

// rulebook: C10: only a command with the right number, of the side to move, can forfeit.
#[test]
fn only_the_right_number_forfeits() {
    let mut game = Game::drawn(&SUICIDE, forfeits);
    let (before, next) = (view(&game), game.next_number());
    for given in [next - 1, next + 1] {
        let stale = Rejection::StaleNumber { given, next };
        assert_eq!(game.play_as(Black, given, "A5"), Err(stale));
    }
    let not_yours = Rejection::NotYourTurn { to_move: Black };
    assert_eq!(game.play_as(White, next, "A5"), Err(not_yours));
    assert_eq!(view(&game), before);
}

// rulebook: C10, G2.4: it confirms nothing, and counts as no pass.
#[test]
fn a_forfeited_turn_confirms_nothing() {
    let mut game = Game::drawn(&SUICIDE, |settings| {
        settings.illegal_move = IllegalMove::ForfeitTurn;
    });
    game.plays("E5 confirm");
    forfeit(&mut game, "A5", ForbiddenWhy::Suicide);
    assert!(!game.confirmed(White), "taken back: Black did not confirm");
    game.plays("pass");
    assert_eq!(game.phase(), Phase::Playing);
    forfeit(&mut game, "A5", ForbiddenWhy::Suicide);
    game.plays("confirm");
    assert_eq!(game.phase(), Phase::Playing);
    game.plays("pass");
    assert_eq!(game.phase(), Phase::Counting);
}
