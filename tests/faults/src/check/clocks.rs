//! (d) What a turn was charged is the time between its stamps, without what was given back.

use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Clock, SeatClock};
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::event::Event as Fact;
use tengen_proto::game::v1::{CreditReason, Event};
use tengen_proto::time::{duration_ms, timestamp_ms};

use super::record::{Record, at_ms, turn_of};
use super::{Credit, Found, Wrong};

/// What a charge may be off.
const OFF_MS: i64 = 5;

/// One side's clock at the beginning of a turn.
#[derive(Debug, Clone, Copy)]
struct Begun {
    at_ms: i64,
    /// Of Black and White.
    left_ms: [i64; 2],
}

pub(super) fn check(record: &Record, found: &mut Found, wrong: &mut Wrong) {
    let id = &record.game.game_id;
    let created_ms = record.game.created_at.as_ref().and_then(timestamp_ms).expect("a stamp");
    let mut begun = Some(Begun { at_ms: created_ms, left_ms: [limit_ms(record); 2] });
    let mut given_ms = 0;
    for event in &record.events {
        if let Some(credit) = credit(event) {
            given_ms += credit.ms;
            found.credits.push(credit);
        }
        if matches!(event.event, Some(Fact::Restored(_))) {
            // The clocks stand as the last move left them.
            begun = None;
        }
        let Some(clock) = event.clock.as_ref() else { continue };
        let left_ms = [&clock.black, &clock.white].map(|seat| left_ms(seat.as_ref()));
        let Some(colour) = turn_of(event) else { continue };
        if let Some(begun) = begun {
            let side = usize::from(colour == Colour::White);
            let charged_ms = begun.left_ms[side] - left_ms[side];
            let lag_ms = lag_ms(event);
            let off_ms = at_ms(event) - begun.at_ms - given_ms - lag_ms - charged_ms;
            found.most_off_ms = found.most_off_ms.max(off_ms.abs());
            if off_ms.abs() > OFF_MS {
                wrong.push(format!(
                    "{id}: turn at {}: {charged_ms} ms off {off_ms}",
                    event.sequence
                ));
            }
            if left_ms[1 - side] != begun.left_ms[1 - side] {
                wrong.push(format!("{id}: turn at {} charged the other", event.sequence));
            }
        }
        begun = runs(clock).then(|| Begun { at_ms: at_ms(event), left_ms });
        given_ms = 0;
    }
}

/// What a side has at the beginning.
fn limit_ms(record: &Record) -> i64 {
    let time = record.game.settings.as_ref().and_then(|settings| settings.time.as_ref());
    match time.and_then(|time| time.kind.as_ref()) {
        Some(Kind::Absolute(limit)) => limit.main.as_ref().and_then(duration_ms).expect("a limit"),
        other => panic!("a limit for all moves, not {other:?}"),
    }
}

fn runs(clock: &Clock) -> bool {
    clock.running() != Colour::Unspecified
}

fn left_ms(seat: Option<&SeatClock>) -> i64 {
    seat.and_then(|seat| seat.main_left.as_ref()).and_then(duration_ms).expect("a clock")
}

fn lag_ms(event: &Event) -> i64 {
    match &event.event {
        Some(Fact::MovePlayed(told)) => told.lag_credited.as_ref().and_then(duration_ms),
        _ => None,
    }
    .unwrap_or(0)
}

fn credit(event: &Event) -> Option<Credit> {
    match event.event.as_ref()? {
        Fact::OutageCredited(told) if told.reason() == CreditReason::Outage => Some(Credit {
            game_id: event.game_id.clone(),
            at_ms: at_ms(event),
            ms: told.time.as_ref().and_then(duration_ms)?,
        }),
        _ => None,
    }
}
