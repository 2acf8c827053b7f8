//! The live state as one process sees it. The store is sound; the way to it is not: a verb may fail
//! before it happened, fail after it happened, take its time, or see its caller die.

use std::collections::BTreeMap;
use std::future::{Future, pending};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use tengen_live::{
    Claim, Commit, Head, Live, LiveError, Message, Outages, Outgoing, Record, Version, Wake,
    WakeUps,
};
use tokio::sync::broadcast;

use crate::dice::Dice;
use crate::life::Life;
use crate::world::World;

/// Wake-ups that a subscriber may be behind.
const BEHIND: usize = 16;

/// The way of one process to the live state.
pub struct Faulty {
    world: World,
    store: Arc<dyn Live>,
    life: Life,
    dice: std::sync::Mutex<Dice>,
}

/// What happens to a verb on one of its sides.
enum Fate {
    Well,
    Fails,
    Dies,
}

/// The sides of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

impl Faulty {
    /// The way of this process.
    pub fn new(world: &World, life: &Life) -> Self {
        let dice = std::sync::Mutex::new(world.dice());
        Self { world: world.clone(), store: world.store(), life: life.clone(), dice }
    }

    async fn verb<T>(
        &self,
        name: &'static str,
        effect: impl Future<Output = Result<T, LiveError>>,
    ) -> Result<T, LiveError> {
        self.side(name, Side::Before).await?;
        let done = effect.await;
        self.side(name, Side::After).await?;
        done
    }

    async fn side(&self, name: &'static str, side: Side) -> Result<(), LiveError> {
        let life = &self.life;
        if life.is_over() {
            pending::<()>().await;
        }
        let (wait_ms, mut fate) = self.draw(name, side);
        if let Some(ms) = wait_ms {
            self.world.agenda.pause(ms).await;
            if life.is_over() {
                pending::<()>().await;
            }
        }
        if side == Side::Before && self.world.is_away() {
            fate = Fate::Fails;
        }
        match fate {
            Fate::Well => Ok(()),
            Fate::Fails => {
                self.world.count(if side == Side::Before { "verbs failed" } else { "verbs lost" });
                self.world.note(format_args!("{} {name} fails, {side:?}", life.name));
                Err(LiveError::Unavailable(format!("simulated, {side:?}")))
            }
            Fate::Dies => {
                self.world.count("deaths at a verb");
                self.world.note(format_args!("{} dies, {side:?} {name}", life.name));
                life.kill();
                pending().await
            }
        }
    }

    /// How long it takes, and what becomes of it. Before it happens it waits for its turn in any
    /// event. Whoever goes on from here does so alone, and the order is the agenda's.
    fn draw(&self, name: &str, side: Side) -> (Option<i64>, Fate) {
        let at_once = (side == Side::Before).then_some(0);
        if self.world.is_calm() {
            return (at_once, Fate::Well);
        }
        let plan = &self.world.plan;
        let mut dice = self.dice.lock().unwrap();
        let slow = dice.chance(plan.verb_slow);
        let wait_ms = if slow { Some(1 << dice.within(0..=11)) } else { at_once };
        let fails = if side == Side::Before { plan.verb_fails } else { plan.verb_lost };
        // Beats are many, and would have most of the deaths.
        let kills = if name == "beat" { plan.verb_kills / 4 } else { plan.verb_kills };
        let fate = match (dice.chance(kills), dice.chance(fails)) {
            (true, _) => Fate::Dies,
            (false, true) => Fate::Fails,
            (false, false) => Fate::Well,
        };
        (wait_ms, fate)
    }

    /// Wake-ups of which some are lost, some late, and some only say that others were lost.
    fn leaky(&self, mut wakes: WakeUps) -> WakeUps {
        let (sender, receiver) = broadcast::channel(BEHIND);
        let (world, life) = (self.world.clone(), self.life.clone());
        let mut dice = self.dice.lock().unwrap().fork();
        tokio::spawn(async move {
            while let Some(wake) = wakes.next().await {
                if life.is_over() {
                    return;
                }
                let bad = !world.is_calm() && dice.chance(world.plan.wake_lost);
                let wake = match dice.below(3) {
                    0 if bad => {
                        world.count("wake-ups lost");
                        continue;
                    }
                    1 if bad => Wake::Lagged,
                    _ if bad => {
                        world.agenda.pause(dice.within(1..=3_000)).await;
                        wake
                    }
                    _ => wake,
                };
                if sender.send(wake).is_err() {
                    return;
                }
            }
        });
        WakeUps::new(receiver, Box::new(()))
    }
}

