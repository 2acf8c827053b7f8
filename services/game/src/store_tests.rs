//! The games while a store behind them fails for a while. The stores are the real ones; a switch in
//! front of the live state makes it unreachable.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use sqlx::AnyPool;
use tempfile::TempDir;
use tengen_kit::sql;
use tengen_kit::time::ManualTime;
use tengen_live::{
    Claim, Commit, Head, Live, LiveError, Memory, Outgoing, Record, Settings as MemorySettings,
    Version, WakeUps,
};
use tengen_rules::{Colour, Size};
use tengen_table::{Act, Command, Request, Settings};
use tengen_timing::Control;
use tonic::Code;

use crate::archive::Archive;
use crate::record::Player;
use crate::store::Games;

const ID: &str = "g01-ab";

/// Live state that cannot read its records while `away` is set.
struct Switched {
    live: Memory,
    away: AtomicBool,
}

impl Switched {
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
        self.live.now_ms()
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<(), LiveError> {
        self.live.commit(id, commit).await
    }

    async fn load(&self, id: &str) -> Result<Option<Record>, LiveError> {
        self.reach()?;
        self.live.load(id).await
    }

    async fn head(&self, id: &str) -> Result<Option<Head>, LiveError> {
        self.reach()?;
        self.live.head(id).await
    }

    async fn log_after(&self, id: &str, sequence: i64) -> Result<Vec<Bytes>, LiveError> {
        self.live.log_after(id, sequence).await
    }

    async fn subscribe(&self, id: &str) -> Result<WakeUps, LiveError> {
        self.live.subscribe(id).await
    }

    async fn claim_due(&self, lease_ms: i64, most: usize) -> Result<Vec<Claim>, LiveError> {
        self.live.claim_due(lease_ms, most).await
    }

    async fn due_wait(&self) -> Result<(), LiveError> {
        self.live.due_wait().await
    }

    async fn outbox_take(&self, most: usize) -> Result<Vec<Outgoing>, LiveError> {
        self.live.outbox_take(most).await
    }

    async fn outbox_wait(&self) -> Result<(), LiveError> {
        self.live.outbox_wait().await
    }

    async fn outbox_acknowledge(&self, ids: &[String]) -> Result<(), LiveError> {
        self.live.outbox_acknowledge(ids).await
    }

    async fn outbox_defer(&self, ids: &[String]) -> Result<(), LiveError> {
        self.live.outbox_defer(ids).await
    }

    async fn put_entry(
        &self,
        slot: &str,
        key: &str,
        expected: Option<Version>,
        value: Option<Bytes>,
        expires_ms: Option<i64>,
    ) -> Result<Version, LiveError> {
        self.live.put_entry(slot, key, expected, value, expires_ms).await
    }

    async fn entry(&self, slot: &str, key: &str) -> Result<Option<(Version, Bytes)>, LiveError> {
        self.live.entry(slot, key).await
    }

    async fn entries(&self, slot: &str) -> Result<Vec<(String, Version, Bytes)>, LiveError> {
        self.live.entries(slot).await
    }
}

struct Stage {
    games: Games,
    live: Arc<Switched>,
    time: ManualTime,
    database: AnyPool,
    _folder: TempDir,
}

/// A rated game that has begun.
async fn stage() -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/games.db", folder.path().display());
    let database = sql::open(&url, crate::MIGRATIONS).await.unwrap();
    let time = ManualTime::new(1_767_225_600_000);
    let live = Memory::new(time.shared(), MemorySettings::default());
    let live = Arc::new(Switched { live, away: AtomicBool::new(false) });
    let shared: Arc<dyn Live> = live.clone();
    let games = Games::new(shared, Archive::new(database.clone()), 100);
    let settings = Settings {
        rated: true,
        control: Some(Control::Absolute { main_ms: 600_000 }),
        ..Settings::even(Size::square(9).unwrap())
    };
    let player = |id: &str| Player { id: id.into(), name: id.into(), bot: false };
    games.create(ID, [player("aki"), player("bo")], settings).await.unwrap();
    Stage { games, live, time, database, _folder: folder }
}

impl Stage {
    async fn resign(&self) {
        let request = Request { key: 1, digest: 1 };
        let command = |by: Colour| Command { by, request, act: Act::Resign };
        self.games.act(ID, "aki", command).await.unwrap();
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
    assert!(ended.ended() && !stage.games.is_applied(&ended).await);
    stage.games.archive(ID).await.unwrap();
    assert!(stage.games.is_applied(&ended).await);
    stage.database.close().await;
    let ended = stage.games.read(ID).await.unwrap();
    assert!(ended.ended() && !stage.games.is_applied(&ended).await);
    assert_eq!(stage.games.archive(ID).await.unwrap_err().code(), Code::Unavailable);
}

// A game whose live record has expired is read from the archive: its end, its answers to requests
// of before; and nothing is due in it.
// fault: F2
#[tokio::test]
async fn a_game_goes_on_being_known_from_the_archive() {
    let stage = stage().await;
    stage.resign().await;
    stage.games.archive(ID).await.unwrap();
    stage.live.outbox_acknowledge(&[format!("{ID}:1")]).await.unwrap();
    stage.time.advance(25 * 60 * 60 * 1_000);
    assert_eq!(stage.live.load(ID).await, Ok(None));
    assert!(stage.games.read(ID).await.unwrap().ended());
    assert_eq!(stage.games.due(ID).await.unwrap(), None);
    stage.resign().await;
    let found = stage.games.finished("bo", None, 10).await.unwrap();
    assert_eq!(found.len(), 1);
}
