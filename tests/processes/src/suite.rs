//! The four services, with their stores.

use std::path::Path;

use tempfile::TempDir;
use tengen_harness::{Kind, Server};

use crate::Process;

const SECRET: &str = "a secret of services that is long enough";

/// A private Redis and a folder of SQLite files, and the settings of processes over them.
pub struct Suite {
    pub redis: Server,
    folder: TempDir,
}

impl Suite {
    pub fn new() -> Self {
        let redis = Server::start(Kind::Redis, &[]);
        Self { redis, folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub async fn session(&self, more: &[(&str, &str)]) -> Process {
        let database = self.database("session");
        self.start("session", &[("TENGEN_SESSION_DATABASE_URL", &database)], more).await
    }

    pub async fn game(&self, sessions: &str, more: &[(&str, &str)]) -> Process {
        let (redis, database) = (self.redis.url(), self.database("game"));
        let own = [
            ("TENGEN_REDIS_URL", redis.as_str()),
            ("TENGEN_SESSION_URLS", sessions),
            ("TENGEN_GAME_DATABASE_URL", &database),
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
        let database = self.database("rating");
        let own = [
            ("TENGEN_RATING_DATABASE_URL", database.as_str()),
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
        Process::start(service, &[&common, own, more].concat()).await
    }

    fn database(&self, of: &str) -> String {
        let path: &Path = self.folder.path();
        format!("sqlite://{}", path.join(format!("{of}.db")).display())
    }
}

impl Default for Suite {
    fn default() -> Self {
        Self::new()
    }
}
