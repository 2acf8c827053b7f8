//! Live state in Redis or Valkey: one server, or a cluster.

mod clock;
mod codec;
mod connection;
mod feed;
mod hub;
mod keys;
mod queues;
mod script;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::future::try_join_all;
use redis::cmd;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use self::clock::Clock;
use self::connection::{Address, Connection};
use self::hub::Hub;
use self::keys::{Keys, home};
use self::queues::{by_partition, count};
use crate::error::LiveError;
use crate::feed::Message;
use crate::id::PARTITIONS;
use crate::live::{Live, Version};
use crate::outage::{OUTAGE_MS, OUTAGES_KEPT, Outages};
use crate::record::{Claim, Commit, Head, Outgoing, Record, Relabel};
use crate::wake::WakeUps;

/// How often the clock is measured, and lost subscriptions are made again.
const TEND_MS: i64 = 1_000;
/// Entries of a slot that are asked for at a time: a long answer holds up all others, in the server
/// and on the connection.
const ENTRIES_IN_A_PART: usize = 100;

/// What the Redis backend keeps, and how it asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedisSettings {
    /// What every key and channel begins with, so that several deployments can share a server. No
    /// braces.
    pub prefix: String,
    /// How long an ended record stays once nothing of it waits in the outbox; at least 10 minutes,
    /// so that late retries find their answer.
    pub keep_ended_ms: i64,
    /// Entries at most in one slot.
    pub entries_per_slot: usize,
    /// Commits a subscriber may be behind before it has lagged.
    pub wake_ups: usize,
    /// How long a verb waits for Redis before it fails.
    pub timeout: Duration,
    /// How often the waiting verbs look whether something is due or waits in the outbox.
    pub poll_ms: i64,
    /// Silence between beats that is an outage when it is longer.
    pub outage_ms: i64,
}

/// Live state in Redis. Clones share it. The last one to be dropped ends its connections.
#[derive(Clone)]
pub struct Redis {
    state: Arc<State>,
}

struct State {
    settings: RedisSettings,
    keys: Keys,
    /// For everything but subscriptions.
    commands: Connection,
    clock: Arc<Clock>,
    hub: Arc<Hub>,
    /// The partition the next claim begins with, so that a busy one does not starve the others.
    turn: AtomicUsize,
    tending: JoinHandle<()>,
}

impl Default for RedisSettings {
    /// Ended records stay a day; a verb fails after a second.
    fn default() -> Self {
        Self {
            prefix: "tengen:".to_owned(),
            keep_ended_ms: 24 * 60 * 60 * 1000,
            entries_per_slot: 4096,
            wake_ups: 32,
            timeout: Duration::from_secs(1),
            poll_ms: 50,
            outage_ms: OUTAGE_MS,
        }
    }
}

impl Redis {
    /// Connects to `redis://host:port`, or to the cluster of `redis+cluster://host:port,host:port`.
    /// Before the first host there may be `user:password@`.
    ///
    /// # Errors
    ///
    /// [`LiveError::BadSettings`]; [`LiveError::Unavailable`] when Redis does not answer.
    pub async fn connect(url: &str, settings: RedisSettings) -> Result<Self, LiveError> {
        let address = Address::parse(url)?;
        let keys = Keys::new(&settings.prefix)?;
        let hub = Arc::new(Hub::new(settings.wake_ups));
        let ears = Arc::clone(&hub);
        let hear = Arc::new(move |push| {
            ears.hear(push);
            Ok::<_, std::convert::Infallible>(())
        });
        let commands = Connection::open(&address, settings.timeout, None).await?;
        let listening = Connection::open(&address, settings.timeout, Some(hear)).await?;
        let clock = Arc::new(Clock::new());
        clock.measure(&commands).await?;
        let tending = tend(Arc::clone(&clock), commands.clone(), Arc::clone(&hub), listening);
        let tending = tokio::spawn(tending);
        let turn = AtomicUsize::new(0);
        let state = State { settings, keys, commands, clock, hub, turn, tending };
        Ok(Self { state: Arc::new(state) })
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").finish_non_exhaustive()
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.tending.abort();
    }
}

