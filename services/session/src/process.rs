//! The service as a process of its own.

use std::error::Error;
use std::sync::Arc;

use tengen_kit::Site;
use tengen_kit::config::{DatabaseUrl, Settings};
use tengen_kit::service::{Page, Service};

use crate::{Config, MIGRATIONS, Parts, bind, signer};

/// The settings of the process, beside those that every service has.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct ProcessSettings {
    /// The database, as postgres://user:password@host/database or sqlite://file.
    #[arg(long, env = "TENGEN_SESSION_DATABASE_URL", hide_env_values = true, value_name = "URL")]
    database_url: DatabaseUrl,
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
    let database = site.database(&settings.database_url, MIGRATIONS).await;
    let signer = Arc::new(signer(&database, &site.time).await?);
    site.verifier.set_jwks(&signer.jwks())?;
    let jwks = Page {
        path: "/.well-known/jwks.json",
        content_type: "application/json",
        content: signer.jwks(),
    };
    let parts =
        Parts { config: settings.config, issuer: site.issuer, database, signer, time: site.time };
    Ok(bind(parts)?.page(jwks))
}
