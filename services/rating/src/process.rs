//! The service as a process of its own.

use std::error::Error;

use tengen_kit::Site;
use tengen_kit::client::Urls;
use tengen_kit::config::{DatabaseUrl, Settings};
use tengen_kit::service::Service;

use crate::{Config, MIGRATIONS, Parts, bind};

/// The settings of the process, beside those that every service has.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct ProcessSettings {
    /// The database, as postgres://user:password@host/database or sqlite://file.
    #[arg(long, env = "TENGEN_RATING_DATABASE_URL", hide_env_values = true, value_name = "URL")]
    database_url: DatabaseUrl,
    /// Where the game service is; a name may have many addresses.
    #[arg(long, env = "TENGEN_GAME_URLS", value_name = "URLS")]
    game_urls: Urls,
    /// Where the session service is; a name may have many addresses.
    #[arg(long, env = "TENGEN_SESSION_URLS", value_name = "URLS")]
    session_urls: Urls,
    #[command(flatten)]
    config: Config,
}

impl Settings for ProcessSettings {
    fn check(&self) -> Result<(), String> {
        self.config.ladder().map(drop).map_err(|error| error.to_string())
    }
}

/// What the process is made of, once all of it is there.
///
/// # Errors
/// When the ladder cannot be read any more.
pub async fn start(
    settings: ProcessSettings,
    site: Site,
) -> Result<Service, Box<dyn Error + Send + Sync>> {
    let sessions = site.channel(&settings.session_urls);
    let (keys_of, revocations_of) = (sessions.clone(), sessions.clone());
    let (database, (), ()) = tokio::join!(
        site.database(&settings.database_url, MIGRATIONS),
        site.keys(move || tengen_link::keys(keys_of.clone())),
        site.revocations(move |after_ms| tengen_link::revocations(
            revocations_of.clone(),
            after_ms
        )),
    );
    let results = site.channel(&settings.game_urls);
    Ok(bind(Parts {
        config: settings.config,
        database,
        results,
        sessions,
        time: site.time,
        shutdown: site.shutdown,
    })?)
}
