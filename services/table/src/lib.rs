#![doc = include_str!("../README.md")]

mod command;
mod credit;
mod decide;
mod due;
mod event;
mod fold;
mod offers;
mod outcome;
mod pause;
mod presence;
mod restored;
mod settings;
mod state;
mod waiting;

pub use command::{Act, Command, Decision, Order, Ordered, Rejection, Request};
pub use event::{Event, Fact, ForbiddenWhy, Offer, Opening, Word};
pub use fold::FoldError;
pub use outcome::{Counted, EndReason, Outcome, Settlement};
pub use presence::{IfGone, Presence};
pub use settings::{Absence, IllegalMove, OutOfTurn, Settings, SettingsError, TwoPasses, limits};
pub use state::{Phase, Table, Turn, TurnKind};

use tengen_rules::Colour;
use tengen_timing::Seat;

/// The clock's name for a colour.
pub const fn seat(colour: Colour) -> Seat {
    match colour {
        Colour::Black => Seat::Black,
        Colour::White => Seat::White,
    }
}

/// The board's name for a seat.
pub const fn colour(seat: Seat) -> Colour {
    match seat {
        Seat::Black => Colour::Black,
        Seat::White => Colour::White,
    }
}
