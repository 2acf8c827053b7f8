//! Watching games. Each game that is watched here has one hub, which folds its events once and
//! hands the same message to every watcher.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, Weak};

use tengen_kit::shutdown::Shutdown;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_link::Stay;
use tengen_live::{Committed, Live, Wake, WakeUps};
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::watch_game_response::Message as Told;
use tengen_table::Presence;
use tokio::sync::{Mutex, broadcast};

use crate::convert::{event, game, hex};
use crate::error;
use crate::record::{GameRecord, after};
use crate::service::encoded::Encoded;
use crate::service::watching::{Leave, Watching};
use crate::store::Games;

/// Messages a watcher may lag behind before it is cut.
const BEHIND: usize = 128;
/// How often the head of a watched game is read again, so that a lost wake-up is healed, and told
/// to the watchers.
const HEARTBEAT_MS: i64 = 5_000;
/// How long a stream lives before its client must choose a replica again.
const STREAM_MS: i64 = 30 * 60 * 1_000;

/// The hubs of the games that are watched on this replica.
pub struct Watches {
    games: Arc<Games>,
    live: Arc<dyn Live>,
    time: SharedTime,
    shutdown: Shutdown,
    places: std::sync::Mutex<HashMap<String, Place>>,
}

/// Where a game's hub is kept, if there is one; locked while it is made.
type Place = Arc<Mutex<Weak<Hub>>>;

/// One game that is watched here.
///
/// Locked while messages are sent, so that whoever joins gets a snapshot and everything after it.
pub struct Hub(Mutex<Feed>);

struct Feed {
    /// The game as the last message left it.
    game: GameRecord,
    /// `None` once nothing feeds it any more: the game is over, or the wake-ups ended.
    messages: Option<broadcast::Sender<Encoded>>,
}

/// Where a watcher says it stands.
#[derive(Debug)]
pub struct From {
    /// The last sequence it has; 0 for none.
    pub sequence: i64,
    /// The head hash of that sequence in hex; empty for none.
    pub head_hash: String,
    /// The account that watches.
    pub caller: Option<String>,
    /// Keeps it present while it watches.
    pub stay: Option<Stay>,
}

impl Watches {
    /// No game is watched yet.
    pub fn new(
        games: Arc<Games>,
        live: Arc<dyn Live>,
        time: SharedTime,
        shutdown: Shutdown,
    ) -> Arc<Self> {
        Arc::new(Self { games, live, time, shutdown, places: std::sync::Mutex::default() })
    }

    /// Follows a game: what is missing after `from`, or a snapshot; then every event, up to the
    /// end.
    ///
    /// # Errors
    /// GAME_NOT_FOUND; or the live state fails.
    pub async fn watch(self: &Arc<Self>, id: &str, from: From) -> Result<Watching, Refusal> {
        let hub = self.hub(id).await?;
        let mut feed = hub.0.lock().await;
        // Whoever comes from another replica may be ahead of a hub that has lost a wake-up.
        if from.sequence > feed.game.head.sequence && feed.messages.is_some() {
            self.catch_up(&mut feed).await?;
        }
        // Whoever watches is here, also where the word of that has not come yet.
        if let Some(player_id) = from.caller.as_deref().filter(|id| feed.game.misses(id)) {
            drop(feed);
            self.games.tell(id, player_id, Presence::Here).await?;
            feed = hub.0.lock().await;
        }
        let first = self.first(&feed.game, &from).await?;
        let ended = feed.game.ended();
        let messages = feed.messages.as_ref().map(broadcast::Sender::subscribe);
        drop(feed);
        if messages.is_none() && !ended {
            return Err(Leave::Elsewhere.refusal());
        }
        let end = (Arc::clone(&self.time), self.time.now_ms().saturating_add(STREAM_MS));
        let messages = messages.filter(|_| !ended);
        let metrics = self.games.metrics.clone();
        Ok(Watching::new(first, messages, from.sequence, end, metrics, (hub, from.stay)))
    }

    /// What a watcher lacks: the events after the head it names, or the whole game.
    async fn first(&self, game: &GameRecord, from: &From) -> Result<Vec<Encoded>, Refusal> {
        let snapshot = async |rewound| {
            let applied = self.games.applied(game).await;
            let (now_ms, caller) = (self.live.now_ms(), from.caller.as_deref());
            let shown = game::game(game, now_ms, caller, applied.as_ref());
            vec![Encoded::of(Told::Snapshot(wire::Snapshot { game: Some(shown), rewound }))]
        };
        if from.sequence == 0 {
            return Ok(snapshot(false).await);
        }
        let record = self.games.load(&game.id).await?;
        let had = usize::try_from(from.sequence).unwrap_or(usize::MAX);
        let now = usize::try_from(game.head.sequence).unwrap_or(usize::MAX);
        let Some(log) = record.log.get(..now).filter(|log| had <= log.len()) else {
            return Ok(snapshot(true).await);
        };
        let mut known = GameRecord::prefix(&game.id, &log[..had]).map_err(|e| error::broken(&e))?;
        if hex(&known.head.hash) != from.head_hash {
            return Ok(snapshot(true).await);
        }
        let mut missing = Vec::new();
        for entry in &log[had..] {
            missing.push(advance(&mut known, entry)?);
        }
        Ok(missing)
    }

