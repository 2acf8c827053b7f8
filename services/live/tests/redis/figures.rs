//! What a record takes, and how right the clock is.

use bytes::Bytes;
use tengen_kit::time::{Time, WallTime};
use tengen_live::{Commit, Head, Live, Outgoing, Redis};

use crate::conformance::{create, id};
use crate::{CLUSTER, REDIS, settings};

const ENTRIES: u8 = 240;
const MOST_BYTES: u64 = 8 * 1024;

/// The first entry says what was agreed, the others one move each.
fn entry(n: u8) -> Bytes {
    vec![n; if n == 0 { 400 } else { 24 }].into()
}

#[tokio::test]
async fn a_record_of_240_entries_takes_8_kib_at_most() {
    let settings = settings();
    let live = Redis::connect(&REDIS.url(), settings.clone()).await.unwrap();
    let mut expected = None;
    for n in 0..ENTRIES {
        let head = Head { sequence: i64::from(n) + 1, hash: [n; 16] };
        let commit = Commit {
            expected,
            head,
            entries: vec![entry(n)],
            next_due_ms: Some(live.now_ms() + 60_000),
            outages: 0,
            ..create(1)
        };
        live.commit(&id(1), commit).await.unwrap();
        expected = Some(head);
    }
    let found = REDIS.ask(&["KEYS", &format!("{}*", settings.prefix)]);
    let keys: Vec<_> = found.lines().filter(|line| line.starts_with(&settings.prefix)).collect();
    let bytes = |key: &&str| -> u64 {
        let usage = REDIS.ask(&["MEMORY", "USAGE", key, "SAMPLES", "0"]);
        usage.trim_start_matches(':').trim().parse().unwrap()
    };
    let each: Vec<_> = keys.iter().map(|key| (*key, bytes(key))).collect();
    let all: u64 = each.iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(each.len(), 2, "the record and the due queue: {each:?}");
    assert!(all <= MOST_BYTES, "{all} bytes, expected {MOST_BYTES} at most: {each:?}");
}

/// What is over and settled leaves nothing behind but its slot of time.
#[tokio::test]
async fn an_ended_record_leaves_no_key_behind() {
    let settings = settings();
    let live = Redis::connect(&REDIS.url(), settings.clone()).await.unwrap();
    let message = Outgoing { id: format!("{}:1", id(1)), body: entry(1) };
    let acknowledged = [message.id.clone()];
    let ended = Commit { ended: true, outbox: Some(message), ..create(1) };
    live.commit(&id(1), ended).await.unwrap();
    live.outbox_acknowledge(&acknowledged).await.unwrap();
    let expires = Some(live.now_ms() + 1);
    live.put_entry("slot", "key", None, Some(entry(1)), expires).await.unwrap();
    let found = REDIS.ask(&["KEYS", &format!("{}*", settings.prefix)]);
    let keys: Vec<_> = found.lines().filter(|line| line.starts_with(&settings.prefix)).collect();
    assert_eq!(keys.len(), 3, "the record, the slot and its expiries: {keys:?}");
    for key in keys {
        let left = REDIS.ask(&["PTTL", key]);
        assert!(!left.starts_with(":-"), "{key} stays for ever");
    }
}

async fn is_right(url: &str, ask: impl Fn() -> i64) {
    let live = Redis::connect(url, settings()).await.unwrap();
    let time = WallTime::start();
    let until_ms = time.now_ms() + 2_500;
    let mut most_behind_ms = 0;
    while time.now_ms() < until_ms {
        let before_ms = live.now_ms();
        let redis_ms = ask();
        assert!(before_ms <= redis_ms, "{before_ms} is ahead of {redis_ms}");
        let behind_ms = redis_ms - live.now_ms();
        most_behind_ms = most_behind_ms.max(behind_ms);
        tokio::task::yield_now().await;
    }
    assert!(most_behind_ms <= 1_000, "{most_behind_ms} ms behind");
}

/// Milliseconds of `TIME`.
fn time_ms(answer: &str) -> i64 {
    let numbers: Vec<i64> = answer
        .lines()
        .filter(|line| !line.starts_with(['*', '$']))
        .map(|n| n.parse().unwrap())
        .collect();
    numbers[0] * 1_000 + numbers[1] / 1_000
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clock_is_never_ahead_of_redis_and_little_behind() {
    is_right(&REDIS.url(), || time_ms(&REDIS.ask(&["TIME"]))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clock_is_never_ahead_of_any_master_of_a_cluster() {
    let least = || {
        let masters = CLUSTER.masters().iter();
        masters.map(|master| time_ms(&master.ask(&["TIME"]))).min().unwrap()
    };
    is_right(&CLUSTER.url(), least).await;
}
