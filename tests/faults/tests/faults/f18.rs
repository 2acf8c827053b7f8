//! One client that takes all it can get, beside others who play.

use std::pin::pin;
use std::sync::Arc;

use tengen_faults::attacks::{Attacks, CONNECTIONS, Share, limits};
use tengen_faults::check::{Expected, check};
use tengen_faults::load::Load;
use tengen_faults::replica::Replica;
use tengen_faults::run::{say, turn};
use tengen_faults::site::{Site, Store};
use tengen_faults::story::{Told, What};
use tengen_kit::time::SharedTime;
use tengen_processes::Elsewhere;

/// Less than usual, but that everybody who gets a place is looked at soon.
const SHARE: Share = Share { calls_per_s: 100, calls_at_once: 200, connections_per_s: 500 };
/// How long the games are measured without an attack.
const QUIET_MS: i64 = 4_000;
/// Open ones in the lobby.
const CHALLENGES: usize = 150;
/// How long an attack lasts at least.
const LEAST_MS: i64 = 2_000;
/// What others may lose on a busy machine, beyond twice as long.
const NOISE_MS: i64 = 250;
/// What the process may grow by in an attack.
const MOST_KIB: u64 = 64 << 10;

/// What an attack took of the server, and when it was.
struct Cost {
    name: &'static str,
    from_ms: i64,
    to_ms: i64,
    grown_kib: u64,
    /// The most connections and files the process had more than before.
    more_open: usize,
}

// fault: F18
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_client_that_takes_all_it_can_get_disturbs_nobody() {
    let _turn = turn().await;
    let mut site = site().await;
    let load = Load { boards: 4, think_ms: 20..40, moves: 40..60, watchers: 1 };
    let running = load.begin(&site).await;
    let time = site.time.clone();
    while running.story.moves() < 100 {
        time.until(time.now_ms() + 20).await;
    }
    let (sessions, game_id) = (site.ways(&site.sessions), running.story.first().id);
    let attacks = Attacks::new(&sessions, site.games[0].url(), SHARE, game_id).await;
    attacks.fill_lobby(&site.ways(&site.games), CHALLENGES).await;
    let [one, two, three, four, five] = [(); 5].map(|()| Arc::clone(&attacks));
    let (game, elsewhere) = (&site.games[0], Elsewhere::new());
    let wait = async || time.until(time.now_ms() + QUIET_MS).await;
    let quiet = cost("quiet", game, &time, wait()).await.1;
    let until_ms = time.now_ms() + LEAST_MS;
    let flood = elsewhere.run(async move { one.flood(until_ms).await });
    let (flooded, flood) = cost("flood", game, &time, flood).await;
    let until_ms = time.now_ms() + LEAST_MS;
    let resets = elsewhere.run(async move { two.resets(until_ms).await });
    let (resetters, resets) = cost("resets", game, &time, resets).await;
    let idle = elsewhere.run(async move { three.idle().await });
    let (idlers, idle) = cost("idle", game, &time, idle).await;
    let until_ms = time.now_ms() + LEAST_MS;
    let slow = elsewhere.run(async move { four.slow(until_ms).await });
    let (times, slow) = cost("slow", game, &time, slow).await;
    // Last, so that it may call as often as the first.
    let until_ms = time.now_ms() + LEAST_MS;
    let listing = elsewhere.run(async move { five.listing(until_ms).await });
    let (listed, listing) = cost("listing", game, &time, listing).await;

    let told = running.stop().await.take();
    let refused = |told: &Told| {
        let moves = told.commands.iter().filter(|asked| matches!(asked.what, What::Move(..)));
        moves.filter(|asked| asked.outcome.is_err() || !asked.failed.is_empty()).count()
    };
    assert_eq!(refused(&told), 0, "every move of the others is accepted at once");
    let quiet_ms = p99_ms(&told, &quiet);
    say(
        "F18",
        format!(
            "quiet p99_ms={quiet_ms} flood: {flooded} resetters={resetters} idlers={idlers} \
             slow={times} listing: {listed}"
        ),
    );
    for attack in [&flood, &resets, &idle, &slow, &listing] {
        let Cost { name, grown_kib, more_open, .. } = attack;
        let p99_ms = p99_ms(&told, attack);
        let took_ms = attack.to_ms - attack.from_ms;
        say(
            "F18",
            format!(
                "{name} took_ms={took_ms} p99_ms={p99_ms} ratio={}.{:02} grown_kib={grown_kib} more_open={more_open}",
                p99_ms / quiet_ms.max(1),
                p99_ms * 100 / quiet_ms.max(1) % 100
            ),
        );
        assert!(p99_ms <= 2 * quiet_ms + NOISE_MS, "{name}: {p99_ms} ms, {quiet_ms} ms without");
        assert!(*grown_kib < MOST_KIB, "{name}: the process grew by {grown_kib} KiB");
    }
    // A newcomer or two beside him.
    assert!(idle.more_open <= CONNECTIONS + 20, "{} more are open", idle.more_open);
    assert!(idlers > 2 * CONNECTIONS, "{idlers} came");
    check(&mut site, &told, Expected::default()).await;
}

/// A suite whose game service has limits that are reached soon.
async fn site() -> Site {
    let mut site = Site::stores(Store::shared());
    site.sessions.push(site.session());
    let mut game = site.game(&site.redis.url());
    for (variable, value) in limits(SHARE) {
        game.set(variable, value);
    }
    site.games.push(game);
    site.clocks.push(site.clock(&site.redis.url(), &site.games));
    site.ratings.push(site.rating(&site.ledger_url(), &site.games));
    site.ready().await;
    site
}

/// Carries out an attack, and looks what it takes of the server meanwhile.
async fn cost<T>(
    name: &'static str,
    game: &Replica,
    time: &SharedTime,
    attack: impl Future<Output = T>,
) -> (T, Cost) {
    let (from_ms, before_kib, before) = (time.now_ms(), game.memory_kib(), game.descriptors());
    let (mut most_kib, mut most) = (before_kib, before);
    let mut attack = pin!(attack);
    let outcome = loop {
        tokio::select! {
            outcome = &mut attack => break outcome,
            () = time.until(time.now_ms() + 50) => {}
        }
        most_kib = most_kib.max(game.memory_kib());
        most = most.max(game.descriptors());
    };
    let (grown_kib, more_open) = (most_kib - before_kib, most - before);
    (outcome, Cost { name, from_ms, to_ms: time.now_ms(), grown_kib, more_open })
}

/// The 99th percentile of how long moves took that were made meanwhile.
fn p99_ms(told: &Told, cost: &Cost) -> i64 {
    let meanwhile = cost.from_ms..cost.to_ms;
    let moves = told.moves().filter(|asked| meanwhile.contains(&asked.asked_ms));
    let mut took_ms: Vec<_> = moves.map(|asked| asked.answered_ms - asked.asked_ms).collect();
    assert!(took_ms.len() >= 50, "{}: the games went on", cost.name);
    took_ms.sort_unstable();
    took_ms[took_ms.len() * 99 / 100]
}
