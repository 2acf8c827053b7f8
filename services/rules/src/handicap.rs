//! Handicap (让子): where the stones stand, and what White gets for them (rulebook C2).

use std::{error, fmt};

use crate::{Point, Size};

/// Handicap stones that have no fixed places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandicapError {
    /// Not 2 to 9 stones.
    Stones {
        /// The number asked for.
        stones: u8,
    },
    /// The board has no star points: not square, or smaller than 7×7.
    NoStarPoints {
        /// The size of the board.
        size: Size,
    },
    /// A board of 7×7 or with an even side has only the four corner stars.
    OnlyCorners {
        /// The size of the board.
        size: Size,
        /// The number asked for.
        stones: u8,
    },
}

/// The star points of a handicap of 2 to 9 stones, in the order in which they are placed: opposite
/// corners first, and the tengen last for 5, 7 and 9.
///
/// The star line is the fourth, or on boards under 13 lines the third.
///
/// # Errors
///
/// When the number is out of range, or the board has no star points for it.
pub fn handicap_points(size: Size, stones: u8) -> Result<Vec<Point>, HandicapError> {
    if !(2..=9).contains(&stones) {
        return Err(HandicapError::Stones { stones });
    }
    let side = size.rows();
    if side != size.columns() || side < 7 {
        return Err(HandicapError::NoStarPoints { size });
    }
    if stones > 4 && (side == 7 || side.is_multiple_of(2)) {
        return Err(HandicapError::OnlyCorners { size, stones });
    }
    let low = if side < 13 { 2 } else { 3 };
    let (middle, high) = (side / 2, side - 1 - low);
    let at = Point::new;
    let corners = [at(low, high), at(high, low), at(high, high), at(low, low)];
    let sides = [at(middle, low), at(middle, high), at(low, middle), at(high, middle)];
    let tengen = (stones >= 5 && stones % 2 == 1).then_some(at(middle, middle));
    let on_edges = usize::from(stones) - usize::from(tengen.is_some());
    Ok(corners.into_iter().chain(sides).take(on_edges).chain(tengen).collect())
}

/// What Black gives White for `stones` of handicap unless agreed otherwise: half a stone each, in
/// quarter stones (rulebook C2).
pub fn default_compensation_quarters(stones: u8) -> i32 {
    2 * i32::from(stones)
}

impl fmt::Display for HandicapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stones { stones } => write!(f, "handicap {stones}: expected 2 to 9 stones"),
            Self::NoStarPoints { size } => {
                write!(f, "handicap on {size}: expected a square board of 7 lines or more")
            }
            Self::OnlyCorners { size, stones } => {
                write!(f, "handicap {stones} on {size}: expected 2 to 4 stones on this board")
            }
        }
    }
}

impl error::Error for HandicapError {}
