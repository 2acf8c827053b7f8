//! Live state in this process's memory: nothing outlives it.

mod beats;
mod feeds;
mod outbox;
mod shard;
mod slots;

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use bytes::Bytes;
use tengen_kit::time::SharedTime;
use tokio::sync::Notify;

use self::outbox::Outbox;
use self::shard::Shard;
use self::slots::Slots;
use crate::error::LiveError;
use crate::feed::{self, Message};
use crate::id::{PARTITIONS, partition};
use crate::live::{Live, Version};
use crate::outage::Outages;
use crate::record::{Claim, Commit, Head, Outgoing, Record};
use crate::wake::WakeUps;

/// What the memory backend keeps, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How long an ended record stays once nothing of it waits in the outbox; at least 10 minutes,
    /// so that late retries find their answer.
    pub keep_ended_ms: i64,
    /// Records at most, ended ones included, in each of the [`PARTITIONS`].
    pub records_per_partition: usize,
    /// Entries at most in one slot.
    pub entries_per_slot: usize,
    /// Commits a subscriber may be behind before it has lagged.
    pub wake_ups: usize,
    /// Silence between beats that is an outage when it is longer; `i64::MAX` for none at all, as
    /// where the clock is set by hand. [`OUTAGE_MS`](crate::OUTAGE_MS) is what is usual.
    pub outage_ms: i64,
}

/// Live state in memory. Clones share it.
#[derive(Clone)]
pub struct Memory {
    state: Arc<State>,
}

/// Each partition, each group of slots and the outbox has its own lock. None is held across an
/// await; who holds a partition's may take the outbox's, never the other way round.
struct State {
    time: SharedTime,
    settings: Settings,
    shards: Vec<Mutex<Shard>>,
    outbox: Mutex<Outbox>,
    slots: Vec<Mutex<Slots>>,
    /// The last version given to an entry.
    version: AtomicU64,
    /// The shard the next claim begins with, so that a busy one does not starve the others.
    turn: AtomicUsize,
    /// Rung when some shard's earliest due instant changed.
    due_changed: Notify,
    /// Rung when the outbox gained a message.
    outbox_grew: Notify,
}

/// Ends a subscription when dropped.
struct Subscription {
    state: Weak<State>,
    shard: usize,
    id: String,
}

impl Default for Settings {
    /// Ended records stay a day; nothing is an outage.
    fn default() -> Self {
        Self {
            keep_ended_ms: 24 * 60 * 60 * 1000,
            records_per_partition: 4096,
            entries_per_slot: 4096,
            wake_ups: 32,
            outage_ms: i64::MAX,
        }
    }
}

