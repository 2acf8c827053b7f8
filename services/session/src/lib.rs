#![doc = include_str!("../README.md")]

mod attempts;
mod client;
mod config;
mod convert;
mod error;
mod experience;
mod families;
mod keys;
mod names;
mod notices;
mod password;
mod presence;
mod process;
mod provider;
mod service;
mod store;
mod tokens;
mod turns;
mod upkeep;

use std::fmt;
use std::sync::Arc;

use sqlx::AnyPool;
use tengen_kit::auth::{KeyError, Verifier};
use tengen_kit::client::ServiceChannel;
use tengen_kit::config::Issuer;
use tengen_kit::origin::Origins;
use tengen_kit::service::{MAX_MESSAGE_BYTES, Page, Service};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql::Migration;
use tengen_kit::time::SharedTime;
use tengen_link::Here;
use tengen_live::Live;
use tengen_proto::internal::v1::presence_service_server::PresenceServiceServer;
use tengen_proto::internal::v1::revocation_service_server::RevocationServiceServer;
use tengen_proto::session::v1::session_service_server::SessionServiceServer;

pub use config::Config;
pub use keys::{Keys, SignerError};
pub use process::{ProcessSettings, start};
pub use provider::KeySource;

/// The schema; [`tengen_kit::sql::open`] brings it up to date.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        name: "accounts",
        sql: include_str!("../migrations/0001_accounts.sql"),
    },
    Migration {
        version: 2,
        name: "sessions",
        sql: include_str!("../migrations/0002_sessions.sql"),
    },
    Migration {
        version: 3,
        name: "experience",
        sql: include_str!("../migrations/0003_experience.sql"),
    },
];

/// A process may name a hundred thousand players.
const PRESENT_BYTES: usize = 4 * 1024 * 1024;

/// What the service is made of.
pub struct Parts {
    /// The settings.
    pub config: Config,
    /// Who issues the tokens, and for whom.
    pub issuer: Issuer,
    /// Where calls come from, as attempts are counted.
    pub origins: Origins,
    /// The database, with [`MIGRATIONS`] applied.
    pub database: AnyPool,
    /// The keys of access tokens, from that database.
    pub keys: Keys,
    /// Where reconnect tokens, presence and notices are kept.
    pub live: Arc<dyn Live>,
    /// Checks the tokens of calls to this process; told of keys and sign-outs.
    pub verifier: Arc<Verifier>,
    /// What accounts and tokens are dated by.
    pub time: SharedTime,
    /// Ends streams and background tasks.
    pub shutdown: Shutdown,
    /// The way to the game service, which is told who is gone.
    pub games: ServiceChannel,
}

/// Why the service cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// No password can be hashed on this machine.
    #[error("passwords cannot be hashed here: no randomness, or too little memory")]
    Passwords,
    /// The verifier does not take the keys.
    #[error("the signing keys are not good: {0}")]
    Keys(#[from] KeyError),
}

/// Binds the service to its parts.
///
/// # Errors
/// When no password can be hashed, or the keys are not good.
pub fn bind(parts: Parts) -> Result<Service, BindError> {
    let Parts { config, issuer, origins, database, keys, live, verifier, time, shutdown, games } =
        parts;
    verifier.renew_jwks(&keys.jwks())?;
    let (keys, store) = (Arc::new(keys), store::Store::new(database));
    let passwords =
        password::Passwords::new(config.hashers, config.queue).map_err(|_| BindError::Passwords)?;
    let (here, notices) = (Here::default(), notices::Notices::new(Arc::clone(&live)));
    let presence = presence::Presence::new(Arc::clone(&live), client::Games::new(games));
    let streams = service::attaching::Streams {
        notices: notices.clone(),
        here: here.clone(),
        time: Arc::clone(&time),
        shutdown: shutdown.clone(),
    };
    let experience = experience::Experience {
        presence: presence.clone(),
        live: Arc::clone(&live),
        store: store.clone(),
        minute_ms: config.minute_ms,
        time: Arc::clone(&time),
        shutdown: shutdown.clone(),
    };
    let sessions = service::Sessions {
        streams,
        store: store.clone(),
        passwords,
        tokens: tokens::Tokens::new(issuer, &config, Arc::clone(&keys), Arc::clone(&time)),
        attempts: attempts::Attempts::new(Arc::clone(&live), &config),
        most_bots: i64::from(config.bots),
        tiers: config.tiers(),
        provider: config.provider(Arc::clone(&time)).map(Arc::new),
        origins,
        families: families::Families::new(live),
        keys: Arc::clone(&keys),
        verifier: Arc::clone(&verifier),
        time: Arc::clone(&time),
    };
    let revocations = service::Revocations { store: store.clone(), time: Arc::clone(&time) };
    let page = Page {
        path: "/.well-known/jwks.json",
        content_type: "application/json",
        content: {
            let keys = Arc::clone(&keys);
            Arc::new(move || keys.jwks())
        },
    };
    let internal = service::present::Present { presence: presence.clone(), notices };
    let holding =
        service::present::hold_own(presence.clone(), here, Arc::clone(&time), shutdown.clone());
    let looking = presence.look_after(Arc::clone(&time), shutdown.clone());
    let sessions = SessionServiceServer::new(sessions);
    let revocations = RevocationServiceServer::new(revocations);
    Ok(Service::new("session")
        .grpc(sessions.max_decoding_message_size(MAX_MESSAGE_BYTES))
        .grpc(revocations.max_decoding_message_size(MAX_MESSAGE_BYTES))
        .grpc(PresenceServiceServer::new(internal).max_decoding_message_size(PRESENT_BYTES))
        .task(holding)
        .task(looking)
        .task(experience.count())
        .task(upkeep::keep(store, keys, verifier, time, shutdown))
        .page(page))
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("config", &self.config).finish_non_exhaustive()
    }
}
