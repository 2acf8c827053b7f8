//! Events as they are stored and hashed. What is written here is read for as long as there are
//! games: fields are only ever added.

use tengen_proto::game::v1 as wire;
use tengen_proto::internal::v1::stored_event::Fact as StoredFact;
use tengen_proto::internal::v1::{StoredEnd, StoredEvent, StoredForfeit, StoredOpening};
use tengen_rules::{Colour, Point, Size};
use tengen_table::{Event, Fact, ForbiddenWhy, Request, Settlement};

use crate::convert::{game, settings};
use crate::record::Player;

/// The stored form of suicide in a forfeited turn.
const SUICIDE: i32 = -1;

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
        Ok::<_, What>(Player {
            id: seat.player_id.clone(),
            name: seat.name.clone(),
            bot: seat.bot,
        })
    };
    let settings = opening
        .settings
        .as_ref()
        .ok_or("the opening lacks its settings")?;
    let settings = settings::parse(settings).map_err(|refusal| refusal.to_string())?;
    let players = [player(&opening.black)?, player(&opening.white)?];
    Ok((players, Event::opened(settings, stored.after_ms)))
}

/// An event that follows one stamped `last_ms`.
pub fn event(event: &Event, last_ms: i64, size: Size) -> StoredEvent {
    let at = |point| index(point, size);
    let fact = match &event.fact {
        // An opening is written by `opening` alone.
        Fact::Opened(_) => None,
        Fact::Move(point) => Some(StoredFact::Move(at(*point))),
        Fact::Pass => Some(StoredFact::Pass(true)),
        Fact::Confirm => Some(StoredFact::Confirm(true)),
        Fact::Forfeit { point, why } => Some(StoredFact::Forfeit(StoredForfeit {
            point: at(*point),
            repeats_move: match why {
                ForbiddenWhy::Suicide => SUICIDE,
                ForbiddenWhy::Superko { repeats_move } => {
                    i32::try_from(*repeats_move).unwrap_or(i32::MAX)
                }
            },
        })),
        Fact::CountingOpened => Some(StoredFact::Counting(true)),
        Fact::Marked { point, dead: true } => Some(StoredFact::Dead(at(*point))),
        Fact::Marked { point, dead: false } => Some(StoredFact::Living(at(*point))),
        Fact::Accepted => Some(StoredFact::Accept(true)),
        Fact::Disputed => Some(StoredFact::Dispute(true)),
        Fact::Ended {
            reason,
            winner,
            settlement,
        } => Some(StoredFact::End(StoredEnd {
            reason: game::reason(*reason) as i32,
            winner: seat(*winner),
            settlement: game::settlement(*settlement) as i32,
        })),
    };
    let request = event.request.unwrap_or(Request { key: 0, digest: 0 });
    StoredEvent {
        after_ms: event.at_ms.saturating_sub(last_ms),
        request_key: request.key,
        request_digest: request.digest,
        seat: seat(event.by),
        fact,
        lag_ms: i32::try_from(event.lag_ms).unwrap_or(i32::MAX),
    }
}

/// Reads an event back that follows one stamped `last_ms`.
///
/// # Errors
/// What is wrong with it.
pub fn parse(stored: &StoredEvent, last_ms: i64, size: Size) -> Result<Event, What> {
    let at = |index| point(index, size);
    let fact = match stored
        .fact
        .as_ref()
        .ok_or("the event holds no known fact")?
    {
        StoredFact::Opening(_) => return Err("a second opening".into()),
        StoredFact::Move(index) => Fact::Move(at(*index)?),
        StoredFact::Pass(_) => Fact::Pass,
        StoredFact::Confirm(_) => Fact::Confirm,
        StoredFact::Forfeit(forfeit) => Fact::Forfeit {
            point: at(forfeit.point)?,
            why: match u32::try_from(forfeit.repeats_move) {
                Ok(repeats_move) => ForbiddenWhy::Superko { repeats_move },
                Err(_) => ForbiddenWhy::Suicide,
            },
        },
        StoredFact::Counting(_) => Fact::CountingOpened,
        StoredFact::Dead(index) => Fact::Marked {
            point: at(*index)?,
            dead: true,
        },
        StoredFact::Living(index) => Fact::Marked {
            point: at(*index)?,
            dead: false,
        },
        StoredFact::Accept(_) => Fact::Accepted,
        StoredFact::Dispute(_) => Fact::Disputed,
        StoredFact::End(end) => Fact::Ended {
            reason: game::parse_reason(end.reason()).ok_or("the end has no reason")?,
            winner: side(end.winner)?,
            settlement: match end.settlement() {
                wire::Settlement::Unspecified => None,
                wire::Settlement::Agreed => Some(Settlement::Agreed),
                wire::Settlement::AllStand => Some(Settlement::AllStand),
            },
        },
    };
    let request = Request {
        key: stored.request_key,
        digest: stored.request_digest,
    };
    Ok(Event {
        at_ms: last_ms.saturating_add(stored.after_ms),
        by: side(stored.seat)?,
        request: (request.key != 0).then_some(request),
        lag_ms: i64::from(stored.lag_ms),
        fact,
    })
}

fn index(point: Point, size: Size) -> i32 {
    i32::from(point.row) * i32::from(size.columns()) + i32::from(point.column)
}

fn point(index: i32, size: Size) -> Result<Point, What> {
    let columns = i32::from(size.columns());
    let (row, column) = (index.div_euclid(columns), index.rem_euclid(columns));
    match (u8::try_from(row), u8::try_from(column)) {
        (Ok(row), Ok(column)) if row < size.rows() => Ok(Point::new(row, column)),
        _ => Err(format!("point {index} lies off the board")),
    }
}

fn seat(side: Option<Colour>) -> i32 {
    side.map_or(0, |colour| match colour {
        Colour::Black => 1,
        Colour::White => 2,
    })
}

fn side(seat: i32) -> Result<Option<Colour>, What> {
    match seat {
        0 => Ok(None),
        1 => Ok(Some(Colour::Black)),
        2 => Ok(Some(Colour::White)),
        other => Err(format!("there is no seat {other}")),
    }
}
