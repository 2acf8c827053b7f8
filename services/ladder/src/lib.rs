#![doc = include_str!("../README.md")]

mod change;
mod ends;
mod levels;
mod standard;

pub use change::Change;
pub use ends::{Booking, Counted, End, SettleError, Side, Terms};
pub use levels::{Ladder, LadderError, Level, LevelSpec, Standing};
