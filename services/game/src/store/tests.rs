//! The games while a store behind them fails for a while. The stores are the real ones; a switch in
//! front of the live state makes it unreachable.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use sqlx::AnyPool;
use tempfile::TempDir;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql;
use tengen_kit::status::Refusal;
use tengen_kit::time::ManualTime;
use tengen_live::{
    Claim, Commit, Head, Live, LiveError, Memory, Message, OUTAGE_MS, Outages, Outgoing, Record,
    Relabel, Settings as MemorySettings, Version, WakeUps,
};
use tengen_rules::{Colour, Point, Size};
use tengen_table::{Act, Command, Fact, Offer, Phase, Request, Settings};
use tengen_timing::Control;
use tonic::Code;

use crate::archive::Archive;
use crate::client::Sessions;
use crate::herald::Herald;
use crate::record::{Changes, GameRecord, Player};
use crate::service::stand_in::House;
use crate::store::Games;

pub(super) const ID: &str = "g01-ab";

/// Entries in one slot.
pub(crate) const ENTRIES: usize = 6;

/// Live state that cannot read or change its records while `away` is set, and may be put back to what it was.
pub(crate) struct Switched {
    live: Mutex<Memory>,
    away: AtomicBool,
    /// How often a whole record was read.
    loads: AtomicUsize,
    /// How often a whole slot was.
    pub(crate) listings: AtomicUsize,
}

impl Switched {
    fn live(&self) -> Memory {
        self.live.lock().unwrap().clone()
    }

    /// Puts another store in its place that holds the first entries of the game alone, as after a
    /// failover that lost the rest.
    async fn rewind(&self, to: usize, time: &ManualTime) {
        let record = self.live().load(ID).await.unwrap().unwrap();
        let past = GameRecord::prefix(ID, &record.log[..to]).unwrap();
        let live = Memory::new(time.shared(), memory());
        let commit = Commit {
            expected: None,
            head: past.head,
            entries: record.log[..to].to_vec(),
            next_due_ms: past.table.next_due_ms(),
            outages: 0,
            outbox: None,
            ended: false,
            relabel: Relabel::default(),
        };
        live.commit(ID, commit).await.unwrap();
        *self.live.lock().unwrap() = live;
    }

    fn reach(&self) -> Result<(), LiveError> {
        if self.away.load(Ordering::Relaxed) {
            return Err(LiveError::Unavailable("switched off".into()));
        }
        Ok(())
    }
}

