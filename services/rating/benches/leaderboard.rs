//! A page of the leaderboard among a million players: through the service, with ranks, at any depth,
//! against a bare query for the first page in the same database. Prints one line, in milliseconds; the
//! ratio is ours by the reference's.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program to look at"
)]
#![allow(dead_code, reason = "it uses its part of the support")]

#[path = "../tests/rating/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use support::{Rating, World};
use tengen_harness::{Database, Postgres};
use tengen_kit::sql;
use tengen_rating::MIGRATIONS;

const PLAYERS: u64 = 1_000_000;
const ROUNDS: usize = 400;
/// Few at the top, many around the start; points as wins and losses leave them.
const FILL: &str = "insert into standings (player_id, level, points, entries)
    select 'p' || n, level, floor(random() * 5 * (1 << level)), 1
    from (select n, least(20, floor(-2.5 * ln(1 - random())))::int as level
        from generate_series(1, 1000000) as n) as players";
const REFERENCE: &str = "select player_id, level, points from standings where entries > 0
    order by level desc, points desc, player_id limit 20";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(bench());
}

async fn bench() {
    let postgres = Postgres::durable();
    let world = World::new(Database::on(&postgres)).await;
    // As they stand when the leaderboard comes.
    let pool = sql::open(world.database.url(), &MIGRATIONS[..1]).await.unwrap();
    sqlx::query(FILL).execute(&pool).await.unwrap();
    let start = Instant::now();
    let mut rating = world.rating().await;
    println!("{PLAYERS} players are put on the board in {} ms", start.elapsed().as_millis());
    sqlx::query("analyze").execute(&pool).await.unwrap();

    let mut times: [Vec<Duration>; 3] = Default::default();
    let mut token = String::new();
    for _ in 0..ROUNDS {
        let player = format!("p{}", rand::random_range(1..=PLAYERS));
        times[0].push(around(&mut rating, &player, &mut token).await);
        let start = Instant::now();
        assert!(!rating.board(20, &token).await.players.is_empty());
        times[1].push(start.elapsed());
        let start = Instant::now();
        assert_eq!(sqlx::query(REFERENCE).fetch_all(&pool).await.unwrap().len(), 20);
        times[2].push(start.elapsed());
    }
    let [around, next, reference] = times.map(|mut times| {
        times.sort();
        let at = |percent: usize| times[times.len() * percent / 100].as_micros();
        [at(50), at(99)]
    });
    for (what, [half, most]) in [("around", around), ("next", next), ("reference", reference)] {
        println!("{what}: p50 {half} µs, p99 {most} µs");
    }
    let (ours, reference) = (around[0].max(next[0]), reference[0].max(1));
    let [ours_ms, reference_ms] =
        [ours, reference].map(|us| format!("{}.{:03}", us / 1_000, us % 1_000));
    let hundredths = 100 * ours / reference;
    let ratio = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    println!("bench leaderboard_page_ms ours={ours_ms} reference={reference_ms} ratio={ratio}");
}

/// How long the page around a player takes; leaves the token of the next page.
async fn around(rating: &mut Rating, player: &str, token: &mut String) -> Duration {
    let start = Instant::now();
    let page = rating.board_around(player, 20).await;
    let taken = start.elapsed();
    assert!(page.players.iter().any(|ranked| ranked.player_id == player && ranked.rank > 0));
    // The very last pages are not full.
    if !page.next_page_token.is_empty() && page.players.len() == 20 {
        *token = page.next_page_token;
    }
    taken
}
