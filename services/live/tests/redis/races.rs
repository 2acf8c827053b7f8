//! Many commits at once.

use bytes::Bytes;
use tengen_live::{Commit, Head, Live, LiveError, Redis};

use crate::conformance::{create, head, id};
use crate::{CLUSTER, REDIS, settings};

const ROUNDS: i64 = 10;
const RACERS: u16 = 100;

/// A commit on `expected` that no other racer makes.
fn racing(expected: Head, racer: u16) -> Commit {
    let [high, low] = racer.to_be_bytes();
    let mut hash = [0; 16];
    hash[..2].copy_from_slice(&[high, low]);
    Commit {
        expected: Some(expected),
        head: Head { sequence: expected.sequence + 1, hash },
        entries: vec![Bytes::from(format!("racer {racer}"))],
        ..create(1)
    }
}

// fault: F8
async fn one_wins_each_head(url: &str) {
    let settings = settings();
    let mut replicas = Vec::new();
    for _ in 0..4 {
        replicas.push(Redis::connect(url, settings.clone()).await.unwrap());
    }
    replicas[0].commit(&id(1), create(1)).await.unwrap();
    let mut standing = head(1);
    let mut winners = Vec::new();
    for _ in 0..ROUNDS {
        let racers: Vec<_> = (0..RACERS)
            .map(|racer| {
                let live = replicas[usize::from(racer) % replicas.len()].clone();
                let commit = racing(standing, racer);
                tokio::spawn(async move { live.commit(&id(1), commit).await })
            })
            .collect();
        let mut won = Vec::new();
        let mut refused = Vec::new();
        for (racer, outcome) in (0..).zip(racers) {
            match outcome.await.unwrap() {
                Ok(()) => won.push(racer),
                Err(LiveError::Conflict { head }) => refused.push(head),
                Err(other) => panic!("racer {racer}: {other}"),
            }
        }
        let [winner] = won[..] else { panic!("{won:?} won at {standing:?}") };
        standing = racing(standing, winner).head;
        assert_eq!(refused, [Some(standing); RACERS as usize - 1]);
        winners.push(Bytes::from(format!("racer {winner}")));
    }
    assert_eq!(replicas[1].log_after(&id(1), 1).await.unwrap(), winners);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_thousand_racing_commits_one_wins_each_head() {
    one_wins_each_head(&REDIS.url()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_thousand_racing_commits_in_a_cluster_one_wins_each_head() {
    one_wins_each_head(&CLUSTER.url()).await;
}

/// Each script that left its slot would have been refused; and all masters have something to do.
#[tokio::test]
async fn records_are_spread_over_the_masters_of_a_cluster() {
    let settings = settings();
    let live = Redis::connect(&CLUSTER.url(), settings.clone()).await.unwrap();
    for n in 0..64 {
        live.commit(&id(n), create(1)).await.unwrap();
    }
    for master in CLUSTER.masters() {
        let keys = master.ask(&["KEYS", &format!("{}*", settings.prefix)]);
        let records = keys.lines().filter(|line| line.starts_with(&settings.prefix)).count();
        assert!(records > 10, "{records} of 64 at {}", master.url());
    }
}
