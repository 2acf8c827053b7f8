//! Counting: marks, acceptances, and the result with its proof.

use tengen_rules::{Area, Point, PointSet, Refusal};
use tengen_table::{Act, EndReason, Fact, Phase, Rejection, Settings, Settlement};

use crate::kit::{Black, Game, White, absolute, marked};

/// White's three stones in Black's corner are dead, and so is Black's one in White's.
const MIDDLE: [&str; 5] = [
    "OO.XO", //
    "O.XXO", ".XXO.", "XXOOX", ".XO.O",
];

/// Counting is open on this board.
pub fn counting(rows: &[&str], set: impl FnOnce(&mut Settings)) -> Game {
    let mut game = Game::drawn(rows, set);
    while game.phase() == Phase::Playing {
        game.confirm().unwrap();
    }
    game
}

fn komi(quarters: i32) -> impl FnOnce(&mut Settings) {
    move |settings| settings.komi_quarters = quarters
}

// rulebook: G8, G9; case: S3: two acceptances of one dead set, and a result that shows its proof.
#[test]
fn both_accept_and_the_result_is_proved() {
    let mut game = counting(&MIDDLE, komi(15));
    game.mark(Black, "A5", true).unwrap();
    game.mark(White, "E2", true).unwrap();
    game.wait(60_000);
    let black = game.accept(Black).unwrap();
    assert_eq!(game.accepted(Black), Some(black));
    assert_eq!((game.accepted(White), game.phase()), (None, Phase::Counting));
    let white = game.accept(White).unwrap() - 1;

    let outcome = game.ended(EndReason::Count, "W+2.5");
    assert_eq!((outcome.winner, outcome.at_ms), (Some(White), game.now_ms));
    let proof = outcome.counted.as_ref().unwrap();
    assert_eq!(proof.settlement, Settlement::Agreed);
    assert_eq!(proof.accepted, [Some(black), Some(white)]);
    let dead = marked(&["OO...", "O....", ".....", "....X"], 'O')
        .union(&marked(&[".....", ".....", ".....", "....X"], 'X'));
    assert_eq!(proof.dead, dead);
    let area = Area { black: 15, white: 10, neutral: 0 };
    assert_eq!(proof.area, area);
    // 60 and 40 quarters of 100; Black is 10 above the half, and gives 15.
    let count = proof.count;
    assert_eq!((count.black_quarters, count.white_quarters), (60, 40));
    assert_eq!((count.komi_quarters, count.margin_quarters), (15, -5));
    assert_eq!(game.dead(), &proof.dead);
}

// rulebook: G9, C2; case: S15: an equal count is a draw.
#[test]
fn an_equal_count_is_a_draw() {
    let rows = ["X...O"; 3];
    let mut game = counting(&rows, komi(0));
    game.accept(White).unwrap();
    game.accept(Black).unwrap();
    assert_eq!(game.ended(EndReason::Count, "0").winner, None);
}

// rulebook: G8; case: S2: a mark takes the whole string, and nothing but the string.
#[test]
fn marks_work_on_whole_strings() {
    let mut game = counting(&MIDDLE, |_| {});
    let corner = marked(&MIDDLE[..2], 'O').intersection(&marked(&["OO", "OO"], 'O'));
    for stone in ["A5", "B5", "A4"] {
        game.mark(Black, stone, true).unwrap();
        assert_eq!(game.dead(), &corner);
        game.mark(White, stone, false).unwrap();
        assert!(game.dead().is_empty());
    }
    for empty in ["C5", "B4", "E3"] {
        let point = game.point(empty);
        assert_eq!(game.mark(Black, empty, true), Err(Rejection::NoStone { point }));
    }
    let (point, size) = (Point::new(9, 9), game.settings().size);
    let refusal = Refusal::OffBoard { point, size };
    let off_board = game.act(Black, Act::Mark { point, dead: true });
    assert_eq!(off_board, Err(Rejection::Forbidden { point, refusal }));
}

// rulebook: C12.4; case: S7: any change clears both acceptances; what changes nothing does not.
#[test]
fn a_change_clears_both_acceptances() {
    let mut game = counting(&MIDDLE, |_| {});
    game.accept(Black).unwrap();
    game.mark(Black, "A5", false).unwrap();
    assert!(game.accepted(Black).is_some(), "it was not dead before");
    game.mark(White, "A5", true).unwrap();
    assert_eq!(game.accepted(Black), None);
    game.accept(White).unwrap();
    game.mark(White, "A4", true).unwrap();
    assert!(game.accepted(White).is_some(), "it was dead already");
    game.mark(White, "B5", false).unwrap();
    assert_eq!(game.accepted(White), None);
    game.accept(White).unwrap();
    game.accept(White).unwrap();
    assert_eq!(game.phase(), Phase::Counting, "twice by one side is not both");
}

