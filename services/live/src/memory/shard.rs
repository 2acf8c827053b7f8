//! The records of one partition, when they are due, and who listens.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::broadcast;

use super::Settings;
use super::beats::Beats;
use super::feeds::Feeds;
use crate::error::LiveError;
use crate::feed::Message;
use crate::outage::Outages;
use crate::record::{Claim, Commit, Head, Outgoing, Record};
use crate::wake::{Committed, Wake};

/// One partition. Times are milliseconds of the partition's clock.
#[derive(Debug, Default)]
pub(super) struct Shard {
    records: HashMap<Arc<str>, Stored>,
    /// (due, id) of every record that is due some day.
    due: BTreeSet<(i64, Arc<str>)>,
    /// (expiry, id) of every record that is over and owes the outbox nothing.
    expiry: BTreeSet<(i64, Arc<str>)>,
    /// By record id; a channel without receivers is removed.
    listeners: HashMap<String, broadcast::Sender<Wake>>,
    /// How many records have each label.
    labels: BTreeMap<&'static str, i64>,
    beats: Beats,
    feeds: Feeds,
}

#[derive(Debug)]
struct Stored {
    id: Arc<str>,
    head: Head,
    log: Vec<Bytes>,
    due_ms: Option<i64>,
    ended: bool,
    /// Messages of this record that wait in the outbox.
    waiting: usize,
    expires_ms: Option<i64>,
}

impl Shard {
    pub(super) fn head(&self, id: &str) -> Option<Head> {
        self.records.get(id).map(|stored| stored.head)
    }

    pub(super) fn load(&self, id: &str) -> Option<Record> {
        self.records.get(id).map(|stored| Record { head: stored.head, log: stored.log.clone() })
    }

    pub(super) fn log_after(&self, id: &str, sequence: i64) -> Vec<Bytes> {
        let skip = usize::try_from(sequence.max(0)).unwrap_or(usize::MAX);
        self.records
            .get(id)
            .and_then(|stored| stored.log.get(skip..))
            .map_or_else(Vec::new, <[Bytes]>::to_vec)
    }

    /// `send` puts a message into the outbox and says whether it was new there. A commit that was
    /// checked can only be refused before anything is changed.
    pub(super) fn commit(
        &mut self,
        id: &str,
        commit: Commit,
        now_ms: i64,
        settings: &Settings,
        send: impl FnOnce(Outgoing) -> bool,
    ) -> Result<(), LiveError> {
        let head = self.head(id);
        if head != commit.expected {
            return Err(LiveError::Conflict { head });
        }
        if head.is_none() && self.records.len() >= settings.records_per_partition {
            return Err(LiveError::Full("records"));
        }
        self.look(now_ms, settings.outage_ms);
        if head.is_some() && commit.outages != self.beats.outages.number {
            return Err(LiveError::UnknownOutage);
        }
        let added: Arc<[Bytes]> = commit.entries.into();
        let id: Arc<str> = id.into();
        let stored =
            self.records.entry(Arc::clone(&id)).or_insert_with(|| Stored::new(id, commit.head));
        let first_sequence = commit.expected.map_or(0, |head| head.sequence) + 1;
        stored.head = commit.head;
        stored.log.extend_from_slice(&added);
        stored.ended = commit.ended;
        if commit.outbox.is_some_and(send) {
            stored.waiting += 1;
        }
        for (label, change) in commit.relabel.changes() {
            *self.labels.entry(label).or_default() += change;
        }
        stored.set_due(&mut self.due, commit.next_due_ms);
        stored.set_expiry(&mut self.expiry, now_ms, settings.keep_ended_ms);
        if !added.is_empty() {
            let id = Arc::clone(&stored.id);
            self.wake(&id, Committed { head: commit.head, first_sequence, entries: added });
        }
        Ok(())
    }

    pub(super) fn feed_append(&mut self, id: &str, key: &str, body: Bytes, now_ms: i64) -> i64 {
        let (sequence, new) = self.feeds.append(id, key, body.clone(), now_ms);
        if new {
            // A feed has no chain hash.
            let head = Head { sequence, hash: [0; 16] };
            self.wake(id, Committed { head, first_sequence: sequence, entries: [body].into() });
        }
        sequence
    }

    pub(super) fn messages(&self, feed: &str) -> Vec<Message> {
        self.feeds.messages(feed)
    }

    fn wake(&self, id: &str, committed: Committed) {
        if let Some(listeners) = self.listeners.get(id) {
            // Nobody left to hear it is no error.
            let _ = listeners.send(Wake::Committed(committed));
        }
    }

