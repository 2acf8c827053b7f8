//! What was asked and answered, against the record: what was acknowledged is there, once, in its
//! order, and was answered always the same; and nothing is there that nobody asked for.

use std::collections::BTreeMap;

use super::log::{Log, request_key};
use super::refusals;
use super::stand::Story;
use crate::ask::{Answer, Ask};
use crate::book::{Asked, Book};

/// A request that was answered, and where that was in time.
struct Settled<'a> {
    ask: &'a Ask,
    began: u64,
    settled: u64,
    sequence: i64,
}

/// Checks all requests to a game; what is wrong goes to `find`.
// case: D4 D6
pub fn check(book: &Book, game_id: &str, log: &Log, story: &Story, find: &mut dyn FnMut(String)) {
    let mut by_key: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    for (event, sequence) in log.events.iter().zip(1..) {
        if event.request_key != 0 {
            by_key.entry(event.request_key).or_default().push(sequence);
        }
    }
    let mut settled = Vec::new();
    for (key, asked) in book.asked.iter().filter(|(_, asked)| asked.ask.game_id == game_id) {
        let sequences = by_key.remove(&request_key(key)).unwrap_or_default();
        match check_one(asked, &sequences, story) {
            Ok(Some(sequence)) => {
                let Asked { ask, began, settled: at, .. } = asked;
                settled.push(Settled { ask, began: *began, settled: *at, sequence });
            }
            Ok(None) => {}
            Err(what) => find(format!("{:?}: {what}", asked.ask)),
        }
    }
    for (key, sequences) in by_key {
        find(format!("events {sequences:?} of request {key:x}, which nobody made"));
    }
    for one in &settled {
        let later = settled.iter().filter(|other| other.began > one.settled);
        for other in later.filter(|other| other.sequence <= one.sequence) {
            find(format!(
                "{:?} was answered as {} before {:?} was sent, which is {}",
                one.ask, one.sequence, other.ask, other.sequence
            ));
        }
    }
}

/// The sequence it was accepted as, if it was.
fn check_one(asked: &Asked, sequences: &[i64], story: &Story) -> Result<Option<i64>, String> {
    if !sequences.windows(2).all(|pair| pair[1] == pair[0] + 1) {
        return Err(format!("it happened more than once: {sequences:?}"));
    }
    let mut accepted = asked.answers.iter().filter_map(|answer| match answer {
        Answer::Accepted(accepted) => Some(accepted),
        Answer::Refused(_) | Answer::Unknown => None,
    });
    for answer in &asked.answers {
        if let Answer::Refused(refusal) = answer {
            refusals::check(&asked.ask, refusal, story)?;
        }
    }
    let Some(first) = accepted.next() else {
        let refused = asked.answers.iter().filter(|answer| answer.settles()).count();
        if refused == asked.sent && !sequences.is_empty() {
            return Err(format!("it was refused each time, and is {sequences:?}"));
        }
        return Ok(None);
    };
    if let Some(other) = accepted.find(|other| *other != first) {
        return Err(format!("it was answered {first:?}, and {other:?}"));
    }
    if sequences.last() != Some(&first.sequence) {
        return Err(format!("it was accepted as {}, and is {sequences:?}", first.sequence));
    }
    story.at(first.sequence)?.is_answered(first)?;
    Ok(Some(first.sequence))
}
