//! Wake-ups: one subscription of this process for each record that somebody here listens to.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::{Buf, Bytes};
use redis::{PushInfo, PushKind, Value, from_redis_value};
use tokio::sync::{Notify, broadcast, watch};

use super::codec::read_head;
use super::connection::Connection;
use crate::error::LiveError;
use crate::wake::{Committed, Wake, WakeUps};

/// Whom to wake. Shared with what reads the pushes.
pub(super) struct Hub {
    channels: Mutex<Channels>,
    /// Rung when a channel is wanted, or no longer.
    changed: Notify,
    /// Wake-ups a subscriber may be behind before it has lagged.
    most: usize,
}

#[derive(Default)]
struct Channels {
    wanted: HashMap<String, Channel>,
    /// Channels that nobody listens to any more.
    unwanted: Vec<String>,
    /// Connections lost so far.
    lost: u64,
}

struct Channel {
    partition: u16,
    wake: broadcast::Sender<Wake>,
    /// Whether Redis has confirmed it, and no connection was lost since.
    confirmed: watch::Sender<bool>,
    /// Whether commits may have been missed.
    missed: bool,
}

/// Ends a subscription when dropped.
struct Subscription {
    hub: Weak<Hub>,
    channel: String,
}

impl Hub {
    pub(super) fn new(most: usize) -> Self {
        Self { channels: Mutex::default(), changed: Notify::new(), most: most.max(1) }
    }

    /// Subscribes to a channel and waits until Redis has confirmed it.
    pub(super) async fn subscribe(
        self: &Arc<Self>,
        partition: u16,
        channel: String,
    ) -> Result<WakeUps, LiveError> {
        let (receiver, mut confirmed) = {
            let mut channels = self.lock();
            let entry = channels.wanted.entry(channel.clone()).or_insert_with(|| Channel {
                partition,
                wake: broadcast::Sender::new(self.most),
                confirmed: watch::Sender::new(false),
                missed: false,
            });
            (entry.wake.subscribe(), entry.confirmed.subscribe())
        };
        let subscription = Subscription { hub: Arc::downgrade(self), channel };
        let wake_ups = WakeUps::new(receiver, Box::new(subscription));
        self.changed.notify_one();
        let gone = |_| LiveError::Unavailable("the subscription was given up".to_owned());
        confirmed.wait_for(|confirmed| *confirmed).await.map_err(gone)?;
        Ok(wake_ups)
    }

    /// Waits until there may be something to settle.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Makes Redis's subscriptions those that are wanted. What fails is tried again when this is
    /// called again.
    pub(super) async fn settle(&self, connection: &Connection) {
        let unwanted = std::mem::take(&mut self.lock().unwanted);
        for channel in unwanted {
            if !self.lock().wanted.contains_key(&channel) {
                // One that stays subscribed is heard by nobody.
                let _ = connection.unsubscribe(&channel).await;
            }
        }
        let (lost, unconfirmed) = self.lock().unconfirmed();
        for names in unconfirmed.values() {
            let subscribed = connection.subscribe(names).await;
            let channels = self.lock();
            // What was lost meanwhile was perhaps subscribed before.
            if subscribed.is_ok() && channels.lost == lost {
                names
                    .iter()
                    .filter_map(|name| channels.wanted.get(name))
                    .for_each(Channel::confirm);
            }
        }
    }

    /// Takes what a connection heard.
    pub(super) fn hear(&self, push: PushInfo) {
        match push.kind {
            PushKind::Message | PushKind::SMessage => self.wake(push.data),
            PushKind::Disconnection => {
                let mut channels = self.lock();
                channels.lost += 1;
                channels.wanted.values_mut().for_each(Channel::lose);
                drop(channels);
                self.changed.notify_one();
            }
            PushKind::SUnsubscribe => {
                // Unasked for, it says that the slot has moved to another master.
                let name = push.data.into_iter().next().map(from_redis_value::<String>);
                if let Some(Ok(name)) = name
                    && let Some(channel) = self.lock().wanted.get_mut(&name)
                {
                    channel.lose();
                    self.changed.notify_one();
                }
            }
            _ => {}
        }
    }

    fn wake(&self, data: Vec<Value>) {
        let mut data = data.into_iter();
        if let (Some(Value::BulkString(name)), Some(Value::BulkString(body))) =
            (data.next(), data.next())
            && let Ok(name) = std::str::from_utf8(&name)
            && let Some(committed) = read_wake(body.into())
            && let Some(channel) = self.lock().wanted.get(name)
        {
            // Nobody left to hear it is no error.
            let _ = channel.wake.send(Wake::Committed(committed));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Channels> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Channels {
    /// What is wanted and not confirmed, by partition, and how many connections were lost so far.
    fn unconfirmed(&self) -> (u64, BTreeMap<u16, Vec<String>>) {
        let mut unconfirmed: BTreeMap<u16, Vec<String>> = BTreeMap::new();
        for (name, channel) in &self.wanted {
            if !*channel.confirmed.borrow() {
                unconfirmed.entry(channel.partition).or_default().push(name.clone());
            }
        }
        (self.lost, unconfirmed)
    }
}

impl Channel {
    fn confirm(&self) {
        if !self.confirmed.send_replace(true) && self.missed {
            let _ = self.wake.send(Wake::Lagged);
        }
    }

    fn lose(&mut self) {
        self.missed |= self.confirmed.send_replace(false);
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let Some(hub) = self.hub.upgrade() else {
            return;
        };
        let mut channels = hub.lock();
        let unheard = |channel: &Channel| channel.wake.receiver_count() == 0;
        if channels.wanted.get(&self.channel).is_some_and(unheard) {
            channels.wanted.remove(&self.channel);
            channels.unwanted.push(std::mem::take(&mut self.channel));
            drop(channels);
            hub.changed.notify_one();
        }
    }
}

/// What the commit script says: the head, how many entries, their lengths, the entries.
fn read_wake(mut body: Bytes) -> Option<Committed> {
    let head = read_head(&mut body)?;
    let count = usize::try_from(body.try_get_u32().ok()?).ok()?;
    let mut lengths = body.split_to(count.checked_mul(4).filter(|bytes| *bytes <= body.len())?);
    let mut entries = Vec::with_capacity(count);
    while let Ok(length) = lengths.try_get_u32() {
        let length = usize::try_from(length).ok()?;
        entries.push(body.split_to(Some(length).filter(|length| *length <= body.len())?));
    }
    let first_sequence = head.sequence + 1 - i64::try_from(entries.len()).ok()?;
    Some(Committed { head, first_sequence, entries: entries.into() })
}
