//! A game of the wire as engines see it.

use std::time::Duration;

use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{ClockPhase, SeatClock};
use tengen_proto::common::v1 as wire;
use tengen_proto::game::v1::{Game, Settings, TurnKind};
use tengen_proto::time::duration_ms;
use tengen_rules::{Colour, Point, Size};

use super::engine::{Left, Position, Time};
use crate::error::{ToolError, failed};

/// A minute of the reserve (rulebook C3.2).
const MINUTE: Duration = Duration::from_secs(60);

/// The position of a game.
///
/// # Errors
/// A game that this version cannot read.
pub(super) fn position(game: &Game) -> Result<Position, ToolError> {
    let settings = game.settings.clone().unwrap_or_default();
    let turns = game.turns.iter().map(|turn| {
        let stone = turn.kind() == TurnKind::Move;
        Ok((colour(turn.colour())?, turn.point.filter(|_| stone).map(point).transpose()?))
    });
    let compensation = settings.compensation_quarters.unwrap_or_default();
    Ok(Position {
        size: size(&settings)?,
        komi_quarters: settings.komi_quarters.unwrap_or_default().saturating_add(compensation),
        handicap: settings.handicap_points.iter().copied().map(point).collect::<Result<_, _>>()?,
        turns: turns.collect::<Result<_, ToolError>>()?,
        time: time(&settings),
    })
}

/// The board of a game.
pub(super) fn size(settings: &Settings) -> Result<Size, ToolError> {
    let size = settings.size.unwrap_or_default();
    let lines = [size.rows, size.columns].map(|lines| u8::try_from(lines).unwrap_or(0));
    Size::new(lines[0], lines[1]).map_err(|error| failed("reading a game", error))
}

/// What is left to a side.
pub(super) fn left(game: &Game, colour: Colour) -> Option<Left> {
    let clock = game.clock.as_ref()?;
    let seat = if colour == Colour::Black { &clock.black } else { &clock.white };
    let seat: &SeatClock = seat.as_ref()?;
    let length = |length: &Option<_>| {
        let ms = length.as_ref().and_then(duration_ms).unwrap_or(0);
        Duration::from_millis(u64::try_from(ms).unwrap_or(0))
    };
    Some(match seat.phase() {
        ClockPhase::Main => Left { time: length(&seat.main_left), stones: 0 },
        _ => {
            let stones = u32::try_from(seat.stones_left).unwrap_or(0).max(1);
            Left { time: length(&seat.period_left), stones }
        }
    })
}

/// Engines know Canadian time: one stone a period is Japanese, and what a Fischer turn adds is left
/// out, which errs on the safe side.
fn time(settings: &Settings) -> Option<Time> {
    let length = |length: Option<_>| {
        let ms = length.as_ref().and_then(duration_ms).unwrap_or(0);
        Duration::from_millis(u64::try_from(ms).unwrap_or(0))
    };
    let number = |n: i32| u32::try_from(n).unwrap_or(0);
    let (main, period, stones) = match settings.time.as_ref()?.kind? {
        Kind::Absolute(limit) => (length(limit.main), Duration::ZERO, 0),
        Kind::Reserved(limit) => {
            let reserve = MINUTE * number(limit.reserved_minutes);
            (length(limit.limit).saturating_sub(reserve), MINUTE, 1)
        }
        Kind::Japanese(limit) => (length(limit.main), length(limit.period), 1),
        Kind::Canadian(limit) => (length(limit.main), length(limit.period), number(limit.stones)),
        Kind::Fischer(limit) => (length(limit.main), Duration::ZERO, 0),
    };
    Some(Time { main, period, stones })
}

/// A colour of the wire.
pub(super) fn colour(colour: wire::Colour) -> Result<Colour, ToolError> {
    match colour {
        wire::Colour::Black => Ok(Colour::Black),
        wire::Colour::White => Ok(Colour::White),
        wire::Colour::Unspecified => Err(failed("reading a game", "a turn of no colour")),
    }
}

/// A point of the wire.
pub(super) fn point(point: wire::Point) -> Result<Point, ToolError> {
    let [row, column] = [point.row, point.column].map(u8::try_from);
    match (row, column) {
        (Ok(row), Ok(column)) => Ok(Point { row, column }),
        _ => Err(failed("reading a game", format_args!("a point off the board: {point:?}"))),
    }
}

/// A point for the wire.
pub(super) fn to_wire(point: Point) -> wire::Point {
    wire::Point { row: point.row.into(), column: point.column.into() }
}
