//! Stones, captures and forbidden points, as boards.

use tengen_rules::{
    Board, Colour, Colour::Black, Colour::White, Game, Point, PointSet, Refusal, SetupError, Size,
    SizeError,
};

use crate::common::{diagram, marked, points, rows};

/// Plays one move and compares the board, what was taken, or why not.
fn check(before: &[&str], colour: Colour, point: &str, after: Result<&[&str], Refusal>) {
    let mut game = diagram(before);
    let point = points(point, game.board().size())[0];
    let stones = game.board().stones(colour.opponent());
    assert_eq!(game.check(colour, point).err(), after.err());
    let played = game.play(colour, point);
    match after {
        Ok(after) => {
            assert_eq!(rows(&game), after);
            let taken = stones.difference(&game.board().stones(colour.opponent()));
            assert_eq!(played.unwrap().captured as usize, taken.len());
            assert_eq!(game.last_captured(), taken);
            assert_eq!(game.captured_by(colour) as usize, taken.len());
        }
        Err(refusal) => {
            assert_eq!(played, Err(refusal));
            assert_eq!(rows(&game), before);
            assert_eq!((game.ply(), game.captured_by(colour)), (0, 0));
        }
    }
}

// rulebook: G3, G4
#[test]
fn captures_come_off_at_once() {
    check(&["OX.", "...", "..."], Black, "ab", Ok(&[".X.", "X..", "..."]));
    check(&[".OX", "OX.", "X.."], Black, "aa", Ok(&["X.X", ".X.", "X.."]));
    check(&["X.OX", "OOXX", "XX..", "...."], Black, "ba", Ok(&["XX.X", "..XX", "XX..", "...."]));
    // Two strings at once, one of several stones.
    check(&["OO.OX", "XX.X."], Black, "ca", Ok(&["..X.X", "XX.X."]));
    // A capture first makes the liberties, even deep inside (G4).
    check(&[".OX.", "OX..", "OX..", "X..."], Black, "aa", Ok(&["X.X.", ".X..", ".X..", "X..."]));
}

// rulebook: G5
#[test]
fn suicide_is_refused() {
    let suicide = Err(Refusal::Suicide);
    check(&[".X.", "X..", "..."], White, "aa", suicide);
    check(&[".O.X", "OOXX", "XXX.", "...."], Black, "aa", suicide);
    // Of several stones, and of several strings joined.
    check(&[".OX.", "OOX.", "XXX.", "...."], White, "aa", suicide);
    check(&["O.OX", "XXX.", "...."], White, "ba", suicide);
    // Joining a string that has a liberty elsewhere is none.
    check(&["O.OX", "XX.X"], White, "ba", Ok(&["OOOX", "XX.X"]));
}

// rulebook: G2.2
#[test]
fn points_must_be_empty_and_on_the_board() {
    check(&["X..", "..."], Black, "aa", Err(Refusal::Occupied));
    check(&["X..", "..."], White, "aa", Err(Refusal::Occupied));
    let size = Size::new(2, 3).unwrap();
    for point in [(2, 0), (0, 3), (24, 24), (255, 255), (0, 255)] {
        let point = Point::new(point.0, point.1);
        let refusal = Refusal::OffBoard { point, size };
        assert_eq!(Game::new(size).check(Black, point), Err(refusal));
        assert_eq!(Game::new(size).play(White, point), Err(refusal));
        assert_eq!(Game::new(size).board().stone(point), None);
    }
}

// rulebook: G4.3
#[test]
fn snapback_is_allowed() {
    let mut game = diagram(&[
        ".XO..", //
        "XO.O.", "XOOO.", "XXXX.", ".....",
    ]);
    // White takes one stone and is taken in return, more than one.
    assert_eq!(game.play(Black, Point::new(1, 2)), Err(Refusal::Suicide));
    let mut game = diagram(&[
        "XOO.O", //
        "XO.XO", "XOOXO", "XXXOO", ".....",
    ]);
    let taken = game.play(Black, Point::new(0, 3)).map(|played| played.captured);
    assert_eq!(taken, Ok(0));
    let taken = game.play(White, Point::new(1, 2)).map(|played| played.captured);
    assert_eq!(taken, Ok(3));
}

// rulebook: G3
#[test]
fn strings_and_liberties() {
    let game = diagram(&["XX.O", ".XO.", "O..X"]);
    let board = game.board();
    let string = marked(&["XX", ".X"], 'X');
    assert_eq!(board.string(Point::new(0, 0)), Some(string));
    assert_eq!(board.string(Point::new(1, 1)), Some(string));
    assert_eq!(board.liberties(Point::new(0, 0)), 3);
    assert_eq!(board.liberties(Point::new(2, 3)), 2);
    assert_eq!((board.string(Point::new(0, 2)), board.liberties(Point::new(0, 2))), (None, 0));
    assert_eq!(board.stone(Point::new(0, 3)), Some(White));
    assert_eq!(board.stones(White).len() + board.stones(Black).len(), 7);
    assert_eq!(board.to_string(), "XX.O\n.XO.\nO..X\n");
}

