//! The archive of finished games. A game comes here when its result is acknowledged, so what is
//! here is in the ledger, too.

use sqlx::{AnyPool, Row};
use tengen_kit::sql;
use tengen_kit::status::Refusal;
use tengen_live::Record;
use tengen_rules::Colour;

use crate::convert::stored;
use crate::pages::Cursor;
use crate::record::{Changes, GameRecord};

/// Finished games.
#[derive(Debug, Clone)]
pub struct Archive(AnyPool);

impl Archive {
    /// The archive in a database with this crate's migrations applied.
    pub fn new(database: AnyPool) -> Self {
        Self(database)
    }

    /// Keeps a game that is over with what its result changed, in place of what was kept of it before
    /// it was restored.
    ///
    /// # Errors
    /// The database fails.
    pub async fn keep(
        &self,
        game: &GameRecord,
        record: &Record,
        changes: &Changes,
    ) -> Result<(), Refusal> {
        let Some(outcome) = game.table.outcome() else { return Ok(()) };
        let kept = sqlx::query(
            "insert into archive (game_id, black_id, white_id, ended_at_ms, log, changes)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (game_id) do update
             set ended_at_ms = excluded.ended_at_ms, log = excluded.log,
                 changes = excluded.changes",
        )
        .bind(&game.id)
        .bind(&game.player(Colour::Black).id)
        .bind(&game.player(Colour::White).id)
        .bind(outcome.at_ms)
        .bind(stored::archived(record))
        .bind(&changes.0)
        .execute(&self.0)
        .await;
        kept.map(drop).map_err(|error| sql::refusal("archive", &error))
    }

    /// What a game changed that is here and ended at this instant.
    ///
    /// # Errors
    /// The database fails.
    pub async fn changes(
        &self,
        game_id: &str,
        ended_at_ms: i64,
    ) -> Result<Option<Changes>, Refusal> {
        let found =
            sqlx::query("select changes from archive where game_id = $1 and ended_at_ms = $2")
                .bind(game_id)
                .bind(ended_at_ms)
                .fetch_optional(&self.0)
                .await;
        let found = found.map_err(|error| sql::refusal("archive", &error))?;
        Ok(found.map(|row| changes(&row)))
    }

    /// A game's record.
    ///
    /// # Errors
    /// The database fails, or holds what is no record.
    pub async fn find(&self, game_id: &str) -> Result<Option<Record>, Refusal> {
        let found = sqlx::query("select log from archive where game_id = $1")
            .bind(game_id)
            .fetch_optional(&self.0)
            .await
            .map_err(|error| sql::refusal("archive", &error))?;
        found.map(|row| read(&row)).transpose()
    }

    /// At most `most` games of a player, the newest first, older than the cursor.
    ///
    /// # Errors
    /// The database fails, or holds what is no record.
    pub async fn of_player(
        &self,
        player_id: &str,
        before: Option<&Cursor>,
        most: usize,
    ) -> Result<Vec<(Cursor, Record, Changes)>, Refusal> {
        let newest = Cursor { at_ms: i64::MAX, id: String::new() };
        let before = before.unwrap_or(&newest);
        let rows = sqlx::query(
            "select game_id, ended_at_ms, log, changes from archive
             where (black_id = $1 or white_id = $1)
               and (ended_at_ms < $2 or (ended_at_ms = $2 and game_id < $3))
             order by ended_at_ms desc, game_id desc limit $4",
        )
        .bind(player_id)
        .bind(before.at_ms)
        .bind(&before.id)
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .fetch_all(&self.0)
        .await
        .map_err(|error| sql::refusal("archive", &error))?;
        let found = rows.iter().map(|row| {
            let cursor = Cursor { at_ms: row.get("ended_at_ms"), id: row.get("game_id") };
            Ok((cursor, read(row)?, changes(row)))
        });
        found.collect()
    }
}

fn changes(row: &sqlx::any::AnyRow) -> Changes {
    let stored: Option<Vec<u8>> = row.get("changes");
    Changes(stored.unwrap_or_default())
}

fn read(row: &sqlx::any::AnyRow) -> Result<Record, Refusal> {
    let log: Vec<u8> = row.get("log");
    stored::parse_archived(&log).map_err(|what| {
        tracing::error!(what, "an archived game cannot be read");
        Refusal::behind_unavailable("archive")
    })
}
