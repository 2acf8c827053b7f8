//! Area, results and handicap.

use tengen_rules::{
    Area, Colour, Count, HandicapError, Point, PointSet, Quarters, Size, area,
    default_compensation_quarters, handicap_points, ownership, text::gtp,
};

use crate::common::{diagram, marked};

/// A drawing of a seki: `+` are the shared liberties, `.` points of one side.
fn check_seki(name: &str, rows: &[&str], expected: [u32; 3]) {
    let game = diagram(rows);
    let owned = ownership(game.board(), &PointSet::new());
    assert_eq!(owned.neutral, marked(rows, '+'), "{name}");
    for colour in Colour::BOTH {
        let own = [owned.black, owned.white][colour.index()];
        assert!(game.board().stones(colour).is_subset(&own), "{name}: {colour} lives");
    }
    let Area { black, white, neutral } = area(game.board(), &PointSet::new());
    assert_eq!([black, white, neutral], expected, "{name}");
    assert_eq!(black + white + neutral, u32::from(game.board().size().points()));
}

// rulebook: G8, G9, C12.2; case: S1, S2
#[test]
#[rustfmt::skip]
fn seki_lives_and_shares_its_liberties() {
    check_seki("two liberties, no eyes", &[
        "XO+XXO.", "XOOXXO.", "XO+XXO.", "XOOXXO.", "XXXOOO.", ".XXO...", "X.XO...",
    ], [21, 26, 2]);
    check_seki("the same with colours exchanged", &[
        "OX+OOX.", "OXXOOX.", "OX+OOX.", "OXXOOX.", "OOOXXX.", ".OOX...", "O.OX...",
    ], [26, 21, 2]);
    check_seki("three liberties", &[
        "XO+XXO.", "XOOXXO.", "XO+XXO.", "XOOXXO.", "XO+XXO.", "XXXOOO.", ".X.XO..",
    ], [22, 24, 3]);
    check_seki("two liberties side by side", &[
        "XO+XXO.", "XO+XXO.", "XOOXXO.", "XXXOOO.", ".X.XO..",
    ], [16, 17, 2]);
    check_seki("an eye each, one liberty", &[
        "XO.O+X.XO", "XOOOOXXXO", "XXXXXOOOO", "....XO...",
    ], [18, 17, 1]);
    check_seki("an eye each, two liberties", &[
        "XO.O+X.XO", "XOOO+XXXO", "XXXXXOOOO", "....XO...",
    ], [18, 16, 2]);
    check_seki("an eye each, on the left side", &[
        "XXX.", "OOX.", ".OX.", "OOX.", "+OXX", "XXOO", ".XO.", "XXO.", "OOO.",
    ], [18, 17, 1]);
    check_seki("an eye of two points each", &[
        "XO..O+X..XO", "XOOOOOXXXXO", "XXXXXXOOOOO", ".....XO....",
    ], [22, 21, 1]);
    check_seki("three strings, the middle without an eye", &[
        "OX.X+OO+X.XO", "OXXXXOOXXXXO", "OOOOOXXOOOOO", "....OX.XO...", "....OXXXXO..", "....OX.XO...",
    ], [26, 44, 2]);
    check_seki("three stones in a line inside", &[
        "XO+XXX+OX", "XOOOOOOOX", "XXXXXXXXX", ".........",
    ], [25, 9, 2]);
    check_seki("four stones in a line inside", &[
        "XO+XXXX+OX", "XOOOOOOOOX", "XXXXXXXXXX", "..........",
    ], [28, 10, 2]);
    check_seki("four stones in the corner", &[
        "XX+OX.", "XOOOX.", "XOXXX.", "+OX...", "OOX...", "XXX...",
    ], [26, 8, 2]);
}

// rulebook: G9
#[test]
fn regions_belong_to_the_colour_they_touch() {
    let check = |rows: &[&str], dead: char, expected: [u32; 3]| {
        let dead = marked(rows, dead);
        let Area { black, white, neutral } = area(diagram(rows).board(), &dead);
        assert_eq!([black, white, neutral], expected, "{rows:?}");
    };
    check(&["...", "..."], '?', [0, 0, 6]);
    check(&["...", ".X."], '?', [6, 0, 0]);
    check(&["X..", "..O"], '?', [1, 1, 4]);
    check(&["X.XO.", "XXXO."], '?', [6, 4, 0]);
    // Dead stones off, their points and the region around them change hands.
    check(&["..XO.O", "O.XOOO"], '?', [2, 7, 3]);
    check(&["..XO.X", "..XOO."], 'X', [0, 12, 0]);
    // An empty point named dead means nothing.
    check(&["X.XO.", "XXXO."], '.', [6, 4, 0]);
}

