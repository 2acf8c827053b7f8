//! Session is killed again and again while players are attached to it, and to nothing else.

use std::sync::Arc;

use tengen_faults::account::Account;
use tengen_faults::load::{LONG_MS, timed};
use tengen_faults::run::say;
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::story::Story;
use tengen_faults::stream::attach;
use tengen_faults::table::Table;
use tengen_kit::time::SharedTime;
use tokio::task::JoinHandle;

const KILLS: usize = 20;
const BETWEEN_MS: i64 = 500;
/// How long a process may be silent, and some.
const SILENCE_MS: i64 = 15_000;

// fault: F26
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_taken_for_gone_because_session_dies() {
    let count = Count { games: 1, clocks: 1, ratings: 0, sessions: 2 };
    let mut site = Site::start(Store::shared(), count).await;
    let (story, games) = (Story::new(), site.ways(&site.games));
    let players = site.pair().await;
    let mut table = Table::begin(&games, &players, timed(LONG_MS), &story).await;
    let urls: Vec<_> = site.sessions.iter().map(|replica| replica.url()).collect();
    let attached: Vec<_> =
        players.iter().map(|player| stay(&urls, player, site.time.clone())).collect();
    site.time.until(site.time.now_ms() + SILENCE_MS).await;
    for kill in 0..KILLS {
        let victim = kill % site.sessions.len();
        site.sessions[victim].kill().await;
        table.play().await;
        site.time.until(site.time.now_ms() + BETWEEN_MS).await;
        site.ready().await;
    }
    site.time.until(site.time.now_ms() + SILENCE_MS).await;
    let game = table.shown().await;
    let present = [&game.black, &game.white].map(|seat| seat.as_ref().expect("a seat").present);
    assert_eq!(present, [true; 2]);
    // Every event is a move: nobody was gone for a moment.
    assert_eq!(usize::try_from(game.sequence).expect("positive"), 1 + KILLS);
    let ends = attached.into_iter().map(|stream| stream.abort()).count();
    // Now they are gone indeed, and it is seen.
    let game = table.shown_in(|game| !game.black.as_ref().expect("a seat").present).await;
    say("F26", format!("kills={KILLS} attached={ends} moves={}", game.turns.len()));
}

/// A device that attaches again wherever it can.
fn stay(urls: &[String], player: &Arc<Account>, time: SharedTime) -> JoinHandle<()> {
    let (urls, player) = (urls.to_vec(), Arc::clone(player));
    tokio::spawn(async move {
        for turn in 0.. {
            if let Ok(mut stream) = attach(&urls[turn % urls.len()], &player.token()).await {
                while let Ok(Some(_)) = stream.message().await {}
            }
            time.until(time.now_ms() + 100).await;
        }
    })
}
