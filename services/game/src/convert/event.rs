//! Events as watchers and players see them.

use tengen_live::Head;
use tengen_proto::common::v1 as common;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::event::Event as Shown;
use tengen_proto::time::{duration, timestamp};
use tengen_rules::{Colour, Point};
use tengen_table::{Event, Fact, ForbiddenWhy, Phase, Settings, Table, Word};
use tengen_timing::PauseReason;

use crate::convert::game::{clocks, player, result};
use crate::convert::{
    colour, colour_or_none, dead_set_hash, hex, kind, number, point, points, settings,
};
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
        move_number: number(table.next_number()),
        to_move: colour_or_none(table.to_move()),
        phase: kind::phase(table.phase()) as i32,
        clock: clocks(table, head.sequence, event.at_ms),
        event: Some(shown(record, event)),
    }
}

fn shown(record: &GameRecord, event: &Event) -> Shown {
    let table = &record.table;
    let by = colour_or_none(event.by);
    match &event.fact {
        Fact::Opened(opening) => Shown::Opened(opened(record, &opening.settings)),
        Fact::Move(at) => Shown::MovePlayed(move_played(table, by, *at)),
        Fact::Pass => Shown::Passed(wire::Passed { move_number: taken(table), colour: by }),
        Fact::Confirm => {
            Shown::Confirmed(wire::Confirmed { move_number: taken(table), colour: by })
        }
        Fact::Forfeit { point, why } => Shown::TurnForfeited(forfeited(table, by, *point, *why)),
        Fact::CountingOpened => Shown::CountingOpened(wire::CountingOpened {
            deadline: table.counting_deadline_ms().map(timestamp),
            disputes: number(table.disputes()),
        }),
        Fact::Marked { point, dead } => Shown::DeadMarked(marked(table, by, *point, *dead)),
        Fact::Accepted => {
            let dead_set_hash = dead_set_hash(table.dead().digest());
            Shown::CountAccepted(wire::CountAccepted { colour: by, dead_set_hash })
        }
        Fact::Disputed => {
            let disputes = number(table.disputes());
            Shown::CountDisputed(wire::CountDisputed { colour: by, disputes })
        }
        Fact::Arrived => {
            let late = event.by.map(|side| duration(table.late_ms(side)));
            Shown::Arrived(wire::Arrived { colour: by, late })
        }
        Fact::Started => Shown::Started(wire::Started {}),
        Fact::Paused { reason, until_ms } => Shown::Paused(paused(event, *reason, *until_ms)),
        Fact::Resumed { reason } => {
            Shown::Resumed(wire::Resumed { reason: kind::pause(*reason) as i32 })
        }
        Fact::TimeAdded { side, ms } => Shown::TimeAdded(time_added(event, *side, *ms)),
        Fact::Credited { reason, from_ms, to_ms } => Shown::OutageCredited(wire::OutageCredited {
            colour: colour_or_none(table.to_move().filter(|_| table.phase() == Phase::Playing)),
            time: Some(duration(to_ms.saturating_sub(*from_ms))),
            reason: kind::credit(*reason) as i32,
        }),
        Fact::LagMeasured { ms } => {
            Shown::LagMeasured(wire::LagMeasured { colour: by, lag: Some(duration(*ms)) })
        }
        Fact::Gone { .. } | Fact::Back { .. } => Shown::PresenceChanged(presence(table, event)),
        Fact::Offered(offer) => {
            Shown::OfferMade(wire::OfferMade { colour: by, kind: kind::offer(*offer) as i32 })
        }
        Fact::Answered { offer, accept } => Shown::OfferAnswered(wire::OfferAnswered {
            colour: by,
            kind: kind::offer(*offer) as i32,
            accepted: *accept,
        }),
        Fact::TakenBack => {
            // The turn that is gone had the number the next one has now.
            Shown::MoveAnnulled(wire::MoveAnnulled { move_number: number(table.next_number()) })
        }
        Fact::Restored => Shown::Restored(wire::Restored { move_number: taken(table) }),
        Fact::RestorationConfirmed => {
            Shown::RestorationConfirmed(wire::RestorationConfirmed { colour: by })
        }
        Fact::Ended { .. } => Shown::Ended(wire::Ended { result: result(table, None) }),
    }
}

/// The number of the last turn.
fn taken(table: &Table) -> i32 {
    number(table.next_number()) - 1
}

fn opened(record: &GameRecord, agreed: &Settings) -> wire::Opened {
    wire::Opened {
        settings: Some(settings::render(agreed)),
        black: Some(player(record.player(Colour::Black))),
        white: Some(player(record.player(Colour::White))),
    }
}

fn move_played(table: &Table, by: i32, at: Point) -> wire::MovePlayed {
    let credited_ms = table.last_charge().map_or(0, |charge| charge.lag_credit_ms);
    wire::MovePlayed {
        move_number: taken(table),
        colour: by,
        point: Some(point(at)),
        captured: points(&table.game().last_captured()),
        lag_credited: Some(duration(credited_ms)),
    }
}

fn forfeited(table: &Table, by: i32, at: Point, why: ForbiddenWhy) -> wire::TurnForfeited {
    let reason = match why {
        ForbiddenWhy::Suicide => common::Reason::Suicide,
        ForbiddenWhy::Superko { .. } => common::Reason::Superko,
    };
    wire::TurnForfeited {
        move_number: taken(table),
        colour: by,
        point: Some(point(at)),
        reason: reason as i32,
    }
}

fn marked(table: &Table, by: i32, at: Point, dead: bool) -> wire::DeadMarked {
    wire::DeadMarked {
        colour: by,
        stones: points(&table.game().board().string(at).unwrap_or_default()),
        dead,
        dead_set_hash: dead_set_hash(table.dead().digest()),
    }
}

fn presence(table: &Table, event: &Event) -> wire::PresenceChanged {
    wire::PresenceChanged {
        colour: colour_or_none(event.by),
        present: event.by.is_some_and(|side| table.present(side)),
        deadline: event.by.and_then(|side| table.gone_deadline_ms(side)).map(timestamp),
    }
}

fn paused(event: &Event, reason: PauseReason, until_ms: Option<i64>) -> wire::Paused {
    let Word { referee, text } = event.word.as_deref().cloned().unwrap_or_default();
    let reason = kind::pause(reason) as i32;
    wire::Paused { reason, until: until_ms.map(timestamp), referee_id: referee, text }
}

fn time_added(event: &Event, side: Colour, ms: i64) -> wire::TimeAdded {
    let Word { referee, text } = event.word.as_deref().cloned().unwrap_or_default();
    let time = Some(duration(ms));
    wire::TimeAdded { colour: colour(side) as i32, time, referee_id: referee, text }
}

/// What an accepted command made of the game: `record` is the game after its last event. Computed
/// from the event's stamp alone, so that a repeated request gets the same answer.
pub fn accepted(record: &GameRecord) -> wire::Accepted {
    let GameRecord { table, head, .. } = record;
    wire::Accepted {
        sequence: head.sequence,
        head_hash: hex(&head.hash),
        move_number: number(table.next_number()),
        to_move: table.to_move().map_or(0, |side| colour(side) as i32),
        phase: kind::phase(table.phase()) as i32,
        clock: clocks(table, head.sequence, table.last_at_ms()),
        result: result(table, None),
    }
}
