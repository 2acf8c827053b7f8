//! The schema grows under processes that run: what they wrote before is kept, and one of the version
//! before goes on booking, by the statements that it has.

use sqlx::{Any, AnyPool, Transaction};
use tengen_harness::{Database, on_each_database};
use tengen_kit::sql;
use tengen_proto::internal::v1::GameResult;
use tengen_rating::MIGRATIONS;

use crate::board::{recomputed, whole};
use crate::support::World;
use crate::support::audit::clean;
use crate::support::game::black_wins;

on_each_database!(
    what_is_there_is_kept_and_counted,
    a_process_of_the_version_before_goes_on_booking,
    columns_refuse_what_makes_no_sense,
);

/// The statements of the first version; they never change.
const LOCK_PLAYERS: &str = include_str!("v1/lock_players.sql");
const INSERT_RESULT: &str = include_str!("v1/insert_result.sql");
const INSERT_ENTRIES: &str = include_str!("v1/insert_entries.sql");
const INSERT_FEES: &str = include_str!("v1/insert_fees.sql");
const UPDATE_PLAYERS: &str = include_str!("v1/update_players.sql");

/// A process of the first version, which makes one kind of booking: two who have never played.
struct Before(AnyPool);

impl Before {
    async fn start(database: &Database) -> Self {
        Self(sql::open(database.url(), &MIGRATIONS[..1]).await.unwrap())
    }

    /// Books game `n`, which `b<n>` wins against `w<n>`.
    async fn book(&self, n: i64) {
        let (game, black, white) = (format!("old{n}"), format!("b{n}"), format!("w{n}"));
        let mut transaction = sql::begin_write(&self.0).await.unwrap();
        let query = sqlx::query(LOCK_PLAYERS).bind(&black).bind(&white).bind(2_i64).bind(0_i64);
        assert_eq!(query.fetch_all(&mut *transaction).await.unwrap().len(), 2);
        let query = sqlx::query(INSERT_RESULT).bind(&game).bind(1_i64).bind(&black).bind(&white);
        let query = query.bind(1_i64).bind("RESIGNATION").bind("WIN").bind("LOSS").bind(n).bind(n);
        assert!(query.fetch_optional(&mut *transaction).await.unwrap().is_some());
        entries(&mut transaction, &game, [&black, &white], n).await;
        let mut fees = sqlx::query(INSERT_FEES);
        for player in [&black, &white] {
            fees = fees.bind(player).bind(1_i64).bind(&game).bind(1_i64).bind(1_i64).bind(1_i64);
            fees = fees.bind(n);
        }
        fees.execute(&mut *transaction).await.unwrap();
        let mut players = sqlx::query(UPDATE_PLAYERS);
        for (player, numbers) in
            [(&black, [2, 4, 1, 0, 0, 0, 0, 1, 1, 1]), (&white, [1, 6, 0, 1, 0, 0, 0, 1, 1, 1])]
        {
            players = players.bind(player);
            for number in numbers {
                players = players.bind(i64::from(number));
            }
        }
        players.execute(&mut *transaction).await.unwrap();
        transaction.commit().await.unwrap();
    }
}

/// Black rises from 1K 0 to 1K 4, White falls to 2K 6.
async fn entries(
    transaction: &mut Transaction<'static, Any>,
    game: &str,
    [black, white]: [&str; 2],
    n: i64,
) {
    let mut query = sqlx::query(INSERT_ENTRIES);
    for (own, seat, counted, nominal, [level, points, total], other) in [
        (black, "BLACK", "WIN", 4_i64, [2_i64, 4, 19], white),
        (white, "WHITE", "LOSS", -4, [1, 6, 11], black),
    ] {
        query = query.bind(own.to_owned()).bind(1_i64).bind(game.to_owned()).bind(seat);
        query = query.bind("RESULT").bind(1_i64).bind("RESIGNATION").bind(counted).bind(4_i64);
        query = query.bind(nominal).bind(nominal).bind(2_i64).bind(0_i64).bind(15_i64);
        query = query.bind(level).bind(points).bind(total).bind(other.to_owned()).bind(n);
    }
    query.execute(&mut **transaction).await.unwrap();
}

async fn what_is_there_is_kept_and_counted(database: Database) {
    let before = Before::start(&database).await;
    for n in 0..5 {
        before.book(n).await;
    }
    before.0.close().await;
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let pool = sql::pool(world.database.url()).unwrap();
    let found = whole(&mut rating, 3).await;
    assert_eq!(found.len(), 10);
    assert_eq!(found, recomputed(&pool).await);
    clean(&world.database).await;
    world.results.settle(&[black_wins(1, ["w1", "b4"]), black_wins(2, ["b1", "x"])]).await;
    assert_eq!(whole(&mut rating, 3).await, recomputed(&pool).await);
    clean(&world.database).await;
}

async fn a_process_of_the_version_before_goes_on_booking(database: Database) {
    let before = Before::start(&database).await;
    // It has its statements prepared by now.
    for n in 0..3 {
        before.book(n).await;
    }
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let pool = sql::pool(world.database.url()).unwrap();
    for n in 3..6 {
        before.book(n).await;
        assert_eq!(whole(&mut rating, 100).await, recomputed(&pool).await);
    }
    // It may even be started again.
    before.0.close().await;
    let before = Before::start(&world.database).await;
    before.book(6).await;
    let n = 1;
    world.results.settle(&[black_wins(n, ["b6", "w0"])]).await;
    let found = whole(&mut rating, 100).await;
    assert_eq!(found.len(), 14);
    assert_eq!(found, recomputed(&pool).await);
    clean(&world.database).await;
}

// case: T7
async fn columns_refuse_what_makes_no_sense(database: Database) {
    let world = World::new(database).await;
    let rating = world.rating().await;
    let game = GameResult { black_tier: 1, ..black_wins(1, ["b", "w"]) };
    world.results.settle(&[game]).await;
    drop(rating);
    let pool = sql::pool(world.database.url()).unwrap();
    for statement in [
        "update standings set points = -1",
        "update standings set level = 255",
        "update standings set won = -1",
        "update ledger set stake = 0",
        "update ledger set nominal = 3",
        "update ledger set applied = applied + 1",
        "update ledger set points_after = -1",
        "update ledger set total_before = points_before - 1",
        "update ledger set seat = 'RED'",
        "update ledger set kind = 'TIME'",
        "update ledger set kind = 'CORRECTION'",
        "update ledger set counted = '1:30'",
        "update ledger set opponent_id = player_id",
        "update results set rated = 2",
        "update results set version = 0",
        "update results set black_counted = 'TIME'",
        "update results set white_id = black_id",
        "update fees set amount = 0",
        "update tiers set tier = 0",
        "insert into board_counts values (0, 2, 0, 1)",
        "insert into board_deltas values (0, 0, 2)",
    ] {
        let refused = sqlx::query(statement).execute(&pool).await;
        assert!(matches!(refused, Err(sqlx::Error::Database(_))), "{statement}: {refused:?}");
    }
    clean(&world.database).await;
}