#[async_trait]
impl Live for Faulty {
    fn now_ms(&self) -> i64 {
        self.store.now_ms()
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<(), LiveError> {
        let told = commit.clone();
        let effect = async {
            let done = self.store.commit(id, commit).await;
            self.world.committed(&self.life.name, id, told, &done);
            done
        };
        self.verb("commit", effect).await
    }

    async fn load(&self, id: &str) -> Result<Option<Record>, LiveError> {
        self.verb("load", self.store.load(id)).await
    }

    async fn head(&self, id: &str) -> Result<Option<Head>, LiveError> {
        self.verb("head", self.store.head(id)).await
    }

    async fn log_after(&self, id: &str, sequence: i64) -> Result<Vec<Bytes>, LiveError> {
        self.verb("log_after", self.store.log_after(id, sequence)).await
    }

    async fn subscribe(&self, id: &str) -> Result<WakeUps, LiveError> {
        let wakes = self.verb("subscribe", self.store.subscribe(id)).await?;
        Ok(self.leaky(wakes))
    }

    async fn claim_due(&self, lease_ms: i64, most: usize) -> Result<Vec<Claim>, LiveError> {
        self.verb("claim_due", self.store.claim_due(lease_ms, most)).await
    }

    async fn beat(&self) -> Result<Vec<i64>, LiveError> {
        let effect = async {
            let numbers = self.store.beat().await?;
            self.world.book().beat(self.world.now_ms());
            Ok(numbers)
        };
        self.verb("beat", effect).await
    }

    async fn outages(&self, id: &str) -> Result<Outages, LiveError> {
        self.verb("outages", self.store.outages(id)).await
    }

    async fn labels(&self) -> Result<BTreeMap<String, i64>, LiveError> {
        self.verb("labels", self.store.labels()).await
    }

    async fn due_wait(&self) -> Result<(), LiveError> {
        self.verb("due_wait", self.store.due_wait()).await
    }

    async fn outbox_take(&self, most: usize) -> Result<Vec<Outgoing>, LiveError> {
        self.verb("outbox_take", self.store.outbox_take(most)).await
    }

    async fn outbox_wait(&self) -> Result<(), LiveError> {
        self.verb("outbox_wait", self.store.outbox_wait()).await
    }

    async fn outbox_acknowledge(&self, ids: &[String]) -> Result<(), LiveError> {
        self.verb("outbox_acknowledge", self.store.outbox_acknowledge(ids)).await
    }

    async fn outbox_defer(&self, ids: &[String]) -> Result<(), LiveError> {
        self.verb("outbox_defer", self.store.outbox_defer(ids)).await
    }

    async fn feed_append(&self, feed: &str, key: &str, body: Bytes) -> Result<i64, LiveError> {
        self.verb("feed_append", self.store.feed_append(feed, key, body)).await
    }

    async fn feed_after(&self, feed: &str, sequence: i64) -> Result<Vec<Message>, LiveError> {
        self.verb("feed_after", self.store.feed_after(feed, sequence)).await
    }

    async fn put_entry(
        &self,
        slot: &str,
        key: &str,
        expected: Option<Version>,
        value: Option<Bytes>,
        expires_ms: Option<i64>,
    ) -> Result<Version, LiveError> {
        let effect = self.store.put_entry(slot, key, expected, value, expires_ms);
        self.verb("put_entry", effect).await
    }

    async fn entry(&self, slot: &str, key: &str) -> Result<Option<(Version, Bytes)>, LiveError> {
        self.verb("entry", self.store.entry(slot, key)).await
    }

    async fn entries(&self, slot: &str) -> Result<Vec<(String, Version, Bytes)>, LiveError> {
        self.verb("entries", self.store.entries(slot)).await
    }
}
