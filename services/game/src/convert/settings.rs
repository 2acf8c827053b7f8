//! Settings and time controls.

use prost_types::Duration;
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_proto::clock::v1 as clock;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::common::v1 as common;
use tengen_proto::game::v1 as wire;
use tengen_proto::time::{duration, duration_ms, timestamp, timestamp_ms};
use tengen_rules::{Point, Size};
use tengen_table::{Absence, IllegalMove, OutOfTurn, Settings, TwoPasses, limits};
use tengen_timing::Control;

use crate::convert::point;

/// The board of a game that names none.
const LINES: i32 = 19;
const ORGANISERS_ONLY: &str = "to be absent: only an event's organiser sets it";

/// Settings as a challenge asks for them, defaults filled in and checked.
///
/// # Errors
/// INVALID_ARGUMENT that names each field that is wrong.
pub fn parse(wire: &wire::Settings) -> Result<Settings, Refusal> {
    let mut fields = Fields::new();
    if wire.start_at.is_some() {
        fields.refuse("settings.start_at", "set", ORGANISERS_ONLY);
    }
    finish(wire, fields)
}

/// Settings as an organiser asks for them: the game may begin at an instant of its own.
///
/// # Errors
/// INVALID_ARGUMENT that names each field that is wrong.
pub fn parse_organised(wire: &wire::Settings, now_ms: i64) -> Result<Settings, Refusal> {
    let mut fields = Fields::new();
    if let Some(start_at) = &wire.start_at {
        let most_ms = now_ms.saturating_add(limits::START_AHEAD_MS);
        let start_ms = timestamp_ms(start_at).unwrap_or(-1);
        fields.range("settings.start_at", start_ms, now_ms..=most_ms);
    }
    finish(wire, fields)
}

/// Settings as they are stored.
///
/// # Errors
/// INVALID_ARGUMENT that names each field that is wrong.
pub fn parse_stored(wire: &wire::Settings) -> Result<Settings, Refusal> {
    finish(wire, Fields::new())
}

fn finish(wire: &wire::Settings, mut fields: Fields) -> Result<Settings, Refusal> {
    let settings = fill(wire, &mut fields);
    let settings = fields.complete(settings)?;
    let mut fields = Fields::new();
    if let Err(error) = settings.validate() {
        fields.refuse(&format!("settings.{}", error.field), &error.value, &error.expected);
    }
    fields.complete(Some(settings))
}

fn fill(wire: &wire::Settings, fields: &mut Fields) -> Option<Settings> {
    later_only(wire, fields);
    let size = board(wire.size.as_ref(), fields)?;
    let mut settings = Settings::even(size);
    handicap(wire, &mut settings, fields);
    if let Some(quarters) = wire.komi_quarters {
        settings.komi_quarters = quarters;
    }
    if let Some(quarters) = wire.compensation_quarters {
        settings.compensation_quarters = quarters;
    }
    settings.control = wire.time.as_ref().and_then(|time| control(time, fields));
    settings.rated = wire.rated;
    settings.two_passes = match known(wire.two_passes, "settings.two_passes", fields) {
        wire::TwoPasses::Nothing => TwoPasses::Nothing,
        wire::TwoPasses::Unspecified | wire::TwoPasses::Confirm => TwoPasses::Confirm,
    };
    settings.illegal_move = match known(wire.illegal_move, "settings.illegal_move", fields) {
        wire::IllegalMove::ForfeitTurn => IllegalMove::ForfeitTurn,
        wire::IllegalMove::Unspecified | wire::IllegalMove::Refuse => IllegalMove::Refuse,
    };
    settings.out_of_turn = match known(wire.out_of_turn, "settings.out_of_turn", fields) {
        wire::OutOfTurn::Loss => OutOfTurn::Loss,
        wire::OutOfTurn::Unspecified | wire::OutOfTurn::Refuse => OutOfTurn::Refuse,
    };
    settings.absence = match known(wire.absence, "settings.absence", fields) {
        wire::Absence::OpponentDecides => Absence::OpponentDecides,
        wire::Absence::Unspecified | wire::Absence::Forfeit => Absence::Forfeit,
    };
    for (given, field, kept) in [
        (&wire.counting_limit, "settings.counting_limit", &mut settings.counting_limit_ms),
        (&wire.late_limit, "settings.late_limit", &mut settings.late_limit_ms),
        (&wire.reconnect_window, "settings.reconnect_window", &mut settings.reconnect_window_ms),
    ] {
        if let Some(given) = given {
            *kept = length(given, field, fields)?;
        }
    }
    settings.start_at_ms = wire.start_at.as_ref().and_then(timestamp_ms);
    Some(settings)
}

