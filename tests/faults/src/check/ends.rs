//! (c) Each game has one result. (e) Nobody lost on time beside a move that was accepted.

use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::event::Event as Fact;
use tengen_proto::game::v1::{EndReason, Phase};

use super::Wrong;
use super::record::{Record, at_ms, deadline_ms, turn_of};
use crate::story::Asked;

pub(super) fn check(record: &Record, commands: &[&Asked], wrong: &mut Wrong) {
    let id = &record.game.game_id;
    let ends: Vec<_> =
        record.events.iter().filter(|event| matches!(event.event, Some(Fact::Ended(_)))).collect();
    let [end] = ends.as_slice() else {
        return wrong.push(format!("{id}: {} ends", ends.len()));
    };
    let Some(result) = record.game.result.as_ref().filter(|_| record.game.phase() == Phase::Ended)
    else {
        return wrong.push(format!("{id}: it ended, and has no result"));
    };
    if end.sequence != record.game.sequence {
        wrong.push(format!("{id}: the end is event {}, not the last", end.sequence));
    }
    if result.reason() == EndReason::Time {
        on_time(record, end.sequence, result.winner(), wrong);
    }
    let accepted = commands.iter().filter_map(|asked| asked.outcome.as_ref().ok());
    for told in accepted.filter_map(|accepted| accepted.result.as_ref()) {
        if (told.reason, told.winner) != (result.reason, result.winner)
            && told.version == result.version
        {
            wrong.push(format!("{id}: one was told {told:?}, and it is {result:?}"));
        }
    }
}

/// A flag has fallen on the loser's own turn, and no move came before it.
fn on_time(record: &Record, end: i64, winner: Colour, wrong: &mut Wrong) {
    let id = &record.game.game_id;
    let end_ms = record.event(end).map_or(0, at_ms);
    let turn = record.events.iter().rev().find(|event| turn_of(event).is_some());
    let clock = turn.and_then(|event| event.clock.as_ref());
    if turn.and_then(turn_of).is_some_and(|last| last != winner) {
        wrong.push(format!("{id}: lost on time after a move"));
    }
    if let Some(deadline_ms) = clock.and_then(deadline_ms).filter(|ms| end_ms < *ms) {
        wrong.push(format!("{id}: lost on time at {end_ms}, before {deadline_ms}"));
    }
}
