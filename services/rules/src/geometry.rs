//! Colours, board sizes and points, and the padded index behind every point.

use std::{error, fmt};

use crate::PointSet;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    /// Moves first in an even game (rulebook G2.1).
    Black,
    /// Moves first in a handicap game (rulebook C2).
    White,
}

/// A board of `rows` × `columns` lines, each 1 to 25, with at least two points in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    rows: u8,
    columns: u8,
}

/// A size the engine does not play on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeError {
    /// The number of rows asked for.
    pub rows: u8,
    /// The number of columns asked for.
    pub columns: u8,
}

/// A crossing of two lines, counted from the top left corner. Points order by row, then column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// 0 is the top line.
    pub row: u8,
    /// 0 is the leftmost line.
    pub column: u8,
}

/// Where a point lies in the padded arrays of a board: one line of wall above and below, and at
/// least seven points of wall to the right, which are also the left wall of the next line. With 32
/// points a line an index is a row and a column without a division.
pub(crate) type Index = u16;

/// The most lines a side: what fits GTP's letters without `I`.
pub(crate) const MAX_SIDE: u8 = 25;
/// Points of a padded line.
pub(crate) const STRIDE: usize = 32;
/// Points of the largest padded board.
pub(crate) const MAX_INDICES: usize = (MAX_SIDE as usize + 2) * STRIDE;

impl Colour {
    /// Both colours, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// The other side.
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// 0 for Black, 1 for White.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "Black",
            Self::White => "White",
        })
    }
}

impl Size {
    /// A board of `rows` × `columns` lines.
    ///
    /// # Errors
    ///
    /// When a side is not 1 to 25, or the board has fewer than two points.
    pub const fn new(rows: u8, columns: u8) -> Result<Self, SizeError> {
        let fits = rows <= MAX_SIDE && columns <= MAX_SIDE && rows as u16 * columns as u16 >= 2;
        if fits { Ok(Self { rows, columns }) } else { Err(SizeError { rows, columns }) }
    }

    /// A board of `lines` × `lines`.
    ///
    /// # Errors
    ///
    /// When `lines` is not 2 to 25.
    pub const fn square(lines: u8) -> Result<Self, SizeError> {
        Self::new(lines, lines)
    }

    /// The number of horizontal lines.
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// The number of vertical lines.
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// The number of points: 361 on 19×19 (rulebook G1).
    pub const fn points(self) -> u16 {
        self.rows as u16 * self.columns as u16
    }

    /// Whether the point lies on the board.
    pub const fn contains(self, point: Point) -> bool {
        point.row < self.rows && point.column < self.columns
    }

    /// Every point of the board.
    pub fn all_points(self) -> PointSet {
        PointSet::rectangle(self.rows, self.columns)
    }

    /// How many indices the padded board takes.
    pub(crate) const fn indices(self) -> usize {
        (self.rows as usize + 2) * STRIDE
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.rows, self.columns)
    }
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, columns } = self;
        write!(f, "size {rows}×{columns}: expected 1 to {MAX_SIDE} lines a side and two points")
    }
}

impl error::Error for SizeError {}

impl Point {
    /// The point at a row and a column, both from 0 at the top left.
    pub const fn new(row: u8, column: u8) -> Self {
        Self { row, column }
    }

    /// The padded index; the point must lie on some board.
    pub(crate) const fn to_index(self) -> Index {
        (self.row as Index + 1) * STRIDE as Index + self.column as Index
    }

    /// The point of a padded index that is not wall.
    pub(crate) const fn from_index(index: Index) -> Self {
        Self { row: (index / STRIDE as Index - 1) as u8, column: (index % STRIDE as Index) as u8 }
    }
}

/// The indices orthogonally next to one that is not wall.
pub(crate) const fn neighbours(index: Index) -> [Index; 4] {
    let stride = STRIDE as Index;
    [index - stride, index - 1, index + 1, index + stride]
}
