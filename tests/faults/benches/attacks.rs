//! What the attacks of one client cost the others: how soon their moves are acknowledged meanwhile,
//! beside the same without, in turns in one run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a program that measures, and stops at the first fault"
)]

use std::pin::Pin;
use std::sync::Arc;

use tengen_faults::attacks::{Attacks, Share, limits};
use tengen_faults::ways::Ways;
use tengen_kit::time::WallTime;
use tengen_load::paced::{PACE, Paced, p99, played};
use tengen_load::{Site, build};
use tengen_processes::{Elsewhere, Player};
use tengen_standalone::load::ratio;

const GAMES: usize = 200;
/// Who play them.
const PAIRS: usize = 10;
const MOVES_A_WINDOW: i32 = 10;
/// Moves of the game that is asked for.
const LONG: i32 = 240;
/// Open ones in the lobby.
const CHALLENGES: usize = 1_000;
/// Windows of each kind, in turns; a short one to warm up.
const ROUNDS: usize = 3;
const MOVES_TO_WARM_UP: i32 = 3;

/// The usual ones.
const SHARE: Share = Share { calls_per_s: 1_000, calls_at_once: 500, connections_per_s: 100 };

/// Attacks until a time in milliseconds, or until it is through; says how it went.
type Attack = fn(Arc<Attacks>, i64) -> Pin<Box<dyn Future<Output = String> + Send>>;

const ATTACKS: [(&str, Attack); 5] = [
    ("flood", |attacks, until_ms| Box::pin(async move { attacks.flood(until_ms).await })),
    ("listing", |attacks, until_ms| Box::pin(async move { attacks.listing(until_ms).await })),
    ("resets", |attacks, until_ms| {
        Box::pin(async move { format!("connections={}", attacks.resets(until_ms).await) })
    }),
    ("idle", |attacks, _| Box::pin(async move { format!("came={}", attacks.idle().await) })),
    ("slow", |attacks, until_ms| {
        Box::pin(async move { format!("times={}", attacks.slow(until_ms).await) })
    }),
];

fn main() {
    build();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime").block_on(measure());
}

async fn measure() {
    let (site, time) = (Site::start().await, WallTime::shared());
    let limits = limits(SHARE);
    let limits = limits.each_ref().map(|(variable, value)| (*variable, value.as_str()));
    let lobby = [("TENGEN_GAME_OPEN_CHALLENGES", "1000")];
    let game = site.another_game(&[&limits, lobby.as_slice()].concat()).await;
    let session = site.session().channel().await;
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        let names = ["black", "white"].map(|side| format!("{side}-{pair}"));
        pairs.push([
            Player::register(session.clone(), &names[0]).await,
            Player::register(session.clone(), &names[1]).await,
        ]);
    }
    let asked = played(&site, game.channel().await, &pairs[0], LONG).await;
    let attacks =
        Attacks::new(&Ways::to([site.session().url()], &time), game.url(), SHARE, asked).await;
    attacks.fill_lobby(&Ways::to([game.url()], &time), CHALLENGES).await;
    let mut games = Paced::start(&site, game.channel().await, GAMES, pairs).await;
    games.window(MOVES_TO_WARM_UP).await;
    let (mut quiet, mut attacked, elsewhere) =
        (Vec::new(), ATTACKS.map(|_| Vec::new()), Elsewhere::new());
    for _ in 0..ROUNDS {
        quiet.extend(games.window(MOVES_A_WINDOW).await);
        for ((name, attack), took) in ATTACKS.iter().zip(&mut attacked) {
            let window = PACE * MOVES_A_WINDOW.unsigned_abs();
            let until_ms = time.now_ms() + i64::try_from(window.as_millis()).unwrap();
            let attack = elsewhere.run(attack(Arc::clone(&attacks), until_ms));
            let (moves, went) = tokio::join!(games.window(MOVES_A_WINDOW), attack);
            println!("{name}: {went}");
            took.extend(moves);
        }
    }
    let reference = p99(quiet);
    for ((name, _), took) in ATTACKS.iter().zip(attacked) {
        let ours = p99(took);
        println!(
            "bench {name}_p99 ours={ours} reference={reference} ratio={}",
            ratio(ours, reference)
        );
    }
}
