//! Commits a second with 64 in flight, against a bare script that compares a number, sets a record,
//! appends an entry and sets a deadline, through the same client to the same server. Prints one
//! line; the ratio is ours by the reference's.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program to look at"
)]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Script};
use tengen_harness::{Kind, Server};
use tengen_live::{Commit, Head, Live, Redis, RedisSettings, Relabel, record_id};

const IN_FLIGHT: u8 = 64;
const EACH: i64 = 150;
const ROUNDS: u8 = 8;
const ENTRY: &[u8] = b"a move of some 24 bytes.";

static REFERENCE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then return 0 end
         redis.call('SET', KEYS[1], ARGV[2])
         redis.call('RPUSH', KEYS[2], ARGV[3])
         redis.call('ZADD', KEYS[3], ARGV[4], KEYS[1])
         return 1",
    )
});

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(bench());
}

async fn bench() {
    let server = Server::start(Kind::Redis, &[]);
    let live = Redis::connect(&server.url(), RedisSettings::default()).await.unwrap();
    let url = format!("{}?protocol=resp3", server.url());
    let config = ConnectionManagerConfig::new();
    let reference =
        ConnectionManager::new_with_config(Client::open(url).unwrap(), config).await.unwrap();
    let mut times = [Duration::ZERO; 2];
    // The first round warms up both.
    for round in 0..=ROUNDS {
        for (side, time) in times.iter_mut().enumerate() {
            let start = Instant::now();
            let tasks: Vec<_> = (0..IN_FLIGHT)
                .map(|task| match side {
                    0 => tokio::spawn(ours(live.clone(), round, task)),
                    _ => tokio::spawn(theirs(reference.clone(), round, task)),
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            if round > 0 {
                *time += start.elapsed();
            }
        }
    }
    let commits = u128::from(IN_FLIGHT) * u128::from(ROUNDS) * u128::from(EACH.unsigned_abs());
    let [ours, reference] = times.map(|time| commits * 1_000_000 / time.as_micros().max(1));
    let hundredths = 100 * ours / reference;
    let ratio = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    println!("bench live_commit ours={ours} reference={reference} ratio={ratio}");
}

async fn ours(live: Redis, round: u8, task: u8) {
    let id = record_id('r', &[[round, task]; 8].concat().try_into().unwrap());
    let mut expected = None;
    for sequence in 1..=EACH {
        let head = Head { sequence, hash: [task; 16] };
        let commit = Commit {
            expected,
            head,
            entries: vec![Bytes::from_static(ENTRY)],
            next_due_ms: Some(live.now_ms() + 60_000),
            outages: 0,
            outbox: None,
            ended: false,
            relabel: Relabel::default(),
        };
        live.commit(&id, commit).await.unwrap();
        expected = Some(head);
    }
}

async fn theirs(mut redis: ConnectionManager, round: u8, task: u8) {
    let record = format!("{{{task}}}record{round}");
    let (log, due) = (format!("{{{task}}}log{round}"), format!("{{{task}}}due"));
    for sequence in 0..EACH {
        let mut call = REFERENCE.key(&record);
        call.key(&log).key(&due).arg(sequence).arg(sequence + 1).arg(ENTRY).arg(60_000 + sequence);
        let done: i64 = call.invoke_async(&mut redis).await.unwrap();
        assert_eq!(done, 1);
    }
}
