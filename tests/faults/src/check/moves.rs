//! (a) What was acknowledged is in the record, in order, once; and nothing else is.

use std::collections::HashSet;

use tengen_proto::game::v1::event::Event as Fact;
use tengen_proto::game::v1::{Accepted, Event};

use super::record::{Record, Stone, at_ms, stone};
use super::{Expected, Wrong};
use crate::story::{Asked, What, hash};

/// What a stamp may differ from the clients' clock: the server's is at most a second behind that of
/// its store.
const SKEW_MS: i64 = 1_500;

/// Gives how many commands the store lost.
pub(super) fn check(
    record: &Record,
    commands: &[&Asked],
    expected: &Expected,
    wrong: &mut Wrong,
) -> usize {
    let id = &record.game.game_id;
    let mut acknowledged: Vec<_> = commands.iter().filter_map(|asked| accepted(asked)).collect();
    acknowledged.sort_by_key(|(_, answer)| answer.sequence);
    let (mut asked_ms, mut lost) = (i64::MIN, 0);
    for (asked, answer) in acknowledged {
        if let Err(what) = held(record, asked, answer) {
            if expected.losses.iter().any(|loss| loss.contains(&asked.answered_ms)) {
                lost += 1;
            } else {
                let at_ms = asked.answered_ms;
                wrong.push(format!("{id}: {:?} was acknowledged at {at_ms}: {what}", asked.what));
            }
            continue;
        }
        if asked.answered_ms < asked_ms {
            wrong.push(format!("{id}: {:?} follows what was asked after its answer", asked.what));
        }
        asked_ms = asked_ms.max(asked.asked_ms);
    }
    if expected.losses.is_empty() {
        let refused =
            commands.iter().filter_map(|asked| Some((asked, asked.outcome.as_ref().err()?)));
        wrong.extend(refused.map(|(asked, why)| format!("{id}: {:?} got {why:?}", asked.what)));
    }
    let (mut numbers, asked_for) = (HashSet::new(), stones_asked(commands));
    for stone in record.stones() {
        if !numbers.insert(stone.number) {
            wrong.push(format!("{id}: move {} is in the record twice", stone.number));
        }
        if !asked_for.contains(&stone) {
            wrong.push(format!("{id}: nobody asked for {stone:?}"));
        }
    }
    lost
}

fn accepted<'a>(asked: &&'a Asked) -> Option<(&'a Asked, &'a Accepted)> {
    Some((asked, asked.outcome.as_ref().ok()?))
}

fn stones_asked(commands: &[&Asked]) -> Vec<Stone> {
    let stone = |asked: &&Asked| match asked.what {
        What::Move(number, point) => Some(Stone { number, point }),
        _ => None,
    };
    commands.iter().filter_map(stone).collect()
}

/// Whether the record holds what was answered.
fn held(record: &Record, asked: &Asked, answer: &Accepted) -> Result<(), String> {
    let Some(event) = record.event(answer.sequence) else {
        return Err(format!("the record ends at {}", record.game.sequence));
    };
    if hash(&event.head_hash) != hash(&answer.head_hash) {
        return Err(format!("event {} is another", answer.sequence));
    }
    if !is_of(asked.what, event) {
        return Err(format!("event {} tells {:?}", answer.sequence, event.event));
    }
    let at_ms = at_ms(event);
    let around = asked.asked_ms - SKEW_MS..=asked.answered_ms + SKEW_MS;
    if !around.contains(&at_ms) {
        return Err(format!("stamped {at_ms}, {around:?} was expected"));
    }
    Ok(())
}

/// Whether the last event of a command tells what it asked for.
fn is_of(what: What, event: &Event) -> bool {
    let fact = event.event.as_ref();
    match what {
        What::Move(number, point) => stone(event) == Some(Stone { number, point }),
        What::Pass(number) => match fact {
            Some(Fact::Passed(told)) => told.move_number == number,
            fact => matches!(fact, Some(Fact::CountingOpened(_))),
        },
        What::Confirm(number) => match fact {
            Some(Fact::Confirmed(told)) => told.move_number == number,
            fact => matches!(fact, Some(Fact::CountingOpened(_))),
        },
        What::AcceptCount => matches!(fact, Some(Fact::CountAccepted(_) | Fact::Ended(_))),
        What::Resign => matches!(fact, Some(Fact::Ended(_))),
        What::ConfirmRestored => matches!(fact, Some(Fact::RestorationConfirmed(_))),
    }
}
