//! What ends sessions, each with its row of the audit.

use sqlx::{Any, Transaction};
use tengen_kit::auth::Revocation;
use tengen_kit::sql::begin_write;

use super::Store;

/// A row of the audit.
#[derive(Debug, Clone)]
pub(crate) struct Audit {
    /// Derived from the request, so that it counts once.
    pub(crate) id: String,
    pub(crate) at_ms: i64,
    pub(crate) event: &'static str,
    /// Empty if nobody is known to have done it.
    pub(crate) actor_id: String,
    pub(crate) player_id: String,
    pub(crate) detail: String,
}

impl Store {
    /// Revokes all tokens of an account, if they are still those of this generation: whoever signed
    /// in again since stays so, also when a request comes twice. Gives the generation that is good.
    pub(crate) async fn sign_out(
        &self,
        generation: i64,
        audit: &Audit,
    ) -> Result<i64, sqlx::Error> {
        let mut transaction = begin_write(&self.0).await?;
        let rows = sqlx::query(
            "update accounts set generation = generation + 1, revoked_at_ms = $1
             where player_id = $2 and generation = $3",
        )
        .bind(audit.at_ms)
        .bind(&audit.player_id)
        .bind(generation)
        .execute(&mut *transaction)
        .await?
        .rows_affected();
        if rows > 0 {
            record(&mut transaction, audit).await?;
        }
        let generation = sqlx::query_scalar("select generation from accounts where player_id = $1")
            .bind(&audit.player_id)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(generation)
    }

    /// Accounts whose tokens were revoked after an instant.
    pub(crate) async fn revocations(&self, after_ms: i64) -> Result<Vec<Revocation>, sqlx::Error> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "select player_id, generation from accounts
             where revoked_at_ms > 0 and revoked_at_ms > $1",
        )
        .bind(after_ms)
        .fetch_all(&self.0)
        .await?;
        let revoked = rows.into_iter();
        Ok(revoked.map(|(account_id, generation)| Revocation { account_id, generation }).collect())
    }

    /// Notes what changed nothing here.
    pub(crate) async fn note(&self, audit: &Audit) -> Result<(), sqlx::Error> {
        let mut transaction = begin_write(&self.0).await?;
        record(&mut transaction, audit).await?;
        transaction.commit().await
    }
}

async fn record(
    transaction: &mut Transaction<'static, Any>,
    audit: &Audit,
) -> Result<bool, sqlx::Error> {
    let Audit { id, at_ms, event, actor_id, player_id, detail } = audit;
    tracing::info!(target: "audit", event, actor_id, player_id, detail);
    let rows = sqlx::query(
        "insert into audit (id, at_ms, event, actor_id, player_id, detail)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (id) do nothing",
    )
    .bind(id)
    .bind(at_ms)
    .bind(*event)
    .bind(actor_id)
    .bind(player_id)
    .bind(detail)
    .execute(&mut **transaction)
    .await?
    .rows_affected();
    Ok(rows > 0)
}
