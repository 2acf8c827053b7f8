//! What the pool promises, over a SQLite file and over PostgreSQL.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use sqlx::AnyPool;
use tempfile::TempDir;
use tengen_harness::{Database, Postgres, on_each_database};
use tengen_kit::sql::{
    Failure, Migration, SqlError, begin_snapshot, begin_write, classify, open, refusal,
};
use tonic::{Code, Status};
use tonic_types::StatusExt;

const ONE: Migration = Migration {
    version: 1,
    name: "things",
    sql: "create table owners (id text primary key);
          create table things (
              id bigint primary key,
              owner text not null references owners (id),
              body bytea not null,
              parts bigint not null
          );",
};
const TWO: Migration =
    Migration { version: 2, name: "note", sql: "alter table things add column note text;" };
/// What the engines read apart: each makes an owner by its own name.
const THREE: Migration = Migration {
    version: 3,
    name: "engine",
    sql: "insert into owners values ('any');
          -- sqlite:
          insert or ignore into owners values ('sqlite');
          -- postgres:
          insert into owners select distinct 'postgres' where true is not unknown;
          -- both:
          insert into owners values ('last');",
};

on_each_database!(
    a_database_is_migrated_and_found_again,
    failures_are_told_apart,
    writers_that_read_first_lose_nothing,
    a_changed_migration_is_refused,
    a_process_of_the_version_before_opens_a_newer_schema,
    each_engine_reads_its_part_of_a_migration,
    a_snapshot_sees_one_state,
);

async fn count(pool: &AnyPool) -> i64 {
    sqlx::query_scalar("select count(*) from owners").fetch_one(pool).await.unwrap()
}

async fn insert(pool: &AnyPool, id: &str) -> Result<(), sqlx::Error> {
    let query = sqlx::query("insert into owners (id) values ($1)").bind(id);
    query.execute(pool).await.map(drop)
}

async fn a_database_is_migrated_and_found_again(database: Database) {
    let pool = open(database.url(), &[ONE]).await.unwrap();
    insert(&pool, "a").await.unwrap();
    sqlx::query("insert into things (owner, id, body, parts) values ($2, $1, $3, $1)")
        .bind(1_i64 << 62)
        .bind("a")
        .bind(vec![0_u8, 255, b'1'])
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;

    let pool = open(database.url(), &[ONE, TWO]).await.unwrap();
    let (id, body, note): (i64, Vec<u8>, Option<String>) =
        sqlx::query_as("select id, body, note from things where owner = $1")
            .bind("a")
            .fetch_one(&pool)
            .await
            .unwrap();
    assert_eq!((id, body, note), (1 << 62, vec![0, 255, b'1'], None));
}

async fn failures_are_told_apart(database: Database) {
    let pool = open(database.url(), &[ONE]).await.unwrap();
    insert(&pool, "a").await.unwrap();
    assert_eq!(classify(&insert(&pool, "a").await.unwrap_err()), Failure::Unique);

    let orphan = sqlx::query("insert into things values (1, 'nobody', '', 0)").execute(&pool).await;
    assert_eq!(classify(&orphan.unwrap_err()), Failure::Other);
    let nonsense = sqlx::query("select nonsense").execute(&pool).await.unwrap_err();
    assert_eq!(classify(&nonsense), Failure::Other);

    pool.close().await;
    let closed = sqlx::query("select 1").execute(&pool).await.unwrap_err();
    assert_eq!(classify(&closed), Failure::Transient);
    let status = Status::from(refusal("accounts", &closed));
    assert_eq!(status.code(), Code::Unavailable);
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "BEHIND_UNAVAILABLE");
    assert!(details.retry_info().is_some());
}

