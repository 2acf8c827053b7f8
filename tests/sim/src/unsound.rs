//! Live state with a flaw, to show that the simulation finds it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;

use async_trait::async_trait;
use bytes::Bytes;
use tengen_live::{
    Claim, Commit, Head, Live, LiveError, Memory, Message, Outages, Outgoing, Record, Version,
    WakeUps,
};

use crate::dice::Dice;

/// What is wrong with a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// A commit does not compare the head.
    CommitsBlindly,
    /// A commit is acknowledged and not made, at times.
    LosesCommits,
    /// A commit sets when the record is due next three seconds too late.
    LooksLate,
    /// A record that was claimed is not due any more until it is committed.
    LosesDue,
    /// The outbox forgets what a commit puts into it, at times.
    LosesResults,
    /// The outbox gives a message once, to whoever takes it.
    GivesOnce,
    /// A record is read as it was before its last commit, at times.
    ReadsStale,
    /// Nobody is told of an outage.
    HidesOutages,
    /// The clock of the records is two seconds ahead, at times.
    JumpsAhead,
}

/// A store with a flaw.
pub struct Unsound {
    flaw: Flaw,
    sound: Memory,
    dice: Mutex<Dice>,
    /// Each record before its last commit.
    before: Mutex<HashMap<String, Record>>,
    /// Records that were claimed and not committed since.
    lost: Mutex<HashSet<String>>,
}

impl Unsound {
    /// What is made of a sound store.
    pub fn new(flaw: Flaw, seed: u64, sound: Memory) -> Self {
        let dice = Mutex::new(Dice::new(seed));
        Self { flaw, sound, dice, before: Mutex::default(), lost: Mutex::default() }
    }

    /// Whether the flaw shows this time: so many times in a thousand.
    fn shows(&self, flaw: Flaw, per_mille: u32) -> bool {
        self.flaw == flaw && self.dice.lock().unwrap().chance(per_mille)
    }

    async fn stale(&self, id: &str) -> Option<Record> {
        let shows = self.shows(Flaw::ReadsStale, 100);
        shows.then(|| self.before.lock().unwrap().get(id).cloned()).flatten()
    }
}

#[async_trait]
impl Live for Unsound {
    fn now_ms(&self) -> i64 {
        let ahead_ms = if self.shows(Flaw::JumpsAhead, 200) { 2_000 } else { 0 };
        self.sound.now_ms() + ahead_ms
    }

    async fn commit(&self, id: &str, mut commit: Commit) -> Result<(), LiveError> {
        if self.shows(Flaw::LosesCommits, 20) && commit.expected.is_some() {
            return Ok(());
        }
        if self.shows(Flaw::LosesResults, 300) {
            commit.outbox = None;
        }
        if self.flaw == Flaw::LooksLate {
            commit.next_due_ms = commit.next_due_ms.map(|due_ms| due_ms + 3_000);
        }
        if self.flaw == Flaw::HidesOutages {
            commit.outages = self.sound.outages(id).await?.number;
        }
        if self.flaw == Flaw::CommitsBlindly
            && let (Some(_), Some(head)) = (commit.expected, self.sound.head(id).await?)
        {
            commit.expected = Some(head);
            commit.head.sequence = head.sequence + i64::try_from(commit.entries.len()).unwrap();
        }
        if self.flaw == Flaw::ReadsStale
            && let Some(record) = self.sound.load(id).await?
        {
            self.before.lock().unwrap().insert(id.to_owned(), record);
        }
        self.sound.commit(id, commit).await?;
        self.lost.lock().unwrap().remove(id);
        Ok(())
    }

    async fn load(&self, id: &str) -> Result<Option<Record>, LiveError> {
        match self.stale(id).await {
            Some(record) => Ok(Some(record)),
            None => self.sound.load(id).await,
        }
    }

    async fn head(&self, id: &str) -> Result<Option<Head>, LiveError> {
        match self.stale(id).await {
            Some(record) => Ok(Some(record.head)),
            None => self.sound.head(id).await,
        }
    }

    async fn log_after(&self, id: &str, sequence: i64) -> Result<Vec<Bytes>, LiveError> {
        self.sound.log_after(id, sequence).await
    }

    async fn subscribe(&self, id: &str) -> Result<WakeUps, LiveError> {
        self.sound.subscribe(id).await
    }

    async fn claim_due(&self, lease_ms: i64, most: usize) -> Result<Vec<Claim>, LiveError> {
        let mut claims = self.sound.claim_due(lease_ms, most).await?;
        if self.flaw == Flaw::LosesDue {
            // It is given to the first who claims it, if its way is good, and to nobody after that.
            let mut lost = self.lost.lock().unwrap();
            let mut first = |claim: &Claim| lost.insert(claim.id.clone());
            claims.retain(|claim| first(claim) && !self.shows(Flaw::LosesDue, 200));
        }
        Ok(claims)
    }

    async fn beat(&self) -> Result<Vec<i64>, LiveError> {
        self.sound.beat().await
    }

    async fn outages(&self, id: &str) -> Result<Outages, LiveError> {
        match self.flaw {
            Flaw::HidesOutages => Ok(Outages::default()),
            _ => self.sound.outages(id).await,
        }
    }

    async fn labels(&self) -> Result<BTreeMap<String, i64>, LiveError> {
        self.sound.labels().await
    }

    async fn due_wait(&self) -> Result<(), LiveError> {
        self.sound.due_wait().await
    }

    async fn outbox_take(&self, most: usize) -> Result<Vec<Outgoing>, LiveError> {
        let taken = self.sound.outbox_take(most).await?;
        if self.flaw == Flaw::GivesOnce {
            let ids: Vec<_> = taken.iter().map(|outgoing| outgoing.id.clone()).collect();
            self.sound.outbox_acknowledge(&ids).await?;
        }
        Ok(taken)
    }

    async fn outbox_wait(&self) -> Result<(), LiveError> {
        self.sound.outbox_wait().await
    }

    async fn outbox_acknowledge(&self, ids: &[String]) -> Result<(), LiveError> {
        self.sound.outbox_acknowledge(ids).await
    }

    async fn outbox_defer(&self, ids: &[String]) -> Result<(), LiveError> {
        self.sound.outbox_defer(ids).await
    }

    async fn feed_append(&self, feed: &str, key: &str, body: Bytes) -> Result<i64, LiveError> {
        self.sound.feed_append(feed, key, body).await
    }

    async fn feed_after(&self, feed: &str, sequence: i64) -> Result<Vec<Message>, LiveError> {
        self.sound.feed_after(feed, sequence).await
    }

    async fn put_entry(
        &self,
        slot: &str,
        key: &str,
        expected: Option<Version>,
        value: Option<Bytes>,
        expires_ms: Option<i64>,
    ) -> Result<Version, LiveError> {
        self.sound.put_entry(slot, key, expected, value, expires_ms).await
    }

    async fn entry(&self, slot: &str, key: &str) -> Result<Option<(Version, Bytes)>, LiveError> {
        self.sound.entry(slot, key).await
    }

    async fn entries(&self, slot: &str) -> Result<Vec<(String, Version, Bytes)>, LiveError> {
        self.sound.entries(slot).await
    }
}
