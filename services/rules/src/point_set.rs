//! A set of points as one word of bits a row: neighbours of a whole set are a few shifts.

use std::array;

use crate::Point;
use crate::geometry::{Index, MAX_SIDE, STRIDE};

const ROWS: usize = MAX_SIDE as usize;
/// The bits of a row that can be points.
const COLUMNS: u32 = (1 << MAX_SIDE) - 1;

/// A set of points of any board, 100 bytes and `Copy`.
///
/// It knows no size: a point beyond 25 lines is never in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PointSet {
    rows: [u32; ROWS],
}

impl PointSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self { rows: [0; ROWS] }
    }

    /// The points of the top left `rows` × `columns`.
    pub(crate) fn rectangle(rows: u8, columns: u8) -> Self {
        let line = (1 << columns) - 1;
        Self { rows: array::from_fn(|row| if row < usize::from(rows) { line } else { 0 }) }
    }

    /// Adds a point; true when it was not in the set before. A point beyond 25 lines is left out.
    pub fn insert(&mut self, point: Point) -> bool {
        let Some((row, bit)) = self.place(point) else {
            return false;
        };
        let new = *row & bit == 0;
        *row |= bit;
        new
    }

    /// Takes a point out; true when it was in the set.
    pub fn remove(&mut self, point: Point) -> bool {
        let Some((row, bit)) = self.place(point) else {
            return false;
        };
        let there = *row & bit != 0;
        *row &= !bit;
        there
    }

    /// Whether the point is in the set.
    pub fn contains(&self, point: Point) -> bool {
        let row = self.rows.get(usize::from(point.row)).copied().unwrap_or(0);
        row.checked_shr(point.column.into()).unwrap_or(0) & 1 == 1
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|row| row.count_ones() as usize).sum()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.rows == [0; ROWS]
    }

    /// The points by row, then column.
    pub fn iter(&self) -> impl Iterator<Item = Point> + use<> {
        self.indices().map(Point::from_index)
    }

    /// The points in either set.
    pub fn union(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// The points in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// The points of this set that are not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// Whether every point of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }

    /// FNV-1a 64 over the row and column bytes of the points in order: equal sets have equal
    /// digests on every machine, so players can name a dead set by it (rulebook C12.4).
    pub fn digest(&self) -> u64 {
        let bytes = self.iter().flat_map(|point| [point.row, point.column]);
        bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        })
    }

    /// The points orthogonally next to a point of the set, some of which may be in it.
    pub(crate) fn neighbours(&self) -> Self {
        let mut rows = self.rows.map(|row| (row << 1 | row >> 1) & COLUMNS);
        for row in 1..ROWS {
            rows[row] |= self.rows[row - 1];
            rows[row - 1] |= self.rows[row];
        }
        Self { rows }
    }

    /// The points of `within` that this set reaches through `within`, starting on it.
    pub(crate) fn flood(&self, within: &Self) -> Self {
        let mut reached = self.intersection(within);
        loop {
            let grown = reached.union(&reached.neighbours().intersection(within));
            if grown == reached {
                return reached;
            }
            reached = grown;
        }
    }

    /// The padded indices of the points, in order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = Index> + use<> {
        self.rows.into_iter().zip(1..).flat_map(|(row, padded_row)| {
            let mut left = row;
            std::iter::from_fn(move || {
                let column = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(padded_row * STRIDE as Index + column as Index)
            })
        })
    }

    pub(crate) fn insert_index(&mut self, index: Index) {
        self.rows[usize::from(index) / STRIDE - 1] |= 1 << (usize::from(index) % STRIDE);
    }

    pub(crate) fn remove_index(&mut self, index: Index) {
        self.rows[usize::from(index) / STRIDE - 1] &= !(1 << (usize::from(index) % STRIDE));
    }

    pub(crate) fn contains_index(&self, index: Index) -> bool {
        self.rows[usize::from(index) / STRIDE - 1] >> (usize::from(index) % STRIDE) & 1 == 1
    }

    fn place(&mut self, point: Point) -> Option<(&mut u32, u32)> {
        if point.column >= MAX_SIDE {
            return None;
        }
        Some((self.rows.get_mut(usize::from(point.row))?, 1 << point.column))
    }

    fn zip(&self, other: &Self, combine: impl Fn(u32, u32) -> u32) -> Self {
        Self { rows: array::from_fn(|row| combine(self.rows[row], other.rows[row])) }
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<T: IntoIterator<Item = Point>>(points: T) -> Self {
        let mut set = Self::new();
        set.extend(points);
        set
    }
}

impl Extend<Point> for PointSet {
    fn extend<T: IntoIterator<Item = Point>>(&mut self, points: T) {
        for point in points {
            self.insert(point);
        }
    }
}
