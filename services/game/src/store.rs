//! The games, as verbs: make, read, act, let fall due. One compare-and-set a game decides; what
//! this replica remembers only saves reading.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use prost::Message;
use tengen_kit::status::Refusal;
use tengen_live::{Commit, Live, LiveError, Outgoing, Record};
use tengen_rules::Colour;
use tengen_table::{Command, Decision, Event, Order, Rejection, Settings};
use tokio::sync::Mutex;
use tonic::Code;

use crate::archive::{Archive, Cursor};
use crate::convert::result;
use crate::error;
use crate::lag;
use crate::record::{GameRecord, Player};

/// Commits that may race for one command before it is given up.
const TRIES: usize = 16;
/// How long a game that nobody asks for is remembered.
const REMEMBERED: Duration = Duration::from_secs(600);

/// The games: running ones in the live state, finished ones in the archive.
pub struct Games {
    live: Arc<dyn Live>,
    archive: Archive,
    /// Games as this replica last saw them. Commands to one game wait for each other here, which
    /// saves them a conflict.
    seen: Cache<String, Arc<Mutex<GameRecord>>>,
}

impl Games {
    /// Games over these stores, of which at most `remembered` are kept in memory.
    pub fn new(live: Arc<dyn Live>, archive: Archive, remembered: u64) -> Self {
        let seen = Cache::builder().max_capacity(remembered).time_to_idle(REMEMBERED).build();
        Self { live, archive, seen }
    }

    /// The live state's clock.
    pub fn now_ms(&self) -> i64 {
        self.live.now_ms()
    }

    /// Makes a game, or finds the one of this id that was made before.
    ///
    /// # Errors
    /// When the live state fails.
    pub async fn create(
        &self,
        id: &str,
        players: [Player; 2],
        settings: Settings,
    ) -> Result<GameRecord, Refusal> {
        let opened = GameRecord::open(id, players, settings, self.live.now_ms());
        let (record, entry) = opened.map_err(|error| error::broken(&error))?;
        let commit = Commit {
            expected: None,
            head: record.head,
            entries: vec![entry],
            next_due_ms: record.table.next_due_ms(),
            outbox: None,
            ended: false,
        };
        match self.live.commit(id, commit).await {
            Ok(()) => {}
            Err(LiveError::Conflict { .. }) => return self.read(id).await,
            Err(error) => return Err(error::live(&error)),
        }
        for player in &record.players {
            // The list is a help: a game is found by its id all the same.
            if let Err(error) = self.list(&player.id, id).await {
                tracing::warn!(game_id = id, %error, "a game could not be listed");
            }
        }
        Ok(record)
    }

    /// A game as it is now.
    ///
    /// # Errors
    /// GAME_NOT_FOUND; or the live state fails.
    pub async fn read(&self, id: &str) -> Result<GameRecord, Refusal> {
        let seen = self.seen(id).await?;
        let mut record = seen.lock().await;
        self.refresh(&mut record).await?;
        Ok(record.clone())
    }

    /// Carries out a command of `player_id`, and returns the game after it; the same request
    /// again returns the same. The stamp is taken at once, before anything is waited for.
    ///
    /// # Errors
    /// Why the command is refused; or the live state fails, and whether the command happened, the
    /// same request will tell.
    pub async fn act(
        &self,
        id: &str,
        player_id: &str,
        command: impl Fn(Colour) -> Command,
    ) -> Result<GameRecord, Refusal> {
        let now_ms = self.live.now_ms();
        let decide = |record: &GameRecord| {
            let seat = record.seat_of(player_id).ok_or_else(|| error::not_seated(id))?;
            Ok(record.table.decide(&command(seat), now_ms))
        };
        self.carry_out(id, decide).await
    }

    /// Carries out a referee's order, like a command. Nobody rules in a game he plays.
    ///
    /// # Errors
    /// As [`Games::act`]; OWN_GAME.
    pub async fn order(&self, id: &str, order: &Order) -> Result<GameRecord, Refusal> {
        let now_ms = self.live.now_ms();
        let decide = |record: &GameRecord| match record.seat_of(&order.word.referee) {
            Some(_) => Err(error::own_game(id)),
            None => Ok(record.table.order(order, now_ms)),
        };
        self.carry_out(id, decide).await
    }

