//! Turns: whose, where, and under which number.

use tengen_rules::{Point, Refusal, Size};
use tengen_table::{
    Act, EndReason, Event, Offer, Phase, Rejection, Settings, Table, TurnKind, TwoPasses,
};

use crate::kit::{Black, Game, White, absolute, game, timed, view};

/// Black to move at C4 takes a stone, and White may not take it back at once.
pub const KO: [&str; 5] = [
    ".XO..", //
    "XO.O.", ".XO..", ".....", ".....",
];

// rulebook: G2.1, G2.2
#[test]
fn turns_alternate_from_black() {
    let mut game = game(9, |_| {});
    assert_eq!((game.to_move(), game.next_number()), (Some(Black), 1));
    game.plays("E5");
    assert_eq!((game.to_move(), game.next_number()), (Some(White), 2));
    game.plays("C3 pass");
    assert_eq!((game.to_move(), game.next_number()), (Some(White), 4));
    let turns: Vec<_> = game.turns().iter().map(|turn| (turn.colour, turn.kind)).collect();
    let expected = [
        (Black, TurnKind::Move(game.point("E5"))),
        (White, TurnKind::Move(game.point("C3"))),
        (Black, TurnKind::Pass),
    ];
    assert_eq!(turns, expected);
}

// rulebook: C2: the first move of a handicap game is White's, and so is the running clock.
#[test]
fn white_moves_first_in_a_handicap_game() {
    let mut settings = Settings::even(Size::square(9).unwrap()).with_handicap(3).unwrap();
    settings.control = Some(absolute(60_000));
    let mut game = Game::new(settings);
    assert_eq!(game.to_move(), Some(White));
    assert_eq!(game.running(), Some(tengen_timing::Seat::White));
    game.plays("E5 E6");
    assert_eq!(game.turns().first().map(|turn| turn.colour), Some(White));
    assert_eq!(game.game().board().stones(Black).len(), 4);
}

// rulebook: G4: a capture comes with its move.
#[test]
fn a_capture_is_part_of_the_move() {
    let mut game = Game::drawn(&KO, |_| {});
    game.plays("C4");
    game.shows(&[".XO..", "X.XO.", ".XO..", ".....", "....."]);
    assert_eq!(game.game().captured_by(Black), 1);
}

/// A move is refused for `refusal`, and nothing has changed.
fn refused(game: &mut Game, point: Point, refusal: Refusal) {
    let (before, events) = (view(game), game.log.len());
    let number = game.next_number();
    let answer = game.act(game.mover(), Act::Play { number, point });
    assert_eq!(answer, Err(Rejection::Forbidden { point, refusal }));
    assert_eq!((view(game), game.log.len()), (before, events));
}

// rulebook: G2.2, G5, G6; case: D14, K1
#[test]
fn what_the_rules_forbid_is_refused_and_named() {
    let mut game = Game::drawn(&[".O...", "O....", ".....", ".....", "...X."], |_| {});
    let (corner, taken) = (game.point("A5"), game.point("D1"));
    refused(&mut game, corner, Refusal::Suicide);
    refused(&mut game, taken, Refusal::Occupied);
    for point in [Point::new(5, 0), Point::new(0, 5), Point::new(255, 255)] {
        let size = Size::square(5).unwrap();
        refused(&mut game, point, Refusal::OffBoard { point, size });
    }
    game.plays("E1");
}

// rulebook: G6, G4.3; case: K4, K12: the refusal names the move whose board would come back, and
// passes lift nothing.
#[test]
fn superko_names_the_move_it_repeats() {
    let mut game = Game::drawn(&KO, |settings| settings.two_passes = TwoPasses::Nothing);
    let drawn_at = game.next_number() - 1;
    let ko = game.point("B4");
    let refusal = Refusal::Superko { repeats_move: drawn_at };
    game.plays("C4");
    refused(&mut game, ko, refusal);
    game.plays("pass pass");
    refused(&mut game, ko, refusal);
    game.plays("E1 A1 B4");
}

// case: D1, D3, D10; fault: F8
#[test]
fn a_number_that_is_not_the_next_is_refused() {
    let mut game = game(9, |_| {});
    game.plays("E5 C3");
    for given in [0, 1, 2, 4, u32::MAX] {
        let stale = Err(Rejection::StaleNumber { given, next: 3 });
        let point = game.point("G7");
        let acts = [
            Act::Play { number: given, point },
            Act::Pass { number: given },
            Act::Confirm { number: given },
        ];
        for act in acts {
            // It is told as stale whoever sends it: the number comes before the turn.
            for by in [Black, White] {
                assert_eq!(game.act(by, act.clone()), stale, "{by} {act:?}");
            }
        }
    }
    game.plays("G7");
}