#[async_trait]
impl Live for Switched {
    fn now_ms(&self) -> i64 {
        self.live().now_ms()
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<(), LiveError> {
        self.reach()?;
        self.live().commit(id, commit).await
    }

    async fn load(&self, id: &str) -> Result<Option<Record>, LiveError> {
        self.reach()?;
        self.loads.fetch_add(1, Ordering::Relaxed);
        self.live().load(id).await
    }

    async fn head(&self, id: &str) -> Result<Option<Head>, LiveError> {
        self.reach()?;
        self.live().head(id).await
    }

    async fn log_after(&self, id: &str, sequence: i64) -> Result<Vec<Bytes>, LiveError> {
        self.reach()?;
        self.live().log_after(id, sequence).await
    }

    async fn subscribe(&self, id: &str) -> Result<WakeUps, LiveError> {
        self.live().subscribe(id).await
    }

    async fn claim_due(&self, lease_ms: i64, most: usize) -> Result<Vec<Claim>, LiveError> {
        self.live().claim_due(lease_ms, most).await
    }

    async fn beat(&self) -> Result<Vec<i64>, LiveError> {
        self.live().beat().await
    }

    async fn outages(&self, id: &str) -> Result<Outages, LiveError> {
        self.live().outages(id).await
    }

    async fn labels(&self) -> Result<BTreeMap<String, i64>, LiveError> {
        self.live().labels().await
    }

    async fn due_wait(&self) -> Result<(), LiveError> {
        self.live().due_wait().await
    }

    async fn outbox_take(&self, most: usize) -> Result<Vec<Outgoing>, LiveError> {
        self.live().outbox_take(most).await
    }

    async fn outbox_wait(&self) -> Result<(), LiveError> {
        self.live().outbox_wait().await
    }

    async fn outbox_acknowledge(&self, ids: &[String]) -> Result<(), LiveError> {
        self.live().outbox_acknowledge(ids).await
    }

    async fn outbox_defer(&self, ids: &[String]) -> Result<(), LiveError> {
        self.live().outbox_defer(ids).await
    }

    async fn feed_append(&self, feed: &str, key: &str, body: Bytes) -> Result<i64, LiveError> {
        self.live().feed_append(feed, key, body).await
    }

    async fn feed_after(&self, feed: &str, sequence: i64) -> Result<Vec<Message>, LiveError> {
        self.live().feed_after(feed, sequence).await
    }

    async fn put_entry(
        &self,
        slot: &str,
        key: &str,
        expected: Option<Version>,
        value: Option<Bytes>,
        expires_ms: Option<i64>,
    ) -> Result<Version, LiveError> {
        self.live().put_entry(slot, key, expected, value, expires_ms).await
    }

    async fn entry(&self, slot: &str, key: &str) -> Result<Option<(Version, Bytes)>, LiveError> {
        let entry = self.live().entry(slot, key).await;
        // Others have their turn meanwhile, as with a store that is elsewhere.
        tokio::task::yield_now().await;
        entry
    }

    async fn entries(&self, slot: &str) -> Result<Vec<(String, Version, Bytes)>, LiveError> {
        self.listings.fetch_add(1, Ordering::Relaxed);
        self.live().entries(slot).await
    }
}

pub(crate) struct Stage {
    pub(crate) games: Arc<Games>,
    pub(crate) live: Arc<Switched>,
    pub(crate) time: ManualTime,
    database: AnyPool,
    pub(crate) house: Arc<House>,
    _folder: TempDir,
}

fn memory() -> MemorySettings {
    MemorySettings { outage_ms: OUTAGE_MS, entries_per_slot: ENTRIES, ..MemorySettings::default() }
}

/// A herald whom nobody hears.
pub(crate) fn deaf(sessions: Sessions) -> Herald {
    Herald::new(sessions, ManualTime::new(0).shared(), Shutdown::new()).0
}

/// A rated game that has begun.
pub(crate) async fn stage() -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/games.db", folder.path().display());
    let database = sql::open(&url, crate::MIGRATIONS).await.unwrap();
    let time = ManualTime::new(1_767_225_600_000);
    let live = Mutex::new(Memory::new(time.shared(), memory()));
    let live = Arc::new(Switched {
        live,
        away: AtomicBool::new(false),
        loads: AtomicUsize::new(0),
        listings: AtomicUsize::new(0),
    });
    let shared: Arc<dyn Live> = live.clone();
    let house = Arc::new(House::default());
    let sessions = house.sessions(time.shared());
    let games =
        Games::new(shared, Archive::new(database.clone()), sessions.clone(), deaf(sessions), 100);
    let games = Arc::new(games);
    let settings = Settings {
        rated: true,
        control: Some(Control::Absolute { main_ms: 600_000 }),
        ..Settings::even(Size::square(9).unwrap())
    };
    let player = |id: &str| Player { id: id.into(), name: id.into(), bot: false, tier: 0 };
    games.create(ID, [player("aki"), player("bo")], settings).await.unwrap();
    Stage { games, live, time, database, house, _folder: folder }
}

impl Stage {
    /// Another replica over the same stores.
    pub(super) fn another(&self) -> Games {
        let archive = Archive::new(self.database.clone());
        let live: Arc<dyn Live> = self.live.clone();
        let sessions = self.house.sessions(self.time.shared());
        Games::new(live, archive, sessions.clone(), deaf(sessions), 100)
    }

    async fn act(&self, player: &str, key: u64, act: Act) -> Result<GameRecord, Refusal> {
        let request = Request { key, digest: 1 };
        let command = |by: Colour| Command { by, request, act: act.clone() };
        self.games.act(ID, player, command, GameRecord::clone).await
    }

    pub(super) async fn resign(&self) {
        self.act("aki", 1, Act::Resign).await.unwrap();
    }

    pub(super) async fn play(&self, player: &str, number: u32) -> GameRecord {
        let point = Point::new(4, u8::try_from(number).unwrap());
        let act = Act::Play { number, point };
        self.act(player, 100 + u64::from(number), act).await.unwrap()
    }

    /// The ledger holds this version of the result.
    async fn archive(&self, version: u8) -> Result<(), Refusal> {
        self.games.archive(&format!("{ID}:{version}"), &Changes(vec![version])).await
    }

    async fn listed(&self) -> usize {
        self.games.of_player("aki").await.unwrap().len()
    }
}

// case: D11
#[tokio::test]
async fn a_running_game_stays_listed_while_the_live_state_is_away() {
    let stage = stage().await;
    assert_eq!(stage.listed().await, 1);
    stage.live.away.store(true, Ordering::Relaxed);
    let refused = stage.games.of_player("aki").await.map(|games| games.len()).unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    stage.live.away.store(false, Ordering::Relaxed);
    assert_eq!(stage.listed().await, 1);
    stage.resign().await;
    assert_eq!(stage.listed().await, 0);
}

