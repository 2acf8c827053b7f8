//! Minutes of presence, counted.

use sqlx::{AssertSqlSafe, SqlSafeStr as _, SqlStr};
use tengen_kit::sql::begin_write;

use super::Store;

/// Accounts that one statement counts.
const LOT: usize = 500;
/// Counted minutes are remembered for a day.
const REMEMBERED: i64 = 24 * 60;

impl Store {
    /// Gives one minute to each of these accounts that is a person's and may sign in: all of them,
    /// and only if this minute was not counted before. Of those who count it at once, one does, and
    /// the others wait for what becomes of that.
    pub(crate) async fn count_minute(
        &self,
        minute: i64,
        player_ids: &[String],
        now_ms: i64,
    ) -> Result<(), sqlx::Error> {
        let mut transaction = begin_write(&self.0).await?;
        let counted =
            sqlx::query("insert into counted_minutes (minute) values ($1) on conflict do nothing")
                .bind(minute)
                .execute(&mut *transaction)
                .await?
                .rows_affected();
        if counted == 0 {
            return Ok(());
        }
        for lot in player_ids.chunks(LOT) {
            let mut query = sqlx::query(count_lot()).bind(now_ms);
            for at in 0..LOT {
                query = query.bind(lot.get(at).map_or("", String::as_str));
            }
            query.execute(&mut *transaction).await?;
        }
        sqlx::query("delete from counted_minutes where minute < $1")
            .bind(minute.saturating_sub(REMEMBERED))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }
}

/// Counts a minute for a lot of accounts. In the order of their ids, so that of two who count nobody
/// waits for one who waits for him.
fn count_lot() -> SqlStr {
    let numbers: Vec<String> = (2..2 + LOT).map(|number| format!("${number}")).collect();
    let text = format!(
        "insert into experience (player_id, minutes)
         select player_id, 1 from accounts
         where player_id in ({}) and bot = 0 and deleted_at_ms = 0 and suspended_until_ms <= $1
         order by player_id
         on conflict (player_id) do update set minutes = experience.minutes + 1",
        numbers.join(", ")
    );
    AssertSqlSafe(text).into_sql_str()
}
