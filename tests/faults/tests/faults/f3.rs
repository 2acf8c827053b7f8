//! A crash at each step between a command and what comes of it.

use std::sync::Arc;

use tengen_faults::account::Account;
use tengen_faults::ask::Became as _;
use tengen_faults::check::{Expected, check};
use tengen_faults::load::{LONG_MS, timed};
use tengen_faults::proxy::{Proxy, When};
use tengen_faults::run::{say, turn};
use tengen_faults::scripts;
use tengen_faults::site::{Site, Store};
use tengen_faults::speech::Speech;
use tengen_faults::story::{Story, What};
use tengen_faults::table::Table;
use tengen_faults::watcher::{News, Watcher};
use tengen_faults::ways::{Told, again};
use tengen_proto::common::v1 as wire;
use tengen_proto::game::v1::{EndReason, GetGameRequest};
use tengen_proto::time::{duration_ms, timestamp_ms};
use tengen_rules::Colour;
use tokio::task::{JoinHandle, JoinSet};

const CRASHES: usize = 40;
/// Flags that fall, each into a crash.
const FLAGS: usize = 20;
const FIRST_FLAG_MS: i64 = 2_000;
const BETWEEN_FLAGS_MS: i64 = 300;
/// How late a flag may be seen, on a busy machine: a lease, and two processes that start.
const LATE_MS: i64 = 20_000;

/// Two accounts.
pub async fn pair(site: &Site) -> [Arc<Account>; 2] {
    let accounts = Account::register(&site.ways(&site.sessions), 2).await;
    accounts.try_into().expect("two")
}

/// A site whose first replica of game reaches Redis as it is, and the others each by a proxy.
pub async fn behind_proxies(victims: usize) -> (Site, Vec<Proxy>) {
    let mut site = Site::stores(Store::shared());
    site.sessions.push(site.session());
    let redis = site.redis.url();
    site.games.push(site.game(&redis));
    let mut proxies = Vec::new();
    for _ in 0..victims {
        let proxy = Proxy::to(&site.redis.address(), Speech::Redis, &site.time).await;
        site.games.push(site.game(&format!("redis://{}", proxy.address())));
        proxies.push(proxy);
    }
    (site, proxies)
}

// A replica dies right before its commit, or right after it. The caller hears nothing; the retry
// tells, at any replica, and always the same.
// fault: F3
// fault: F1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_happened_once_or_not_at_all() {
    let _turn = turn().await;
    let (mut site, proxies) = behind_proxies(2).await;
    site.ready().await;
    let games = site.ways(&site.games);
    let story = Story::new();
    let mut table = Table::begin(&games, &pair(&site).await, timed(LONG_MS), &story).await;
    let watchers = [0, 1, 2].map(|replica| table.watch(replica));
    let commit = scripts::commit();
    let mut happened = 0;
    for round in 0..CRASHES {
        let when = if round / 2 % 2 == 0 { When::Before } else { When::After };
        let victim = 1 + round % 2;
        site.games[victim].ready().await;
        let before = table.shown().await;
        let (side, request) = table.draw(&before);
        let token = table.token(side);
        let mut beside = Watcher::new(&games, &table.id).at(victim);
        beside.next().await.expect("a snapshot");

        let kill = site.games[victim].killer();
        let mut fired = proxies[victim - 1].at(when, &[&commit, &table.id], kill);
        let asked_ms = site.time.now_ms();
        while fired.try_recv().is_err() {
            let cut = games.once(victim, Some(&token), &request).await.unwrap_err();
            assert!(again(&cut), "{cut:?}");
        }
        site.games[victim].gone().await;
        site.games[victim].start().await;

        let now = table.shown().await;
        let done = now.sequence - before.sequence;
        assert_eq!(done, i64::from(when == When::After), "{when:?}");
        happened += done;
        let answer = games.once(0, Some(&token), &request).await.expect("the retry tells");
        let told = Told {
            outcome: Ok(answer.clone()),
            asked_ms,
            answered_ms: site.time.now_ms(),
            failed: Vec::new(),
        };
        let what = What::Move(request.move_number, request.point.unwrap());
        table.told(what, told).unwrap();
        assert_eq!(answer.clone().accepted().sequence, before.sequence + 1);
        let Some(News::Event(event)) = beside.next().await else { panic!("an event") };
        assert_eq!(event.sequence, before.sequence + 1, "told once, elsewhere");
        for replica in [0, 3 - victim] {
            site.games[replica].ready().await;
            let told = games.ask_at(replica, Some(&token), &request).await;
            assert_eq!(told.answer(), answer, "{when:?}, at {replica}");
        }
    }
    table.resign(Colour::Black).await;
    for watcher in watchers {
        watcher.await.unwrap();
    }
    let found = check(&mut site, &story.take(), Expected::default()).await;
    say("F3 commit", format!("kills={CRASHES} had_happened={happened} {found}"));
}

/// Games of which one after another nobody moves any more, until its flag falls.
async fn flags(site: &Site, story: &Arc<Story>) -> (Vec<Table>, Vec<JoinHandle<()>>) {
    let players = pair(site).await;
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
    let _turn = turn().await;
    let (mut site, proxies) = behind_proxies(1).await;
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
    let _turn = turn().await;
    let (mut site, _) = behind_proxies(0).await;
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