// The result is shown at once, whatever the archive says; it counts as applied only when it is
// known to be.
// fault: F6
#[tokio::test]
async fn a_result_is_shown_while_the_archive_is_away() {
    let stage = stage().await;
    stage.resign().await;
    let ended = stage.games.read(ID).await.unwrap();
    assert!(ended.ended() && stage.games.applied(&ended).await.is_none());
    stage.archive(1).await.unwrap();
    assert!(stage.games.applied(&ended).await.is_some());
    stage.database.close().await;
    let ended = stage.games.read(ID).await.unwrap();
    assert!(ended.ended() && stage.games.applied(&ended).await.is_none());
    assert_eq!(stage.archive(1).await.unwrap_err().code(), Code::Unavailable);
}

// A game whose live record has expired is read from the archive: its end, its answers to requests
// of before; and nothing is due in it.
// fault: F2
#[tokio::test]
async fn a_game_goes_on_being_known_from_the_archive() {
    let stage = stage().await;
    stage.resign().await;
    stage.archive(1).await.unwrap();
    stage.live.outbox_acknowledge(&[format!("{ID}:1")]).await.unwrap();
    stage.time.advance(25 * 60 * 60 * 1_000);
    assert_eq!(stage.live.load(ID).await, Ok(None));
    assert!(stage.games.read(ID).await.unwrap().ended());
    assert_eq!(stage.games.due(ID).await.unwrap(), None);
    stage.resign().await;
    let found = stage.games.finished("bo", None, 10).await.unwrap();
    assert_eq!(found.len(), 1);
}

// fault: F3: a commit of which nothing was heard leaves nothing behind here: what stands is read.
#[tokio::test]
async fn a_commit_that_failed_is_not_remembered() {
    let stage = stage().await;
    stage.live.away.store(true, Ordering::Relaxed);
    let act = || Act::Play { number: 1, point: Point::new(0, 0) };
    let refused = stage.act("aki", 7, act()).await.map(|game| game.head).unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    stage.live.away.store(false, Ordering::Relaxed);
    let game = stage.games.read(ID).await.unwrap();
    assert_eq!((game.head.sequence, game.table.restorations()), (1, 0));
    let game = stage.act("aki", 7, act()).await.unwrap();
    assert_eq!((game.head.sequence, game.table.restorations()), (2, 0));
}

/// What each event of the log says.
pub(super) async fn facts(stage: &Stage) -> Vec<Fact> {
    let record = stage.live.load(ID).await.unwrap().unwrap();
    let mut game = GameRecord::prefix(ID, &record.log[..1]).unwrap();
    record.log[1..].iter().map(|entry| game.append(entry).unwrap().fact).collect()
}

// rulebook: C8.4; fault: F4: whoever comes first after an outage finds it made good, and is judged
// by what is left of his time then; it is told once.
#[tokio::test]
async fn an_outage_is_made_good_before_anything_is_decided() {
    let stage = stage().await;
    stage.live.beat().await.unwrap();
    stage.play("aki", 1).await;
    // Longer than a whole clock.
    stage.time.advance(700_000);
    let game = stage.play("bo", 2).await;
    assert_eq!(game.table.phase(), Phase::Playing);
    let charge = game.table.last_charge().unwrap();
    assert_eq!((charge.used_ms, charge.charged_ms), (0, 0));
    let facts = facts(&stage).await;
    assert!(
        matches!(facts[..], [Fact::Move(_), Fact::Credited { .. }, Fact::Move(_)]),
        "{facts:?}"
    );

    // A flag that falls in an outage does not fall.
    stage.time.advance(700_000);
    assert_eq!(stage.games.due(ID).await.unwrap(), Some(stage.live.now_ms() + 600_000));
    // Another replica knows of it by the record.
    let other = stage.another();
    other.due(ID).await.unwrap();
    assert_eq!(other.read(ID).await.unwrap().head, stage.games.read(ID).await.unwrap().head);
}

