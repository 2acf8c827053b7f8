//! What a process has for its service: the time, channels, and parts it waits for.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use sqlx::AnyPool;
use tonic::Status;

use crate::auth::{KeyError, Revocation, ServiceSecret, ServiceTokens, Verifier};
use crate::client::{self, ServiceChannel, Urls};
use crate::config::{Common, DatabaseUrl, Issuer};
use crate::origin::Origins;
use crate::ready::Readiness;
use crate::shutdown::Shutdown;
use crate::sql::{self, Migration, SqlError};
use crate::time::{SharedTime, WallTime};

const RENEW_KEYS_MS: i64 = 60_000;
/// A sign-out is honoured everywhere within 5 seconds.
const ASK_REVOCATIONS_MS: i64 = 2_000;
const LOOK_MS: i64 = 1_000;
const SHORTEST_WAIT_MS: i64 = 100;
const LONGEST_WAIT_MS: i64 = 2_000;

/// What a process has for its service. Its clones are the same.
#[derive(Clone)]
pub struct Site {
    /// The time of everything.
    pub time: SharedTime,
    /// Ends streams and tasks.
    pub shutdown: Shutdown,
    /// Checks access tokens; it has no keys yet.
    pub verifier: Arc<Verifier>,
    /// Whose access tokens are taken.
    pub issuer: Issuer,
    /// Where calls come from.
    pub origins: Origins,
    /// The secret that all services share.
    pub secret: ServiceSecret,
    tokens: ServiceTokens,
    pub(crate) readiness: Readiness,
}

impl Site {
    pub(crate) fn new(
        name: &str,
        common: &Common,
        secret: &ServiceSecret,
    ) -> Result<Self, KeyError> {
        let (time, issuer) = (WallTime::shared(), common.issuer.clone());
        let verifier = Verifier::new(&issuer.name, &issuer.audience, Arc::clone(&time));
        Ok(Self {
            verifier: Arc::new(verifier.with_services(secret)?),
            tokens: ServiceTokens::new(name, secret, Arc::clone(&time))?,
            secret: secret.clone(),
            issuer,
            origins: common.limits.origins(),
            shutdown: Shutdown::new(),
            readiness: Readiness::default(),
            time,
        })
    }

    /// A channel to another service.
    #[must_use]
    pub fn channel(&self, urls: &Urls) -> ServiceChannel {
        client::channel_to(urls, self.tokens.clone())
    }

    /// Opens the database, as soon as that can be done.
    pub async fn database(&self, url: &DatabaseUrl, migrations: &'static [Migration]) -> AnyPool {
        let open = || sql::open(url.as_ref(), migrations);
        let look = |pool: AnyPool| async move {
            sqlx::query("select 1").execute(&pool).await.map(|_| ()).map_err(SqlError::from)
        };
        self.component("database", open, look).await
    }

    /// A database that the process can do without for a while: the pool is there at once, and its
    /// schema as soon as that can be done.
    ///
    /// # Errors
    /// When the address is none.
    pub fn database_aside(
        &self,
        name: &'static str,
        url: &DatabaseUrl,
        migrations: &'static [Migration],
    ) -> Result<AnyPool, SqlError> {
        let pool = sql::pool(url.as_ref())?;
        let (site, own) = (self.clone(), pool.clone());
        tokio::spawn(async move {
            site.insist(name, || sql::migrate(&own, migrations)).await;
        });
        Ok(pool)
    }

    /// Has a part that the process cannot do without: makes it as soon as that can be done, and
    /// looks every second whether it is still there. The process is ready only while it is.
    pub async fn component<T, E, Make, Made, Look, Looked>(
        &self,
        name: &'static str,
        make: Make,
        look: Look,
    ) -> T
    where
        T: Clone + Send + 'static,
        E: fmt::Display + Send,
        Make: Fn() -> Made,
        Made: Future<Output = Result<T, E>>,
        Look: Fn(T) -> Looked + Send + 'static,
        Looked: Future<Output = Result<(), E>> + Send,
    {
        let latch = self.readiness.latch(name);
        let part = self.insist(name, make).await;
        latch.set();
        let (time, held) = (Arc::clone(&self.time), part.clone());
        tokio::spawn(async move {
            loop {
                time.until(time.now_ms().saturating_add(LOOK_MS)).await;
                match look(held.clone()).await {
                    Ok(()) => latch.set(),
                    Err(error) => latch.lose(&error),
                }
            }
        });
        part
    }

    /// Gives the verifier the keys that `fetch` brings, as soon as there are any, and renews them
    /// every minute. While they cannot be renewed, those that are there are good.
    pub async fn keys<Fetch, Fetched>(&self, fetch: Fetch)
    where
        Fetch: Fn() -> Fetched + Send + Sync + 'static,
        Fetched: Future<Output = Result<String, Status>> + Send,
    {
        let latch = self.readiness.latch("keys");
        self.insist("keys", || self.renew(&fetch)).await;
        latch.set();
        let site = self.clone();
        tokio::spawn(async move {
            loop {
                site.pause(RENEW_KEYS_MS).await;
                site.insist("keys", || site.renew(&fetch)).await;
            }
        });
    }

    /// Tells the verifier every two seconds who was signed out. `fetch` brings what came after an
    /// instant in milliseconds, and the instant to ask from next. While it brings nothing, tokens
    /// are good as long as they live.
    pub async fn revocations<Fetch, Fetched>(&self, fetch: Fetch)
    where
        Fetch: Fn(i64) -> Fetched + Send + Sync + 'static,
        Fetched: Future<Output = Result<(Vec<Revocation>, i64), Status>> + Send,
    {
        let ask = |after_ms| {
            let answer = fetch(after_ms);
            async { answer.await.map_err(|status| status.message().to_owned()) }
        };
        let (revocations, mut after_ms) = self.insist("revocations", || ask(0)).await;
        self.verifier.revoke(revocations);
        let site = self.clone();
        tokio::spawn(async move {
            loop {
                site.pause(ASK_REVOCATIONS_MS).await;
                match fetch(after_ms).await {
                    Ok((revocations, next_ms)) => {
                        site.verifier.revoke(revocations);
                        after_ms = next_ms;
                    }
                    Err(status) => {
                        tracing::warn!(error = status.message(), "no revocations, asking again");
                    }
                }
            }
        });
    }

    async fn renew<Fetched>(&self, fetch: impl Fn() -> Fetched) -> Result<(), String>
    where
        Fetched: Future<Output = Result<String, Status>>,
    {
        let jwks = fetch().await.map_err(|status| status.message().to_owned())?;
        self.verifier.renew_jwks(&jwks).map_err(|error| error.to_string())
    }

    /// Makes something, trying again until it is there.
    async fn insist<T, E, Made>(&self, name: &str, make: impl Fn() -> Made) -> T
    where
        E: fmt::Display,
        Made: Future<Output = Result<T, E>>,
    {
        let mut wait_ms = SHORTEST_WAIT_MS;
        loop {
            match make().await {
                Ok(made) => return made,
                Err(error) => tracing::warn!(name, %error, "not there, trying again"),
            }
            self.pause(wait_ms).await;
            wait_ms = LONGEST_WAIT_MS.min(wait_ms * 2);
        }
    }

    async fn pause(&self, ms: i64) {
        self.time.until(self.time.now_ms().saturating_add(ms)).await;
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("readiness", &self.readiness).finish_non_exhaustive()
    }
}
