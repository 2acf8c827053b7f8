//! The Redis backend passes the suite of every backend over Redis, Valkey and a cluster, and keeps
//! what it promises when its server dies or refuses.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[macro_use]
#[path = "../conformance/mod.rs"]
mod conformance;

mod figures;
mod outage;
mod races;
mod settings;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use conformance::Subject;
use tengen_harness::{Cluster, Kind, Server};
use tengen_kit::time::{Time, WallTime};
use tengen_live::{Live, Redis, RedisSettings};

const KEEP_ENDED_MS: u32 = 300;
const ENTRIES_PER_SLOT: usize = 8;

static REDIS: LazyLock<Server> = LazyLock::new(|| Server::start(Kind::Redis, &[]));
static VALKEY: LazyLock<Server> = LazyLock::new(|| Server::start(Kind::Valkey, &[]));
static CLUSTER: LazyLock<Cluster> = LazyLock::new(Cluster::start);

/// Empty live state on a server that others use as well.
struct OnServer(Redis);

#[async_trait]
impl Subject for OnServer {
    fn live(&self) -> Arc<dyn Live> {
        Arc::new(self.0.clone())
    }

    async fn pass_ms(&self, ms: u32) {
        let time = WallTime::start();
        // Readings are rounded down.
        time.until(time.now_ms() + i64::from(ms) + 2).await;
    }

    fn lease_ms(&self) -> u32 {
        100
    }

    fn keep_ended_ms(&self) -> u32 {
        KEEP_ENDED_MS
    }

    fn entries_per_slot(&self) -> usize {
        ENTRIES_PER_SLOT
    }

    fn patience(&self) -> Duration {
        Duration::from_millis(150)
    }
}

/// Settings of a test: keys of its own, and short times.
fn settings() -> RedisSettings {
    static TESTS: AtomicU32 = AtomicU32::new(0);
    RedisSettings {
        prefix: format!("test{}:", TESTS.fetch_add(1, Ordering::Relaxed)),
        keep_ended_ms: KEEP_ENDED_MS.into(),
        entries_per_slot: ENTRIES_PER_SLOT,
        // So that a busy machine fails no test.
        timeout: Duration::from_secs(20),
        ..RedisSettings::default()
    }
}

async fn connect(url: &str) -> OnServer {
    OnServer(Redis::connect(url, settings()).await.unwrap())
}

mod on_redis {
    async fn subject() -> super::OnServer {
        super::connect(&super::REDIS.url()).await
    }

    conformance!(subject);
}

mod on_valkey {
    async fn subject() -> super::OnServer {
        super::connect(&super::VALKEY.url()).await
    }

    conformance!(subject);
}

mod on_cluster {
    async fn subject() -> super::OnServer {
        super::connect(&super::CLUSTER.url()).await
    }

    conformance!(subject);
}
