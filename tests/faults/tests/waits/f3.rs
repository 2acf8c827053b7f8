//! A crash at each step between a flag and what comes of it.

use std::sync::Arc;

use tengen_faults::check::{Expected, check};
use tengen_faults::load::timed;
use tengen_faults::proxy::{Proxy, When};
use tengen_faults::run::say;
use tengen_faults::scripts;
use tengen_faults::site::Site;
use tengen_faults::speech::Speech;
use tengen_faults::story::Story;
use tengen_faults::table::Table;
use tengen_proto::common::v1 as wire;
use tengen_proto::game::v1::{EndReason, GetGameRequest};
use tengen_proto::time::{duration_ms, timestamp_ms};
use tokio::task::{JoinHandle, JoinSet};

/// Flags that fall, each into a crash.
const FLAGS: usize = 20;
const FIRST_FLAG_MS: i64 = 2_000;
const BETWEEN_FLAGS_MS: i64 = 300;
/// How late a flag may be seen, on a busy machine: a lease, and two processes that start.
const LATE_MS: i64 = 20_000;

/// Games of which one after another nobody moves any more, until its flag falls.
async fn flags(site: &Site, story: &Arc<Story>) -> (Vec<Table>, Vec<JoinHandle<()>>) {
    let players = site.pair().await;
    // Only the steady replica: the others are killed on the way.
    let games = site.ways(&site.games[..1]);
    let (mut tables, mut watchers) = (Vec::new(), Vec::new());
    for limit_ms in (0..).map(|nth| FIRST_FLAG_MS + nth * BETWEEN_FLAGS_MS).take(FLAGS) {
        let table = Table::begin(&games, &players, timed(limit_ms), story).await;
        watchers.push(table.watch(0));
        tables.push(table);
    }
    (tables, watchers)
}

/// Waits for the end of all, and checks that each flag was called once, and how late that was seen.
async fn fallen(site: &mut Site, story: &Story, watchers: Vec<JoinHandle<()>>) -> String {
    for watcher in watchers {
        watcher.await.unwrap();
    }
    let told = story.take();
    let found = check(site, &told, Expected::default()).await;
    let mut worst_ms = 0;
    for watched in &told.watched {
        let request = GetGameRequest { game_id: watched.game_id.clone() };
        let shown = site.ways(&site.games[..1]).ask(None, &request).await.answer();
        let game = shown.game.unwrap();
        let result = game.result.unwrap();
        assert_eq!((result.reason(), result.winner()), (EndReason::Time, wire::Colour::White));
        let deadline_ms = timestamp_ms(&result.at.unwrap()).unwrap();
        let limit_ms = duration_ms(&result.together.unwrap()).unwrap();
        let begun_ms = timestamp_ms(&game.created_at.unwrap()).unwrap();
        assert_eq!(deadline_ms, begun_ms + limit_ms, "the deadline's own instant");
        worst_ms = worst_ms.max(watched.seen.last().unwrap().at_ms - deadline_ms);
    }
    assert!(worst_ms < LATE_MS, "a flag was {worst_ms} ms late");
    format!("kills={FLAGS} {found} worst_late_ms={worst_ms}")
}

// A replica of game dies between `Due` and its commit, or right after the commit.
// fault: F3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flag_falls_once_though_the_replica_that_calls_it_dies() {
    let (mut site, proxies) = Site::behind_proxies(1).await;
    site.clocks.push(site.clock(&site.redis.url(), &site.games[1..]));
    site.ready().await;
    let story = Story::new();
    let (tables, watchers) = flags(&site, &story).await;
    let commit = scripts::commit();
    let mut crashes = JoinSet::new();
    for (nth, table) in tables.iter().enumerate() {
        let when = if nth % 2 == 0 { When::Before } else { When::After };
        crashes.spawn(proxies[0].at(when, &[&commit, &table.id], site.games[1].killer()));
    }
    while let Some(crash) = crashes.join_next().await {
        crash.unwrap().unwrap();
        site.games[1].gone().await;
        site.games[1].start().await;
    }
    let figures = fallen(&mut site, &story, watchers).await;
    say("F3 due", figures);
}

// A timekeeper dies between its claim and the call.
// fault: F3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flag_falls_though_the_timekeeper_that_claimed_it_dies() {
    let (mut site, _) = Site::behind_proxies(0).await;
    let proxy = Proxy::to(&site.redis.address(), Speech::Redis, &site.time).await;
    let redis = format!("redis://{}", proxy.address());
    site.clocks.push(site.clock(&redis, &site.games));
    site.ready().await;
    let story = Story::new();
    let (tables, watchers) = flags(&site, &story).await;
    let claim = scripts::claim();
    let mut crashes = JoinSet::new();
    for (nth, table) in tables.iter().enumerate() {
        let when = if nth % 2 == 0 { When::Before } else { When::After };
        let queue = format!("{{p{}}}due", &table.id[1..3]);
        crashes.spawn(proxy.at(when, &[&claim, &queue], site.clocks[0].killer()));
    }
    while let Some(crash) = crashes.join_next().await {
        crash.unwrap().unwrap();
        site.clocks[0].gone().await;
        site.clocks[0].start().await;
    }
    let figures = fallen(&mut site, &story, watchers).await;
    say("F3 claim", figures);
}
