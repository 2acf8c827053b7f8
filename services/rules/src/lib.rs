#![doc = include_str!("../README.md")]

mod area;
mod board;
mod count;
mod game;
mod geometry;
mod handicap;
mod history;
mod keys;
mod point_set;
pub mod text;

pub use area::{Area, Ownership, area, ownership};
pub use board::{Board, SetupError};
pub use count::{Count, Quarters};
pub use game::{Game, Move, Refusal};
pub use geometry::{Colour, Point, Size, SizeError};
pub use handicap::{HandicapError, default_compensation_quarters, handicap_points};
pub use point_set::PointSet;
