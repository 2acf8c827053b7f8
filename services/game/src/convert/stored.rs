//! Events as they are stored and hashed. What is written here is read for as long as there are
//! games: fields are only ever added.

use tengen_proto::game::v1 as wire;
use tengen_proto::internal::v1::stored_event::Fact as StoredFact;
use tengen_proto::internal::v1::{StoredEvent, StoredOpening};
use tengen_rules::Size;
use tengen_table::{Event, Fact, Request, Word};

use crate::convert::stored_fact::{self, seat, side};
use crate::convert::{game, settings};
use crate::record::Player;

/// What is wrong with a stored event.
type What = String;

/// The first entry of a game.
pub fn opening(game_id: &str, players: &[Player; 2], event: &Event) -> StoredEvent {
    let Fact::Opened(opening) = &event.fact else {
        return StoredEvent::default();
    };
    let [black, white] = players;
    let opening = StoredOpening {
        game_id: game_id.to_owned(),
        settings: Some(settings::render(&opening.settings)),
        black: Some(game::player(black)),
        white: Some(game::player(white)),
    };
    StoredEvent {
        after_ms: event.at_ms,
        fact: Some(StoredFact::Opening(opening)),
        ..StoredEvent::default()
    }
}

/// Reads the first entry back.
///
/// # Errors
/// What is wrong with it.
pub fn parse_opening(stored: &StoredEvent) -> Result<([Player; 2], Event), What> {
    let Some(StoredFact::Opening(opening)) = &stored.fact else {
        return Err("the first event is no opening".into());
    };
    let player = |seat: &Option<wire::Seat>| {
        let seat = seat.as_ref().ok_or("the opening lacks a seat")?;
        Ok::<_, What>(Player { id: seat.player_id.clone(), name: seat.name.clone(), bot: seat.bot })
    };
    let settings = opening.settings.as_ref().ok_or("the opening lacks its settings")?;
    let settings = settings::parse_stored(settings).map_err(|refusal| refusal.to_string())?;
    let players = [player(&opening.black)?, player(&opening.white)?];
    Ok((players, Event::opened(settings, stored.after_ms)))
}

/// An event that follows one stamped `last_ms`.
pub fn event(event: &Event, last_ms: i64, size: Size) -> StoredEvent {
    let request = event.request.unwrap_or(Request { key: 0, digest: 0 });
    let word = event.word.as_deref();
    StoredEvent {
        after_ms: event.at_ms.saturating_sub(last_ms),
        request_key: request.key,
        request_digest: request.digest,
        seat: seat(event.by),
        fact: stored_fact::render(&event.fact, size),
        referee: word.map(|word| word.referee.clone()).unwrap_or_default(),
        text: word.map(|word| word.text.clone()).unwrap_or_default(),
    }
}

/// Reads an event back that follows one stamped `last_ms`.
///
/// # Errors
/// What is wrong with it.
pub fn parse(stored: &StoredEvent, last_ms: i64, size: Size) -> Result<Event, What> {
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
