//! Watching clocks. Each game whose clocks are watched here has one hub: one feed of its events,
//! one computation of its calls, however many watch.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, PoisonError, Weak};

use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tengen_live::Live;
use tokio::sync::Mutex;
use tonic::Status;

use super::dial::Dial;
use super::watcher::{Stamp, Watcher, Watching};
use crate::client::{Feed, Game, News};
use crate::error;

/// The hubs of the games whose clocks are watched on this replica.
pub struct Watches {
    game: Game,
    live: Arc<dyn Live>,
    time: SharedTime,
    shutdown: Shutdown,
    hubs: std::sync::Mutex<HashMap<String, Weak<Hub>>>,
}

/// One game whose clocks are watched here; `None` while no task feeds it.
///
/// Locked while messages are sent, so that whoever joins gets the clocks and everything after.
#[derive(Default)]
pub struct Hub(Mutex<Option<Dial>>);

impl Watches {
    /// No clock is watched yet.
    pub fn new(game: Game, live: Arc<dyn Live>, time: SharedTime, shutdown: Shutdown) -> Arc<Self> {
        Arc::new(Self { game, live, time, shutdown, hubs: std::sync::Mutex::default() })
    }

    /// Follows the clocks of a game up to its end.
    ///
    /// # Errors
    /// What the game service answers; RESUME_ELSEWHERE once the shutdown has begun.
    pub async fn watch(
        self: &Arc<Self>,
        game_id: &str,
        stamp: Option<Stamp>,
    ) -> Result<Watching, Status> {
        if self.shutdown.has_begun() {
            return Err(error::elsewhere(0));
        }
        let hub = self.hub(game_id);
        let mut slot = hub.0.lock().await;
        let mut dial = match slot.take() {
            Some(dial) => dial,
            None => self.open(game_id, &hub).await?,
        };
        let (first, messages) = dial.join(self.live.now_ms());
        *slot = Some(dial);
        drop(slot);
        let time = Arc::clone(&self.time);
        Ok(Watcher::start(first, messages, hub, time, stamp))
    }

    /// The hub of a game. It lives as long as somebody watches.
    fn hub(&self, game_id: &str) -> Arc<Hub> {
        let mut hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hub) = hubs.get(game_id).and_then(Weak::upgrade) {
            return hub;
        }
        hubs.retain(|_, hub| hub.strong_count() > 0);
        let hub = Arc::new(Hub::default());
        hubs.insert(game_id.to_owned(), Arc::downgrade(&hub));
        hub
    }

    async fn open(self: &Arc<Self>, game_id: &str, hub: &Arc<Hub>) -> Result<Dial, Status> {
        let feed = Feed::open(self.game.clone(), game_id, Arc::clone(&self.time));
        let (feed, state) = feed.await.map_err(error::game)?;
        let dial = Dial::new(state);
        if !dial.ended() {
            let (watches, hub) = (Arc::clone(self), Arc::downgrade(hub));
            let due_ms = dial.due_ms();
            tokio::spawn(async move { watches.follow(hub, feed, due_ms).await });
        }
        Ok(dial)
    }

    /// Feeds a hub until nobody watches, the game is over, or this replica goes away.
    async fn follow(&self, hub: Weak<Hub>, mut feed: Feed, mut due_ms: Option<i64>) {
        loop {
            // News first: it may be that the turn is over.
            let news = tokio::select! {
                biased;
                () = self.shutdown.begun() => Some(News::Gone),
                news = feed.next() => Some(news),
                () = self.due(due_ms) => None,
            };
            let Some(hub) = hub.upgrade() else { return };
            let mut slot = hub.0.lock().await;
            let Some(dial) = slot.as_mut() else { return };
            match news {
                None => dial.call(self.live.now_ms()),
                Some(News::Event(state)) => dial.event(state, self.live.now_ms()),
                Some(News::Snapshot(state)) => dial.snapshot(state),
                Some(News::Lost) => dial.set_live(false),
                Some(News::CaughtUp) => dial.set_live(true),
                // Whoever watches must look elsewhere; whoever comes begins anew.
                Some(News::Gone) => return *slot = None,
            }
            if dial.ended() {
                return;
            }
            due_ms = dial.due_ms();
        }
    }

    /// Ends when that instant has come, by the clock of the live games.
    async fn due(&self, due_ms: Option<i64>) {
        let Some(due_ms) = due_ms else {
            return pending().await;
        };
        loop {
            let left_ms = due_ms.saturating_sub(self.live.now_ms());
            if left_ms <= 0 {
                return;
            }
            let at_ms = self.time.now_ms().saturating_add(left_ms);
            self.time.until(at_ms).await;
        }
    }
}
