//! One game's record, as a replica shows it: every event, chained.

use tengen_proto::clock::v1::Clock;
use tengen_proto::common::v1::{Colour, Point};
use tengen_proto::game::v1::event::Event as Fact;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{Event, Game, GetGameRequest, WatchGameRequest};
use tengen_proto::time::timestamp_ms;

use crate::story::{Begun, hash};
use crate::ways::Ways;

/// A game, with all that happened in it.
#[derive(Debug)]
pub struct Record {
    pub game: Game,
    /// From the second on: the first is what was agreed.
    pub events: Vec<Event>,
    /// The chain hashes, from the first event on.
    pub hashes: Vec<u128>,
}

/// A stone that was played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stone {
    pub number: i32,
    pub point: Point,
}

impl Record {
    /// Asks for the game, and for every event from its beginning to where it stands.
    pub async fn read(games: &Ways, begun: &Begun) -> Self {
        let request = GetGameRequest { game_id: begun.id.clone() };
        let game = games.ask(None, &request).await.answer().game.expect("a game");
        let request = WatchGameRequest {
            game_id: begun.id.clone(),
            after_sequence: 1,
            head_hash: begun.hash.clone(),
        };
        let mut stream = games.watch(games.any(), request).await.expect("can be watched");
        let (mut events, mut hashes) = (Vec::new(), vec![hash(&begun.hash)]);
        while i64::try_from(hashes.len()).is_ok_and(|seen| seen < game.sequence) {
            let told = stream.message().await.expect("goes on").expect("up to the head").message;
            let Some(Message::Event(event)) = told else { panic!("an event, not {told:?}") };
            let at = i64::try_from(hashes.len()).expect("few") + 1;
            assert_eq!(event.sequence, at, "{}", begun.id);
            assert_eq!(hash(&event.previous_hash), hashes[hashes.len() - 1], "{} {at}", begun.id);
            hashes.push(hash(&event.head_hash));
            events.push(event);
        }
        assert_eq!(hashes.last(), Some(&hash(&game.head_hash)), "{}", begun.id);
        Self { game, events, hashes }
    }

    /// The event of this sequence, from the second on.
    pub fn event(&self, sequence: i64) -> Option<&Event> {
        self.events.get(usize::try_from(sequence.checked_sub(2)?).ok()?)
    }

    /// The stones that were played.
    pub fn stones(&self) -> impl Iterator<Item = Stone> {
        self.events.iter().filter_map(stone)
    }
}

/// The stone that an event tells.
pub fn stone(event: &Event) -> Option<Stone> {
    match event.event.as_ref()? {
        Fact::MovePlayed(told) => Some(Stone { number: told.move_number, point: told.point? }),
        _ => None,
    }
}

/// Whose turn an event ended.
pub fn turn_of(event: &Event) -> Option<Colour> {
    match event.event.as_ref()? {
        Fact::MovePlayed(told) => Some(told.colour()),
        Fact::Passed(told) => Some(told.colour()),
        Fact::Confirmed(told) => Some(told.colour()),
        Fact::TurnForfeited(told) => Some(told.colour()),
        _ => None,
    }
}

/// When it was stamped, in milliseconds.
pub fn at_ms(event: &Event) -> i64 {
    event.at.as_ref().and_then(timestamp_ms).expect("a stamp")
}

/// When the running flag falls, in milliseconds.
pub fn deadline_ms(clock: &Clock) -> Option<i64> {
    clock.deadline.as_ref().and_then(timestamp_ms)
}
