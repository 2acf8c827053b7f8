#![doc = include_str!("../README.md")]

mod overtime;
mod record;
mod text;
mod write;

pub use overtime::{NotOvertime, Overtime};
pub use record::{Left, Record, Turn};
pub use text::points;
pub use write::write;
