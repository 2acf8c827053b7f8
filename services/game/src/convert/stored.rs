//! Events as they are stored and hashed. What is written here is read for as long as there are
//! games: fields are only ever added.

use bytes::Bytes;
use prost::Message;
use tengen_live::{Head, Record};
use tengen_proto::game::v1 as wire;
use tengen_proto::internal::v1::stored_event::Fact as StoredFact;
use tengen_proto::internal::v1::{ArchivedGame, StoredEvent, StoredOpening};
use tengen_rules::Size;
use tengen_table::{Event, Fact, Request, Word};

use crate::convert::stored_fact::{self, seat, side};
use crate::convert::{game, settings};
use crate::record::Player;

/// What is wrong with a stored event.
type What = String;

/// The first entry of a game.
pub fn opening(game_id: &str, players: &[Player; 2], event: &Event) -> Bytes {
    let Fact::Opened(opening) = &event.fact else {
        return Bytes::new();
    };
    let [black, white] = players;
    let opening = StoredOpening {
        game_id: game_id.to_owned(),
        settings: Some(settings::render(&opening.settings)),
        black: Some(game::player(black)),
        white: Some(game::player(white)),
    };
    let stored = StoredEvent {
        after_ms: event.at_ms,
        fact: Some(StoredFact::Opening(opening)),
        ..StoredEvent::default()
    };
    stored.encode_to_vec().into()
}

/// Reads the first entry back.
///
/// # Errors
/// What is wrong with it.
pub fn parse_opening(entry: &[u8]) -> Result<([Player; 2], Event), What> {
    let stored = decode(entry)?;
    let Some(StoredFact::Opening(opening)) = &stored.fact else {
        return Err("the first event is no opening".into());
    };
    let player = |seat: &Option<wire::Seat>| {
        let seat = seat.as_ref().ok_or("the opening lacks a seat")?;
        Ok::<_, What>(game::holder(seat))
    };
    let settings = opening.settings.as_ref().ok_or("the opening lacks its settings")?;
    let settings = settings::parse_stored(settings).map_err(|refusal| refusal.to_string())?;
    let players = [player(&opening.black)?, player(&opening.white)?];
    Ok((players, Event::opened(settings, stored.after_ms)))
}

/// An event that follows one stamped `last_ms`.
pub fn event(event: &Event, last_ms: i64, size: Size) -> Bytes {
    let request = event.request.unwrap_or(Request { key: 0, digest: 0 });
    let word = event.word.as_deref();
    let stored = StoredEvent {
        after_ms: event.at_ms.saturating_sub(last_ms),
        request_key: request.key,
        request_digest: request.digest,
        seat: seat(event.by),
        fact: stored_fact::render(&event.fact, size),
        referee: word.map(|word| word.referee.clone()).unwrap_or_default(),
        text: word.map(|word| word.text.clone()).unwrap_or_default(),
    };
    stored.encode_to_vec().into()
}

/// Reads an event back that follows one stamped `last_ms`.
///
/// # Errors
/// What is wrong with it.
pub fn parse(entry: &[u8], last_ms: i64, size: Size) -> Result<Event, What> {
    let stored = decode(entry)?;
    let fact = stored.fact.as_ref().ok_or("the event holds no known fact")?;
    let request = Request { key: stored.request_key, digest: stored.request_digest };
    let word = Word { referee: stored.referee.clone(), text: stored.text.clone() };
    Ok(Event {
        at_ms: last_ms.saturating_add(stored.after_ms),
        by: side(stored.seat)?,
        request: (request.key != 0).then_some(request),
        word: (!word.referee.is_empty()).then(|| Box::new(word)),
        fact: stored_fact::parse(fact, size)?,
    })
}

/// A finished record as the archive holds it.
pub fn archived(record: &Record) -> Vec<u8> {
    let archived = ArchivedGame {
        head_hash: record.head.hash.to_vec(),
        entries: record.log.iter().map(|entry| entry.to_vec()).collect(),
    };
    archived.encode_to_vec()
}

/// Reads a record back from the archive.
///
/// # Errors
/// What is wrong with it.
pub fn parse_archived(bytes: &[u8]) -> Result<Record, What> {
    let archived = ArchivedGame::decode(bytes).map_err(|error| error.to_string())?;
    let hash = archived.head_hash.try_into().map_err(|_| "its hash is not of 16 bytes")?;
    let sequence = i64::try_from(archived.entries.len()).unwrap_or(i64::MAX);
    let log = archived.entries.into_iter().map(Bytes::from).collect();
    Ok(Record { head: Head { sequence, hash }, log })
}

fn decode(entry: &[u8]) -> Result<StoredEvent, What> {
    StoredEvent::decode(entry).map_err(|error| error.to_string())
}
