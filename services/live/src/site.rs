//! Live state as a part of a process.

use std::sync::Arc;

use tengen_kit::Site;
use tengen_kit::config::RedisUrl;

use crate::live::Live;
use crate::redis::{Redis, RedisSettings};

/// The live state at this address, as soon as it answers. The process is ready only while it does.
pub async fn of_site(site: &Site, url: &RedisUrl) -> Arc<dyn Live> {
    let live = site.component(
        "live state",
        || Redis::connect(url.as_ref(), RedisSettings::default()),
        |live: Redis| async move { live.entry("probe", "probe").await.map(|_| ()) },
    );
    Arc::new(live.await)
}