// rulebook: G2.1, C4.2
#[test]
fn the_other_side_is_refused() {
    let mut game = game(9, |_| {});
    let not_yours = Err(Rejection::NotYourTurn { to_move: Black });
    assert_eq!(game.play_as(White, 1, "E5"), not_yours);
    assert_eq!(game.act(White, Act::Pass { number: 1 }), not_yours);
    assert_eq!(game.act(White, Act::Confirm { number: 1 }), not_yours);
    game.plays("E5");
    let not_yours = Err(Rejection::NotYourTurn { to_move: White });
    assert_eq!(game.play_as(Black, 2, "C3"), not_yours);
}

/// Every act there is, with the number that would be right.
pub fn every_act(game: &Game) -> Vec<Act> {
    let (number, point) = (game.next_number(), Point::new(0, 0));
    vec![
        Act::Play { number, point },
        Act::Pass { number },
        Act::Confirm { number },
        Act::Mark { point, dead: true },
        Act::Accept { dead_set: game.dead().digest() },
        Act::Dispute,
        Act::Resign,
        Act::Leave,
        Act::ClaimTime,
        Act::ClaimAbsence,
        Act::Arrive,
        Act::Offer(Offer::Draw),
        Act::Offer(Offer::TakeBack),
        Act::Offer(Offer::Pause),
        Act::Answer { offer: Offer::Draw, accept: true },
        Act::Resume,
    ]
}

// rulebook: G7.2, C7.7; case: D14: one end, and nothing after it.
#[test]
fn after_the_end_everything_is_refused() {
    let mut game = timed(9, absolute(60_000));
    game.plays("E5");
    game.resign(Black).unwrap();
    let (before, events) = (view(&game), game.log.len());
    let reason = EndReason::Resignation;
    game.wait(1_000_000);
    for act in every_act(&game) {
        for by in [Black, White] {
            let answer = game.act(by, act.clone());
            assert_eq!(answer, Err(Rejection::Ended { reason }), "{by} {act:?}");
        }
    }
    assert!(!game.tick());
    assert_eq!((view(&game), game.log.len()), (before, events));
    assert_eq!((game.to_move(), game.next_due_ms()), (None, None));
}

// rulebook: G7.2, L7: either side, whoever is to move.
#[test]
fn a_side_resigns_or_leaves_at_any_time() {
    let check = |by, act: Act, reason, text| {
        let mut game = timed(9, absolute(600_000));
        game.plays("E5").wait(2_000).plays("C3").wait(500);
        game.act(by, act).unwrap();
        let outcome = game.ended(reason, text);
        assert_eq!(outcome.winner, Some(by.opponent()));
        assert_eq!((outcome.at_ms, outcome.together_ms), (game.now_ms, 2_500));
        assert_eq!(outcome.counted, None);
    };
    check(Black, Act::Resign, EndReason::Resignation, "W+R");
    check(White, Act::Resign, EndReason::Resignation, "B+R");
    check(Black, Act::Leave, EndReason::Leave, "W+F");
    check(White, Act::Leave, EndReason::Leave, "B+F");
}

// While play goes on there is nothing to count.
#[test]
fn counting_acts_wait_for_counting() {
    let mut game = game(9, |_| {});
    game.plays("E5 confirm");
    let wrong = Err(Rejection::WrongPhase { phase: Phase::Playing, expected: Phase::Counting });
    assert_eq!(game.mark(Black, "E5", true), wrong);
    assert_eq!(game.accept(Black), wrong);
    assert_eq!(game.dispute(White), wrong);
    game.plays("confirm");
    let wrong = Err(Rejection::WrongPhase { phase: Phase::Counting, expected: Phase::Playing });
    assert_eq!(game.play("C3"), wrong);
    assert_eq!(game.pass(), wrong);
    assert_eq!(game.confirm(), wrong);
    assert_eq!(game.claim(Black), wrong);
}

// The time handed in may not run backwards: a stamp is never before the one before.
#[test]
fn stamps_never_go_back() {
    let mut game = timed(9, absolute(60_000));
    game.wait(10_000).plays("E5").wait(-5_000).plays("C3");
    let stamps: Vec<_> = game.log.iter().map(|event| event.at_ms).collect();
    assert!(stamps.is_sorted(), "{stamps:?}");
    let open: Table = Table::open(&Event::opened(game.settings().clone(), -5)).unwrap();
    assert_eq!((open.opened_at_ms(), open.last_at_ms()), (-5, -5));
}