/// Keeps the clock right and the subscriptions alive.
async fn tend(clock: Arc<Clock>, commands: Connection, hub: Arc<Hub>, listening: Connection) {
    let measuring = async {
        loop {
            clock.until(i64::MAX, TEND_MS).await;
            // While Redis is away, the clock counts on.
            let _ = clock.measure(&commands).await;
        }
    };
    let settling = async {
        loop {
            tokio::select! {
                () = hub.changed() => {}
                () = clock.until(i64::MAX, TEND_MS) => {
                    // Only who asks learns that a connection is lost, and has it made again.
                    let _ = listening.query_masters::<redis::Value>(cmd("PING")).await;
                }
            }
            hub.settle(&listening).await;
        }
    };
    tokio::join!(measuring, settling);
}

#[async_trait]
impl Live for Redis {
    fn now_ms(&self) -> i64 {
        self.state.clock.now_ms()
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<(), LiveError> {
        commit.check(id)?;
        let state = &*self.state;
        let partition = home(id).ok_or_else(|| LiveError::NotAnId(id.to_owned()))?;
        let base = state.keys.base(partition);
        let [beats, outages] = state.keys.beats(partition);
        let mut keys = vec![format!("{base}{id}"), state.keys.due(partition), beats, outages];
        let mut message = Bytes::new();
        if let Some(outgoing) = &commit.outbox {
            keys.extend([state.keys.order(partition), state.keys.messages(partition)]);
            message = codec::message(id, outgoing)?;
        }
        let Relabel { from, to } = commit.relabel;
        if from != to {
            keys.push(state.keys.labels(partition));
        }
        let expected = commit.expected.as_ref().map(codec::head);
        let head = codec::head(&commit.head);
        let next_due = commit.next_due_ms.map(|ms| ms.to_string()).unwrap_or_default();
        let keep_ended = state.settings.keep_ended_ms.max(1).to_string();
        let channel = state.keys.channel(partition, id);
        let outage_ms = state.settings.outage_ms.to_string();
        let (kept, outages) = (count(OUTAGES_KEPT), commit.outages.to_string());
        let lengths = codec::lengths(&commit.entries)?;
        let mut arguments: Vec<&[u8]> = vec![
            id.as_bytes(),
            expected.as_ref().map_or(&[], |head| head),
            &head,
            next_due.as_bytes(),
            if commit.ended { b"1" } else { b"" },
            keep_ended.as_bytes(),
            state.commands.publish().as_bytes(),
            channel.as_bytes(),
            outage_ms.as_bytes(),
            &kept,
            outages.as_bytes(),
            commit.outbox.as_ref().map_or(&[], |outgoing| outgoing.id.as_bytes()),
            &message,
            from.as_bytes(),
            to.as_bytes(),
            &lengths,
        ];
        arguments.extend(commit.entries.iter().map(|entry| &**entry));
        let standing: Option<Bytes> =
            script::COMMIT.run(&state.commands, &keys, &arguments).await?;
        match standing {
            None => Ok(()),
            Some(answer) if answer == "outage" => Err(LiveError::UnknownOutage),
            Some(mut head) => Err(LiveError::Conflict { head: codec::read_head(&mut head) }),
        }
    }

    async fn load(&self, id: &str) -> Result<Option<Record>, LiveError> {
        let mut log = self.elements(id, 0, -1).await?.into_iter();
        let head = log.next().and_then(|mut state| codec::read_head(&mut state));
        Ok(head.map(|head| Record { head, log: log.collect() }))
    }

    async fn head(&self, id: &str) -> Result<Option<Head>, LiveError> {
        let mut state = self.elements(id, 0, 0).await?.into_iter();
        Ok(state.next().and_then(|mut state| codec::read_head(&mut state)))
    }

    async fn log_after(&self, id: &str, sequence: i64) -> Result<Vec<Bytes>, LiveError> {
        self.elements(id, sequence.max(0).saturating_add(1), -1).await
    }

    async fn subscribe(&self, id: &str) -> Result<WakeUps, LiveError> {
        let state = &*self.state;
        let partition = home(id).ok_or_else(|| LiveError::NotAnId(id.to_owned()))?;
        let channel = state.keys.channel(partition, id);
        let subscribed = timeout(state.settings.timeout, state.hub.subscribe(partition, channel));
        let late = |_| LiveError::Unavailable("the subscription was not confirmed".to_owned());
        subscribed.await.map_err(late)?
    }

    async fn claim_due(&self, lease_ms: i64, most: usize) -> Result<Vec<Claim>, LiveError> {
        let state = &*self.state;
        let mut claims = Vec::new();
        while most > 0 && claims.is_empty() {
            let now_ms = self.now_ms();
            let due = state.partitions(|partition| state.keys.due(partition), now_ms).await?;
            if due.is_empty() {
                break;
            }
            // As much from each, so that together it is no more than asked.
            let (each, more) = (most / due.len(), most % due.len());
            let shares = due.iter().enumerate().map(|(place, partition)| {
                state.claim(*partition, now_ms, lease_ms, each + usize::from(place < more))
            });
            let claimed = try_join_all(shares.take(most)).await?;
            let claimed = claimed.into_iter().flatten();
            // Where others were quicker, there may still be something elsewhere.
            claims.extend(claimed.map(|(id, due_ms)| Claim { id, due_ms }));
        }
        Ok(claims)
    }

    async fn beat(&self) -> Result<Vec<i64>, LiveError> {
        let state = &*self.state;
        let outage_ms = state.settings.outage_ms.to_string();
        let beaten = (0..PARTITIONS).map(async |partition| {
            let [beats, outages] = state.keys.beats(partition);
            let keys = [beats, outages, state.keys.due(partition)];
            let arguments: [&[u8]; 2] = [outage_ms.as_bytes(), &count(OUTAGES_KEPT)];
            script::BEAT.run(&state.commands, &keys, &arguments).await
        });
        try_join_all(beaten).await
    }

    async fn outages(&self, id: &str) -> Result<Outages, LiveError> {
        let state = &*self.state;
        let partition = home(id).ok_or_else(|| LiveError::NotAnId(id.to_owned()))?;
        let [beats, outages] = state.keys.beats(partition);
        let mut read = cmd("GET");
        read.arg(beats);
        let beats: Option<String> = state.commands.query(&read).await?;
        // Read after the number: what comes in between is made good too early, never too late.
        let mut read = cmd("LRANGE");
        read.arg(outages).arg(0).arg(-1);
        let list: Vec<String> = state.commands.query(&read).await?;
        Ok(codec::outages(beats.as_deref(), &list))
    }

    async fn labels(&self) -> Result<BTreeMap<String, i64>, LiveError> {
        let state = &*self.state;
        let read = |partition| {
            let mut read = cmd("HGETALL");
            read.arg(state.keys.labels(partition));
            read
        };
        let each: Vec<BTreeMap<String, i64>> =
            state.commands.query_each((0..PARTITIONS).map(read).collect()).await?;
        let mut labels = BTreeMap::new();
        for (label, records) in each.into_iter().flatten() {
            *labels.entry(label).or_default() += records;
        }
        Ok(labels)
    }

    async fn due_wait(&self) -> Result<(), LiveError> {
        let state = &*self.state;
        loop {
            let fronts = state.fronts(|partition| state.keys.due(partition)).await?;
            let earliest_ms = fronts.into_iter().flatten().min().unwrap_or(i64::MAX);
            if earliest_ms <= self.now_ms() {
                return Ok(());
            }
            state.clock.until(earliest_ms, state.settings.poll_ms).await;
        }
    }

    async fn outbox_take(&self, most: usize) -> Result<Vec<Outgoing>, LiveError> {
        let state = &*self.state;
        if most == 0 {
            return Ok(Vec::new());
        }
        let filled = state.partitions(|partition| state.keys.order(partition), i64::MAX).await?;
        let each = most.div_ceil(filled.len().max(1));
        let taken = filled.iter().map(|partition| state.take(*partition, each));
        let mut taken: Vec<_> = try_join_all(taken).await?.into_iter().flatten().collect();
        taken.sort_by_key(|(_, came, _)| *came);
        taken.truncate(most);
        let outgoing = taken.into_iter().filter_map(|(id, _, message)| {
            Some(Outgoing { id, body: codec::read_message(message?)? })
        });
        Ok(outgoing.collect())
    }

    async fn outbox_wait(&self) -> Result<(), LiveError> {
        let state = &*self.state;
        loop {
            let fronts = state.fronts(|partition| state.keys.order(partition)).await?;
            if fronts.iter().any(Option::is_some) {
                return Ok(());
            }
            state.clock.until(i64::MAX, state.settings.poll_ms).await;
        }
    }

    async fn outbox_acknowledge(&self, ids: &[String]) -> Result<(), LiveError> {
        let state = &*self.state;
        let keep_ended = state.settings.keep_ended_ms.max(1).to_string();
        let acknowledged = by_partition(ids).into_iter().map(async |(partition, ids)| {
            let (order, messages) = (state.keys.order(partition), state.keys.messages(partition));
            let base = state.keys.base(partition);
            let mut arguments = vec![base.as_bytes(), keep_ended.as_bytes()];
            arguments.extend(ids);
            let keys: [&str; 2] = [&order, &messages];
            script::ACKNOWLEDGE.run::<()>(&state.commands, &keys, &arguments).await
        });
        try_join_all(acknowledged).await.map(drop)
    }

    async fn outbox_defer(&self, ids: &[String]) -> Result<(), LiveError> {
        let state = &*self.state;
        let deferred = by_partition(ids).into_iter().map(async |(partition, ids)| {
            let order = state.keys.order(partition);
            script::DEFER.run::<()>(&state.commands, &[&order], &ids).await
        });
        try_join_all(deferred).await.map(drop)
    }

    async fn feed_append(&self, feed: &str, key: &str, body: Bytes) -> Result<i64, LiveError> {
        self.append(feed, key, &body).await
    }

    async fn feed_after(&self, feed: &str, sequence: i64) -> Result<Vec<Message>, LiveError> {
        Ok(crate::feed::after(self.messages(feed).await?, sequence))
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
        let [entries, expiries] = state.keys.slot(slot);
        // Drawn, not counted: so no counter has to outlive its slot.
        let version = Version(rand::random());
        let value = value.map(|value| codec::entry(version, expires_ms, &value));
        let expected = expected.map(|version| version.0.to_be_bytes());
        let expires = expires_ms.map(|ms| ms.to_string()).unwrap_or_default();
        let now = self.now_ms().to_string();
        let arguments: [&[u8]; 6] = [
            key.as_bytes(),
            expected.as_ref().map_or(&[], |version| version),
            value.as_deref().unwrap_or_default(),
            expires.as_bytes(),
            now.as_bytes(),
            &count(state.settings.entries_per_slot),
        ];
        let (outcome, standing): (String, Vec<u8>) =
            script::PUT.run(&state.commands, &[&entries, &expiries], &arguments).await?;
        match outcome.as_str() {
            "done" => Ok(version),
            "full" => Err(LiveError::Full("entries in this slot")),
            _ => {
                let version = standing.try_into().ok().map(u64::from_be_bytes).map(Version);
                Err(LiveError::EntryConflict { version })
            }
        }
    }

    async fn entry(&self, slot: &str, key: &str) -> Result<Option<(Version, Bytes)>, LiveError> {
        let [entries, _] = self.state.keys.slot(slot);
        let mut read = cmd("HGET");
        read.arg(entries).arg(key);
        let found: Option<Bytes> = self.state.commands.query(&read).await?;
        let now_ms = self.now_ms();
        Ok(found.and_then(|entry| codec::read_entry(entry, now_ms)))
    }

    async fn entries(&self, slot: &str) -> Result<Vec<(String, Version, Bytes)>, LiveError> {
        let [entries, _] = self.state.keys.slot(slot);
        let (mut found, mut cursor) = (BTreeMap::new(), 0);
        loop {
            let mut read = cmd("HSCAN");
            read.arg(&entries).arg(cursor).arg("COUNT").arg(ENTRIES_IN_A_PART);
            let (next, part): (u64, Vec<(String, Bytes)>) =
                self.state.commands.query(&read).await?;
            found.extend(part);
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
        let now_ms = self.now_ms();
        let there = found.into_iter().filter_map(|(key, entry)| {
            codec::read_entry(entry, now_ms).map(|(version, value)| (key, version, value))
        });
        Ok(there.collect())
    }
}

impl Redis {
    /// Elements of a record's list.
    async fn elements(&self, id: &str, first: i64, last: i64) -> Result<Vec<Bytes>, LiveError> {
        let Some(partition) = home(id) else {
            return Ok(Vec::new());
        };
        let mut read = cmd("LRANGE");
        read.arg(self.state.keys.base(partition) + id).arg(first).arg(last);
        self.state.commands.query(&read).await
    }
}