impl Memory {
    /// Empty live state whose clock is `time`.
    #[must_use]
    pub fn new(time: SharedTime, settings: Settings) -> Self {
        let shards = (0..PARTITIONS).map(|_| Mutex::default()).collect();
        let slots = (0..PARTITIONS).map(|_| Mutex::default()).collect();
        Self {
            state: Arc::new(State {
                time,
                settings,
                shards,
                outbox: Mutex::default(),
                slots,
                version: AtomicU64::new(0),
                turn: AtomicUsize::new(0),
                due_changed: Notify::new(),
                outbox_grew: Notify::new(),
            }),
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

impl State {
    /// The shard of a record, locked, with what has expired gone.
    fn shard(&self, id: &str) -> Option<MutexGuard<'_, Shard>> {
        let mut shard = lock(&self.shards[shard_index(id)?]);
        shard.expire(self.time.now_ms());
        Some(shard)
    }

    /// The group of slots that `slot` is in, locked, with what has expired gone.
    fn slots(&self, slot: &str) -> MutexGuard<'_, Slots> {
        let mut hasher = DefaultHasher::new();
        slot.hash(&mut hasher);
        let index = hasher.finish() % u64::from(PARTITIONS);
        let mut slots = lock(&self.slots[usize::try_from(index).unwrap_or_default()]);
        slots.expire(self.time.now_ms());
        slots
    }

    fn earliest_due_ms(&self) -> Option<i64> {
        self.shards.iter().filter_map(|shard| lock(shard).earliest_due_ms()).min()
    }
}

#[async_trait]
impl Live for Memory {
    fn now_ms(&self) -> i64 {
        self.state.time.now_ms()
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<(), LiveError> {
        commit.check(id)?;
        let state = &*self.state;
        let not_an_id = || LiveError::NotAnId(id.to_owned());
        let mut shard = state.shard(id).ok_or_else(not_an_id)?;
        let earliest = shard.earliest_due_ms();
        let now_ms = state.time.now_ms();
        let mut grew = false;
        shard.commit(id, commit, now_ms, &state.settings, |outgoing| {
            grew = lock(&state.outbox).add(id, outgoing);
            grew
        })?;
        let due_changed = shard.earliest_due_ms() != earliest;
        drop(shard);
        if due_changed {
            state.due_changed.notify_waiters();
        }
        if grew {
            state.outbox_grew.notify_waiters();
        }
        Ok(())
    }

    async fn load(&self, id: &str) -> Result<Option<Record>, LiveError> {
        Ok(self.state.shard(id).and_then(|shard| shard.load(id)))
    }

    async fn head(&self, id: &str) -> Result<Option<Head>, LiveError> {
        Ok(self.state.shard(id).and_then(|shard| shard.head(id)))
    }

    async fn log_after(&self, id: &str, sequence: i64) -> Result<Vec<Bytes>, LiveError> {
        let shard = self.state.shard(id);
        Ok(shard.map_or_else(Vec::new, |shard| shard.log_after(id, sequence)))
    }

    async fn subscribe(&self, id: &str) -> Result<WakeUps, LiveError> {
        let not_an_id = || LiveError::NotAnId(id.to_owned());
        let shard = shard_index(id).ok_or_else(not_an_id)?;
        let wake_ups = self.state.settings.wake_ups;
        let receiver = lock(&self.state.shards[shard]).subscribe(id, wake_ups);
        let subscription =
            Subscription { state: Arc::downgrade(&self.state), shard, id: id.to_owned() };
        Ok(WakeUps::new(receiver, Box::new(subscription)))
    }

    async fn claim_due(&self, lease_ms: i64, most: usize) -> Result<Vec<Claim>, LiveError> {
        let state = &*self.state;
        let now_ms = state.time.now_ms();
        let first = state.turn.fetch_add(1, Ordering::Relaxed);
        let mut claims = Vec::new();
        for offset in 0..state.shards.len() {
            let index = first.wrapping_add(offset) % state.shards.len();
            let room = most - claims.len();
            lock(&state.shards[index]).claim_due(now_ms, lease_ms, room, &mut claims);
        }
        Ok(claims)
    }

    async fn beat(&self) -> Result<Vec<i64>, LiveError> {
        let state = &*self.state;
        let now_ms = state.time.now_ms();
        let mut ended = false;
        let numbers = state.shards.iter().map(|shard| {
            let mut shard = lock(shard);
            ended |= shard.beat(now_ms, state.settings.outage_ms);
            shard.outages().number
        });
        let numbers = numbers.collect();
        if ended {
            state.due_changed.notify_waiters();
        }
        Ok(numbers)
    }

    async fn outages(&self, id: &str) -> Result<Outages, LiveError> {
        let shard = self.state.shard(id).ok_or_else(|| LiveError::NotAnId(id.to_owned()))?;
        Ok(shard.outages().clone())
    }

    async fn labels(&self) -> Result<BTreeMap<String, i64>, LiveError> {
        let mut labels = BTreeMap::new();
        for shard in &self.state.shards {
            for (label, records) in lock(shard).labels() {
                *labels.entry((*label).to_owned()).or_default() += records;
            }
        }
        Ok(labels)
    }

    async fn due_wait(&self) -> Result<(), LiveError> {
        let state = &*self.state;
        loop {
            // Enabled before the queue is read, so that a change in between is heard.
            let mut changed = pin!(state.due_changed.notified());
            changed.as_mut().enable();
            match state.earliest_due_ms() {
                Some(due_ms) if due_ms <= state.time.now_ms() => return Ok(()),
                Some(due_ms) => tokio::select! {
                    biased;
                    () = state.time.until(due_ms) => {}
                    () = changed => {}
                },
                None => changed.await,
            }
        }
    }

    async fn outbox_take(&self, most: usize) -> Result<Vec<Outgoing>, LiveError> {
        Ok(lock(&self.state.outbox).take(most))
    }

    async fn outbox_wait(&self) -> Result<(), LiveError> {
        loop {
            let mut grew = pin!(self.state.outbox_grew.notified());
            grew.as_mut().enable();
            if !lock(&self.state.outbox).is_empty() {
                return Ok(());
            }
            grew.await;
        }
    }

    async fn outbox_acknowledge(&self, ids: &[String]) -> Result<(), LiveError> {
        let state = &*self.state;
        for id in ids {
            let removed = lock(&state.outbox).remove(id);
            if let Some(record) = removed
                && let Some(mut shard) = state.shard(&record)
            {
                let now_ms = state.time.now_ms();
                shard.acknowledged(&record, now_ms, state.settings.keep_ended_ms);
            }
        }
        Ok(())
    }

    async fn outbox_defer(&self, ids: &[String]) -> Result<(), LiveError> {
        let mut outbox = lock(&self.state.outbox);
        ids.iter().for_each(|id| outbox.defer(id));
        Ok(())
    }

    async fn feed_append(&self, feed: &str, key: &str, body: Bytes) -> Result<i64, LiveError> {
        let not_an_id = || LiveError::NotAnId(feed.to_owned());
        let mut shard = self.state.shard(feed).ok_or_else(not_an_id)?;
        Ok(shard.feed_append(feed, key, body, self.state.time.now_ms()))
    }

    async fn feed_after(&self, feed: &str, sequence: i64) -> Result<Vec<Message>, LiveError> {
        let messages = self.state.shard(feed).map(|shard| shard.messages(feed));
        Ok(feed::after(messages.unwrap_or_default(), sequence))
    }

    async fn put_entry(
        &self,
        slot: &str,
        key: &str,
        expected: Option<Version>,
        value: Option<Bytes>,
        expires_ms: Option<i64>,
    ) -> Result<Version, LiveError> {
        let state = &*self.state;
        let version = Version(state.version.fetch_add(1, Ordering::Relaxed) + 1);
        let value = value.map(|value| slots::Entry { version, value, expires_ms });
        let most = state.settings.entries_per_slot;
        state.slots(slot).put(slot, key, expected, value, most)?;
        Ok(version)
    }

    async fn entry(&self, slot: &str, key: &str) -> Result<Option<(Version, Bytes)>, LiveError> {
        Ok(self.state.slots(slot).entry(slot, key))
    }

    async fn entries(&self, slot: &str) -> Result<Vec<(String, Version, Bytes)>, LiveError> {
        Ok(self.state.slots(slot).entries(slot))
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(state) = self.state.upgrade() {
            lock(&state.shards[self.shard]).unsubscribe(&self.id);
        }
    }
}

fn shard_index(id: &str) -> Option<usize> {
    partition(id).map(|partition| usize::from(partition % PARTITIONS))
}

/// A panic elsewhere must not take live state away: every change below is made whole once begun.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