// rulebook: C8.4; fault: F5: moves that are lost are missed by whoever has seen them;
// the game then waits for both, and never has two histories.
#[tokio::test]
async fn a_lost_move_is_noticed_and_both_confirm() {
    let stage = stage().await;
    stage.play("aki", 1).await;
    let shown = stage.play("bo", 2).await;
    stage.live.rewind(2, &stage.time).await;
    let point = Point::new(0, 0);
    let refused = stage.act("aki", 103, Act::Play { number: 3, point }).await;
    let refused = refused.map(|game| game.head).unwrap_err();
    assert_eq!(refused.reason(), "WRONG_PHASE");
    let game = stage.games.read_after(&shown).await.unwrap();
    assert_eq!((game.table.phase(), game.table.turns().len()), (Phase::Restored, 1));
    assert_eq!(game.table.restorations(), 1, "once, whoever misses it");
    stage.act("bo", 10, Act::ConfirmRestored).await.unwrap();
    let game = stage.act("aki", 11, Act::ConfirmRestored).await.unwrap();
    assert_eq!(game.table.phase(), Phase::Playing);
    let game = stage.play("bo", 2).await;
    assert_eq!((game.table.phase(), game.table.restorations()), (Phase::Playing, 1));
}

// fault: F5: an end that is lost may be another in the end: its result has a version of its own.
#[tokio::test]
async fn a_lost_end_has_a_second_version() {
    let stage = stage().await;
    stage.play("aki", 1).await;
    stage.resign().await;
    stage.archive(1).await.unwrap();
    let first = stage.live.outbox_take(10).await.unwrap();
    stage.live.rewind(2, &stage.time).await;
    let game = stage.games.read(ID).await.unwrap();
    assert_eq!(game.table.phase(), Phase::Restored);
    stage.time.advance(5);
    stage.act("bo", 20, Act::Resign).await.unwrap();
    let second = stage.live.outbox_take(10).await.unwrap();
    let ids = [&first[0].id, &second[0].id].map(|id| id.rsplit(':').next().unwrap());
    assert_eq!(ids, ["1", "2"]);
    // What is archived of the first is no sign that the second is booked.
    let game = stage.games.read(ID).await.unwrap();
    assert!(stage.games.applied(&game).await.is_none());
    // Nor is a late word of it.
    stage.archive(1).await.unwrap();
    assert!(stage.games.applied(&game).await.is_none());
    stage.archive(2).await.unwrap();
    assert_eq!(stage.games.applied(&game).await, Some(Changes(vec![2])));
}

// A list that is full is swept of what is over, whoever makes the game; one that is full of running
// games says so.
#[tokio::test]
async fn a_full_list_is_swept_before_a_game_is_made() {
    let stage = stage().await;
    let make = async |number: usize| {
        let player = |id: &str| Player { id: id.into(), name: id.into(), bot: false, tier: 0 };
        let players = [player("aki"), player(&format!("p{number}"))];
        let settings = Settings::even(Size::square(9).unwrap());
        stage.games.create(&format!("g01-{number}"), players, settings).await
    };
    for number in 1..ENTRIES {
        make(number).await.unwrap();
    }
    let full = make(ENTRIES).await.map(|game| game.head).unwrap_err();
    assert_eq!((full.code(), full.reason()), (Code::ResourceExhausted, "LIMIT_REACHED"));
    assert_eq!(stage.listed().await, ENTRIES);
    stage.resign().await;
    make(ENTRIES).await.unwrap();
    assert_eq!(stage.listed().await, ENTRIES);
    // The same again finds the game that was made.
    assert_eq!(make(ENTRIES).await.unwrap().head.sequence, 1);
}

// Opponents on two replicas: each reads what the other has played, not the whole game.
// case: D6
#[tokio::test]
async fn what_another_replica_committed_is_read_alone() {
    let stage = stage().await;
    let other = stage.another();
    for replica in [&*stage.games, &other] {
        replica.read(ID).await.unwrap();
    }
    let loads = stage.live.loads.load(Ordering::Relaxed);
    for number in 1..=6 {
        let (games, player) = if number % 2 == 1 { (&*stage.games, "aki") } else { (&other, "bo") };
        let act = Act::Play { number, point: Point::new(4, u8::try_from(number).unwrap()) };
        let request = Request { key: u64::from(number), digest: 1 };
        let command = |by| Command { by, request, act: act.clone() };
        let game = games.act(ID, player, command, GameRecord::clone).await.unwrap();
        assert_eq!(game.head.sequence, i64::from(number) + 1);
    }
    // A commit that comes too late reads it as well.
    let request = Request { key: 90, digest: 1 };
    let late = |by| Command { by, request, act: Act::Offer(Offer::Draw) };
    stage.games.act(ID, "aki", late, GameRecord::clone).await.unwrap();
    assert_eq!(stage.live.loads.load(Ordering::Relaxed), loads);
    let record = stage.live.load(ID).await.unwrap().unwrap();
    let whole = GameRecord::from_log(ID, &record).unwrap();
    assert_eq!(whole.head, stage.games.read(ID).await.unwrap().head);
    assert_eq!(
        whole.table.game().board(),
        stage.games.read(ID).await.unwrap().table.game().board()
    );
}
