//! Moves that are lost: the game stands until both have confirmed the board.

use tengen_rules::Colour;
use tengen_table::{Act, EndReason, Fact, Ordered, Phase, Rejection};
use tengen_timing::Seat;

use crate::kit::{Black, Game, White, absolute, replay, scheduled, timed, view};

/// Fifteen minutes.
const LIMIT_MS: i64 = 900_000;

fn confirms(game: &mut Game, by: Colour) -> Result<i64, Rejection> {
    game.act(by, Act::ConfirmRestored)
}

// rulebook: C8.4; fault: F5: the clocks stand where the last move that is left put them, and go on
// when both have confirmed.
#[test]
fn a_restored_game_goes_on_when_both_have_confirmed() {
    let mut game = timed(9, absolute(60_000));
    game.wait(5_000).plays("E5");
    // What White and Black did in these seconds is lost, and costs nobody anything.
    game.wait(70_000);
    assert!(game.restore());
    assert_eq!((game.phase(), game.running()), (Phase::Restored, None));
    assert_eq!(game.log.last().unwrap().fact, Fact::Restored);
    assert_eq!(game.reading(Seat::White).total_left_ms, 60_000);
    assert_eq!(game.reading(Seat::Black).total_left_ms, 55_000);
    assert_eq!(game.next_due_ms(), Some(game.now_ms + LIMIT_MS));
    let wrong = Rejection::WrongPhase { phase: Phase::Restored, expected: Phase::Playing };
    let (number, point) = (game.next_number(), tengen_rules::Point::new(2, 2));
    assert_eq!(game.act(White, Act::Play { number, point }), Err(wrong));

    game.wait(30_000);
    confirms(&mut game, White).unwrap();
    assert_eq!(Colour::BOTH.map(|side| game.restoration_confirmed(side)), [false, true]);
    confirms(&mut game, White).unwrap();
    assert_eq!(game.phase(), Phase::Restored, "both have to");
    game.wait(10_000);
    confirms(&mut game, Black).unwrap();
    assert_eq!((game.phase(), game.running()), (Phase::Playing, Some(Seat::White)));
    assert_eq!(game.reading(Seat::White).total_left_ms, 60_000);
    game.wait(1_000).plays("C3");
    assert_eq!(game.last_charge().unwrap().charged_ms, 1_000);
    assert_eq!(game.restorations(), 1);
    assert_eq!(view(&replay(&game.log)), view(&game));
}

// rulebook: C8.4: where nobody agrees, the referee decides, or the game is played again: no loss.
#[test]
fn a_board_that_is_not_confirmed_is_never_a_loss() {
    let mut ruled = timed(9, absolute(60_000));
    ruled.plays("E5");
    assert!(ruled.restore());
    ruled.order(Ordered::Resume).unwrap();
    assert_eq!((ruled.phase(), ruled.running()), (Phase::Playing, Some(Seat::White)));

    let mut game = timed(9, absolute(60_000));
    game.plays("E5");
    assert!(game.restore());
    confirms(&mut game, Black).unwrap();
    game.wait(LIMIT_MS - 1);
    assert!(!game.tick());
    game.wait(1);
    assert!(game.tick());
    let outcome = game.ended(EndReason::Replay, "Void");
    assert_eq!(outcome.winner, None);
}

// rulebook: C8.4: the game goes on where it stood, whatever it was about.
#[test]
fn a_game_goes_on_in_its_phase() {
    let mut counting = timed(9, absolute(60_000));
    counting.plays("E5 confirm confirm");
    counting.accept(Black).unwrap();
    counting.wait(200_000);
    assert!(counting.restore());
    assert_eq!(counting.accepted(Black), None, "a lost mark may have been accepted");
    confirms(&mut counting, Black).unwrap();
    confirms(&mut counting, White).unwrap();
    assert_eq!(counting.phase(), Phase::Counting);
    let limit_ms = counting.settings().counting_limit_ms;
    assert_eq!(counting.counting_deadline_ms(), Some(counting.now_ms + limit_ms));

    let mut paused = timed(9, absolute(60_000));
    paused.halt(60_000).unwrap();
    assert!(paused.restore());
    assert!(paused.restore(), "it may happen again meanwhile");
    confirms(&mut paused, Black).unwrap();
    confirms(&mut paused, White).unwrap();
    assert_eq!((paused.phase(), paused.running()), (Phase::Paused, None));
    paused.wait(60_000);
    assert!(paused.tick());
    assert_eq!(paused.running(), Some(Seat::Black));
    // A pause whose end came meanwhile is over.
    paused.halt(60_000).unwrap();
    assert!(paused.restore());
    paused.wait(60_000);
    confirms(&mut paused, Black).unwrap();
    confirms(&mut paused, White).unwrap();
    assert_eq!((paused.phase(), paused.running()), (Phase::Playing, Some(Seat::Black)));

    let mut waiting = scheduled(absolute(60_000), 60_000);
    assert!(!waiting.restore(), "no move can be lost before the start");
    let mut ended = timed(9, absolute(60_000));
    ended.resign(Black).unwrap();
    assert!(!ended.restore());
}
