//! The games, as verbs: make, read, act, let fall due. One compare-and-set a game decides; what
//! this replica remembers saves reading, and shows when the live state has lost something.

mod absence;
#[cfg(test)]
mod absence_tests;
mod seats;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use prost::Message;
use tengen_kit::status::Refusal;
use tengen_kit::telemetry::{Span, traceparent};
use tengen_live::{
    Commit, Head, Live, LiveError, Outgoing, PARTITIONS, Record, Relabel, partition,
};
use tengen_rules::Colour;
use tengen_table::{Command, Decision, Event, Order, Rejection, Settings, Table};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::archive::Archive;
use crate::client::Sessions;
use crate::convert::result;
use crate::error;
use crate::herald::Herald;
use crate::lag;
use crate::metrics::{Metrics, phase_name};
use crate::outages::Known;
use crate::pages::Cursor;
use crate::record::{Changes, GameRecord, Player};
use crate::store::absence::{Answers, asked};

/// Commits that may race for one command before it is given up.
const TRIES: usize = 16;
/// How long a game that is over waits for the archive's word before it is shown without.
const ARCHIVE_WAIT: Duration = Duration::from_millis(250);
/// How long a game that nobody asks for is remembered.
const REMEMBERED: Duration = Duration::from_secs(600);

/// The games: running ones in the live state, finished ones in the archive.
pub struct Games {
    live: Arc<dyn Live>,
    archive: Archive,
    /// Who knows whether a player is gone.
    sessions: Sessions,
    /// Who tells the players.
    herald: Herald,
    /// Games as this replica last saw them. Commands to one game wait for each other here, which
    /// saves them a conflict.
    seen: Cache<String, Arc<Mutex<GameRecord>>>,
    outages: Known,
    /// What is counted of them.
    pub metrics: Metrics,
}

impl Games {
    /// Games over these stores, of which at most `remembered` are kept in memory.
    pub fn new(
        live: Arc<dyn Live>,
        archive: Archive,
        sessions: Sessions,
        herald: Herald,
        remembered: u64,
    ) -> Self {
        let seen = Cache::builder().max_capacity(remembered).time_to_idle(REMEMBERED).build();
        let (outages, metrics) = (Known::default(), Metrics::default());
        Self { live, archive, sessions, herald, seen, outages, metrics }
    }

    /// The live state's clock.
    pub fn now_ms(&self) -> i64 {
        self.live.now_ms()
    }

