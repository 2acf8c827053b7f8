//! A replica of game is killed in the middle of a move.

use tengen_faults::check::{Expected, check};
use tengen_faults::load::Load;
use tengen_faults::run::{loaded_ms, say, turn};
use tengen_faults::site::{Count, Site, Store};

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
