//! The verbs of live state. Each is one script or one command on one slot, whatever the backend.

use std::collections::BTreeMap;

use async_trait::async_trait;
use bytes::Bytes;

use crate::error::LiveError;
use crate::feed::Message;
use crate::outage::Outages;
use crate::record::{Claim, Commit, Head, Outgoing, Record};
use crate::wake::WakeUps;

/// Names one state of an entry. Never used twice in a slot, also not after the entry was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u64);

/// Live state. Every verb may fail with [`LiveError::Unavailable`]: whether a change has happened
/// then, only a later look tells.
#[async_trait]
pub trait Live: Send + Sync {
    /// The clock of the records, in milliseconds of Unix time: what is due is judged by it.
    fn now_ms(&self) -> i64;

    /// Changes a record: compares its head, appends, sets when it is due next, counts it
    /// under its label, adds to the outbox and then wakes the subscribers; all of it or nothing. An outgoing id that is waiting
    /// already is not added again.
    ///
    /// # Errors
    ///
    /// [`LiveError::Conflict`] with the head that stands; [`LiveError::UnknownOutage`] when there
    /// was one, or is one ending now, that the commit does not know; [`LiveError::NotAnId`],
    /// [`LiveError::BadCommit`]; [`LiveError::Full`] for one record too many.
    async fn commit(&self, id: &str, commit: Commit) -> Result<(), LiveError>;

    /// The record, whole.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn load(&self, id: &str) -> Result<Option<Record>, LiveError>;

    /// Where the record stands.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn head(&self, id: &str) -> Result<Option<Head>, LiveError>;

    /// The entries after `sequence`, the oldest first; none if there is no such record.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn log_after(&self, id: &str, sequence: i64) -> Result<Vec<Bytes>, LiveError>;

    /// Wake-ups for every commit from now on. The record need not exist yet. Subscribe first,
    /// then read: so nothing falls between.
    ///
    /// # Errors
    ///
    /// [`LiveError::NotAnId`].
    async fn subscribe(&self, id: &str) -> Result<WakeUps, LiveError>;

    /// Takes at most `most` records that are due, each leased for `lease_ms`: it is due again
    /// when the lease is over, unless a commit sets another instant before. So what a dead
    /// claimer held comes back, and a claim that was served twice does no harm.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn claim_due(&self, lease_ms: i64, most: usize) -> Result<Vec<Claim>, LiveError>;

    /// Shows that records can be changed: to be called every [`BEAT_MS`](crate::BEAT_MS) by
    /// somebody. Where the beat before is longer ago than an outage takes, an outage ends; what is
    /// due some day in that partition is then due at once, so that each record learns of it.
    /// Gives the number of outages of each partition so far.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn beat(&self) -> Result<Vec<i64>, LiveError>;

    /// The outages of a record's partition.
    ///
    /// # Errors
    ///
    /// [`LiveError::NotAnId`].
    async fn outages(&self, id: &str) -> Result<Outages, LiveError>;

    /// How many records have each label, as their commits said ([`Relabel`](crate::Relabel)).
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn labels(&self) -> Result<BTreeMap<String, i64>, LiveError>;

    /// Returns when something may be due. Claim to find out; somebody else may have been first.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn due_wait(&self) -> Result<(), LiveError>;

    /// At most `most` messages that wait in the outbox, the oldest first. They stay until they
    /// are acknowledged and are never trimmed before: whoever takes again gets them again. The
    /// oldest is always among them; of more than `most`, a backend may leave out some that are
    /// older than others it gives, but of one record none before the older ones.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn outbox_take(&self, most: usize) -> Result<Vec<Outgoing>, LiveError>;

    /// Returns when the outbox is not empty.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn outbox_wait(&self) -> Result<(), LiveError>;

    /// Removes messages from the outbox; one that is not there is passed over.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn outbox_acknowledge(&self, ids: &[String]) -> Result<(), LiveError>;

    /// Moves messages to the back of the outbox: what cannot be used now must not keep the others
    /// waiting. One that is not there is passed over.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn outbox_defer(&self, ids: &[String]) -> Result<(), LiveError>;

    /// Appends a message to a feed, whose id is made like that of a record, and wakes its
    /// subscribers. A key that one of the messages has already appends nothing. Gives the
    /// message's sequence.
    ///
    /// # Errors
    ///
    /// [`LiveError::NotAnId`].
    async fn feed_append(&self, feed: &str, key: &str, body: Bytes) -> Result<i64, LiveError>;

    /// The messages of a feed after `sequence`, the oldest first. Where that is more than the
    /// newest one's, the feed was begun anew: it gives all.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn feed_after(&self, feed: &str, sequence: i64) -> Result<Vec<Message>, LiveError>;

    /// Puts an entry into a slot, a small keyed collection, or with no value removes it.
    /// `expected` is the version that has to stand, `None` that there is no such entry. From
    /// `expires_ms` on, the entry is not there. Gives the version of the change.
    ///
    /// # Errors
    ///
    /// [`LiveError::EntryConflict`] with the version that stands; [`LiveError::Full`] for one
    /// entry too many.
    async fn put_entry(
        &self,
        slot: &str,
        key: &str,
        expected: Option<Version>,
        value: Option<Bytes>,
        expires_ms: Option<i64>,
    ) -> Result<Version, LiveError>;

    /// One entry of a slot.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn entry(&self, slot: &str, key: &str) -> Result<Option<(Version, Bytes)>, LiveError>;

    /// All entries of a slot, in the order of their keys. One that comes, changes or goes meanwhile
    /// may be told as it was or as it is.
    ///
    /// # Errors
    ///
    /// When the backend does not answer.
    async fn entries(&self, slot: &str) -> Result<Vec<(String, Version, Bytes)>, LiveError>;
}
