//! A season: a hundred thousand games of every kind, delivered doubled and out of order, booked by the
//! real service, audited, and equal to what the rulebook says, computed apart from the ladder's crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and tells how long it took"
)]
#![allow(dead_code, reason = "it uses its part of the support")]

mod deal;
mod rules;
#[path = "../rating/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use futures_util::TryStreamExt;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use sqlx::{AnyPool, Row};
use tengen_harness::Database;
use tengen_kit::sql;
use tengen_proto::internal::v1::GameResult;
use tonic::Code;

use deal::Season;
use rules::{Account, Books, Line};
use support::World;
use support::audit::clean;

/// Results that are on their way at once.
const CHUNK: usize = 2_000;
/// How far a result may come before or behind another.
const WINDOW: usize = 500;

// rulebook: L3, L4, L5, L6, L7, L8, L10, L11, L12, L14; case: T2; case: T5; case: T9; case: T13; fault: F7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_season_on_postgres() {
    season(Database::postgres(), Season { seed: 1, games: 100_000, players: 2_000 }).await;
}

#[tokio::test]
async fn a_season_on_sqlite() {
    season(Database::sqlite(), Season { seed: 2, games: 4_000, players: 150 }).await;
}

async fn season(database: Database, season: Season) {
    let start = Instant::now();
    let mut dice = StdRng::seed_from_u64(season.seed);
    let mut results = season.deal(&mut dice);
    for window in results.chunks_mut(WINDOW) {
        window.shuffle(&mut dice);
    }
    let dealt = start.elapsed();
    let world = World::new(database).await;
    // Nobody is told; what is booked is what matters here.
    world.presence.answer(Code::Unimplemented);
    let rating = world.rating().await;
    let pool = sql::pool(world.database.url()).unwrap();
    for (at, chunk) in results.chunks(CHUNK).enumerate() {
        let twice = at % 20 == 3;
        world.results.faults().copies.store(usize::from(twice), Ordering::Relaxed);
        world.results.settle(chunk).await;
        if at % 10 == 0 {
            // As a database does by itself once a minute.
            sqlx::query("analyze").execute(&pool).await.unwrap();
        }
    }
    drop(rating);
    let booked = start.elapsed() - dealt;

    let lines = ledger(&pool).await;
    let books = rules::replay(&results, &lines);
    compare(&pool, &lines, &books).await;
    let compared = start.elapsed() - booked - dealt;
    let summary = clean(&world.database).await;
    let audited = start.elapsed() - compared - booked - dealt;
    println!(
        "{} results: dealt in {dealt:?}, booked in {booked:?}, compared in {compared:?}, audited in \
         {audited:?}; {summary:?}; {} capped",
        results.len(),
        books.capped,
    );
    assert_eq!(usize::try_from(summary.games), Ok(season.games));
    assert_eq!(usize::try_from(summary.entries), Ok(lines.len()));
    assert!(books.capped > 0 && books.corrected > 0 && books.highest > 3);
}

/// Every row of the ledger as it stands.
async fn ledger(pool: &AnyPool) -> Vec<Line> {
    let mut rows = sqlx::query("select * from ledger").fetch(pool);
    let mut lines = Vec::new();
    while let Some(row) = rows.try_next().await.unwrap() {
        let [stake, nominal, applied, level, points, total] =
            ["stake", "nominal", "applied", "level_after", "points_after", "total_after"]
                .map(|column| row.get::<i64, _>(column));
        lines.push(Line {
            player: row.get("player_id"),
            entry: row.get("entry_id"),
            game: row.get("game_id"),
            version: row.get("result_version"),
            white: row.get::<&str, _>("seat") == "WHITE",
            kind: row.get("kind"),
            counted: row.get("counted"),
            stake,
            nominal,
            applied,
            level,
            points,
            total,
        });
    }
    lines
}

/// Row for row and player for player.
async fn compare(pool: &AnyPool, lines: &[Line], books: &Books) {
    assert_eq!(lines.len(), books.lines.len());
    for line in lines {
        let expected = &books.lines[&(line.player.clone(), line.entry)];
        assert_eq!(line, expected);
    }
    let rows = sqlx::query("select * from standings").fetch_all(pool).await.unwrap();
    assert_eq!(rows.len(), books.accounts.len());
    for row in rows {
        let player: String = row.get("player_id");
        let [level, points, won, lost, drawn, escaped, disconnected, fees] =
            ["level", "points", "won", "lost", "drawn", "escaped", "disconnected", "fee_balance"]
                .map(|column| row.get::<i64, _>(column));
        let counts = HashMap::from([
            ("WIN", won),
            ("LOSS", lost),
            ("DRAW", drawn),
            ("ESCAPE", escaped),
            ("DISCONNECT_LOSS", disconnected),
        ]);
        let found = Account { level, points, fees, counts };
        assert_eq!(found, books.accounts[&player], "{player}");
    }
}

/// A result by its game and version.
fn by_version(results: &[GameResult]) -> HashMap<(&str, i64), &GameResult> {
    let key = |result: &GameResult| i64::from(result.version);
    results.iter().map(|result| ((result.game_id.as_str(), key(result)), result)).collect()
}
