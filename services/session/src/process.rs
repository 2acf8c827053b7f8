//! The service as a process of its own.

use std::error::Error;
use std::sync::Arc;

use tengen_kit::Site;
use tengen_kit::client::Urls;
use tengen_kit::config::{DatabaseUrl, RedisUrl, Settings};
use tengen_kit::service::Service;

use crate::{Config, Keys, MIGRATIONS, Parts, bind};

/// The settings of the process, beside those that every service has.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct ProcessSettings {
    /// The database, as postgres://user:password@host/database or sqlite://file.
    #[arg(long, env = "TENGEN_SESSION_DATABASE_URL", hide_env_values = true, value_name = "URL")]
    database_url: DatabaseUrl,
    /// The Redis server or cluster that holds reconnect tokens, as redis://host:port or
    /// redis+cluster://host:port,host:port; the same as of the game service.
    #[arg(long, env = "TENGEN_REDIS_URL", hide_env_values = true, value_name = "URL")]
    redis_url: RedisUrl,
    /// Where the game service is, which is told who is gone; a name may have many addresses.
    #[arg(long, env = "TENGEN_GAME_URLS", value_name = "URLS")]
    game_urls: Urls,
    #[command(flatten)]
    config: Config,
}

impl Settings for ProcessSettings {}

/// What the process is made of, once all of it is there.
///
/// # Errors
/// When what is stored is no signing key, or no password can be hashed.
pub async fn start(
    settings: ProcessSettings,
    site: Site,
) -> Result<Service, Box<dyn Error + Send + Sync>> {
    let (database, live) = tokio::join!(
        site.database(&settings.database_url, MIGRATIONS),
        tengen_live::of_site(&site, &settings.redis_url),
    );
    let games = site.channel(&settings.game_urls);
    let days = settings.config.key_days;
    let keys = Keys::open(database.clone(), Arc::clone(&site.time), days).await?;
    Ok(bind(Parts {
        config: settings.config,
        issuer: site.issuer,
        origins: site.origins,
        database,
        keys,
        live,
        verifier: site.verifier,
        time: site.time,
        shutdown: site.shutdown,
        games,
    })?)
}
