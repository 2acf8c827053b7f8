//! The database: a SQLite file or Postgres behind one pool, reading the same SQL text.
//!
//! Text that both read: placeholders are `$1`, `$2` …; columns are `bigint`, `text` or `bytea` (which
//! SQLite takes for bytes too), in Rust `i64`, `String` and `Vec<u8>`; "insert or nothing" is written
//! `insert … on conflict do nothing`, and the row count tells which it was. What has no common text,
//! such as a trigger, stands in a migration between marks, a part for each ([`Migration::sql`]).
//!
//! A schema only grows while processes of the version before may still run: see [`migrate`].

use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::migrate::{MigrationType, Migrator};
use sqlx::{Any, AnyPool, AssertSqlSafe, Connection, Executor, SqlSafeStr, SqlStr, Transaction};

use crate::status::Refusal;

const MOST_CONNECTIONS: u32 = 16;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);
/// A connection that was idle for longer is tried before it is used.
const IDLE: Duration = Duration::from_secs(1);

/// One step of a schema: a file of `migrations/`, which is never changed once released.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its number, from 1.
    pub version: i64,
    /// What it does, in a word or two.
    pub name: &'static str,
    /// The statements: `include_str!("../migrations/0001_accounts.sql")`. Lines after `-- sqlite:` or
    /// `-- postgres:`, up to the next of these marks or `-- both:`, are for that engine alone.
    pub sql: &'static str,
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// Not an address of a kind that is read.
    #[error("the database must be sqlite://file or postgres://…, but is {0}")]
    Url(String),
    /// The database does not answer, or not as it should.
    #[error("the database cannot be opened: {0}")]
    Open(#[from] sqlx::Error),
    /// A migration failed, or one that was applied has changed.
    #[error("the schema cannot be brought up to date: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
}

/// What a failed statement means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A unique key is taken.
    Unique,
    /// The database is away or busy; the same statement may do in a while.
    Transient,
    /// A mistake: in the statement, or in what is stored.
    Other,
}

/// Opens a database, makes the file if it is SQLite and absent, and brings the schema up to date.
///
/// `url` is `sqlite://path/of/file` or `postgres://user:password@host/database`; for a Postgres
/// schema of one's own add `?options[search_path]=schema`.
///
/// # Errors
/// When the address is of another kind, the database does not answer or a migration fails.
pub async fn open(url: &str, migrations: &[Migration]) -> Result<AnyPool, SqlError> {
    let pool = pool(url)?;
    // An address without a database is told from a schema that is wrong.
    drop(pool.acquire().await?);
    migrate(&pool, migrations).await?;
    Ok(pool)
}

/// A pool for a database that may be away: it connects at the first statement, and again whenever
/// it must. [`migrate`] brings the schema up to date.
///
/// # Errors
/// When the address is of another kind.
pub fn pool(url: &str) -> Result<AnyPool, SqlError> {
    sqlx::any::install_default_drivers();
    let options = AnyPoolOptions::new()
        .max_connections(MOST_CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                // One that was in use a moment ago is taken as it is: that saves a round trip.
                if meta.idle_for > IDLE {
                    connection.ping().await?;
                }
                Ok(true)
            })
        });
    if is_sqlite(url) {
        sqlite(url, options)
    } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        Ok(options.connect_lazy(url)?)
    } else {
        Err(SqlError::Url(scheme(url)))
    }
}

/// Brings the schema up to date. One that is newer already stays as it is: processes of the version
/// before may be started again while it is rolled out.
///
/// # Errors
/// When the database does not answer or a migration fails.
pub async fn migrate(pool: &AnyPool, migrations: &[Migration]) -> Result<(), SqlError> {
    Ok(migrator(migrations, has_sqlite(pool)).run(pool).await?)
}

/// Begins a transaction that is going to write.
///
/// With SQLite it takes the write lock at once: one that reads first and writes later would fail
/// when another wrote in between. With Postgres it is a plain transaction.
///
/// # Errors
/// When the database does not answer, or stays locked.
pub async fn begin_write(pool: &AnyPool) -> Result<Transaction<'static, Any>, sqlx::Error> {
    if has_sqlite(pool) { pool.begin_with("BEGIN IMMEDIATE").await } else { pool.begin().await }
}

/// Begins a transaction all of whose statements see one state of the database: that of the first. It
/// may write, too, and fails as [`Failure::Transient`] where it would change what somebody else has
/// changed since then.
///
/// # Errors
/// When the database does not answer.
pub async fn begin_snapshot(pool: &AnyPool) -> Result<Transaction<'static, Any>, sqlx::Error> {
    if has_sqlite(pool) {
        pool.begin().await
    } else {
        pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ").await
    }
}

