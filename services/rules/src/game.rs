//! A board with its whole history: which moves are legal, and playing them.

use std::{error, fmt};

use crate::board::Effect;
use crate::geometry::Index;
use crate::history::History;
use crate::keys::KEYS;
use crate::{Board, Colour, Point, PointSet, SetupError, Size};

/// A game as the rules see it: the board, every earlier board, and the captured stones.
///
/// Whose turn it is, is for the caller to know.
#[derive(Clone)]
pub struct Game {
    board: Board,
    history: History,
    /// The points from which stones of a colour were ever taken. A board can only be repeated by
    /// a stone that comes back to where one of its colour was before, so no other move needs to
    /// be looked up.
    vacated: [PointSet; 2],
    captured_by: [u32; 2],
}

/// A move that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The number of the move, passes counted, from 1.
    pub ply: u32,
    /// How many stones it took; which ones, tells [`Game::last_captured`].
    pub captured: u32,
}

/// Why a move is not legal. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The point does not lie on the board.
    OffBoard {
        /// The point in question.
        point: Point,
        /// The size of the board.
        size: Size,
    },
    /// There is a stone already (rulebook G2.2).
    Occupied,
    /// The string would have no liberty, and nothing is captured (rulebook G5).
    Suicide,
    /// The move would recreate an earlier board (rulebook G6).
    Superko {
        /// The earliest ply after which that board stood; 0 is the board before the first move.
        repeats_move: u32,
    },
}

impl Game {
    /// A game on an empty board.
    pub fn new(size: Size) -> Self {
        Self::from_board(Board::new(size, &KEYS))
    }

    /// A game with stones on the board before the first move: handicap, or a problem.
    ///
    /// # Errors
    ///
    /// When a point is off the board or given twice, or a string would have no liberty.
    pub fn with_setup(size: Size, black: &[Point], white: &[Point]) -> Result<Self, SetupError> {
        Board::with_setup(size, black, white).map(Self::from_board)
    }

    fn from_board(board: Board) -> Self {
        Self {
            history: History::new(board.size(), board.hash()),
            vacated: [PointSet::new(); 2],
            captured_by: [0; 2],
            board,
        }
    }

    /// Whether a move is legal (rulebook G2.2, G5, G6).
    ///
    /// # Errors
    ///
    /// Why it is not.
    pub fn check(&self, colour: Colour, point: Point) -> Result<(), Refusal> {
        self.judge(colour, point).map(|_| ())
    }

    /// Plays a move: the stone, then the captures (rulebook G4).
    ///
    /// # Errors
    ///
    /// Why the move is not legal; the game is as it was.
    pub fn play(&mut self, colour: Colour, point: Point) -> Result<Move, Refusal> {
        let (index, effect) = self.judge(colour, point)?;
        let vacated = &mut self.vacated[colour.opponent().index()];
        let mut captured = 0;
        self.board.play(colour, index, &effect, |stone| {
            vacated.insert_index(stone);
            self.history.push_captured(stone);
            captured += 1;
        });
        self.captured_by[colour.index()] += u32::from(captured);
        self.history.push_move(colour, index, captured, self.board.hash());
        Ok(Move { ply: self.ply(), captured: captured.into() })
    }

    /// Gives up a turn: counts as a ply, and never repeats a board, whoever passes (rulebook G2.4,
    /// G6).
    pub fn pass(&mut self, _colour: Colour) {
        self.history.push_pass();
    }

    /// The number of moves and passes so far.
    pub fn ply(&self) -> u32 {
        self.history.ply()
    }

    /// Every point where `colour` may move.
    pub fn legal_points(&self, colour: Colour) -> PointSet {
        let empty = self.board.empty_points();
        // A stone with an empty point beside it has a liberty; only the others need a look.
        let mut legal = empty.intersection(&empty.neighbours());
        for index in empty.difference(&legal).indices() {
            if self.board.effect(colour, index).survives {
                legal.insert_index(index);
            }
        }
        for index in legal.intersection(&self.vacated[colour.index()]).indices() {
            if self.repeats(colour, index, &self.board.effect(colour, index)).is_some() {
                legal.remove_index(index);
            }
        }
        legal
    }

    /// The present board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The number of opposing stones a side has taken.
    pub fn captured_by(&self, colour: Colour) -> u32 {
        self.captured_by[colour.index()]
    }

    /// The stones the last ply took off the board; none after a pass.
    pub fn last_captured(&self) -> PointSet {
        self.history.last_captured().iter().map(|&index| Point::from_index(index)).collect()
    }

    fn judge(&self, colour: Colour, point: Point) -> Result<(Index, Effect), Refusal> {
        let size = self.board.size();
        if !size.contains(point) {
            return Err(Refusal::OffBoard { point, size });
        }
        let index = point.to_index();
        if !self.board.is_empty_index(index) {
            return Err(Refusal::Occupied);
        }
        let effect = self.board.effect(colour, index);
        if !effect.survives {
            return Err(Refusal::Suicide);
        }
        if self.vacated[colour.index()].contains_index(index)
            && let Some(repeats_move) = self.repeats(colour, index, &effect)
        {
            return Err(Refusal::Superko { repeats_move });
        }
        Ok((index, effect))
    }

    /// The ply whose board a move would recreate. Equal hashes are only a hint: the boards decide.
    fn repeats(&self, colour: Colour, index: Index, effect: &Effect) -> Option<u32> {
        self.history.find(self.board.hash_after(colour, index, effect), |ply| {
            let now = Colour::BOTH.map(|colour| self.board.stones(colour));
            self.board.stones_after(colour, index, effect) == self.history.stones_at(ply, now)
        })
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game").field("ply", &self.ply()).field("board", &self.board).finish()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffBoard { point: Point { row, column }, size } => {
                write!(f, "point at row {row}, column {column}: the board is {size}")
            }
            Self::Occupied => write!(f, "point is occupied: expected an empty point"),
            Self::Suicide => write!(f, "point is forbidden: no liberty, and nothing is captured"),
            Self::Superko { repeats_move: 0 } => {
                write!(f, "point is forbidden: the move recreates the board of the start")
            }
            Self::Superko { repeats_move } => {
                write!(f, "point is forbidden: it recreates the board after move {repeats_move}")
            }
        }
    }
}

impl error::Error for Refusal {}

#[cfg(test)]
mod tests;
