//! How late flags fall and calls are heard: 100,000 running games in one process, of which 1,000 a
//! second fall due; then the last ten seconds of one game, read aloud to a watcher over TCP. Each
//! flag falls once and none early, or the program fails. The reference is a bare timer of the
//! runtime for each of the same instants, in the same run.
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
use tengen_live::{Commit, Head, Live, Memory, Relabel, record_id};
use tengen_proto::clock::v1::clock_service_client::ClockServiceClient;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::watch_clock_response::Message as Told;
use tengen_proto::clock::v1::{Absolute, TimeControl, WatchClockRequest};
use tengen_proto::game::v1::{Seat, Settings};
use tengen_proto::internal::v1::stored_event::Fact;
use tengen_proto::internal::v1::{StoredEvent, StoredOpening};
use tengen_proto::time::{duration, timestamp_ms};
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
    let Measured { flags, flag_timers, calls, call_timers } = runtime.block_on(measure());
    print("flag_lateness_p99_ms", percentile(flags, 99), percentile(flag_timers, 99));
    print("call_lateness_max_ms", percentile(calls, 100), percentile(call_timers, 100));
}

fn print(name: &str, ours: f64, reference: f64) {
    println!("bench {name} ours={ours} reference={reference} ratio={:.2}", ours / reference);
}

/// Latenesses in milliseconds, and those of bare timers for the same instants.
struct Measured {
    flags: Vec<f64>,
    flag_timers: Vec<f64>,
    calls: Vec<f64>,
    call_timers: Vec<f64>,
}

async fn measure() -> Measured {
    let time = WallTime::shared();
    let live: Arc<dyn Live> =
        Arc::new(Memory::new(Arc::clone(&time), tengen_live::Settings::default()));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let shutdown = Shutdown::new();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let parts = dev::Parts {
        listener,
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
    let flags = watching.join_all().await;
    let flag_timers = timers.join_all().await;
    let due_ms = time.now_ms() + 12_000;
    let id = open(&*live, GAMES, due_ms).await;
    let (calls, call_timers) = calls(&url, &id, &time).await;
    shutdown.begin();
    serving.await.expect("ends").expect("ends in order");
    Measured { flags, flag_timers, calls, call_timers }
}

/// Listens to a game's clock up to its end; how late each call is heard, and a timer beside it.
async fn calls(url: &str, game_id: &str, time: &SharedTime) -> (Vec<f64>, Vec<f64>) {
    let endpoint = tengen_kit::client::endpoint(url).expect("an address");
    let mut clocks = ClockServiceClient::new(endpoint.connect().await.expect("connects"));
    let request = WatchClockRequest { game_id: game_id.into() };
    let mut stream = clocks.watch_clock(request).await.expect("watches").into_inner();
    let (mut heard, mut timers) = (Vec::new(), JoinSet::new());
    while let Some(told) = stream.message().await.expect("the stream goes on") {
        if let Some(Told::Call(call)) = told.message {
            let due_ms = timestamp_ms(&call.due.expect("an instant")).expect("whole");
            heard.push((time.now_ms() - due_ms).max(0) as f64);
            timers.spawn(timer(Arc::clone(time), due_ms + 1_000));
        }
    }
    assert_eq!(heard.len(), 11, "fifty, nine counts and the loss");
    (heard, timers.join_all().await)
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

/// So many of a hundred are no later; at least half a millisecond: instants are whole ones.
fn percentile(mut lateness: Vec<f64>, of_hundred: usize) -> f64 {
    lateness.sort_by(f64::total_cmp);
    let index = (lateness.len() * of_hundred / 100).min(lateness.len() - 1);
    lateness[index].max(0.5)
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
        outages: 0,
        outbox: None,
        ended: false,
        relabel: Relabel::default(),
    };
    live.commit(&id, commit).await.expect("commits");
    id
}