    /// Decides and commits until one commit stands. No refusal is given by a cached record: the
    /// head is confirmed first.
    async fn carry_out(
        &self,
        id: &str,
        decide: impl Fn(&GameRecord) -> Result<Result<Decision, Rejection>, Refusal>,
    ) -> Result<GameRecord, Refusal> {
        let seen = self.seen(id).await?;
        let mut record = seen.lock().await;
        for _ in 0..TRIES {
            match decide(&record)? {
                Ok(Decision::Known { sequence }) if sequence == record.head.sequence => {
                    return Ok(record.clone());
                }
                Ok(Decision::Known { sequence }) => return self.at(id, sequence).await,
                Ok(Decision::Due(events)) => {
                    self.commit(&mut record, &events).await?;
                }
                Ok(Decision::Accepted(events)) => {
                    if self.commit(&mut record, &events).await? {
                        return Ok(record.clone());
                    }
                }
                Err(rejection) => {
                    if !self.refresh(&mut record).await? {
                        return Err(error::rejected(&rejection, &record));
                    }
                }
            }
        }
        Err(error::contended(TRIES))
    }

    /// Takes down one more measured delay of a player, and returns what counts: the least of the
    /// last eight. The game is told when that says something new.
    ///
    /// # Errors
    /// GAME_NOT_FOUND, NOT_SEATED; or the live state fails.
    pub async fn measure(&self, id: &str, player_id: &str, lag_ms: i64) -> Result<i64, Refusal> {
        let seen = self.seen(id).await?;
        let mut record = seen.lock().await;
        let seat = record.seat_of(player_id).ok_or_else(|| error::not_seated(id))?;
        let least_ms = lag::record(&*self.live, id, player_id, lag_ms).await?;
        for _ in 0..TRIES {
            let news = record.table.lag_measured(seat, least_ms, self.live.now_ms());
            let Some(event) = news else { return Ok(least_ms) };
            if self.commit(&mut record, &[event]).await? {
                return Ok(least_ms);
            }
        }
        Err(error::contended(TRIES))
    }

    /// Lets happen what has fallen due, and says when the next thing does. Called too early,
    /// twice or late, it does nothing.
    ///
    /// # Errors
    /// GAME_NOT_FOUND; or the live state fails.
    pub async fn due(&self, id: &str) -> Result<Option<i64>, Refusal> {
        let seen = self.seen(id).await?;
        let mut record = seen.lock().await;
        self.refresh(&mut record).await?;
        if record.ended() {
            return Ok(None);
        }
        for _ in 0..TRIES {
            let events = record.table.due(self.live.now_ms());
            if self.commit(&mut record, &events).await? && events.is_empty() {
                return Ok(record.table.next_due_ms());
            }
        }
        Err(error::contended(TRIES))
    }

    /// The games in which a player holds a seat and that are not over, the newest first.
    ///
    /// # Errors
    /// When the live state fails.
    pub async fn of_player(&self, player_id: &str) -> Result<Vec<GameRecord>, Refusal> {
        let slot = seats_slot(player_id);
        let listed = self.live.entries(&slot).await.map_err(|error| error::live(&error))?;
        let mut games = Vec::new();
        for (id, version, _) in listed {
            match self.read(&id).await {
                Ok(record) if !record.ended() => games.push(record),
                Err(refusal) if refusal.code() != Code::NotFound => return Err(refusal),
                // Over, or gone: the list is swept as it is read.
                _ => drop(self.live.put_entry(&slot, &id, Some(version), None, None).await),
            }
        }
        games.sort_by_key(|record| std::cmp::Reverse(record.table.opened_at_ms()));
        Ok(games)
    }

    /// Finished games of a player, the newest first.
    ///
    /// # Errors
    /// The archive fails.
    pub async fn finished(
        &self,
        player_id: &str,
        before: Option<&Cursor>,
        most: i64,
    ) -> Result<Vec<(Cursor, GameRecord)>, Refusal> {
        let found = self.archive.of_player(player_id, before, most).await?;
        let folded = found.into_iter().map(|(cursor, record)| {
            let game = GameRecord::from_log(&cursor.game_id, &record);
            Ok((cursor, game.map_err(|error| error::broken(&error))?))
        });
        folded.collect()
    }