// rulebook: C12.4; case: S3: an acceptance is of what the player saw.
#[test]
fn an_acceptance_names_the_dead_set() {
    let mut game = counting(&MIDDLE, |_| {});
    let given = game.dead().digest();
    game.mark(White, "A5", true).unwrap();
    let current = game.dead().digest();
    assert_ne!(given, current);
    let changed = Err(Rejection::DeadSetChanged { given, current });
    for by in [Black, White] {
        assert_eq!(game.act(by, Act::Accept { dead_set: given }), changed);
    }
    game.mark(Black, "A5", false).unwrap();
    game.act(Black, Act::Accept { dead_set: given }).unwrap();
    game.act(White, Act::Accept { dead_set: given }).unwrap();
    game.ended(EndReason::Count, "W+8.5");
}

// case: S2: that nothing is dead is a valid answer.
#[test]
fn the_empty_dead_set_is_accepted() {
    let mut game = counting(&MIDDLE, |_| {});
    game.accept(Black).unwrap();
    game.accept(White).unwrap();
    let outcome = game.ended(EndReason::Count, "W+8.5");
    assert!(outcome.counted.as_ref().unwrap().dead.is_empty());
}

// rulebook: G8, G9, C12.2; case: S1: no side lets its stones in the middle be taken; they count,
// and the two liberties they share are half each.
#[test]
fn seki_stones_live_and_share_their_liberties() {
    let seki = [
        "OX.OX", //
        "OX.OX", "OOOXX", ".OOX.", "O.OXX", "OOOX.",
    ];
    let mut game = counting(&seki, komi(0));
    let preview = game.preview();
    game.accept(Black).unwrap();
    game.accept(White).unwrap();
    let proof = game.ended(EndReason::Count, "W+4").counted.as_ref().unwrap();
    let area = Area { black: 12, white: 16, neutral: 2 };
    assert_eq!((proof.area, proof.count.margin_quarters), (area, -8));
    assert_eq!((preview.area, preview.count), (proof.area, proof.count));
}

// case: S10: the count is of the board and the dead set, however they came about.
#[test]
fn the_count_does_not_know_how_it_was_reached() {
    let mut game = counting(&MIDDLE, |_| {});
    let counts = |game: &Game| (game.preview().area, game.preview().count);
    let nothing = counts(&game);
    for _ in 0..3 {
        game.mark(White, "A5", true).unwrap();
        let marked = counts(&game);
        assert_ne!(marked, nothing);
        assert_eq!(game.count(game.dead()), marked);
        game.mark(Black, "E2", true).unwrap();
        game.mark(White, "E2", false).unwrap();
        assert_eq!(counts(&game), marked);
        game.mark(Black, "B5", false).unwrap();
        assert_eq!(counts(&game), nothing);
        assert_eq!(game.count(&PointSet::new()), nothing);
    }
}

// case: S17: who marked what is in the record.
#[test]
fn marks_are_recorded_with_their_author() {
    let mut game = counting(&MIDDLE, |_| {});
    game.mark(White, "A5", true).unwrap();
    game.mark(Black, "A5", false).unwrap();
    game.dispute(White).unwrap();
    let point = game.point("A5");
    let said: Vec<_> =
        game.log[game.log.len() - 3..].iter().map(|event| (event.by, event.fact.clone())).collect();
    let expected = [
        (Some(White), Fact::Marked { point, dead: true }),
        (Some(Black), Fact::Marked { point, dead: false }),
        (Some(White), Fact::Disputed),
    ];
    assert_eq!(said, expected);
}

// rulebook: G7.2: either side may resign while counting, also after it accepted.
#[test]
fn a_side_resigns_while_counting() {
    for by in [Black, White] {
        let mut game = counting(&MIDDLE, |settings| {
            settings.control = Some(absolute(60_000));
        });
        game.mark(Black, "A5", true).unwrap();
        game.accept(by).unwrap();
        game.resign(by).unwrap();
        let text = if by == Black { "W+R" } else { "B+R" };
        let outcome = game.ended(EndReason::Resignation, text);
        assert_eq!(outcome.counted, None);
    }
}

// case: S6: nothing ends a count but two acceptances, two disputes, or its deadlines.
#[test]
fn one_side_alone_finishes_nothing() {
    let mut game = counting(&MIDDLE, |_| {});
    for point in ["A5", "A5", "E2", "D5"] {
        game.mark(Black, point, true).unwrap();
        game.accept(Black).unwrap();
    }
    let limit_ms = game.settings().counting_limit_ms;
    game.wait(limit_ms - 1);
    assert!(!game.tick());
    assert_eq!((game.phase(), game.outcome()), (Phase::Counting, None));
}