async fn writers_that_read_first_lose_nothing(database: Database) {
    let pool = open(database.url(), &[ONE]).await.unwrap();
    let writers = (0..8).map(|writer| {
        let pool = pool.clone();
        tokio::spawn(async move {
            for _ in 0..10 {
                let mut transaction = begin_write(&pool).await.unwrap();
                let count: i64 = sqlx::query_scalar("select count(*) from owners")
                    .fetch_one(&mut *transaction)
                    .await
                    .unwrap();
                sqlx::query("insert into owners (id) values ($1)")
                    .bind(format!("{count} {writer}"))
                    .execute(&mut *transaction)
                    .await
                    .unwrap();
                transaction.commit().await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(count(&pool).await, 80);
}

#[tokio::test]
async fn replicas_that_start_together_migrate_once() {
    let database = Database::postgres();
    let replicas = (0..4).map(|_| {
        let url = database.url().to_owned();
        tokio::spawn(async move { open(&url, &[ONE, TWO]).await.map(drop) })
    });
    for replica in replicas.collect::<Vec<_>>() {
        replica.await.unwrap().unwrap();
    }
}

async fn a_changed_migration_is_refused(database: Database) {
    open(database.url(), &[ONE]).await.unwrap().close().await;
    let changed = Migration { sql: "create table other (id text);", ..ONE };
    assert!(matches!(open(database.url(), &[changed]).await, Err(SqlError::Migrate(_))));
}

async fn a_process_of_the_version_before_opens_a_newer_schema(database: Database) {
    open(database.url(), &[ONE, TWO]).await.unwrap().close().await;
    let before = open(database.url(), &[ONE]).await.unwrap();
    insert(&before, "a").await.unwrap();
}

async fn each_engine_reads_its_part_of_a_migration(database: Database) {
    let pool = open(database.url(), &[ONE, THREE]).await.unwrap();
    let owners: Vec<String> =
        sqlx::query_scalar("select id from owners order by id").fetch_all(&pool).await.unwrap();
    let engine = database.url().split(':').next().unwrap().to_owned();
    assert_eq!(owners, ["any".to_owned(), "last".to_owned(), engine]);
}

async fn a_snapshot_sees_one_state(database: Database) {
    let pool = open(database.url(), &[ONE]).await.unwrap();
    let mut snapshot = begin_snapshot(&pool).await.unwrap();
    let count = "select count(*) from owners";
    let before: i64 = sqlx::query_scalar(count).fetch_one(&mut *snapshot).await.unwrap();
    insert(&pool, "a").await.unwrap();
    let after: i64 = sqlx::query_scalar(count).fetch_one(&mut *snapshot).await.unwrap();
    assert_eq!((before, after), (0, 0));
    snapshot.commit().await.unwrap();
    assert_eq!(self::count(&pool).await, 1);
}

#[tokio::test]
async fn a_second_writer_of_a_file_may_try_again() {
    let database = Database::sqlite();
    let pool = open(database.url(), &[ONE]).await.unwrap();
    let mode: String = sqlx::query_scalar("pragma journal_mode").fetch_one(&pool).await.unwrap();
    assert_eq!(mode, "wal");
    let mut first = begin_write(&pool).await.unwrap();
    sqlx::query("insert into owners (id) values ('b')").execute(&mut *first).await.unwrap();
    let mut second = pool.acquire().await.unwrap();
    sqlx::query("pragma busy_timeout = 0").execute(&mut *second).await.unwrap();
    let busy = sqlx::query("insert into owners (id) values ('c')").execute(&mut *second).await;
    assert_eq!(classify(&busy.unwrap_err()), Failure::Transient);
    first.commit().await.unwrap();
}

// Each connection of the pool notices it for itself.
#[tokio::test]
async fn a_pool_outlives_its_server() {
    let mut postgres = Postgres::start();
    let pool = open(&postgres.database(), &[ONE]).await.unwrap();
    let mut transaction = begin_write(&pool).await.unwrap();
    sqlx::query("insert into owners (id) values ('a')").execute(&mut *transaction).await.unwrap();
    insert(&pool, "b").await.unwrap();
    postgres.kill();
    assert_eq!(classify(&transaction.commit().await.unwrap_err()), Failure::Transient);
    assert_eq!(classify(&insert(&pool, "c").await.unwrap_err()), Failure::Transient);
    postgres.restart();
    insert(&pool, "d").await.unwrap();
    assert_eq!(count(&pool).await, 2);
}

#[tokio::test]
async fn addresses_that_cannot_work_are_refused_without_their_password() {
    for address in
        ["", "things.db", "mysql://u:secret@h/d", "sqlite::memory:", "sqlite://x?mode=memory"]
    {
        let error = open(address, &[]).await.unwrap_err();
        assert!(matches!(error, SqlError::Url(_)), "{address}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    let folder = TempDir::new().unwrap();
    let missing = format!("sqlite://{}/no/such/folder.db", folder.path().display());
    assert!(matches!(open(&missing, &[]).await, Err(SqlError::Open(_))));
}
