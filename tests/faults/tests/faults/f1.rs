//! A replica of game is killed in the middle of a move, or the connection to it is cut.

use tengen_faults::check::{Expected, check};
use tengen_faults::load::Load;
use tengen_faults::proxy::{Proxy, Weather};
use tengen_faults::run::{loaded_ms, say, turn};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::speech::Speech;
use tengen_faults::ways::Ways;

const KILLS: usize = 20;
const MOVES: usize = 2_000;
const EVERY_MS: i64 = 1_000;
/// How long a game may stand still after a kill, on a busy machine.
const GAP_MS: i64 = 10_000;

// fault: F1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_of_game_is_killed_again_and_again() {
    let _turn = turn().await;
    let mut site = Site::start(Store::shared(), Count::of_games(3)).await;
    let load = Load { boards: 50, think_ms: 20..120, moves: 10..50, watchers: 0 };
    let running = load.begin(&site).await;
    let time = site.time.clone();
    let end_ms = time.now_ms() + loaded_ms();
    let mut kills = Vec::new();
    while kills.len() < KILLS || running.story.moves() < MOVES || time.now_ms() < end_ms {
        let next_ms = time.now_ms() + EVERY_MS;
        let replica = &mut site.games[kills.len() % 3];
        kills.push(time.now_ms());
        replica.kill().await;
        replica.start().await;
        replica.ready().await;
        time.until(next_ms).await;
    }
    let story = running.stop().await;
    let told = story.take();
    let mut gaps_ms = told.gaps_ms(&kills);
    gaps_ms.sort_unstable();
    let found = check(&mut site, &told, Expected::default()).await;
    let (median, worst) = (gaps_ms[gaps_ms.len() / 2], gaps_ms[gaps_ms.len() - 1]);
    say("F1", format!("kills={} {found} gap_ms={median} worst_gap_ms={worst}", kills.len()));
    assert!(worst < GAP_MS, "a game stood still for {worst} ms");
}

/// How the network is, one kind of weather after another, and for how long: silence outlasts the
/// deadline of a call.
const WEATHERS: [(Weather, i64); 4] = [
    (Weather::Reset, 300),
    (Weather::Slow(100), 600),
    (Weather::HalfClosed, 300),
    (Weather::Silent, 2_300),
];
const CUTS: usize = 24;

// The connections between clients and replicas are reset, half closed, slow, and silent, so that what
// was sent arrives when the client has long asked elsewhere.
// fault: F1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_cut_again_and_again() {
    let _turn = turn().await;
    let mut site = Site::start(Store::shared(), Count::of_games(3)).await;
    let mut proxies = Vec::new();
    for replica in &site.games {
        let address = replica.url().replace("http://", "");
        proxies.push(Proxy::to(&address, Speech::Bytes, &site.time).await);
    }
    let urls = proxies.iter().map(|proxy| format!("http://{}", proxy.address()));
    let games = Ways::to(urls, &site.time);
    let load = Load { boards: 50, think_ms: 20..120, moves: 10..50, watchers: 0 };
    let running = load.begin_by(&site, games).await;
    let time = site.time.clone();
    let end_ms = time.now_ms() + loaded_ms();
    let mut cuts = 0;
    while cuts < CUTS || running.story.moves() < MOVES || time.now_ms() < end_ms {
        let (weather, ms) = WEATHERS[cuts % WEATHERS.len()];
        let proxy = &proxies[cuts % proxies.len()];
        proxy.weather(weather);
        time.until(time.now_ms() + ms).await;
        proxy.weather(Weather::Fair);
        cuts += 1;
    }
    let told = running.stop().await.take();
    let found = check(&mut site, &told, Expected::default()).await;
    say("F1 cuts", format!("cuts={cuts} {found}"));
}
