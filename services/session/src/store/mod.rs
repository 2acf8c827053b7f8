//! Accounts in SQL.

mod changes;

use std::collections::BTreeSet;

use sqlx::any::AnyRow;
use sqlx::{AnyPool, FromRow, Row as _};
use tengen_kit::sql::begin_write;

pub(crate) use self::changes::Audit;

/// An account as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) player_id: String,
    pub(crate) name: String,
    pub(crate) password_hash: String,
    /// 0 or 1.
    pub(crate) bot: i64,
    /// Empty for a person.
    pub(crate) owner_id: String,
    pub(crate) created_at_ms: i64,
    /// How often all its tokens were revoked.
    pub(crate) generation: i64,
}

/// What came of adding an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is there now.
    New,
    /// Its id was there before.
    Known,
    /// One of its looks is somebody else's.
    Taken,
}

/// The accounts.
#[derive(Debug, Clone)]
pub(crate) struct Store(AnyPool);

impl Store {
    /// Accounts in a database with the crate's migrations applied.
    pub(crate) fn new(database: AnyPool) -> Self {
        Self(database)
    }

    /// The account with this id.
    pub(crate) async fn by_id(&self, player_id: &str) -> Result<Option<Account>, sqlx::Error> {
        sqlx::query_as(
            "select player_id, name, password_hash, bot, owner_id, created_at_ms, generation
             from accounts where player_id = $1",
        )
        .bind(player_id)
        .fetch_optional(&self.0)
        .await
    }

    /// The account whose name has this look.
    pub(crate) async fn by_look(&self, look: &str) -> Result<Option<Account>, sqlx::Error> {
        sqlx::query_as(
            "select a.player_id, a.name, a.password_hash, a.bot, a.owner_id, a.created_at_ms,
                    a.generation
             from account_names n join accounts a on a.player_id = n.player_id
             where n.look = $1",
        )
        .bind(look)
        .fetch_optional(&self.0)
        .await
    }

    /// Adds an account with the looks of its name: all of it, or nothing.
    pub(crate) async fn add(
        &self,
        account: &Account,
        looks: &BTreeSet<String>,
    ) -> Result<Added, sqlx::Error> {
        let mut transaction = begin_write(&self.0).await?;
        let account_rows = sqlx::query(
            "insert into accounts (player_id, name, password_hash, bot, owner_id, created_at_ms)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (player_id) do nothing",
        )
        .bind(&account.player_id)
        .bind(&account.name)
        .bind(&account.password_hash)
        .bind(account.bot)
        .bind(&account.owner_id)
        .bind(account.created_at_ms)
        .execute(&mut *transaction)
        .await?
        .rows_affected();
        if account_rows == 0 {
            return Ok(Added::Known);
        }
        // In order, so that two who race for the same looks do not wait for each other.
        for look in looks {
            let rows = sqlx::query(
                "insert into account_names (look, player_id) values ($1, $2)
                 on conflict (look) do nothing",
            )
            .bind(look)
            .bind(&account.player_id)
            .execute(&mut *transaction)
            .await?
            .rows_affected();
            if rows == 0 {
                return Ok(Added::Taken);
            }
        }
        transaction.commit().await?;
        Ok(Added::New)
    }
}

impl FromRow<'_, AnyRow> for Account {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            player_id: row.try_get("player_id")?,
            name: row.try_get("name")?,
            password_hash: row.try_get("password_hash")?,
            bot: row.try_get("bot")?,
            owner_id: row.try_get("owner_id")?,
            created_at_ms: row.try_get("created_at_ms")?,
            generation: row.try_get("generation")?,
        })
    }
}
