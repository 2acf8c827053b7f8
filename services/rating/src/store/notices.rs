//! The outbox of notices: ledger rows that the session service is still to be told of.

use sqlx::Row;
use tengen_kit::sql;

use super::{Entry, Store, rows};
use crate::error::StoreError;

const CLAIM_NOTICES: &str = include_str!("sql/claim_notices.sql");
const ENTRY: &str = "select * from ledger where player_id = $1 and entry_id = $2";
const FORGET: &str = "delete from notices where booked_at_ms < $1";
const TOLD: &str = "delete from notices where player_id = $1 and entry_id = $2";

impl Store {
    /// At most `most` ledger rows to tell, the oldest first; until `until_ms` no other process
    /// takes them.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn claim_notices(
        &self,
        until_ms: i64,
        most: i64,
    ) -> Result<Vec<Entry>, StoreError> {
        let now_ms = self.time.now_ms();
        let query = sqlx::query(CLAIM_NOTICES).bind(now_ms).bind(until_ms).bind(most);
        let mut claimed = Vec::new();
        for row in query.fetch_all(&self.pool).await? {
            let (booked_at_ms, player_id, entry_id): (i64, String, i64) =
                (row.try_get("booked_at_ms")?, row.try_get("player_id")?, row.try_get("entry_id")?);
            claimed.push((booked_at_ms, player_id, entry_id));
        }
        claimed.sort();
        let mut entries = Vec::with_capacity(claimed.len());
        for (_, player_id, entry_id) in claimed {
            let query = sqlx::query(ENTRY).bind(player_id).bind(entry_id);
            entries.push(rows::entry(&query.fetch_one(&self.pool).await?)?);
        }
        Ok(entries)
    }

    /// Forgets notices that were told.
    ///
    /// # Errors
    /// When the database fails: then they are told once more.
    pub(crate) async fn told(&self, entries: &[Entry]) -> Result<(), StoreError> {
        let mut transaction = sql::begin_write(&self.pool).await?;
        for Entry { player_id, entry_id, .. } in entries {
            let query = sqlx::query(TOLD).bind(player_id).bind(entry_id);
            query.execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Forgets notices of what was booked before an instant.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn forget_notices(&self, before_ms: i64) -> Result<(), StoreError> {
        sqlx::query(FORGET).bind(before_ms).execute(&self.pool).await?;
        Ok(())
    }
}