/// Settings that are agreed by an event's organiser, not in a challenge.
fn later_only(wire: &wire::Settings, fields: &mut Fields) {
    for (field, given) in [
        ("settings.seal_at", wire.seal_at.is_some()),
        ("settings.resume_at", wire.resume_at.is_some()),
        ("settings.no_other_games", wire.no_other_games),
        ("settings.event_id", !wire.event_id.is_empty()),
    ] {
        if given {
            fields.refuse(field, "set", "to be absent: only an event's organiser sets it");
        }
    }
}

fn board(size: Option<&common::BoardSize>, fields: &mut Fields) -> Option<Size> {
    let (rows, columns) = size.map_or((LINES, LINES), |size| (size.rows, size.columns));
    fields.range("settings.size.rows", rows.into(), 2..=25);
    fields.range("settings.size.columns", columns.into(), 2..=25);
    Size::new(u8::try_from(rows).ok()?, u8::try_from(columns).ok()?).ok()
}

fn handicap(wire: &wire::Settings, settings: &mut Settings, fields: &mut Fields) {
    if wire.handicap == 0 && wire.handicap_points.is_empty() {
        return;
    }
    let stones = u8::try_from(wire.handicap).ok().filter(|stones| (2..=9).contains(stones));
    let Some(stones) = stones else {
        fields.refuse("settings.handicap", wire.handicap, "0, or 2 to 9");
        return;
    };
    // Star points also where the stones are placed freely: komi and compensation are the same.
    match settings.clone().with_handicap(stones) {
        Ok(with) => *settings = with,
        Err(_) if !wire.handicap_points.is_empty() => {
            settings.komi_quarters = 0;
            settings.compensation_quarters = tengen_rules::default_compensation_quarters(stones);
        }
        Err(error) => fields.refuse("settings.handicap", error.value, &error.expected),
    }
    if wire.handicap_points.is_empty() {
        return;
    }
    if wire.handicap_points.len() != usize::from(stones) {
        let expected = format!("{stones} points, as settings.handicap says");
        fields.refuse("settings.handicap_points", wire.handicap_points.len(), &expected);
    }
    settings.handicap = wire
        .handicap_points
        .iter()
        .filter_map(|point| parse_point(point, "settings.handicap_points", fields))
        .collect();
}

/// A point within the largest board; whether it is on this one, the rules say.
pub fn parse_point(point: &common::Point, field: &str, fields: &mut Fields) -> Option<Point> {
    fields.range(&format!("{field}.row"), point.row.into(), 0..=24);
    fields.range(&format!("{field}.column"), point.column.into(), 0..=24);
    let (row, column) = (u8::try_from(point.row).ok()?, u8::try_from(point.column).ok()?);
    (row < 25 && column < 25).then(|| Point::new(row, column))
}

fn control(time: &clock::TimeControl, fields: &mut Fields) -> Option<Control> {
    let control = kind(time, fields)?;
    if let Err(error) = control.validate() {
        let field = control_field(&control, error.field);
        fields.refuse(&field, error.value, error.expected);
    }
    Some(control)
}

/// The contract's name of a control's field: `main_ms` of absolute time is
/// `settings.time.absolute.main`.
fn control_field(control: &Control, field: &str) -> String {
    let kind = match control {
        Control::Absolute { .. } => "absolute",
        Control::Reserved { .. } => "reserved",
        Control::Japanese { .. } => "japanese",
        Control::Canadian { .. } => "canadian",
        Control::Fischer { .. } => "fischer",
    };
    let name = match field {
        "max_ms" => "cap",
        field => field.strip_suffix("_ms").unwrap_or(field),
    };
    format!("settings.time.{kind}.{name}")
}

fn kind(time: &clock::TimeControl, fields: &mut Fields) -> Option<Control> {
    let field = |name: &str| format!("settings.time.{name}");
    let ms = |given: Option<&Duration>, name: &str, fields: &mut Fields| {
        let given = fields.require(&field(name), given)?;
        length(given, &field(name), fields)
    };
    let count = |given: i32, name: &str, fields: &mut Fields| {
        fields.range(&field(name), given.into(), 1..=100);
        let count = u32::try_from(given).ok();
        count.filter(|count| (1..=100).contains(count))
    };
    match fields.require("settings.time.kind", time.kind.as_ref())? {
        Kind::Absolute(absolute) => Some(Control::Absolute {
            main_ms: ms(absolute.main.as_ref(), "absolute.main", fields)?,
        }),
        Kind::Reserved(reserved) => Some(Control::Reserved {
            limit_ms: ms(reserved.limit.as_ref(), "reserved.limit", fields)?,
            reserved_minutes: count(
                reserved.reserved_minutes,
                "reserved.reserved_minutes",
                fields,
            )?,
        }),
        Kind::Japanese(japanese) => Some(Control::Japanese {
            main_ms: ms(japanese.main.as_ref(), "japanese.main", fields)?,
            periods: count(japanese.periods, "japanese.periods", fields)?,
            period_ms: ms(japanese.period.as_ref(), "japanese.period", fields)?,
        }),
        Kind::Canadian(canadian) => Some(Control::Canadian {
            main_ms: ms(canadian.main.as_ref(), "canadian.main", fields)?,
            stones: count(canadian.stones, "canadian.stones", fields)?,
            period_ms: ms(canadian.period.as_ref(), "canadian.period", fields)?,
        }),
        Kind::Fischer(fischer) => Some(Control::Fischer {
            main_ms: ms(fischer.main.as_ref(), "fischer.main", fields)?,
            increment_ms: ms(fischer.increment.as_ref(), "fischer.increment", fields)?,
            max_ms: match &fischer.cap {
                None => None,
                Some(cap) => Some(length(cap, &field("fischer.cap"), fields)?),
            },
        }),
    }
}