// rulebook: G1; equal boards have equal hashes, however they came about
#[test]
fn hashes_name_boards() {
    let drawn = diagram(&[".X.", "X..", "..."]);
    let mut played = Game::new(drawn.board().size());
    for (colour, point) in [(Black, (0, 1)), (White, (0, 0)), (Black, (1, 0))] {
        assert_ne!(played.board().hash(), drawn.board().hash());
        played.play(colour, Point::new(point.0, point.1)).unwrap();
    }
    // The last move captured, so the boards differ by a stone.
    assert_eq!(rows(&played), [".X.", "X..", "..."]);
    assert_eq!(played.board().hash(), diagram(&rows(&played)).board().hash());
    assert_eq!(Game::new(Size::square(9).unwrap()).board().hash(), 0);
}

// rulebook: C2 (stones before the first move)
#[test]
fn set_ups_are_checked() {
    let size = Size::square(3).unwrap();
    let at = Point::new;
    let board = |black: &[Point], white: &[Point]| Board::with_setup(size, black, white).err();
    let overlap = Some(SetupError::Overlap { point: at(1, 1) });
    assert_eq!(board(&[at(1, 1)], &[at(1, 1)]), overlap);
    assert_eq!(board(&[at(1, 1), at(1, 1)], &[]), overlap);
    assert_eq!(board(&[], &[at(3, 0)]), Some(SetupError::OffBoard { point: at(3, 0), size }));
    let no_liberty = Some(SetupError::NoLiberty { point: at(0, 0) });
    assert_eq!(board(&[at(0, 1), at(1, 0)], &[at(0, 0)]), no_liberty);
    assert_eq!(board(&[at(0, 0), at(0, 1)], &[at(2, 2)]), None);
}

// rulebook: G1
#[test]
fn sizes() {
    for (rows, columns, points) in [(19, 19, 361), (1, 2, 2), (25, 25, 625), (7, 1, 7)] {
        assert_eq!(Size::new(rows, columns).map(Size::points), Ok(points));
    }
    for (rows, columns) in [(1, 1), (0, 9), (9, 0), (26, 9), (9, 26), (255, 255)] {
        assert_eq!(Size::new(rows, columns), Err(SizeError { rows, columns }));
    }
    let points = Size::new(25, 25).unwrap().all_points();
    assert_eq!((points.len(), points.iter().count()), (625, 625));
    assert_eq!(
        Size::square(1).unwrap_err().to_string(),
        SizeError { rows: 1, columns: 1 }.to_string()
    );
}

// rulebook: C12.4 (the digest both players accept)
#[test]
fn a_digest_depends_on_the_points_alone() {
    assert_eq!(PointSet::new().digest(), 0xCBF2_9CE4_8422_2325);
    let points = [Point::new(3, 15), Point::new(15, 3), Point::new(3, 3)];
    let forth = PointSet::from_iter(points);
    let back = PointSet::from_iter(points.into_iter().rev());
    assert_eq!(forth.digest(), back.digest());
    // FNV-1a 64 of the bytes 1, 2, computed by hand from its definition.
    let byte = |hash: u64, byte: u64| (hash ^ byte).wrapping_mul(0x100_0000_01B3);
    let one = PointSet::from_iter([Point::new(1, 2)]);
    assert_eq!(one.digest(), byte(byte(0xCBF2_9CE4_8422_2325, 1), 2));
    assert_ne!(one.digest(), PointSet::from_iter([Point::new(2, 1)]).digest());
}

#[test]
fn point_sets() {
    let [a, b, off] = [Point::new(0, 24), Point::new(1, 0), Point::new(0, 25)];
    let mut set = PointSet::new();
    assert!(set.insert(a) && !set.insert(a) && !set.insert(off));
    assert!(!set.contains(off) && !set.contains(Point::new(25, 0)));
    assert!(!set.remove(off) && !set.remove(b));
    let both = PointSet::from_iter([b, a]);
    assert_eq!(Vec::from_iter(both.iter()), [a, b]);
    assert_eq!(both.difference(&set), PointSet::from_iter([b]));
    assert_eq!(both.intersection(&set), set);
    assert_eq!(both.difference(&set).union(&set), both);
    assert!(set.is_subset(&both) && !both.is_subset(&set));
    assert!(set.remove(a) && set.is_empty());
}
