//! What a flood by one account costs the others: how soon their moves are acknowledged while it calls
//! as often as it can, beside the same without it, in turns in one run. The limits are the usual ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a program that measures, and stops at the first fault"
)]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tengen_kit::client;
use tengen_load::paced::{PACE, Paced, p99};
use tengen_load::{Site, build};
use tengen_processes::{Elsewhere, Player};
use tengen_proto::game::v1::GetGameRequest;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_standalone::load::ratio;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tonic::Code;

const GAMES: usize = 200;
/// Who play them.
const PAIRS: usize = 10;
const MOVES_A_WINDOW: i32 = 10;
/// Quiet windows and flooded ones in turns, each as often; a short one to warm up.
const ROUNDS: usize = 3;
const MOVES_TO_WARM_UP: i32 = 3;
/// Where the flood comes from, over how many connections, and calls at once on each.
const FROM: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const LINES: usize = 4;
const IN_FLIGHT: usize = 250;

fn main() {
    build();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime").block_on(measure());
}

async fn measure() {
    let site = Site::start().await;
    let session = site.session().channel().await;
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        let names = ["black", "white"].map(|side| format!("{side}-{pair}"));
        pairs.push([
            Player::register(session.clone(), &names[0]).await,
            Player::register(session.clone(), &names[1]).await,
        ]);
    }
    let flood = Arc::new(Flood {
        account: Player::register(session, "flood").await,
        url: site.game().url(),
        admitted: AtomicU64::new(0),
        refused: AtomicU64::new(0),
    });
    let mut games = Paced::start(&site, site.game().channel().await, GAMES, pairs).await;
    games.window(MOVES_TO_WARM_UP).await;
    let (mut quiet, mut flooded, elsewhere) = (Vec::new(), Vec::new(), Elsewhere::new());
    for _ in 0..ROUNDS {
        quiet.extend(games.window(MOVES_A_WINDOW).await);
        let until = Instant::now() + PACE * MOVES_A_WINDOW.unsigned_abs();
        let calls = elsewhere.run(Arc::clone(&flood).until(until));
        flooded.extend(tokio::join!(games.window(MOVES_A_WINDOW), calls).0);
    }
    let [admitted, refused] =
        [&flood.admitted, &flood.refused].map(|calls| calls.load(Ordering::Relaxed));
    println!("{admitted} calls of the flood were admitted, {refused} refused");
    assert!(admitted > 0 && refused > 0, "it was no flood");
    let [ours, reference] = [flooded, quiet].map(p99);
    println!("bench flood_p99 ours={ours} reference={reference} ratio={}", ratio(ours, reference));
}

/// One account, and how it fared.
struct Flood {
    account: Player,
    url: String,
    admitted: AtomicU64,
    refused: AtomicU64,
}

impl Flood {
    /// Calls as often as it can.
    async fn until(self: Arc<Self>, until: Instant) {
        let mut callers = JoinSet::new();
        for _ in 0..LINES {
            let line = client::endpoint(&self.url).unwrap().local_address(Some(FROM));
            let line = line.connect().await.unwrap();
            for _ in 0..IN_FLIGHT {
                let (flood, games) = (Arc::clone(&self), GameServiceClient::new(line.clone()));
                callers.spawn(timeout_at(until, async move { flood.call(games).await }));
            }
        }
        callers.join_all().await;
    }

    async fn call(&self, mut games: GameServiceClient<tonic::transport::Channel>) {
        loop {
            let request = self.account.ask(GetGameRequest { game_id: "g00-none".to_owned() });
            let status = games.get_game(request).await.expect_err("there is no such game");
            let calls = match status.code() {
                Code::NotFound | Code::InvalidArgument => &self.admitted,
                Code::ResourceExhausted => &self.refused,
                _ => panic!("{status:?}"),
            };
            calls.fetch_add(1, Ordering::Relaxed);
        }
    }
}
