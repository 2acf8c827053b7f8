//! The audit: rebuilds from the ledger all that follows from it, and names what differs.
//!
//! What is about players is rebuilt by the database, which gives nothing but differences
//! (`audit/sql`); what is about games comes row by row, is held against the rules, and is forgotten
//! again. So a ledger of any length is audited in little memory.

mod archive;
mod game;

use std::pin::pin;

use futures_util::TryStreamExt;
use sqlx::{Any, AnyPool, AssertSqlSafe, Row, Transaction};
use tengen_kit::sql;
use tengen_kit::time::SharedTime;
use tengen_ladder::Ladder;

use self::archive::Archive;
use self::game::Game;
use crate::config::{Config, ConfigError};

/// A game is archived once its result was acknowledged: soon after it was booked, but not at once.
const ARCHIVED_WITHIN_MS: i64 = 600_000;

const GAMES: &str = include_str!("sql/games.sql");
const SUMMARY: &str = include_str!("sql/summary.sql");
const STANDINGS: &str = include_str!("sql/standings.sql");
/// Each gives nothing where all is well, and says in one column what is not.
const CHECKS: [&str; 9] = [
    include_str!("sql/ledger_chain.sql"),
    include_str!("sql/ledger_orphans.sql"),
    include_str!("sql/fee_chain.sql"),
    include_str!("sql/fee_orphans.sql"),
    include_str!("sql/fee_balances.sql"),
    include_str!("sql/tier_orphans.sql"),
    include_str!("sql/counts.sql"),
    include_str!("sql/missing_players.sql"),
    include_str!("sql/board_counts.sql"),
];

/// What is audited.
#[derive(Clone)]
pub struct Books {
    /// The settings; the ladder among them must be the one that was in use.
    pub config: Config,
    /// The database of the ledger.
    pub database: AnyPool,
    /// The database of the game service, with the archive of finished games.
    pub archive: Option<AnyPool>,
    /// What tells whether a game should be archived by now.
    pub time: SharedTime,
}

/// What was audited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Players with a standing.
    pub players: i64,
    /// Games with a result.
    pub games: i64,
    /// Rows of the ledger.
    pub entries: i64,
    /// Fees paid and reversed.
    pub fees: i64,
    /// Games of the archive; `None` without one.
    pub archived: Option<i64>,
    /// Games booked so lately that they need not be archived yet.
    pub on_their_way: i64,
    /// Differences that were named.
    pub differences: i64,
}

/// Why an audit could not be done.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The ladder cannot be read.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// A database does not answer, or is none of this suite's.
    #[error("the database cannot be read: {0}")]
    Sql(#[from] sqlx::Error),
}

/// Audits the books, each database as it is at one instant, and reports every difference by a line.
///
/// # Errors
/// When a database cannot be read to the end.
pub async fn audit(
    books: &Books,
    mut report: impl FnMut(&str) + Send,
) -> Result<Summary, AuditError> {
    let ladder = books.config.ladder()?;
    let mut differences = 0;
    let mut find = |difference: String| {
        differences += 1;
        report(&difference);
    };
    // The archive first: what it holds by then is in the ledger (never the other way round).
    let mut archived = match &books.archive {
        Some(archive) => Some(sql::begin_snapshot(archive).await?),
        None => None,
    };
    let bytewise = |pool: &AnyPool| if sql::has_sqlite(pool) { "" } else { "collate \"C\"" };
    let mut archive = match (&mut archived, &books.archive) {
        (Some(snapshot), Some(pool)) => Some(Archive::open(snapshot, bytewise(pool)).await?),
        _ => None,
    };
    let mut snapshot = sql::begin_snapshot(&books.database).await?;
    let mut summary = summary(&mut snapshot).await?;
    players(&mut snapshot, &ladder, &mut find).await?;

    let recent_ms = books.time.now_ms().saturating_sub(ARCHIVED_WITHIN_MS);
    let text = GAMES.replace("BYTEWISE", bytewise(&books.database));
    let mut rows = pin!(sqlx::query(AssertSqlSafe(text)).fetch(&mut *snapshot));
    let mut open: Option<Game> = None;
    loop {
        let row = rows.try_next().await?;
        let same = match (&row, &open) {
            (Some(row), Some(game)) => row.try_get::<&str, _>("of_game")? == game.id,
            _ => false,
        };
        if !same && let Some(game) = open.take() {
            summary.games += 1;
            game.check(&ladder, &mut find);
            if let Some(archive) = &mut archive
                && !archive.check(&game, &mut find).await?
            {
                if game.booked_at_ms() < recent_ms {
                    find(format!("archive: game {} is booked, but not archived", game.id));
                } else {
                    summary.on_their_way += 1;
                }
            }
        }
        match row {
            Some(row) => Game::add(&mut open, &row)?,
            None => break,
        }
    }
    if let Some(archive) = &mut archive {
        summary.archived = Some(archive.rest(&mut find).await?);
    }
    summary.differences = differences;
    Ok(summary)
}

async fn summary(snapshot: &mut Transaction<'static, Any>) -> Result<Summary, sqlx::Error> {
    let row = sqlx::query(SUMMARY).fetch_one(&mut **snapshot).await?;
    Ok(Summary {
        players: row.try_get("players")?,
        entries: row.try_get("entries")?,
        fees: row.try_get("fees")?,
        ..Summary::default()
    })
}

/// What the database finds by itself.
async fn players(
    snapshot: &mut Transaction<'static, Any>,
    ladder: &Ladder,
    find: &mut (dyn FnMut(String) + Send),
) -> Result<(), sqlx::Error> {
    let start = ladder.start();
    let standings = sqlx::query(STANDINGS).bind(i64::from(start.level.index())).bind(start.points);
    for query in std::iter::once(standings).chain(CHECKS.map(sqlx::query)) {
        let mut rows = query.fetch(&mut **snapshot);
        while let Some(row) = rows.try_next().await? {
            find(row.try_get("difference")?);
        }
    }
    Ok(())
}
