//! Random games against a plain reading of the rules: flood fill and a list of all boards.

use proptest::collection::vec;
use proptest::prelude::*;
use tengen_rules::{Colour, Game, Point, PointSet, Refusal, Size, area};

/// The rules without any cleverness.
struct Plain {
    size: Size,
    boards: Vec<Vec<Option<Colour>>>,
}

impl Plain {
    fn new(size: Size) -> Self {
        Self { size, boards: vec![vec![None; size.points().into()]] }
    }

    fn at(&self, point: Point) -> usize {
        usize::from(point.row) * usize::from(self.size.columns()) + usize::from(point.column)
    }

    fn neighbours(&self, point: Point) -> Vec<Point> {
        let Point { row, column } = point;
        [
            (row.wrapping_sub(1), column),
            (row, column.wrapping_sub(1)),
            (row, column + 1),
            (row + 1, column),
        ]
        .into_iter()
        .map(|(row, column)| Point { row, column })
        .filter(|&point| self.size.contains(point))
        .collect()
    }

    /// The string of a stone and its number of liberties.
    fn string(&self, board: &[Option<Colour>], point: Point) -> (Vec<Point>, usize) {
        let mut string = vec![point];
        let mut liberties = PointSet::new();
        let mut next = 0;
        while next < string.len() {
            for neighbour in self.neighbours(string[next]) {
                let stone = board[self.at(neighbour)];
                if stone.is_none() {
                    liberties.insert(neighbour);
                } else if stone == board[self.at(point)] && !string.contains(&neighbour) {
                    string.push(neighbour);
                }
            }
            next += 1;
        }
        (string, liberties.len())
    }

    fn after(&self, colour: Colour, point: Point) -> Result<Vec<Option<Colour>>, Refusal> {
        let mut board = self.boards[self.boards.len() - 1].clone();
        if board[self.at(point)].is_some() {
            return Err(Refusal::Occupied);
        }
        board[self.at(point)] = Some(colour);
        for neighbour in self.neighbours(point) {
            if board[self.at(neighbour)] == Some(colour.opponent())
                && let (string, 0) = self.string(&board, neighbour)
            {
                string.iter().for_each(|&stone| board[self.at(stone)] = None);
            }
        }
        if self.string(&board, point).1 == 0 {
            return Err(Refusal::Suicide);
        }
        match self.boards.iter().position(|earlier| *earlier == board) {
            Some(ply) => Err(Refusal::Superko { repeats_move: ply as u32 }),
            None => Ok(board),
        }
    }
}

/// Sizes small enough for captures and repetitions to happen by chance, and moves on them:
/// a point, a pass where it is too large.
fn games() -> impl Strategy<Value = (Size, Vec<(bool, u16)>)> {
    let sizes = prop_oneof![(1..=3_u8, 2..=4_u8), (2..=6_u8, 2..=6_u8), (9..=9_u8, 9..=9_u8)];
    sizes.prop_flat_map(|(rows, columns)| {
        let size = Size::new(rows, columns).unwrap();
        (Just(size), vec((any::<bool>(), 0..size.points() + 1), 1..120))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    // rulebook: G2 to G6, G9: checks, masks, moves and areas agree with the plain reading at
    // every ply, for both colours and all points, and a refused move changes nothing.
    #[test]
    fn games_follow_the_plain_rules((size, plies) in games()) {
        let mut game = Game::new(size);
        let mut plain = Plain::new(size);
        for (black, number) in plies {
            let colour = if black { Colour::Black } else { Colour::White };
            for colour in Colour::BOTH {
                let legal = game.legal_points(colour);
                for point in size.all_points().iter() {
                    let expected = plain.after(colour, point).map(|_| ());
                    prop_assert_eq!(game.check(colour, point), expected);
                    prop_assert_eq!(legal.contains(point), expected.is_ok());
                }
                prop_assert!(legal.is_subset(&size.all_points()));
            }
            let columns = u16::from(size.columns());
            let point = Point::new((number / columns) as u8, (number % columns) as u8);
            if number == size.points() {
                game.pass(colour);
                plain.boards.push(plain.boards[plain.boards.len() - 1].clone());
            } else if let Ok(board) = plain.after(colour, point) {
                prop_assert!(game.play(colour, point).is_ok());
                plain.boards.push(board);
            } else {
                let before = (game.board().clone(), game.ply(), game.board().hash());
                prop_assert!(game.play(colour, point).is_err());
                prop_assert_eq!(before, (game.board().clone(), game.ply(), game.board().hash()));
            }
            check_board(&game, &plain)?;
        }
    }
}

fn check_board(game: &Game, plain: &Plain) -> Result<(), TestCaseError> {
    let board = &plain.boards[plain.boards.len() - 1];
    prop_assert_eq!(game.ply() as usize, plain.boards.len() - 1);
    for point in plain.size.all_points().iter() {
        prop_assert_eq!(game.board().stone(point), board[plain.at(point)]);
        if game.board().stone(point).is_some() {
            let (string, liberties) = plain.string(board, point);
            prop_assert_eq!(game.board().string(point), Some(string.into_iter().collect()));
            prop_assert_eq!(game.board().liberties(point), liberties);
        }
    }
    let count = area(game.board(), &PointSet::new());
    prop_assert_eq!(count.black + count.white + count.neutral, u32::from(plain.size.points()));
    Ok(())
}
