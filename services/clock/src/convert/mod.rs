//! Between the contract and `tengen_timing`.

mod clocks;

use prost_types::Duration;
use tengen_proto::clock::v1 as wire;
use tengen_proto::clock::v1::call::Call as Said;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::common::v1::Colour;
use tengen_proto::time::{duration_ms, timestamp};
use tengen_timing::{Announcement, Call, Control, Seat};

pub use clocks::{Clocks, State};

/// The control of a game's settings; `None` for one that is not understood.
pub fn control(time: &wire::TimeControl) -> Option<Control> {
    let control = match time.kind.as_ref()? {
        Kind::Absolute(absolute) => Control::Absolute { main_ms: ms(absolute.main.as_ref())? },
        Kind::Reserved(reserved) => Control::Reserved {
            limit_ms: ms(reserved.limit.as_ref())?,
            reserved_minutes: reserved.reserved_minutes.try_into().ok()?,
        },
        Kind::Japanese(japanese) => Control::Japanese {
            main_ms: ms(japanese.main.as_ref())?,
            periods: japanese.periods.try_into().ok()?,
            period_ms: ms(japanese.period.as_ref())?,
        },
        Kind::Canadian(canadian) => Control::Canadian {
            main_ms: ms(canadian.main.as_ref())?,
            stones: canadian.stones.try_into().ok()?,
            period_ms: ms(canadian.period.as_ref())?,
        },
        Kind::Fischer(fischer) => Control::Fischer {
            main_ms: ms(fischer.main.as_ref())?,
            increment_ms: ms(fischer.increment.as_ref())?,
            max_ms: match &fischer.cap {
                Some(cap) => Some(ms(Some(cap))?),
                None => None,
            },
        },
    };
    control.validate().is_ok().then_some(control)
}

/// A call as it is read aloud.
pub fn call(said: &Announcement) -> wire::Call {
    let colour = match said.seat {
        Seat::Black => Colour::Black,
        Seat::White => Colour::White,
    };
    let call = match said.call {
        Call::Seconds(seconds) => Said::Seconds(number(seconds)),
        Call::Count(count) => Said::Count(number(count)),
        Call::MinutesLeft(left) | Call::PeriodsLeft(left) => Said::PeriodsLeft(number(left)),
        Call::ByoYomiBegins => Said::ByoYomiBegins(true),
        Call::TimeIsUp => Said::TimeIsUp(true),
        Call::StonesLeft(stones) => Said::StonesLeft(number(stones)),
    };
    wire::Call { due: Some(timestamp(said.at_ms)), colour: colour as i32, call: Some(call) }
}

fn ms(duration: Option<&Duration>) -> Option<i64> {
    duration.and_then(duration_ms)
}

fn number(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}
