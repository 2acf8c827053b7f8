//! A game's record: its stored events, the chain hash over them, and the table they fold to.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tengen_live::{Head, Record};
use tengen_rules::Colour;
use tengen_table::{Event, Fact, Phase, Settings, Table};

use crate::convert::stored;

/// Who holds a seat, as it was when the game began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// The account.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether it is a bot.
    pub bot: bool,
    /// Its tier of experience (rulebook L10).
    pub tier: i32,
}

/// What the ledger made of a game's result, as it is stored; empty if it changed nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes(pub Vec<u8>);

/// A game at one head.
#[derive(Clone)]
pub struct GameRecord {
    /// The game's id.
    pub id: String,
    /// Black and White.
    pub players: [Player; 2],
    /// What the events fold to.
    pub table: Table,
    /// The last event's sequence and chain hash.
    pub head: Head,
    /// Whether events that this replica has seen are gone from the live state, and the record does
    /// not say so yet.
    pub lost: bool,
}

/// The head before the first event.
const BEGIN: Head = Head { sequence: 0, hash: [0; 16] };

/// A log that no version of this service wrote.
#[derive(Debug, thiserror::Error)]
#[error("the record of {game_id} is broken at event {sequence}: {what}")]
pub struct Broken {
    game_id: String,
    sequence: i64,
    what: String,
}

impl GameRecord {
    /// A new game with its first entry.
    ///
    /// # Errors
    /// Settings that are not valid.
    pub fn open(
        id: &str,
        players: [Player; 2],
        settings: Settings,
        now_ms: i64,
    ) -> Result<(Self, Bytes), Broken> {
        let event = Event::opened(settings, now_ms);
        let entry = stored::opening(id, &players, &event);
        let record = Self::first(id, &entry)?;
        Ok((record, entry))
    }

    /// The game that a whole log holds.
    ///
    /// # Errors
    /// A log that is broken, or whose last hash is not the head's.
    pub fn from_log(id: &str, record: &Record) -> Result<Self, Broken> {
        let game = Self::prefix(id, &record.log)?;
        if game.head != record.head {
            return Err(broken(id, game.head.sequence, "the chain hash is not the head's"));
        }
        Ok(game)
    }

    /// The game that the first entries of a log hold.
    ///
    /// # Errors
    /// A log that is broken or empty.
    pub fn prefix(id: &str, log: &[Bytes]) -> Result<Self, Broken> {
        let mut entries = log.iter();
        let first = entries.next().ok_or_else(|| broken(id, 0, "the log is empty"))?;
        let mut game = Self::first(id, first)?;
        for entry in entries {
            game.append(entry)?;
        }
        Ok(game)
    }

    /// The same game, read again. It is [`lost`](Self::lost) if the log does not hold what this one
    /// has seen, unless the log itself tells of a loss since.
    ///
    /// # Errors
    /// As [`GameRecord::from_log`].
    pub fn renewed(&self, record: &Record) -> Result<Self, Broken> {
        let mut game = Self::from_log(&self.id, record)?;
        let told = game.table.restorations() > self.table.restorations();
        game.lost = (self.lost || !holds(record, self.head)) && !told;
        Ok(game)
    }

    /// Goes on by the entries that follow this head. False if `head` is not the one this log has
    /// there, or an entry does not fit: the record is to be read whole then.
    pub fn go_on(&mut self, entries: &[Bytes], head: Head) -> bool {
        let mut chained = self.head;
        let mut heads = entries.iter().map(|entry| {
            chained = after(chained, entry);
            chained
        });
        heads.any(|passed| passed == head) && entries.iter().all(|entry| self.append(entry).is_ok())
    }

    /// Whether a log goes on from where this game stands.
    pub fn is_in(&self, record: &Record) -> bool {
        holds(record, self.head)
    }

    /// The game after events that were decided on it, and their entries.
    ///
    /// # Errors
    /// Events that cannot follow.
    pub fn with(&self, events: &[Event]) -> Result<(Self, Vec<Bytes>), Broken> {
        let (entries, head) = self.entries(events);
        let mut game = self.clone();
        for (event, sequence) in events.iter().zip(self.head.sequence + 1..) {
            game.table.fold(event).map_err(|error| broken(&self.id, sequence, error))?;
            game.lost &= event.fact != Fact::Restored;
        }
        game.head = head;
        Ok((game, entries))
    }

    fn first(id: &str, entry: &Bytes) -> Result<Self, Broken> {
        let (players, event) = stored::parse_opening(entry).map_err(|what| broken(id, 1, what))?;
        let table = Table::open(&event).map_err(|error| broken(id, 1, error))?;
        let head = after(BEGIN, entry);
        Ok(Self { id: id.to_owned(), players, table, head, lost: false })
    }

    /// Folds the next entry in.
    ///
    /// # Errors
    /// An entry that cannot follow; the record is not to be used any more.
    pub fn append(&mut self, entry: &Bytes) -> Result<Event, Broken> {
        let sequence = self.head.sequence + 1;
        let size = self.table.settings().size;
        let event = stored::parse(entry, self.table.last_at_ms(), size)
            .map_err(|what| broken(&self.id, sequence, what))?;
        self.table.fold(&event).map_err(|error| broken(&self.id, sequence, error))?;
        self.head = after(self.head, entry);
        self.lost &= event.fact != Fact::Restored;
        Ok(event)
    }

    /// The entries for events that were decided on this record, and the head after them.
    pub fn entries(&self, events: &[Event]) -> (Vec<Bytes>, Head) {
        let size = self.table.settings().size;
        let (mut head, mut last_ms) = (self.head, self.table.last_at_ms());
        let entries = events
            .iter()
            .map(|event| {
                let entry = stored::event(event, last_ms, size);
                last_ms = event.at_ms;
                head = after(head, &entry);
                entry
            })
            .collect();
        (entries, head)
    }

    /// The seat an account holds.
    pub fn seat_of(&self, player_id: &str) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.player(*colour).id == player_id)
    }

    /// Whether an account holds a seat and is said to be gone.
    pub fn misses(&self, player_id: &str) -> bool {
        self.seat_of(player_id).is_some_and(|side| !self.table.present(side))
    }

    /// Who holds a seat.
    pub fn player(&self, colour: Colour) -> &Player {
        &self.players[colour.index()]
    }

    /// Whether the game is over.
    pub fn ended(&self) -> bool {
        self.table.phase() == Phase::Ended
    }
}

fn broken(id: &str, sequence: i64, what: impl ToString) -> Broken {
    Broken { game_id: id.to_owned(), sequence, what: what.to_string() }
}

/// Whether a log has this head, or had it once.
fn holds(record: &Record, head: Head) -> bool {
    let seen = usize::try_from(head.sequence).unwrap_or(usize::MAX);
    let had = |log: &[Bytes]| log.iter().fold(BEGIN, |head, entry| after(head, entry));
    record.log.get(..seen).is_some_and(|log| had(log) == head)
}

/// The head after one more entry.
pub fn after(head: Head, entry: &[u8]) -> Head {
    Head { sequence: head.sequence + 1, hash: chain(head.hash, entry) }
}

/// The chain hash: the first half of SHA-256 over the hash before and the entry.
fn chain(before: [u8; 16], entry: &[u8]) -> [u8; 16] {
    let digest = Sha256::new().chain_update(before).chain_update(entry).finalize();
    let mut hash = [0; 16];
    hash.copy_from_slice(&digest[..16]);
    hash
}