fn length(given: &Duration, field: &str, fields: &mut Fields) -> Option<i64> {
    let ms = duration_ms(given);
    if ms.is_none() {
        let value = format!("{} s {} ns", given.seconds, given.nanos);
        fields.refuse(field, value, "a whole number of milliseconds");
    }
    ms
}

fn known<E: TryFrom<i32> + Default>(number: i32, field: &str, fields: &mut Fields) -> E {
    E::try_from(number).unwrap_or_else(|_| {
        fields.refuse(field, number, "a value of the enum");
        E::default()
    })
}

/// Settings on the wire, every field filled in.
pub fn render(settings: &Settings) -> wire::Settings {
    let Settings { size, .. } = settings;
    wire::Settings {
        size: Some(common::BoardSize { rows: size.rows().into(), columns: size.columns().into() }),
        komi_quarters: Some(settings.komi_quarters),
        handicap: i32::try_from(settings.handicap.len()).unwrap_or(i32::MAX),
        handicap_points: settings.handicap.iter().map(|stone| point(*stone)).collect(),
        compensation_quarters: Some(settings.compensation_quarters),
        time: settings.control.as_ref().map(render_control),
        rated: settings.rated,
        two_passes: match settings.two_passes {
            TwoPasses::Confirm => wire::TwoPasses::Confirm,
            TwoPasses::Nothing => wire::TwoPasses::Nothing,
        } as i32,
        illegal_move: match settings.illegal_move {
            IllegalMove::Refuse => wire::IllegalMove::Refuse,
            IllegalMove::ForfeitTurn => wire::IllegalMove::ForfeitTurn,
        } as i32,
        out_of_turn: match settings.out_of_turn {
            OutOfTurn::Refuse => wire::OutOfTurn::Refuse,
            OutOfTurn::Loss => wire::OutOfTurn::Loss,
        } as i32,
        counting_limit: Some(duration(settings.counting_limit_ms)),
        late_limit: Some(duration(settings.late_limit_ms)),
        reconnect_window: Some(duration(settings.reconnect_window_ms)),
        absence: match settings.absence {
            Absence::Forfeit => wire::Absence::Forfeit,
            Absence::OpponentDecides => wire::Absence::OpponentDecides,
        } as i32,
        start_at: settings.start_at_ms.map(timestamp),
        ..wire::Settings::default()
    }
}

/// A time control on the wire.
pub fn render_control(control: &Control) -> clock::TimeControl {
    let ms = |ms: i64| Some(duration(ms));
    let number = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    let kind = match *control {
        Control::Absolute { main_ms } => Kind::Absolute(clock::Absolute { main: ms(main_ms) }),
        Control::Reserved { limit_ms, reserved_minutes } => Kind::Reserved(clock::Reserved {
            limit: ms(limit_ms),
            reserved_minutes: number(reserved_minutes),
        }),
        Control::Japanese { main_ms, periods, period_ms } => Kind::Japanese(clock::Japanese {
            main: ms(main_ms),
            periods: number(periods),
            period: ms(period_ms),
        }),
        Control::Canadian { main_ms, stones, period_ms } => Kind::Canadian(clock::Canadian {
            main: ms(main_ms),
            stones: number(stones),
            period: ms(period_ms),
        }),
        Control::Fischer { main_ms, increment_ms, max_ms } => Kind::Fischer(clock::Fischer {
            main: ms(main_ms),
            increment: ms(increment_ms),
            cap: max_ms.and_then(ms),
        }),
    };
    clock::TimeControl { kind: Some(kind) }
}

/// The rules of a game in the words that engines use.
pub fn ruleset(settings: &Settings) -> wire::Ruleset {
    wire::Ruleset {
        scoring: "AREA".into(),
        ko: "POSITIONAL".into(),
        suicide: false,
        compensation_quarters: settings.compensation_quarters,
    }
}
