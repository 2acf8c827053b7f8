//! Events as watchers and players see them.

use tengen_live::Head;
use tengen_proto::common::v1 as common;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::event::Event as Shown;
use tengen_proto::time::{duration, timestamp};
use tengen_rules::Colour;
use tengen_table::{Event, Fact, ForbiddenWhy};

use crate::convert::game::{clocks, phase, player, result};
use crate::convert::{colour, colour_or_none, dead_set_hash, hex, point, points, settings};
use crate::record::GameRecord;

/// An event, shown with what it made of the game: `record` is the game after it, `before` the head
/// before it. The clocks are those at the event's stamp, so every watcher gets the same bytes.
pub fn event(record: &GameRecord, before: Head, event: &Event) -> wire::Event {
    let GameRecord { table, head, .. } = record;
    wire::Event {
        game_id: record.id.clone(),
        sequence: head.sequence,
        head_hash: hex(&head.hash),
        previous_hash: hex(&before.hash),
        at: Some(timestamp(event.at_ms)),
        move_number: i32::try_from(table.next_number()).unwrap_or(i32::MAX),
        to_move: colour_or_none(table.to_move()),
        phase: phase(table.phase()) as i32,
        clock: clocks(table, head.sequence, event.at_ms),
        event: Some(shown(record, event)),
    }
}

fn shown(record: &GameRecord, event: &Event) -> Shown {
    let table = &record.table;
    // The turn the event took, if it took one, is the last.
    let taken = i32::try_from(table.turns().len()).unwrap_or(i32::MAX);
    let by = colour_or_none(event.by);
    match &event.fact {
        Fact::Opened(opening) => Shown::Opened(wire::Opened {
            settings: Some(settings::render(&opening.settings)),
            black: Some(player(record.player(Colour::Black))),
            white: Some(player(record.player(Colour::White))),
        }),
        Fact::Move(at) => Shown::MovePlayed(wire::MovePlayed {
            move_number: taken,
            colour: by,
            point: Some(point(*at)),
            captured: points(&table.game().last_captured()),
            lag_credited: Some(duration(0)),
        }),
        Fact::Pass => Shown::Passed(wire::Passed {
            move_number: taken,
            colour: by,
        }),
        Fact::Confirm => Shown::Confirmed(wire::Confirmed {
            move_number: taken,
            colour: by,
        }),
        Fact::Forfeit { point: at, why } => Shown::TurnForfeited(wire::TurnForfeited {
            move_number: taken,
            colour: by,
            point: Some(point(*at)),
            reason: match why {
                ForbiddenWhy::Suicide => common::Reason::Suicide,
                ForbiddenWhy::Superko { .. } => common::Reason::Superko,
            } as i32,
        }),
        Fact::CountingOpened => Shown::CountingOpened(wire::CountingOpened {
            deadline: table.counting_deadline_ms().map(timestamp),
            disputes: i32::try_from(table.disputes()).unwrap_or(i32::MAX),
        }),
        Fact::Marked { point: at, dead } => Shown::DeadMarked(wire::DeadMarked {
            colour: by,
            stones: points(&table.game().board().string(*at).unwrap_or_default()),
            dead: *dead,
            dead_set_hash: dead_set_hash(table.dead().digest()),
        }),
        Fact::Accepted => Shown::CountAccepted(wire::CountAccepted {
            colour: by,
            dead_set_hash: dead_set_hash(table.dead().digest()),
        }),
        Fact::Disputed => Shown::CountDisputed(wire::CountDisputed {
            colour: by,
            disputes: i32::try_from(table.disputes()).unwrap_or(i32::MAX),
        }),
        Fact::Ended { .. } => Shown::Ended(wire::Ended {
            result: result(table, false),
        }),
    }
}

/// What an accepted command made of the game: `record` is the game after its last event. Computed
/// from the event's stamp alone, so that a repeated request gets the same answer.
pub fn accepted(record: &GameRecord) -> wire::Accepted {
    let GameRecord { table, head, .. } = record;
    wire::Accepted {
        sequence: head.sequence,
        head_hash: hex(&head.hash),
        move_number: i32::try_from(table.next_number()).unwrap_or(i32::MAX),
        to_move: table.to_move().map_or(0, |side| colour(side) as i32),
        phase: phase(table.phase()) as i32,
        clock: clocks(table, head.sequence, table.last_at_ms()),
        result: result(table, false),
    }
}
