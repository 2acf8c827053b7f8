//! What a store lost is noticed, forks nothing, and is confirmed by both before play goes on.

use std::collections::{HashMap, HashSet};

use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::event::Event as Fact;

use super::record::{Record, turn_of};
use super::{Expected, Wrong};
use crate::story::{SeenKind, Watched};

pub(super) fn check(
    record: &Record,
    lost_commands: usize,
    watched: &[&Watched],
    expected: &Expected,
    wrong: &mut Wrong,
) {
    let id = &record.game.game_id;
    let restored =
        record.events.iter().filter(|event| matches!(event.event, Some(Fact::Restored(_))));
    let restored = restored.count();
    if restored > expected.losses.len() {
        wrong.push(format!("{id}: restored {restored} times, {} losses", expected.losses.len()));
    }
    let lost = branches(record, watched);
    let most = lost.values().map(HashSet::len).max().unwrap_or(0);
    if most > expected.losses.len() {
        wrong.push(format!("{id}: {most} events with one number beside the record's"));
    }
    // Where the end was lost as well, nobody may be there to see more than the end.
    if restored == 0 && (lost_commands > 0 || most > 0) {
        wrong.push(format!("{id}: nobody noticed what was lost"));
    }
    confirmed(record, wrong);
}

/// The events that were seen and are not in the record, by their number.
fn branches(record: &Record, watched: &[&Watched]) -> HashMap<i64, HashSet<u128>> {
    let mut lost: HashMap<i64, HashSet<u128>> = HashMap::new();
    for seen in watched.iter().flat_map(|watched| &watched.seen) {
        let at = usize::try_from(seen.sequence - 1).expect("from 1 on");
        if seen.kind == SeenKind::Event && record.hashes.get(at) != Some(&seen.hash) {
            lost.entry(seen.sequence).or_default().insert(seen.hash);
        }
    }
    lost
}

/// After a loss no turn is taken before both have confirmed (rulebook C8.4).
fn confirmed(record: &Record, wrong: &mut Wrong) {
    let id = &record.game.game_id;
    let mut missing: HashSet<Colour> = HashSet::new();
    for event in &record.events {
        match &event.event {
            Some(Fact::Restored(_)) => missing = [Colour::Black, Colour::White].into(),
            Some(Fact::RestorationConfirmed(told)) => {
                missing.remove(&told.colour());
            }
            _ if turn_of(event).is_some() && !missing.is_empty() => {
                wrong.push(format!("{id}: event {} before {missing:?} confirmed", event.sequence));
            }
            _ => {}
        }
    }
}
