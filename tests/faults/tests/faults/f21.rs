//! Every service is restarted under load, one replica after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tengen_faults::account::Account;
use tengen_faults::check::{Expected, check};
use tengen_faults::load::Load;
use tengen_faults::replica::END_MS;
use tengen_faults::run::{loaded_ms, say, turn};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::ways::Ways;
use tengen_proto::clock::v1::GetClockRequest;
use tengen_proto::rating::v1::GetPlayerRequest;

const BOARDS: usize = 20;
const WATCHERS: usize = 500;
const MOVES: usize = 2_000;
const EVERY_MS: i64 = 100;

/// Asks the services that no move needs.
struct Passer {
    account: Arc<Account>,
    clocks: Arc<Ways>,
    ratings: Arc<Ways>,
    sessions: Arc<Ways>,
    game_id: String,
}

// fault: F21
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_is_seen_by_nobody() {
    let _turn = turn().await;
    let count = Count { games: 2, clocks: 2, ratings: 2, sessions: 2 };
    let mut site = Site::start(Store::shared(), count).await;
    let watchers = WATCHERS / BOARDS;
    let load = Load { boards: BOARDS, think_ms: 20..120, moves: 20..60, watchers };
    let running = load.begin(&site).await;
    let (time, stop) = (site.time.clone(), Arc::new(AtomicBool::new(false)));
    let until_ms = time.now_ms() + loaded_ms();
    while running.story.moves() == 0 {
        time.until(time.now_ms() + EVERY_MS).await;
    }
    let passer = Passer {
        account: Arc::clone(&running.accounts[0]),
        clocks: site.ways(&site.clocks),
        ratings: site.ways(&site.ratings),
        sessions: site.ways(&site.sessions),
        game_id: running.story.first().id,
    };
    let passer = tokio::spawn(passer.pass(Arc::clone(&stop)));

    let (mut restarts, mut slowest_ms) = (0, 0);
    loop {
        for replica in site.all() {
            let told_ms = time.now_ms();
            replica.signal("TERM");
            assert!(replica.gone().await, "{} ended in order", replica.service());
            slowest_ms = slowest_ms.max(time.now_ms() - told_ms);
            replica.start().await;
            replica.ready().await;
            restarts += 1;
        }
        if time.now_ms() >= until_ms && running.story.moves() >= MOVES {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    let asked = passer.await.unwrap();
    let told = running.stop().await.take();
    let found = check(&mut site, &told, Expected::default()).await;
    say(
        "F21",
        format!(
            "restarts={restarts} watchers={WATCHERS} other_calls={asked} slowest_end_ms={slowest_ms} \
             {found}"
        ),
    );
    assert!(slowest_ms < END_MS, "a process took {slowest_ms} ms to end");
}

impl Passer {
    /// Asks again and again until it is told to stop; gives how often. No call may fail.
    async fn pass(self, stop: Arc<AtomicBool>) -> usize {
        let mut asked = 0;
        while !stop.load(Ordering::Relaxed) {
            self.account.sign_in(&self.sessions).await;
            let request = GetPlayerRequest { player_id: self.account.id.clone() };
            self.ratings.ask(None, &request).await.answer();
            let request = GetClockRequest { game_id: self.game_id.clone() };
            self.clocks.ask(None, &request).await.answer();
            let time = self.clocks.time();
            time.until(time.now_ms() + EVERY_MS).await;
            asked += 3;
        }
        asked
    }
}
