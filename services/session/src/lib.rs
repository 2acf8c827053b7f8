#![doc = include_str!("../README.md")]

mod config;
mod convert;
mod error;
mod names;
mod password;
mod process;
mod service;
mod store;
mod tokens;

use std::fmt;
use std::sync::Arc;

use sqlx::AnyPool;
use tengen_kit::auth::Signer;
use tengen_kit::config::Issuer;
use tengen_kit::service::{MAX_MESSAGE_BYTES, Service};
use tengen_kit::sql::Migration;
use tengen_kit::time::SharedTime;
use tengen_proto::session::v1::session_service_server::SessionServiceServer;

pub use config::Config;
pub use process::{ProcessSettings, start};
pub use store::{SignerError, signer};

/// The schema; [`tengen_kit::sql::open`] brings it up to date.
pub const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    name: "accounts",
    sql: include_str!("../migrations/0001_accounts.sql"),
}];

/// What the service is made of.
pub struct Parts {
    /// The settings.
    pub config: Config,
    /// Who issues the tokens, and for whom.
    pub issuer: Issuer,
    /// The database, with [`MIGRATIONS`] applied.
    pub database: AnyPool,
    /// The key of access tokens: [`signer`].
    pub signer: Arc<Signer>,
    /// What accounts and tokens are dated by.
    pub time: SharedTime,
}

/// Why the service cannot start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// No password can be hashed on this machine.
    #[error("passwords cannot be hashed here: no randomness, or too little memory")]
    Passwords,
}

/// Binds the service to its parts.
///
/// # Errors
/// When no password can be hashed.
pub fn bind(parts: Parts) -> Result<Service, BindError> {
    let Parts { config, issuer, database, signer, time } = parts;
    let passwords =
        password::Passwords::new(config.hashers, config.queue).map_err(|_| BindError::Passwords)?;
    let sessions = service::Sessions {
        store: store::Store::new(database),
        passwords,
        jwks: signer.jwks(),
        tokens: tokens::Tokens::new(issuer, &config, signer, Arc::clone(&time)),
        time,
    };
    let server = SessionServiceServer::new(sessions);
    Ok(Service::new("session").grpc(server.max_decoding_message_size(MAX_MESSAGE_BYTES)))
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("config", &self.config).finish_non_exhaustive()
    }
}
