//! What changes an account or ends its sessions, each with its row of the audit.

use sqlx::{Any, Executor, Transaction};
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
    /// The request that did it; not stored.
    pub(crate) request_id: String,
}

/// A change of an account that signs it out everywhere, but for the last.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// A new password, by its hash.
    Password(String),
    /// For good, and its bots with it. What could sign in again is forgotten.
    Deletion,
    /// With its bots, which cannot sign in without it.
    Suspension { until_ms: i64, reason: String },
    /// No longer suspended.
    Lift,
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Changed {
    /// It is so now; the tokens of these are good no more.
    Done(Vec<Revocation>),
    /// The same request did it before.
    Known,
    /// The same request did something else before.
    Reused,
    /// There is no such account, or it was signed out since.
    Stale,
}

impl Store {
    /// Changes an account, once for each row of the audit: only one of this generation, if it is
    /// given, and none that is deleted.
    pub(crate) async fn change(
        &self,
        change: &Change,
        generation: Option<i64>,
        audit: &Audit,
    ) -> Result<Changed, sqlx::Error> {
        let mut transaction = begin_write(&self.0).await?;
        // First, as the same request that comes twice at once waits here for itself.
        let rows = sqlx::query(
            "update accounts
             set generation = generation + $1, revoked_at_ms = case $1 when 0 then revoked_at_ms else $2 end
             where player_id = $3 and (generation = $4 or $4 < 0) and deleted_at_ms = 0",
        )
        .bind(i64::from(change.revokes()))
        .bind(audit.at_ms)
        .bind(&audit.player_id)
        .bind(generation.unwrap_or(-1))
        .execute(&mut *transaction)
        .await?
        .rows_affected();
        if let Some(same) = recorded(&mut *transaction, audit).await? {
            return Ok(if same { Changed::Known } else { Changed::Reused });
        }
        if rows == 0 {
            return Ok(Changed::Stale);
        }
        change.apply(&mut transaction, audit).await?;
        if !record(&mut transaction, audit).await? {
            return Ok(Changed::Known);
        }
        let tokens = sqlx::query_as(
            "select player_id, generation from accounts where player_id = $1 or owner_id = $1",
        )
        .bind(&audit.player_id)
        .fetch_all(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Changed::Done(revocations(tokens)))
    }

    /// Whether the same request was recorded before, with the same content; `None` if none was.
    pub(crate) async fn recorded(&self, audit: &Audit) -> Result<Option<bool>, sqlx::Error> {
        recorded(&self.0, audit).await
    }

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
        Ok(revocations(rows))
    }

    /// Notes what changed nothing here.
    pub(crate) async fn note(&self, audit: &Audit) -> Result<(), sqlx::Error> {
        let mut transaction = begin_write(&self.0).await?;
        record(&mut transaction, audit).await?;
        transaction.commit().await
    }
}

impl Change {
    /// As the audit calls it.
    pub(crate) fn event(&self) -> &'static str {
        match self {
            Self::Password(_) => "password_changed",
            Self::Deletion => "deleted",
            Self::Suspension { .. } => "suspended",
            Self::Lift => "suspension_lifted",
        }
    }

    /// What the audit says beside that.
    pub(crate) fn detail(&self) -> String {
        match self {
            Self::Suspension { until_ms: i64::MAX, reason } => reason.clone(),
            Self::Suspension { until_ms, reason } => format!("until {until_ms}: {reason}"),
            Self::Password(_) | Self::Deletion | Self::Lift => String::new(),
        }
    }

    fn revokes(&self) -> bool {
        !matches!(self, Self::Lift)
    }

    /// All but the generation of the account itself.
    async fn apply(
        &self,
        transaction: &mut Transaction<'static, Any>,
        audit: &Audit,
    ) -> Result<(), sqlx::Error> {
        let (id, at_ms) = (&audit.player_id, audit.at_ms);
        let bots = "update accounts set generation = generation + 1, revoked_at_ms = $1
                    where owner_id = $2 and deleted_at_ms = 0";
        if matches!(self, Self::Suspension { .. } | Self::Deletion) {
            sqlx::query(bots).bind(at_ms).bind(id).execute(&mut **transaction).await?;
        }
        let done = match self {
            Self::Password(hash) => {
                sqlx::query("update accounts set password_hash = $1 where player_id = $2")
                    .bind(hash)
                    .bind(id)
            }
            Self::Deletion => sqlx::query(
                "update accounts set deleted_at_ms = $1, password_hash = ''
                 where player_id = $2 or owner_id = $2 and deleted_at_ms = 0",
            )
            .bind(at_ms)
            .bind(id),
            Self::Suspension { until_ms, reason } => sqlx::query(
                "update accounts set suspended_until_ms = $1, suspended_for = $2
                 where player_id = $3",
            )
            .bind(until_ms)
            .bind(reason)
            .bind(id),
            Self::Lift => sqlx::query(
                "update accounts set suspended_until_ms = 0, suspended_for = ''
                 where player_id = $1",
            )
            .bind(id),
        };
        done.execute(&mut **transaction).await.map(drop)
    }
}

fn revocations(rows: Vec<(String, i64)>) -> Vec<Revocation> {
    let rows = rows.into_iter();
    rows.map(|(account_id, generation)| Revocation { account_id, generation }).collect()
}

async fn recorded(
    executor: impl Executor<'_, Database = Any>,
    audit: &Audit,
) -> Result<Option<bool>, sqlx::Error> {
    let before: Option<(String, String, String)> =
        sqlx::query_as("select event, player_id, detail from audit where id = $1")
            .bind(&audit.id)
            .fetch_optional(executor)
            .await?;
    Ok(before.map(|(event, player_id, detail)| {
        event == audit.event && player_id == audit.player_id && detail == audit.detail
    }))
}

async fn record(
    transaction: &mut Transaction<'static, Any>,
    audit: &Audit,
) -> Result<bool, sqlx::Error> {
    let Audit { id, at_ms, event, actor_id, player_id, detail, .. } = audit;
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
