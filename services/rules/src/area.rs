//! Who owns which point of a board, dead stones off (rulebook G9).

use crate::{Board, Colour, PointSet};

/// How many points each side owns; the three add up to the points of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Black's living stones and the empty points only they touch.
    pub black: u32,
    /// White's living stones and the empty points only they touch.
    pub white: u32,
    /// The points of empty regions that touch both sides or none; each counts half for both.
    pub neutral: u32,
}

/// Which points each side owns; every point is in one of the three sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// Black's living stones and the empty points only they touch.
    pub black: PointSet,
    /// White's living stones and the empty points only they touch.
    pub white: PointSet,
    /// The points of empty regions that touch both sides or none.
    pub neutral: PointSet,
}

/// Counts the board after taking the `dead` stones off; empty points in `dead` mean nothing
/// (rulebook G9).
pub fn area(board: &Board, dead: &PointSet) -> Area {
    let Ownership { black, white, neutral } = ownership(board, dead);
    Area { black: black.len() as u32, white: white.len() as u32, neutral: neutral.len() as u32 }
}

/// Tells who owns each point after taking the `dead` stones off (rulebook G9).
pub fn ownership(board: &Board, dead: &PointSet) -> Ownership {
    let [black, white] = Colour::BOTH.map(|colour| board.stones(colour).difference(dead));
    let all = board.size().all_points();
    let empty = all.difference(&black).difference(&white);
    let reached_by_black = black.neighbours().flood(&empty);
    let reached_by_white = white.neighbours().flood(&empty);
    let black = black.union(&reached_by_black.difference(&reached_by_white));
    let white = white.union(&reached_by_white.difference(&reached_by_black));
    Ownership { black, white, neutral: all.difference(&black).difference(&white) }
}
