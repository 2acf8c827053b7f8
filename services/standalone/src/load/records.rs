//! The games that are played: the first 240 moves of twenty recorded ones, passes apart.

use tengen_proto::common::v1::Point;

/// One game a line: its name in `tests/data/games.jsonl`, and a point of SGF for each move.
const GAMES: &str = include_str!("games.txt");

/// A recorded game; Black begins, and the sides take turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record(&'static [u8]);

impl Record {
    /// The game of this number; they come round again.
    pub(super) fn of(number: usize) -> Self {
        let games = GAMES.lines().count().max(1);
        let line = GAMES.lines().nth(number % games).unwrap_or_default();
        Self(line.split_once(' ').map_or(&[], |(_, moves)| moves.as_bytes()))
    }

    /// Where the move after so many is played; `None` after the last.
    pub(super) fn point(self, played: usize) -> Option<Point> {
        let letters = self.0.get(2 * played..2 * played + 2)?;
        let line = |letter: u8| i32::from(letter) - i32::from(b'a');
        Some(Point { row: line(letters[1]), column: line(letters[0]) })
    }
}

#[cfg(test)]
mod tests {
    use tengen_rules::{Colour, Game, Point, Size};

    use super::{GAMES, Record};

    const MOVES: usize = 240;

    #[test]
    fn each_game_is_240_legal_moves() {
        assert_eq!(GAMES.lines().count(), 20);
        for number in 0..20 {
            let record = Record::of(number);
            let mut game = Game::new(Size::new(19, 19).unwrap());
            for played in 0..MOVES {
                let at = record.point(played).unwrap();
                let point = Point::new(at.row.try_into().unwrap(), at.column.try_into().unwrap());
                let legal = game.play(Colour::BOTH[played % 2], point);
                assert!(legal.is_ok(), "game {number}, move {}: {legal:?}", played + 1);
            }
            assert_eq!(record.point(MOVES), None);
        }
        assert_eq!(Record::of(23).0, Record::of(3).0);
    }
}
