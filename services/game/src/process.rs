//! The service as a process of its own.

use std::error::Error;

use tengen_kit::Site;
use tengen_kit::client::Urls;
use tengen_kit::config::{DatabaseUrl, RedisUrl, Settings};
use tengen_kit::service::Service;

use crate::{Config, MIGRATIONS, Parts, bind, session_channel};

/// The settings of the process, beside those that every service has.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct ProcessSettings {
    /// The Redis server or cluster that holds the live games, as redis://host:port or
    /// redis+cluster://host:port,host:port.
    #[arg(long, env = "TENGEN_REDIS_URL", hide_env_values = true, value_name = "URL")]
    redis_url: RedisUrl,
    /// Where the session service is; a name may have many addresses.
    #[arg(long, env = "TENGEN_SESSION_URLS", value_name = "URLS")]
    session_urls: Urls,
    /// The database of finished games, as postgres://user:password@host/database or sqlite://file.
    /// Play goes on while it is away.
    #[arg(long, env = "TENGEN_GAME_DATABASE_URL", hide_env_values = true, value_name = "URL")]
    database_url: DatabaseUrl,
    #[command(flatten)]
    config: Config,
}

impl Settings for ProcessSettings {}

/// What the process is made of, once all of it is there.
///
/// # Errors
/// When the address of the archive is none. It waits for what is not there.
pub async fn start(
    settings: ProcessSettings,
    site: Site,
) -> Result<Service, Box<dyn Error + Send + Sync>> {
    let sessions = site.channel(&settings.session_urls);
    let archive = site.database_aside("archive", &settings.database_url, MIGRATIONS)?;
    let (keys_of, revocations_of) = (sessions.clone(), sessions.clone());
    let (live, (), ()) = tokio::join!(
        tengen_live::of_site(&site, &settings.redis_url),
        site.keys(move || tengen_link::keys(keys_of.clone())),
        site.revocations(move |after_ms| tengen_link::revocations(
            revocations_of.clone(),
            after_ms
        )),
    );
    Ok(bind(Parts {
        config: settings.config,
        live,
        time: site.time,
        shutdown: site.shutdown,
        archive,
        sessions: session_channel(sessions),
    }))
}
