//! The four services, with their stores.

use tengen_harness::{Kind, Postgres, Server};

use crate::{Process, Reserved};

/// Replicas of game that session is told of.
const GAMES: usize = 2;

const SECRET: &str = "a secret of services that is long enough";

/// A private Redis and a private PostgreSQL, and the settings of processes over them.
pub struct Suite {
    pub redis: Server,
    pub postgres: Postgres,
    /// The databases of the services that have one.
    session: String,
    game: String,
    rating: String,
    /// Where replicas of game are, which session is told of.
    games: Reserved,
    /// What all processes are told as well.
    variables: Vec<(&'static str, String)>,
}

impl Suite {
    pub fn new() -> Self {
        Self::over(Server::start(Kind::Redis, &[]), Postgres::start())
    }

    /// Over stores that were started in another way.
    pub fn over(redis: Server, postgres: Postgres) -> Self {
        let [session, game, rating] = std::array::from_fn(|_| postgres.database());
        Self {
            redis,
            postgres,
            session,
            game,
            rating,
            games: Reserved::new(GAMES),
            variables: Vec::new(),
        }
    }

    /// Tells all processes of it that are yet to start.
    pub fn tell(mut self, variable: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((variable, value.into()));
        self
    }

    pub async fn session(&self, more: &[(&str, &str)]) -> Process {
        let redis = self.redis.url();
        let own = [
            ("TENGEN_REDIS_URL", redis.as_str()),
            ("TENGEN_SESSION_DATABASE_URL", self.session.as_str()),
            ("TENGEN_GAME_URLS", &self.games.urls()),
        ];
        self.start("session", &own, more).await
    }

    pub async fn game(&self, sessions: &str, more: &[(&str, &str)]) -> Process {
        let redis = self.redis.url();
        let own = [
            ("TENGEN_REDIS_URL", redis.as_str()),
            ("TENGEN_SESSION_URLS", sessions),
            ("TENGEN_GAME_DATABASE_URL", &self.game),
            ("TENGEN_LISTEN", &self.games.listen()),
        ];
        self.start("game", &own, more).await
    }

    pub async fn clock(&self, games: &str, sessions: &str) -> Process {
        let redis = self.redis.url();
        let own = [
            ("TENGEN_REDIS_URL", redis.as_str()),
            ("TENGEN_GAME_URLS", games),
            ("TENGEN_SESSION_URLS", sessions),
        ];
        self.start("clock", &own, &[]).await
    }

    pub async fn rating(&self, games: &str, sessions: &str) -> Process {
        let own = [
            ("TENGEN_RATING_DATABASE_URL", self.rating.as_str()),
            ("TENGEN_GAME_URLS", games),
            ("TENGEN_SESSION_URLS", sessions),
        ];
        self.start("rating", &own, &[]).await
    }

    async fn start(&self, service: &str, own: &[(&str, &str)], more: &[(&str, &str)]) -> Process {
        let common = [
            ("TENGEN_SERVICE_SECRET", SECRET),
            ("TENGEN_DRAIN_NOTICE_MS", "0"),
            ("TENGEN_LOG", "info"),
        ];
        let told = self.variables.iter().map(|(variable, value)| (*variable, value.as_str()));
        let told: Vec<_> = told.collect();
        Process::start(service, &[&common, &*told, own, more].concat()).await
    }
}

impl Default for Suite {
    fn default() -> Self {
        Self::new()
    }
}