// rulebook: C2, G9; case: S15
#[test]
fn results_are_exact_in_quarter_stones() {
    // (black, white, neutral, komi) -> (margin, winner, points)
    let check = |area: [u32; 3], komi, margin: i32, text: &str| {
        let [black, white, neutral] = area;
        let count = Count::new(Area { black, white, neutral }, komi, 0);
        assert_eq!(count.margin_quarters, margin);
        assert_eq!(count.black_quarters + count.white_quarters, 4 * 361);
        assert_eq!(count.to_string(), text);
        let winner = match margin.signum() {
            1 => Some(Colour::Black),
            -1 => Some(Colour::White),
            _ => None,
        };
        assert_eq!(count.winner(), winner);
    };
    check([184, 177, 0], 15, -1, "W+0.5");
    check([184, 176, 1], 15, 1, "B+0.5");
    check([185, 176, 0], 15, 3, "B+1.5");
    check([361, 0, 0], 15, 707, "B+353.5");
    check([177, 184, 0], 15, -29, "W+14.5");
    check([180, 180, 1], 0, 0, "0");
    check([181, 180, 0], 0, 2, "B+1");
    check([1, 1, 359], 0, 0, "0");
    check([184, 177, 0], 14, 0, "0");

    let board = diagram(&["X...O", "....."]);
    let count = Count::new(area(board.board(), &PointSet::new()), 0, 0);
    assert_eq!((count.black_quarters, count.winner()), (20, None));
}

// rulebook: C2 (handicap); case: S12, S13
#[test]
fn compensation_is_half_a_stone_for_each() {
    for stones in 0..=9 {
        let compensation = default_compensation_quarters(stones);
        assert_eq!(compensation, i32::from(stones) * 2);
        let count = Count::new(Area { black: 200, white: 161, neutral: 0 }, 0, compensation);
        // 200 is 19½ above the half; every stone of handicap costs one point of the result.
        assert_eq!(count.margin_quarters, 78 - compensation);
        assert_eq!(count.to_string(), format!("B+{}", 39 - stones));
        assert_eq!((count.komi_quarters, count.compensation_quarters), (0, compensation));
    }
}

// rulebook: C2 (both forms shown)
#[test]
fn quarters_as_text() {
    for (quarters, text) in [
        (737, "184¼"),
        (707, "176¾"),
        (722, "180½"),
        (15, "3¾"),
        (-1, "-¼"),
        (-5, "-1¼"),
        (3, "¾"),
        (0, "0"),
        (4, "1"),
        (-8, "-2"),
    ] {
        assert_eq!(Quarters(quarters).to_string(), text);
    }
}

// rulebook: C2, G1; case: S12
#[test]
fn handicap_stones_stand_on_the_stars() {
    let check = |side: u8, stones: u8, expected: &str| {
        let size = Size::square(side).unwrap();
        let points = handicap_points(size, stones).unwrap();
        let points: Vec<String> = points.iter().map(|&point| gtp::format(point, size)).collect();
        assert_eq!(points.join(" "), expected);
    };
    check(19, 2, "Q16 D4");
    check(19, 3, "Q16 D4 Q4");
    check(19, 4, "Q16 D4 Q4 D16");
    check(19, 5, "Q16 D4 Q4 D16 K10");
    check(19, 6, "Q16 D4 Q4 D16 D10 Q10");
    check(19, 7, "Q16 D4 Q4 D16 D10 Q10 K10");
    check(19, 8, "Q16 D4 Q4 D16 D10 Q10 K16 K4");
    check(19, 9, "Q16 D4 Q4 D16 D10 Q10 K16 K4 K10");
    check(13, 5, "K10 D4 K4 D10 G7");
    check(9, 4, "G7 C3 G3 C7");
    check(9, 9, "G7 C3 G3 C7 C5 G5 E7 E3 E5");
    check(7, 4, "E5 C3 E3 C5");
    check(8, 2, "F6 C3");

    let refused = |rows, columns, stones| {
        handicap_points(Size::new(rows, columns).unwrap(), stones).unwrap_err()
    };
    for stones in [0, 1, 10, 255] {
        assert_eq!(refused(19, 19, stones), HandicapError::Stones { stones });
    }
    for (rows, columns) in [(9, 13), (6, 6), (2, 2)] {
        let size = Size::new(rows, columns).unwrap();
        assert_eq!(refused(rows, columns, 2), HandicapError::NoStarPoints { size });
    }
    for side in [7, 8, 18] {
        let size = Size::square(side).unwrap();
        assert_eq!(refused(side, side, 5), HandicapError::OnlyCorners { size, stones: 5 });
    }
    let all = handicap_points(Size::square(25).unwrap(), 9).unwrap();
    assert_eq!(PointSet::from_iter(all.iter().copied()).len(), 9);
    assert!(all.contains(&Point::new(12, 12)));
}
