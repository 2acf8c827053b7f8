//! Between the contract's types and the domain's. Nothing outside this folder and the service
//! files touches generated types.

pub mod command;
pub mod event;
pub mod game;
pub mod kind;
pub mod news;
pub mod result;
pub mod settings;
pub mod sgf;
pub mod stored;
pub mod stored_fact;

use tengen_proto::common::v1 as common;
use tengen_rules::{Colour, Point};

/// A colour on the wire.
pub const fn colour(colour: Colour) -> common::Colour {
    match colour {
        Colour::Black => common::Colour::Black,
        Colour::White => common::Colour::White,
    }
}

/// A colour, or none, as the number of the enum.
pub fn colour_or_none(side: Option<Colour>) -> i32 {
    side.map_or(common::Colour::Unspecified, colour) as i32
}

/// A point on the wire.
pub fn point(point: Point) -> common::Point {
    common::Point { row: i32::from(point.row), column: i32::from(point.column) }
}

/// Points on the wire, in the order of the board.
pub fn points(points: &tengen_rules::PointSet) -> Vec<common::Point> {
    points.iter().map(point).collect()
}

/// The name of a dead set: its digest as 16 hexadecimal digits.
pub fn dead_set_hash(digest: u64) -> String {
    format!("{digest:016x}")
}

/// A chain hash as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A count on the wire, which has no unsigned numbers.
pub fn number(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}
