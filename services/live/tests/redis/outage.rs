//! A server that dies and comes back, and one that refuses to write.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tengen_harness::{Kind, Server};
use tengen_live::{Commit, Head, Live, LiveError, Redis, RedisSettings, Wake};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::conformance::{create, head, id};
use crate::settings;

const WRITERS: u8 = 16;
const KILLS: usize = 3;
const TIMEOUT: Duration = Duration::from_millis(500);
/// How soon after its server is back everybody goes on.
const BACK: Duration = Duration::from_secs(2);
/// How long no test waits.
const STUCK: Duration = Duration::from_secs(30);

#[derive(Debug, PartialEq, Eq)]
enum Event {
    Acknowledged(u8, i64),
    Failed(u8),
}

fn head_at(sequence: i64) -> Head {
    Head { sequence, hash: i128::from(sequence).to_be_bytes() }
}

fn entry_at(writer: u8, sequence: i64) -> Bytes {
    format!("{sequence} of {writer}").into()
}

/// Since when, on the process's own clock.
#[expect(clippy::disallowed_methods, reason = "how long a real server took is the question")]
fn started() -> Instant {
    Instant::now()
}

/// Appends to its record as fast as it can, until nobody listens any more.
async fn write(live: Redis, writer: u8, events: mpsc::UnboundedSender<Event>) {
    let mut standing: Option<Head> = None;
    while !events.is_closed() {
        let sequence = standing.map_or(1, |head| head.sequence + 1);
        let commit = Commit {
            expected: standing,
            head: head_at(sequence),
            entries: vec![entry_at(writer, sequence)],
            ..create(1)
        };
        let since = started();
        match live.commit(&id(writer), commit).await {
            Ok(()) => {
                standing = Some(head_at(sequence));
                let _ = events.send(Event::Acknowledged(writer, sequence));
            }
            Err(LiveError::Unavailable(_)) => {
                let took = since.elapsed();
                assert!(took < 2 * TIMEOUT, "the call failed after {took:?}");
                let _ = events.send(Event::Failed(writer));
                // It may have happened or not.
                while !events.is_closed() {
                    if let Ok(found) = live.head(&id(writer)).await {
                        standing = found;
                        break;
                    }
                }
            }
            Err(other) => panic!("writer {writer}: {other}"),
        }
    }
}

/// Takes events until each writer has had one of `wanted`.
async fn until_each(
    events: &mut mpsc::UnboundedReceiver<Event>,
    acknowledged: &mut [i64],
    wanted: impl Fn(&Event) -> bool,
) {
    let mut missing = vec![true; acknowledged.len()];
    while missing.contains(&true) {
        let event = timeout(STUCK, events.recv()).await.expect("all writers go on");
        let event = event.expect("no writer has panicked");
        let (Event::Acknowledged(writer, _) | Event::Failed(writer)) = event;
        if let Event::Acknowledged(writer, sequence) = event {
            acknowledged[usize::from(writer)] = sequence;
        }
        if wanted(&event) {
            missing[usize::from(writer)] = false;
        }
    }
}