    pub(super) fn outages(&self) -> &Outages {
        &self.beats.outages
    }

    /// Whether an outage ended by this beat.
    pub(super) fn beat(&mut self, now_ms: i64, outage_ms: i64) -> bool {
        let ended = self.look(now_ms, outage_ms);
        self.beats.beat(now_ms);
        ended
    }

    /// Ends an outage that lasts until now; everything that is due some day is then due at once.
    fn look(&mut self, now_ms: i64, outage_ms: i64) -> bool {
        let ended = self.beats.look(now_ms, outage_ms);
        if ended {
            for (_, id) in std::mem::take(&mut self.due) {
                if let Some(stored) = self.records.get_mut(&id) {
                    stored.due_ms = stored.due_ms.map(|due_ms| due_ms.min(now_ms));
                    self.due.extend(stored.due_ms.map(|due_ms| (due_ms, id)));
                }
            }
        }
        ended
    }

    /// A message of the record left the outbox.
    pub(super) fn acknowledged(&mut self, id: &str, now_ms: i64, keep_ended_ms: i64) {
        if let Some(stored) = self.records.get_mut(id) {
            stored.waiting = stored.waiting.saturating_sub(1);
            stored.set_expiry(&mut self.expiry, now_ms, keep_ended_ms);
        }
    }

    /// Drops every record and feed whose time has come.
    pub(super) fn expire(&mut self, now_ms: i64) {
        self.feeds.expire(now_ms);
        while let Some((expires_ms, _)) = self.expiry.first()
            && *expires_ms <= now_ms
        {
            if let Some((_, id)) = self.expiry.pop_first()
                && let Some(mut stored) = self.records.remove(&id)
            {
                stored.set_due(&mut self.due, None);
            }
        }
    }

    pub(super) fn labels(&self) -> &BTreeMap<&'static str, i64> {
        &self.labels
    }

    pub(super) fn earliest_due_ms(&self) -> Option<i64> {
        self.due.first().map(|(due_ms, _)| *due_ms)
    }

    /// Moves at most `most` due records to the end of their lease.
    pub(super) fn claim_due(
        &mut self,
        now_ms: i64,
        lease_ms: i64,
        most: usize,
        claims: &mut Vec<Claim>,
    ) {
        self.expire(now_ms);
        // A lease of nothing would be due again within this loop, and to everybody.
        let leased_until_ms = now_ms.saturating_add(lease_ms.max(1));
        for _ in 0..most {
            if self.earliest_due_ms().is_none_or(|due_ms| due_ms > now_ms) {
                return;
            }
            let Some((due_ms, id)) = self.due.pop_first() else {
                return;
            };
            claims.push(Claim { id: id.to_string(), due_ms });
            if let Some(stored) = self.records.get_mut(&id) {
                stored.due_ms = Some(leased_until_ms);
                self.due.insert((leased_until_ms, id));
            }
        }
    }

    pub(super) fn subscribe(&mut self, id: &str, most: usize) -> broadcast::Receiver<Wake> {
        self.listeners
            .entry(id.to_owned())
            .or_insert_with(|| broadcast::Sender::new(most.max(1)))
            .subscribe()
    }

    pub(super) fn unsubscribe(&mut self, id: &str) {
        if let Some(listeners) = self.listeners.get(id)
            && listeners.receiver_count() == 0
        {
            self.listeners.remove(id);
        }
    }
}

impl Stored {
    fn new(id: Arc<str>, head: Head) -> Self {
        Self { id, head, log: Vec::new(), due_ms: None, ended: false, waiting: 0, expires_ms: None }
    }

    fn set_due(&mut self, due: &mut BTreeSet<(i64, Arc<str>)>, due_ms: Option<i64>) {
        if let Some(before) = self.due_ms {
            due.remove(&(before, Arc::clone(&self.id)));
        }
        if let Some(due_ms) = due_ms {
            due.insert((due_ms, Arc::clone(&self.id)));
        }
        self.due_ms = due_ms;
    }

    /// A record that is over and owes the outbox nothing stays `keep_ms` from now.
    fn set_expiry(&mut self, expiry: &mut BTreeSet<(i64, Arc<str>)>, now_ms: i64, keep_ms: i64) {
        if let Some(before) = self.expires_ms.take() {
            expiry.remove(&(before, Arc::clone(&self.id)));
        }
        if self.ended && self.waiting == 0 {
            let expires_ms = now_ms.saturating_add(keep_ms);
            expiry.insert((expires_ms, Arc::clone(&self.id)));
            self.expires_ms = Some(expires_ms);
        }
    }
}
