//! The keys of access tokens: kept in SQL, published before they sign, and replaced in time.
//!
//! A new key is made by whichever replica is first. It signs ten minutes later, when everybody who
//! checks tokens has it, and it is published until the last token that it signed is dead. So a
//! replica that reads the keys every minute never signs with one that somebody does not know.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sqlx::AnyPool;
use tengen_kit::auth::{self, Signer};
use tengen_kit::time::SharedTime;

use crate::tokens::LIFE_SECONDS;

/// How long a key is published before it signs.
const LEAD_MS: i64 = 10 * 60 * 1_000;
/// How long it is published after it has signed for the last time.
const TAIL_MS: i64 = LIFE_SECONDS * 1_000 + 60_000;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Why there is no signing key.
#[derive(Debug, thiserror::Error)]
pub enum SignerError {
    /// The database failed.
    #[error("the signing keys cannot be read: {0}")]
    Sql(#[from] sqlx::Error),
    /// What is stored is none.
    #[error("a stored signing key is no seed of an Ed25519 key in base64")]
    Seed,
    /// There is none, although one was made.
    #[error("there is no signing key")]
    None,
}

/// The keys that sign access tokens, as this replica knows them.
pub struct Keys {
    database: AnyPool,
    time: SharedTime,
    /// How old a key gets before there is a new one.
    age_ms: i64,
    /// Never empty, the oldest first.
    ring: RwLock<Arc<[Key]>>,
}

#[derive(Debug)]
struct Key {
    number: i64,
    signer: Signer,
    made_at_ms: i64,
}

impl Keys {
    /// The keys of a database with the crate's migrations applied; the first to ask makes the first.
    /// A new one is made when the last is `days` old.
    ///
    /// # Errors
    /// [`SignerError`].
    pub async fn open(database: AnyPool, time: SharedTime, days: u16) -> Result<Self, SignerError> {
        sqlx::query(
            "insert into signing_keys (number, seed, created_at_ms)
             select 1, $1, $2 where not exists (select 1 from signing_keys)
             on conflict (number) do nothing",
        )
        .bind(seed(&Signer::generate()))
        .bind(time.now_ms())
        .execute(&database)
        .await?;
        let ring = RwLock::new(read(&database).await?);
        Ok(Self { database, time, age_ms: i64::from(days) * DAY_MS, ring })
    }

    /// What is published now, as a JSON Web Key Set.
    #[must_use]
    pub fn jwks(&self) -> String {
        let (ring, now_ms) = (self.ring(), self.time.now_ms());
        auth::jwks(published(&ring, now_ms).iter().map(|key| &key.signer))
    }

    /// Signs with the key of this moment.
    pub(crate) fn sign(&self, claims: &auth::Claims) -> Result<String, auth::KeyError> {
        let (ring, now_ms) = (self.ring(), self.time.now_ms());
        signing(&ring, now_ms)
            .map_or_else(|| Err(auth::KeyError::NoKey), |key| key.signer.sign(claims))
    }

    /// Reads the keys again; makes a new one if it is time, and forgets those that nobody needs.
    ///
    /// # Errors
    /// [`SignerError`]; the keys of before stay.
    pub(crate) async fn renew(&self) -> Result<(), SignerError> {
        let (mut ring, now_ms) = (read(&self.database).await?, self.time.now_ms());
        if let Some(last) = ring.last()
            && now_ms.saturating_sub(last.made_at_ms) >= self.age_ms
        {
            self.add(last.number.saturating_add(1), now_ms).await?;
            ring = read(&self.database).await?;
        }
        if let Some(first) = published(&ring, now_ms).first() {
            sqlx::query("delete from signing_keys where number < $1")
                .bind(first.number)
                .execute(&self.database)
                .await?;
        }
        *self.ring.write().unwrap_or_else(PoisonError::into_inner) = ring;
        Ok(())
    }

    /// Of replicas that add the same number, one does.
    async fn add(&self, number: i64, now_ms: i64) -> Result<(), SignerError> {
        let added = sqlx::query(
            "insert into signing_keys (number, seed, created_at_ms) values ($1, $2, $3)
             on conflict (number) do nothing",
        )
        .bind(number)
        .bind(seed(&Signer::generate()))
        .bind(now_ms)
        .execute(&self.database)
        .await?;
        if added.rows_affected() > 0 {
            tracing::info!(number, "a new signing key, which signs in ten minutes");
        }
        Ok(())
    }

    fn ring(&self) -> Arc<[Key]> {
        Arc::clone(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Key {
    fn signs_from_ms(&self) -> i64 {
        self.made_at_ms.saturating_add(LEAD_MS)
    }
}

/// The last key whose time has come; the first of all, which has none before it, at once.
fn signing(ring: &[Key], now_ms: i64) -> Option<&Key> {
    ring.iter().rev().find(|key| key.signs_from_ms() <= now_ms).or(ring.first())
}

/// Without those whose tokens are all dead.
fn published(ring: &[Key], now_ms: i64) -> &[Key] {
    let dead = |next: &Key| next.signs_from_ms().saturating_add(TAIL_MS) <= now_ms;
    let needed = ring.windows(2).take_while(|pair| matches!(pair, [_, next] if dead(next))).count();
    &ring[needed..]
}

async fn read(database: &AnyPool) -> Result<Arc<[Key]>, SignerError> {
    let rows: Vec<(i64, String, i64)> =
        sqlx::query_as("select number, seed, created_at_ms from signing_keys order by number")
            .fetch_all(database)
            .await?;
    let keys = rows.into_iter().map(|(number, seed, made_at_ms)| {
        let seed = BASE64_STANDARD.decode(seed).ok().and_then(|seed| seed.try_into().ok());
        let signer = Signer::from_seed(&seed.ok_or(SignerError::Seed)?);
        Ok(Key { number, signer, made_at_ms })
    });
    let keys = keys.collect::<Result<Arc<[Key]>, SignerError>>()?;
    if keys.is_empty() { Err(SignerError::None) } else { Ok(keys) }
}

fn seed(signer: &Signer) -> String {
    BASE64_STANDARD.encode(signer.seed())
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&self.ring()).finish()
    }
}