    /// Makes a game, or finds the one of this id that was made before.
    ///
    /// # Errors
    /// LIMIT_REACHED: a player's list is full of running games; or the live state fails.
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
            outages: 0,
            outbox: None,
            ended: false,
            relabel: Relabel { from: "", to: label(&record) },
        };
        // Before it is made: a game that nobody finds would be worse than an entry without one.
        for player in &record.players {
            self.list(&player.id, id).await?;
        }
        match self.timed(id, commit).await {
            Ok(()) => {
                self.metrics.entered(record.table.phase());
                self.herald.made(&record);
                Ok(record)
            }
            Err(LiveError::Conflict { .. }) => self.read(id).await,
            Err(error) => Err(error::live(&error)),
        }
    }

    /// A game as it is now.
    ///
    /// # Errors
    /// GAME_NOT_FOUND; or the live state fails.
    pub async fn read(&self, id: &str) -> Result<GameRecord, Refusal> {
        let seen = self.seen(id).await?;
        let mut record = seen.lock().await;
        self.refresh(&mut record).await?;
        self.make_good(&mut record).await?;
        Ok(record.clone())
    }

    /// A game as it is now, for one who has seen it at this head: if the live state has lost that,
    /// the record says so.
    ///
    /// # Errors
    /// As [`Games::read`].
    pub async fn read_after(&self, shown: &GameRecord) -> Result<GameRecord, Refusal> {
        let seen = self.seen(&shown.id).await?;
        let mut record = seen.lock().await;
        let log = self.load(&shown.id).await?;
        let renewed = |seen: &GameRecord| seen.renewed(&log).map_err(|e| error::broken(&e));
        let lost = renewed(shown)?.lost;
        *record = renewed(&record)?;
        record.lost |= lost;
        self.make_good(&mut record).await?;
        Ok(record.clone())
    }

    /// Carries out a command of `player_id`, and shows the game after it; the same request again
    /// shows the same. The stamp is taken at once, before anything is waited for.
    ///
    /// # Errors
    /// Why the command is refused; or the live state fails, and whether the command happened, the
    /// same request will tell.
    pub async fn act<T>(
        &self,
        id: &str,
        player_id: &str,
        command: impl Fn(Colour) -> Command,
        show: impl Fn(&GameRecord) -> T,
    ) -> Result<T, Refusal> {
        let now_ms = self.live.now_ms();
        let decide = |record: &GameRecord| {
            let seat = record.seat_of(player_id).ok_or_else(|| error::not_seated(id))?;
            Ok(record.table.decide(&command(seat), now_ms))
        };
        self.carry_out(id, decide, show).await
    }

    /// Carries out a referee's order, like a command. Nobody rules in a game he plays.
    ///
    /// # Errors
    /// As [`Games::act`]; OWN_GAME.
    pub async fn order<T>(
        &self,
        id: &str,
        order: &Order,
        show: impl Fn(&GameRecord) -> T,
    ) -> Result<T, Refusal> {
        let now_ms = self.live.now_ms();
        let decide = |record: &GameRecord| match record.seat_of(&order.word.referee) {
            Some(_) => Err(error::own_game(id)),
            None => Ok(record.table.order(order, now_ms)),
        };
        self.carry_out(id, decide, show).await
    }

    /// Decides and commits until one commit stands. No refusal is given by a cached record: the
    /// head is confirmed first.
    async fn carry_out<T>(
        &self,
        id: &str,
        decide: impl Fn(&GameRecord) -> Result<Result<Decision, Rejection>, Refusal>,
        show: impl Fn(&GameRecord) -> T,
    ) -> Result<T, Refusal> {
        let seen = self.seen(id).await?;
        let mut record = seen.lock().await;
        let mut answers = Answers::default();
        for _ in 0..TRIES {
            self.make_good(&mut record).await?;
            match decide(&record)? {
                Ok(Decision::Known { sequence }) if sequence == record.head.sequence => {
                    return Ok(show(&record));
                }
                Ok(Decision::Known { sequence }) => return Ok(show(&self.at(id, sequence).await?)),
                Ok(Decision::Due(events)) => {
                    self.commit(&mut record, &events).await?;
                }
                Ok(Decision::Accepted(events)) => {
                    if self.commit(&mut record, &events).await? {
                        return Ok(show(&record));
                    }
                }
                Ok(Decision::IfGone(if_gone)) if answers.cover(&if_gone) => {
                    if self.judge(&mut record, &if_gone, &std::mem::take(&mut answers)).await? {
                        return Ok(show(&record));
                    }
                }
                Ok(Decision::IfGone(if_gone)) => {
                    let asked = asked(&record, &if_gone);
                    // Nobody else waits for the answer.
                    drop(record);
                    answers = self.ask(asked).await?;
                    record = seen.lock().await;
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
            self.make_good(&mut record).await?;
            let news = record.table.lag_measured(seat, least_ms, self.live.now_ms());
            let Some(event) = news else { return Ok(least_ms) };
            if self.commit(&mut record, &[event]).await? {
                return Ok(least_ms);
            }
        }
        Err(error::contended(TRIES))
    }

    /// Holds every running game of these partitions that this replica remembers against the live
    /// state, which was out: what is lost is seen, and what the outage cost is given back.
    pub async fn look_after(&self, partitions: &HashSet<u16>) {
        let concerned =
            |id: &str| partition(id).is_some_and(|of| partitions.contains(&(of % PARTITIONS)));
        let ids = self.seen.iter().map(|(id, _)| id).filter(|id| concerned(id));
        let mut ids: Vec<_> = ids.collect();
        // In one order, whatever the cache's is.
        ids.sort_unstable();
        for id in ids {
            if let Err(refusal) = self.read(&id).await {
                tracing::warn!(game_id = *id, %refusal, "a game could not be looked after");
            }
        }
    }

    /// Finished games of a player, the newest first.
    ///
    /// # Errors
    /// The archive fails.
    pub async fn finished(
        &self,
        player_id: &str,
        before: Option<&Cursor>,
        most: usize,
    ) -> Result<Vec<(Cursor, GameRecord, Changes)>, Refusal> {
        let found = self.archive.of_player(player_id, before, most).await?;
        let folded = found.into_iter().map(|(cursor, record, changes)| {
            let game = GameRecord::from_log(&cursor.id, &record);
            Ok((cursor, game.map_err(|error| error::broken(&error))?, changes))
        });
        folded.collect()
    }

    /// Puts a game whose result the ledger holds into the archive, with what that changed.
    ///
    /// # Errors
    /// When the live state or the archive fails; nothing is acknowledged then.
    pub async fn archive(&self, result_id: &str, changes: &Changes) -> Result<(), Refusal> {
        let id = result_id.split(':').next().unwrap_or_default();
        // A record that is gone was acknowledged before: it is in the archive.
        let Some(record) = self.live.load(id).await.map_err(|error| error::live(&error))? else {
            return Ok(());
        };
        let game = GameRecord::from_log(id, &record).map_err(|error| error::broken(&error))?;
        // Restored and ended once more since: it is archived with what the ledger makes of that.
        if result::id(&game) != result_id {
            return Ok(());
        }
        self.archive.keep(&game, &record, changes).await
    }

    /// What the result of a rated game changed, if the ledger is known to hold it. While the archive
    /// is away nothing is known, and a result is shown all the same.
    pub async fn applied(&self, record: &GameRecord) -> Option<Changes> {
        let outcome = record.table.outcome().filter(|_| record.table.settings().rated)?;
        let held = timeout(ARCHIVE_WAIT, self.archive.changes(&record.id, outcome.at_ms));
        held.await.ok()?.ok()?
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
        self.bring_up(record, head).await?;
        Ok(true)
    }

    /// Commits events that were decided on this record, and folds them in. False when another
    /// commit was first: the record is fresh then, and it is to be decided again. Where it stays
    /// open whether the commit happened, the record is as it was before; the next look at the head
    /// will tell.
    async fn commit(&self, record: &mut GameRecord, events: &[Event]) -> Result<bool, Refusal> {
        self.commit_until(record, events, |table| table.next_due_ms()).await
    }

    async fn commit_until(
        &self,
        record: &mut GameRecord,
        events: &[Event],
        next_due_ms: impl FnOnce(&Table) -> Option<i64>,
    ) -> Result<bool, Refusal> {
        let (next, entries) = record.with(events).map_err(|error| error::broken(&error))?;
        let commit = Commit {
            expected: Some(record.head),
            head: next.head,
            entries,
            next_due_ms: next_due_ms(&next.table),
            outages: self.outages.number(&record.id),
            outbox: (next.ended() && !record.ended()).then(|| Outgoing {
                id: result::id(&next),
                body: result::render(&next, traceparent()).encode_to_vec().into(),
            }),
            ended: next.ended(),
            relabel: Relabel { from: label(record), to: label(&next) },
        };
        match self.timed(&record.id, commit).await {
            Ok(()) => {
                self.metrics.committed(events, self.live.now_ms());
                if next.table.phase() != record.table.phase() {
                    self.metrics.entered(next.table.phase());
                }
                self.herald.committed(record, &next);
                *record = next;
                Ok(true)
            }
            Err(LiveError::Conflict { head }) => {
                self.bring_up(record, head).await?;
                Ok(false)
            }
            Err(LiveError::UnknownOutage) => {
                self.outages.read(&*self.live, &record.id).await?;
                self.refresh(record).await?;
                Ok(false)
            }
            Err(error) => Err(error::live(&error)),
        }
    }

    /// One commit of the live state, timed.
    async fn timed(&self, id: &str, commit: Commit) -> Result<(), LiveError> {
        let begun = Instant::now();
        let span = Span::child("commit").with("tengen.sequence", commit.head.sequence);
        let outcome = span.around(self.live.commit(id, commit)).await;
        self.metrics.commit.observe(begun.elapsed().as_secs_f64());
        outcome
    }

    /// Writes down what the live state cost the game, before anything else is decided on it: moves
    /// that are lost, and outages (rulebook C8.4).
    async fn make_good(&self, record: &mut GameRecord) -> Result<(), Refusal> {
        for _ in 0..TRIES {
            let now_ms = self.live.now_ms();
            let owed = match record.table.restored(now_ms).filter(|_| record.lost) {
                Some(restored) => Some(restored),
                None => self.outages.owed(record, now_ms),
            };
            let Some(event) = owed else { return Ok(()) };
            self.commit(record, &[event]).await?;
        }
        Err(error::contended(TRIES))
    }

    /// Brings a record up to a head that is another than its own: by what was committed since, or,
    /// where that is not what comes after it, by the whole log.
    async fn bring_up(&self, record: &mut GameRecord, head: Option<Head>) -> Result<(), Refusal> {
        if let Some(head) = head.filter(|head| head.sequence > record.head.sequence) {
            let since = self.live.log_after(&record.id, record.head.sequence).await;
            if record.go_on(&since.map_err(|error| error::live(&error))?, head) {
                return Ok(());
            }
        }
        self.renew(record).await
    }

    async fn renew(&self, record: &mut GameRecord) -> Result<(), Refusal> {
        let renewed = record.renewed(&self.load(&record.id).await?);
        *record = renewed.map_err(|error| error::broken(&error))?;
        if record.lost {
            tracing::error!(game_id = record.id, sequence = record.head.sequence, "moves are lost");
        }
        Ok(())
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
}

/// What a game is counted under: its phase, while it runs.
fn label(record: &GameRecord) -> &'static str {
    if record.ended() { "" } else { phase_name(record.table.phase()) }
}