/// How many transactions that write are worth having under way at once. SQLite takes one after the
/// other; of Postgres's connections, half are left to those who read.
#[must_use]
pub fn writers(pool: &AnyPool) -> usize {
    if has_sqlite(pool) { 1 } else { MOST_CONNECTIONS as usize / 2 }
}

/// What a failure means.
#[must_use]
pub fn classify(error: &sqlx::Error) -> Failure {
    match error {
        sqlx::Error::Database(error) if error.is_unique_violation() => Failure::Unique,
        sqlx::Error::Database(error) => match error.code() {
            Some(code) if is_transient(&code) => Failure::Transient,
            _ => Failure::Other,
        },
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => Failure::Transient,
        _ => Failure::Other,
    }
}

/// What the caller is told when `what` (`accounts`, `ledger`) failed: UNAVAILABLE. The log is told
/// the rest.
#[must_use]
pub fn refusal(what: &str, error: &sqlx::Error) -> Refusal {
    match classify(error) {
        Failure::Transient => tracing::warn!(what, %error, "the database does not answer"),
        Failure::Unique | Failure::Other => tracing::error!(what, %error, "a statement failed"),
    }
    Refusal::behind_unavailable(what)
}

/// Whether a SQLite file is behind the pool; Postgres otherwise.
#[must_use]
pub fn has_sqlite(pool: &AnyPool) -> bool {
    is_sqlite(pool.connect_options().database_url.as_str())
}

fn is_sqlite(url: &str) -> bool {
    url.starts_with("sqlite:")
}

fn scheme(url: &str) -> String {
    // Never the whole: it may hold a password.
    url.split_once(':').map_or_else(|| "no address".to_owned(), |(scheme, _)| format!("{scheme}:…"))
}

fn sqlite(url: &str, options: AnyPoolOptions) -> Result<AnyPool, SqlError> {
    if url.contains(":memory:") || url.contains("mode=memory") {
        // Each connection would have a database to itself.
        return Err(SqlError::Url("sqlite in memory".to_owned()));
    }
    let url = match url.split_once('?') {
        None => format!("{url}?mode=rwc"),
        Some((_, query)) if query.contains("mode=") => url.to_owned(),
        Some(_) => format!("{url}&mode=rwc"),
    };
    let options = options.after_connect(|connection, _| {
        Box::pin(async move {
            connection.execute("PRAGMA busy_timeout = 5000").await?;
            connection.execute("PRAGMA journal_mode = WAL").await?;
            connection.execute("PRAGMA synchronous = NORMAL").await?;
            connection.execute("PRAGMA foreign_keys = ON").await?;
            Ok(())
        })
    });
    Ok(options.connect_lazy(&url)?)
}

fn migrator(migrations: &[Migration], sqlite: bool) -> Migrator {
    let migrations = migrations.iter().map(|migration| {
        sqlx::migrate::Migration::new(
            migration.version,
            migration.name.into(),
            MigrationType::Simple,
            part(migration.sql, sqlite),
            false,
        )
    });
    let mut migrator = Migrator::with_migrations(migrations.collect());
    migrator.set_ignore_missing(true);
    migrator
}

/// What one engine reads of a migration.
fn part(sql: &'static str, sqlite: bool) -> SqlStr {
    let (own, other) =
        if sqlite { ("-- sqlite:", "-- postgres:") } else { ("-- postgres:", "-- sqlite:") };
    if !sql.contains(own) && !sql.contains(other) {
        return sql.into_sql_str();
    }
    let mut ours = true;
    let mut text = String::new();
    for line in sql.lines() {
        match line.trim() {
            mark if mark == own || mark == "-- both:" => ours = true,
            mark if mark == other => ours = false,
            _ if ours => text.extend([line, "\n"]),
            _ => {}
        }
    }
    AssertSqlSafe(text).into_sql_str()
}

/// SQLite: busy (5), locked (6) and their kin, which hold them in the low byte. Postgres, by class:
/// connection (08), resources (53), operator intervention (57), serialisation and deadlock (40).
fn is_transient(code: &str) -> bool {
    match code.parse::<u32>() {
        Ok(number) if code.len() != 5 => matches!(number & 0xff, 5 | 6),
        _ => ["08", "40", "53", "57"].iter().any(|class| code.starts_with(class)),
    }
}