    /// Puts a game whose result the ledger holds into the archive.
    ///
    /// # Errors
    /// When the live state or the archive fails; nothing is acknowledged then.
    pub async fn archive(&self, id: &str) -> Result<(), Refusal> {
        // A record that is gone was acknowledged before: it is in the archive.
        let Some(record) = self.live.load(id).await.map_err(|error| error::live(&error))? else {
            return Ok(());
        };
        let game = GameRecord::from_log(id, &record).map_err(|error| error::broken(&error))?;
        self.archive.keep(&game, &record).await
    }

    /// Whether the ledger is known to hold the result of a game. While the archive is away nothing
    /// is known, and a result is shown all the same.
    pub async fn is_applied(&self, record: &GameRecord) -> bool {
        let rated = record.ended() && record.table.settings().rated;
        rated && self.archive.holds(&record.id).await.unwrap_or(false)
    }

    /// The game as it was after the event of this sequence.
    async fn at(&self, id: &str, sequence: i64) -> Result<GameRecord, Refusal> {
        let mut whole = self.load(id).await?;
        let kept = usize::try_from(sequence).unwrap_or(0);
        whole.log.truncate(kept);
        GameRecord::prefix(id, &whole.log).map_err(|error| error::broken(&error))
    }

    async fn seen(&self, id: &str) -> Result<Arc<Mutex<GameRecord>>, Refusal> {
        if let Some(seen) = self.seen.get(id) {
            return Ok(seen);
        }
        let record = self.fold(id).await?;
        let entry = self.seen.entry(id.to_owned()).or_insert_with(|| Arc::new(Mutex::new(record)));
        Ok(entry.into_value())
    }

    /// Brings a record up to its head; says whether it had moved. A game that is in the archive
    /// alone stands where it ended.
    async fn refresh(&self, record: &mut GameRecord) -> Result<bool, Refusal> {
        let head = self.live.head(&record.id).await.map_err(|error| error::live(&error))?;
        if head == Some(record.head) || (head.is_none() && record.ended()) {
            return Ok(false);
        }
        *record = self.fold(&record.id).await?;
        Ok(true)
    }

    /// Commits events that were decided on this record, and folds them in. False when another
    /// commit was first: the record is fresh then, and it is to be decided again.
    async fn commit(&self, record: &mut GameRecord, events: &[Event]) -> Result<bool, Refusal> {
        let (entries, head) = record.entries(events);
        let mut after = record.clone();
        for entry in &entries {
            after.append(entry).map_err(|error| error::broken(&error))?;
        }
        let ended = after.ended();
        let outbox = (ended && !record.ended()).then(|| Outgoing {
            id: result::id(&after),
            body: result::render(&after).encode_to_vec().into(),
        });
        let next_due_ms = after.table.next_due_ms();
        let expected = Some(record.head);
        let commit = Commit { expected, head, entries, next_due_ms, outbox, ended };
        match self.live.commit(&record.id, commit).await {
            Ok(()) => {
                *record = after;
                Ok(true)
            }
            Err(LiveError::Conflict { .. }) => {
                *record = self.fold(&record.id).await?;
                Ok(false)
            }
            Err(error) => Err(error::live(&error)),
        }
    }

    async fn fold(&self, id: &str) -> Result<GameRecord, Refusal> {
        let record = self.load(id).await?;
        GameRecord::from_log(id, &record).map_err(|error| error::broken(&error))
    }

    /// The record of a game: the live one, or the archived one.
    ///
    /// # Errors
    /// GAME_NOT_FOUND; or the live state or the archive fails.
    pub async fn load(&self, id: &str) -> Result<Record, Refusal> {
        match self.live.load(id).await {
            Ok(Some(record)) => Ok(record),
            Ok(None) => self.archive.find(id).await?.ok_or_else(|| error::no_game(id)),
            Err(LiveError::NotAnId(_)) => Err(error::no_game(id)),
            Err(error) => Err(error::live(&error)),
        }
    }

    async fn list(&self, player_id: &str, id: &str) -> Result<(), LiveError> {
        let mark = Some(bytes::Bytes::new());
        match self.live.put_entry(&seats_slot(player_id), id, None, mark, None).await {
            Ok(_) | Err(LiveError::EntryConflict { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The slot that lists a player's running games.
fn seats_slot(player_id: &str) -> String {
    format!("seats:{player_id}")
}