// fault: F4
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_killed_server_loses_nothing_that_was_acknowledged() {
    let options = ["--appendonly", "yes", "--appendfsync", "everysec"];
    let mut server = Server::start(Kind::Redis, &options);
    let settings = RedisSettings { timeout: TIMEOUT, ..settings() };
    let live = Redis::connect(&server.url(), settings).await.unwrap();
    let (sender, mut events) = mpsc::unbounded_channel();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write(live.clone(), writer, sender.clone())))
        .collect();
    let mut acknowledged = vec![0; usize::from(WRITERS)];
    for round in 0..KILLS {
        for _ in 0..20 {
            let acknowledgement = |event: &Event| matches!(event, Event::Acknowledged(..));
            until_each(&mut events, &mut acknowledged, acknowledgement).await;
        }
        server.kill();
        until_each(&mut events, &mut acknowledged, |event| matches!(event, Event::Failed(_))).await;
        server.restart();
        let since = started();
        let before = acknowledged.clone();
        let going_on = |event: &Event| match event {
            Event::Acknowledged(writer, sequence) => *sequence > before[usize::from(*writer)],
            Event::Failed(_) => false,
        };
        until_each(&mut events, &mut acknowledged, going_on).await;
        let took = since.elapsed();
        assert!(took < BACK, "round {round}: all went on after {took:?}");
    }
    events.close();
    for writer in writers {
        writer.await.unwrap();
    }
    while let Ok(event) = events.try_recv() {
        if let Event::Acknowledged(writer, sequence) = event {
            acknowledged[usize::from(writer)] = sequence;
        }
    }
    for (writer, acknowledged) in (0..).zip(acknowledged) {
        let record = live.load(&id(writer)).await.unwrap().unwrap();
        let expected: Vec<_> = (1..=record.head.sequence).map(|n| entry_at(writer, n)).collect();
        assert_eq!(record.log, expected);
        assert!(record.head.sequence >= acknowledged, "{writer}: {acknowledged} acknowledged");
    }
}

/// Whoever listens learns that it may have missed something, and hears what comes.
// fault: F4
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn subscriptions_heal() {
    let mut server = Server::start(Kind::Redis, &["--appendonly", "yes"]);
    let live = Redis::connect(&server.url(), settings()).await.unwrap();
    live.commit(&id(1), create(1)).await.unwrap();
    let mut wake_ups = live.subscribe(&id(1)).await.unwrap();
    server.kill();
    server.restart();
    let heard = timeout(BACK, wake_ups.next()).await;
    assert_eq!(heard.expect("the subscription is back"), Some(Wake::Lagged));
    live.commit(&id(1), crate::conformance::commit(head(1), 1)).await.unwrap();
    let Ok(Some(Wake::Committed(committed))) = timeout(BACK, wake_ups.next()).await else {
        panic!("expected the commit")
    };
    assert_eq!(committed.head, head(2));
}

/// Nothing of a backend that was dropped goes on: neither its wake-ups nor its connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_backend_ends_with_its_connections() {
    let server = Server::start(Kind::Redis, &[]);
    let live = Redis::connect(&server.url(), settings()).await.unwrap();
    let mut wake_ups = live.subscribe(&id(1)).await.unwrap();
    drop(live);
    assert_eq!(wake_ups.next().await, None);
    let since = started();
    while !server.ask(&["INFO", "clients"]).contains("connected_clients:1\r") {
        assert!(since.elapsed() < BACK, "{}", server.ask(&["CLIENT", "LIST"]));
        tokio::task::yield_now().await;
    }
}

// fault: F25
#[tokio::test]
async fn a_server_that_refuses_to_write_changes_nothing() {
    let server = Server::start(Kind::Redis, &["--maxmemory-policy", "noeviction"]);
    let live = Redis::connect(&server.url(), settings()).await.unwrap();
    live.commit(&id(1), create(1)).await.unwrap();
    let commit = || crate::conformance::commit(head(1), 1);
    for (setting, refusing, working) in [
        // It has no memory left.
        ("maxmemory", "1", "0"),
        // It may not write, as with a full disk.
        ("min-replicas-to-write", "1", "0"),
    ] {
        server.ask(&["CONFIG", "SET", setting, refusing]);
        let refused = live.commit(&id(1), commit()).await;
        assert!(matches!(refused, Err(LiveError::Unavailable(_))), "{setting}: {refused:?}");
        let refused = live.put_entry("s", "k", None, Some(Bytes::new()), None).await;
        assert!(matches!(refused, Err(LiveError::Unavailable(_))), "{setting}: {refused:?}");
        server.ask(&["CONFIG", "SET", setting, working]);
        assert_eq!(live.head(&id(1)).await.unwrap(), Some(head(1)));
        assert_eq!(live.entries("s").await.unwrap(), []);
    }
    live.commit(&id(1), commit()).await.unwrap();
}
