//! Accounts in SQL.

mod changes;
mod experience;

use std::collections::BTreeSet;

use sqlx::any::AnyRow;
use sqlx::{Any, AnyPool, FromRow, Row as _, Transaction};
use tengen_kit::sql::begin_write;

pub(crate) use self::changes::{Audit, Change, Changed};

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
    /// 0 for not suspended, the greatest number for until it is lifted.
    pub(crate) suspended_until_ms: i64,
    /// Why.
    pub(crate) suspended_for: String,
    /// 0 for not deleted.
    pub(crate) deleted_at_ms: i64,
    /// Whole minutes for which it was present (rulebook L10).
    pub(crate) minutes: i64,
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
    /// Its owner has as many bots as he may, or is not there.
    Full,
}

/// Selects accounts, `a`, from what follows.
macro_rules! account {
    ($from:literal) => {
        concat!(
            "select a.player_id, a.name, a.password_hash, a.bot, a.owner_id, a.created_at_ms,
                a.generation, a.suspended_until_ms, a.suspended_for, a.deleted_at_ms,
                coalesce(e.minutes, 0) as minutes
             from accounts a left join experience e on e.player_id = a.player_id ",
            $from
        )
    };
}

const BY_ID: &str = account!("where a.player_id = $1");
const BY_LOOK: &str =
    account!("join account_names n on n.player_id = a.player_id where n.look = $1");
const BY_SUBJECT: &str = account!(
    "join foreign_accounts f on f.player_id = a.player_id where f.issuer = $1 and f.subject = $2"
);

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
        sqlx::query_as(BY_ID).bind(player_id).fetch_optional(&self.0).await
    }

    /// The account whose name has this look.
    pub(crate) async fn by_look(&self, look: &str) -> Result<Option<Account>, sqlx::Error> {
        sqlx::query_as(BY_LOOK).bind(look).fetch_optional(&self.0).await
    }

    /// The account of whom another identity provider knows by this name.
    pub(crate) async fn by_subject(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<Account>, sqlx::Error> {
        sqlx::query_as(BY_SUBJECT).bind(issuer).bind(subject).fetch_optional(&self.0).await
    }

    /// Adds an account with the looks of its name: all of it, or nothing. A bot is added only if its
    /// owner has fewer than `most_bots` that are not deleted; a foreign one has an issuer and a
    /// subject.
    pub(crate) async fn add(
        &self,
        account: &Account,
        looks: &BTreeSet<String>,
        most_bots: i64,
        foreign: Option<(&str, &str)>,
    ) -> Result<Added, sqlx::Error> {
        let mut transaction = begin_write(&self.0).await?;
        if !account.owner_id.is_empty() && bots(&mut transaction, account).await? >= most_bots {
            return Ok(Added::Full);
        }
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
        if let Some((issuer, subject)) = foreign {
            sqlx::query(
                "insert into foreign_accounts (issuer, subject, player_id) values ($1, $2, $3)",
            )
            .bind(issuer)
            .bind(subject)
            .bind(&account.player_id)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(Added::New)
    }
}

/// How many bots the owner of this one has beside it; too many to add to if he is not there. Of
/// those who ask for the same owner at once, one waits for the other.
async fn bots(
    transaction: &mut Transaction<'static, Any>,
    account: &Account,
) -> Result<i64, sqlx::Error> {
    let owners = sqlx::query(
        "update accounts set owner_id = owner_id where player_id = $1 and deleted_at_ms = 0",
    )
    .bind(&account.owner_id)
    .execute(&mut **transaction)
    .await?
    .rows_affected();
    if owners == 0 {
        return Ok(i64::MAX);
    }
    sqlx::query_scalar(
        "select count(*) from accounts
         where owner_id = $1 and deleted_at_ms = 0 and player_id <> $2",
    )
    .bind(&account.owner_id)
    .bind(&account.player_id)
    .fetch_one(&mut **transaction)
    .await
}

impl Account {
    /// A new person's.
    pub(crate) fn new(player_id: String, name: String, password_hash: String, now_ms: i64) -> Self {
        Self {
            player_id,
            name,
            password_hash,
            bot: 0,
            owner_id: String::new(),
            created_at_ms: now_ms,
            generation: 0,
            suspended_until_ms: 0,
            suspended_for: String::new(),
            deleted_at_ms: 0,
            minutes: 0,
        }
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.deleted_at_ms != 0
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
            suspended_until_ms: row.try_get("suspended_until_ms")?,
            suspended_for: row.try_get("suspended_for")?,
            deleted_at_ms: row.try_get("deleted_at_ms")?,
            minutes: row.try_get("minutes")?,
        })
    }
}
