#![doc = include_str!("../README.md")]

mod bank;
mod call;
mod clock;
mod control;
mod credit;
mod pause;
mod preset;
mod reading;
mod running;

pub use bank::Bank;
pub use call::{Announcement, Call};
pub use clock::{Charge, Clock, Flag};
pub use control::{
    Control, ControlError, MAX_HOLD_MS, MAX_PERIODS, MAX_RESERVED_MINUTES, MAX_STONES, MINUTE_MS,
};
pub use credit::{Account, CreditReason, Credits, LagPolicy};
pub use pause::{PauseReason, PauseReasons};
pub use preset::{PRESETS, Preset, preset};
pub use reading::{Phase, Reading};
pub use running::RunningTurn;

/// A side of the game. The crate knows no board: the caller converts its own colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seat {
    /// The side that moves first in a game without handicap.
    Black,
    /// The other side.
    White,
}

impl Seat {
    /// Both seats, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// The opponent's seat.
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Black => 0,
            Self::White => 1,
        }
    }
}