    /// The hub of a game; made, and its task started, for the first watcher. While it is made, only
    /// those who watch the same game wait.
    async fn hub(self: &Arc<Self>, id: &str) -> Result<Arc<Hub>, Refusal> {
        let place = self.place(id);
        let mut place = place.lock().await;
        if let Some(hub) = place.upgrade()
            && hub.0.lock().await.messages.is_some()
        {
            return Ok(hub);
        }
        // Subscribed before the record is read, so that nothing falls between.
        let wakes = match self.live.subscribe(id).await {
            Err(tengen_live::LiveError::NotAnId(_)) => return Err(error::no_game(id)),
            wakes => wakes.map_err(|error| error::live(&error))?,
        };
        let record = self.games.load(id).await?;
        let game = GameRecord::from_log(id, &record).map_err(|error| error::broken(&error))?;
        let messages = Some(broadcast::channel(BEHIND).0);
        let hub = Arc::new(Hub(Mutex::new(Feed { game, messages })));
        *place = Arc::downgrade(&hub);
        let watches = Arc::clone(self);
        let weak = Arc::downgrade(&hub);
        tokio::spawn(async move { watches.follow(weak, wakes).await });
        Ok(hub)
    }

    /// Where the hub of a game is kept. Places that nobody uses are swept away when one is added.
    fn place(&self, id: &str) -> Place {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.get(id) {
            return Arc::clone(place);
        }
        places.retain(|_, place| {
            let hub = || place.try_lock().is_ok_and(|hub| hub.strong_count() > 0);
            Arc::strong_count(place) > 1 || hub()
        });
        Arc::clone(places.entry(id.to_owned()).or_default())
    }

    /// Feeds a hub until nobody watches, the game is over, or this replica goes away.
    async fn follow(&self, hub: Weak<Hub>, mut wakes: WakeUps) {
        let mut beat_ms = self.time.now_ms().saturating_add(HEARTBEAT_MS);
        loop {
            let wake = tokio::select! {
                biased;
                () = self.shutdown.begun() => None,
                wake = wakes.next() => wake,
                () = self.time.until(beat_ms) => Some(Wake::Lagged),
            };
            let Some(hub) = hub.upgrade() else { return };
            let mut feed = hub.0.lock().await;
            let told = match wake {
                None => return feed.messages = None,
                Some(Wake::Committed(commit)) if commit.head == feed.game.head => Ok(()),
                Some(Wake::Committed(commit)) if feed.goes_on_by(&commit) => {
                    feed.tell(&commit.entries)
                }
                Some(Wake::Committed(_) | Wake::Lagged) => self.catch_up(&mut feed).await,
            };
            if let Err(refusal) = told {
                tracing::warn!(game_id = feed.game.id, %refusal, "a watched game cannot be read");
            }
            if feed.game.ended() {
                return feed.messages = None;
            }
            if self.time.now_ms() >= beat_ms {
                beat_ms = self.time.now_ms().saturating_add(HEARTBEAT_MS);
                feed.heartbeat();
            }
        }
    }

    /// Tells what was missed; or, if what was told is lost, the game as it stands without it.
    async fn catch_up(&self, feed: &mut Feed) -> Result<(), Refusal> {
        let id = &feed.game.id;
        let head = self.live.head(id).await.map_err(|error| error::live(&error))?;
        if head == Some(feed.game.head) {
            return Ok(());
        }
        let record = self.games.load(id).await?;
        if feed.game.is_in(&record) {
            let told = usize::try_from(feed.game.head.sequence).unwrap_or(usize::MAX);
            return feed.tell(record.log.get(told..).unwrap_or_default());
        }
        feed.game = self.games.read_after(&feed.game).await?;
        let shown = game::game(&feed.game, self.live.now_ms(), None, None);
        let snapshot = wire::Snapshot { game: Some(shown), rewound: true };
        feed.send(Encoded::of(Told::Snapshot(snapshot)));
        Ok(())
    }
}

impl Feed {
    /// Whether a commit is the next one of the same history.
    fn goes_on_by(&self, commit: &Committed) -> bool {
        let head = self.game.head;
        commit.first_sequence == head.sequence + 1
            && commit.entries.iter().fold(head, |head, entry| after(head, entry)) == commit.head
    }

    fn tell(&mut self, entries: &[bytes::Bytes]) -> Result<(), Refusal> {
        for entry in entries {
            let message = advance(&mut self.game, entry)?;
            self.send(message);
        }
        Ok(())
    }

    fn heartbeat(&self) {
        let head = &self.game.head;
        let heartbeat = wire::Heartbeat { sequence: head.sequence, head_hash: hex(&head.hash) };
        self.send(Encoded::of(Told::Heartbeat(heartbeat)));
    }

    fn send(&self, message: Encoded) {
        if let Some(messages) = &self.messages {
            // Nobody may be listening at this moment.
            let _ = messages.send(message);
        }
    }
}

/// Folds the next entry in and shows it.
fn advance(game: &mut GameRecord, entry: &bytes::Bytes) -> Result<Encoded, Refusal> {
    let before = game.head;
    let event = game.append(entry).map_err(|error| error::broken(&error))?;
    Ok(Encoded::of(Told::Event(event::event(game, before, &event))))
}
