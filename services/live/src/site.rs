//! Live state as a part of a process.

use std::sync::Arc;

use bytes::Bytes;
use tengen_kit::Site;
use tengen_kit::config::RedisUrl;

use crate::error::LiveError;
use crate::live::Live;
use crate::redis::{Redis, RedisSettings};

/// How long a probe stays, so that there are few at a time.
const PROBE_MS: i64 = 5_000;

/// The live state at this address, as soon as it answers. The process is ready only while it takes
/// changes: a server with a full disk still answers questions (fault F25).
pub async fn of_site(site: &Site, url: &RedisUrl) -> Arc<dyn Live> {
    let live = site.component(
        "live state",
        || Redis::connect(url.as_ref(), RedisSettings::default()),
        |live: Redis| async move { probe(&live).await },
    );
    Arc::new(live.await)
}

/// Whether a change is taken.
async fn probe(live: &Redis) -> Result<(), LiveError> {
    let (key, expires_ms) = (rand::random::<u64>().to_string(), live.now_ms() + PROBE_MS);
    live.put_entry("probe", &key, None, Some(Bytes::new()), Some(expires_ms)).await.map(drop)
}
