//! A game as SGF sees it: its log folded once more, with both clocks after each turn.

use bytes::Bytes;
use prost_types::Timestamp;
use tengen_proto::time::timestamp;
use tengen_rules::Colour;
use tengen_rules::text::gtp;
use tengen_sgf::{Left, Overtime, Record, Turn};
use tengen_table::{Event, Fact, ForbiddenWhy, Table, seat};
use tengen_timing::{Control, Phase};

use crate::record::{Broken, GameRecord};

/// The game that a log holds. What was taken back or lost is not in it.
///
/// # Errors
/// A log that is broken or empty.
pub fn record(id: &str, log: &[Bytes]) -> Result<Record, Broken> {
    let (opening, rest) = log.split_at(1.min(log.len()));
    let mut game = GameRecord::prefix(id, opening)?;
    let mut turns = Vec::new();
    for entry in rest {
        let event = game.append(entry)?;
        let taken = game.table.turns().len();
        if taken > turns.len() {
            turns.extend(turn(&game.table, &event));
        }
        turns.truncate(taken);
    }
    let table = &game.table;
    let settings = table.settings();
    let outcome = table.outcome();
    let mut dates = vec![day(table.opened_at_ms())];
    dates.extend(outcome.map(|outcome| day(outcome.at_ms)).filter(|last| *last != dates[0]));
    let (main_ms, overtime) = settings.control.map(time).unzip();
    Ok(Record {
        names: game.players.clone().map(|player| player.name),
        name: id.to_owned(),
        place: "Tengen".into(),
        application: ["Tengen", env!("CARGO_PKG_VERSION")].map(Into::into),
        dates,
        komi_quarters: settings.komi_quarters,
        handicap: settings.handicap.clone(),
        first: settings.first_to_move(),
        main_ms,
        overtime: overtime.flatten(),
        result: outcome.map(|outcome| outcome.text()),
        comment: compensation(settings.compensation_quarters),
        turns,
        ..Record::new(settings.size)
    })
}

/// The turn that an event was, of the table after it.
fn turn(table: &Table, event: &Event) -> Option<Turn> {
    let taken = table.turns().last()?;
    let (point, comment) = match &event.fact {
        Fact::Move(point) => (Some(*point), None),
        Fact::Pass => (None, None),
        Fact::Confirm => (None, Some("Confirms that nothing more is to be played.".into())),
        Fact::Forfeit { point, why } => {
            let tried = gtp::format(*point, table.settings().size);
            let why = match why {
                ForbiddenWhy::Suicide => "suicide".into(),
                ForbiddenWhy::Superko { repeats_move } => {
                    format!("the board after move {repeats_move} again")
                }
            };
            (None, Some(format!("Forfeits the turn: {tried} is forbidden, {why}.")))
        }
        _ => return None,
    };
    Some(Turn { colour: taken.colour, point, left: left(table, taken.colour), comment })
}

/// A side's clock after its turn.
fn left(table: &Table, colour: Colour) -> Option<Left> {
    let clock = table.clock()?;
    let reading = clock.reading(seat(colour), table.last_at_ms());
    let left = match reading.phase {
        Phase::Main => Left { ms: reading.main_left_ms, overtime: None },
        Phase::ByoYomi | Phase::LastPeriod | Phase::TimeUp => {
            let canadian = matches!(clock.control(), Control::Canadian { .. });
            let left = if canadian { reading.stones_left } else { reading.periods_left };
            Left { ms: reading.period_left_ms, overtime: Some(left) }
        }
    };
    Some(left)
}

/// Main time and what comes after it. The last minutes of a reserve are periods of one minute
/// (rulebook C3.2).
fn time(control: Control) -> (i64, Option<Overtime>) {
    match control {
        Control::Absolute { main_ms } => (main_ms, None),
        Control::Reserved { limit_ms, reserved_minutes } => {
            let ms = control.period_ms();
            let main_ms = limit_ms - i64::from(reserved_minutes) * ms;
            (main_ms, Some(Overtime::Periods { number: reserved_minutes, ms }))
        }
        Control::Japanese { main_ms, periods, period_ms } => {
            (main_ms, Some(Overtime::Periods { number: periods, ms: period_ms }))
        }
        Control::Canadian { main_ms, stones, period_ms } => {
            (main_ms, Some(Overtime::Canadian { stones, ms: period_ms }))
        }
        Control::Fischer { main_ms, increment_ms, .. } => {
            (main_ms, Some(Overtime::Fischer { ms: increment_ms }))
        }
    }
}

/// What Black gives back for handicap stones, which SGF has no property for (rulebook C2).
fn compensation(quarters: i32) -> String {
    if quarters == 0 {
        return String::new();
    }
    format!("White is given {} points for the handicap.", tengen_sgf::points(quarters))
}

/// The day of an instant, in UTC.
fn day(ms: i64) -> String {
    let instant: Timestamp = timestamp(ms);
    instant.to_string().chars().take(10).collect()
}
