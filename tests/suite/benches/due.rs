//! How late flags are called: 100,000 running games in one process, of which 1,000 a second fall
//! due. Each is called once and none early, or the program fails. The reference is a bare timer of
//! the runtime for each of the same instants, in the same run.
#![allow(
    clippy::expect_used,
    clippy::float_arithmetic,
    clippy::print_stdout,
    reason = "a program that measures, and stops at the first fault"
)]

use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use sha2::{Digest, Sha256};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::{SharedTime, WallTime};
use tengen_live::{Commit, Head, Live, Memory, record_id};
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Absolute, TimeControl};
use tengen_proto::game::v1::{Seat, Settings};
use tengen_proto::internal::v1::stored_event::Fact;
use tengen_proto::internal::v1::{StoredEvent, StoredOpening};
use tengen_proto::time::duration;
use tengen_standalone::dev;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;

const GAMES: u32 = 100_000;
const A_SECOND: u32 = 1_000;
const SECONDS: u32 = 15;
/// Between making the last game and the first flag.
const AHEAD_MS: i64 = 3_000;

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (ours, reference) = runtime.block_on(measure());
    let (ours, reference) = (percentile(ours), percentile(reference));
    println!(
        "bench flag_lateness_p99_ms ours={ours} reference={reference} ratio={:.2}",
        ours / reference
    );
}

async fn measure() -> (Vec<f64>, Vec<f64>) {
    let time = WallTime::shared();
    let live: Arc<dyn Live> =
        Arc::new(Memory::new(Arc::clone(&time), tengen_live::Settings::default()));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let shutdown = Shutdown::new();
    let parts = dev::Parts {
        listener: TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port"),
        data: folder.path().to_owned(),
        live: Arc::clone(&live),
        time: Arc::clone(&time),
        shutdown: shutdown.clone(),
        config: dev::Config::default(),
    };
    let serving = tokio::spawn(dev::bind(parts).await.expect("the product starts"));

    for number in SECONDS * A_SECOND..GAMES {
        open(&*live, number, time.now_ms() + 3_600_000).await;
    }
    let first_ms = time.now_ms() + AHEAD_MS + i64::from(SECONDS * A_SECOND) / 5;
    let mut watching = JoinSet::new();
    let mut timers = JoinSet::new();
    for number in 0..SECONDS * A_SECOND {
        let due_ms = first_ms + i64::from(number * 1_000 / A_SECOND);
        let id = open(&*live, number, due_ms).await;
        watching.spawn(lateness(Arc::clone(&live), Arc::clone(&time), id, due_ms));
        timers.spawn(timer(Arc::clone(&time), due_ms));
    }
    let ours = watching.join_all().await;
    let reference = timers.join_all().await;
    shutdown.begin();
    serving.await.expect("ends").expect("ends in order");
    (ours, reference)
}

/// Waits for the end of a game; returns how late it was committed, in milliseconds.
async fn lateness(live: Arc<dyn Live>, time: SharedTime, id: String, due_ms: i64) -> f64 {
    let mut wakes = live.subscribe(&id).await.expect("subscribes");
    wakes.next().await.expect("a commit");
    let late_ms = time.now_ms() - due_ms;
    assert!(late_ms >= 0, "{id} was flagged {late_ms} ms early");
    let log = live.load(&id).await.expect("reads").expect("the game").log;
    assert_eq!(log.len(), 2, "{id} ended more than once");
    late_ms as f64
}

async fn timer(time: SharedTime, due_ms: i64) -> f64 {
    let ahead = u64::try_from(due_ms - time.now_ms()).unwrap_or(0);
    tokio::time::sleep_until(Instant::now() + Duration::from_millis(ahead)).await;
    (time.now_ms() - due_ms).max(0) as f64
}

/// The 99th of a hundred, at least half a millisecond: instants are whole ones.
fn percentile(mut lateness: Vec<f64>) -> f64 {
    lateness.sort_by(f64::total_cmp);
    lateness[lateness.len() * 99 / 100].max(0.5)
}

/// Makes a game whose first flag falls at this instant.
async fn open(live: &dyn Live, number: u32, due_ms: i64) -> String {
    let digest: [u8; 32] = Sha256::digest(number.to_be_bytes()).into();
    let id = record_id('g', digest[..16].first_chunk().expect("16 bytes"));
    let now_ms = live.now_ms();
    let absolute = Absolute { main: Some(duration(due_ms - now_ms)) };
    let seat = |name: &str| Some(Seat { player_id: name.into(), ..Seat::default() });
    let opening = StoredOpening {
        game_id: id.clone(),
        settings: Some(Settings {
            time: Some(TimeControl { kind: Some(Kind::Absolute(absolute)) }),
            ..Settings::default()
        }),
        black: seat("aki"),
        white: seat("bo"),
    };
    let event = StoredEvent {
        after_ms: now_ms,
        fact: Some(Fact::Opening(opening)),
        ..StoredEvent::default()
    };
    let entry = event.encode_to_vec();
    let chained = Sha256::new().chain_update([0; 16]).chain_update(&entry).finalize();
    let hash = *chained.first_chunk().expect("16 bytes");
    let commit = Commit {
        expected: None,
        head: Head { sequence: 1, hash },
        entries: vec![entry.into()],
        next_due_ms: Some(due_ms),
        outbox: None,
        ended: false,
    };
    live.commit(&id, commit).await.expect("commits");
    id
}
