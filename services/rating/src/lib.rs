#![doc = include_str!("../README.md")]

mod audit;
mod config;
mod convert;
mod error;
mod folding;
mod intake;
mod process;
mod service;
mod store;
mod telling;
mod traces;
mod waves;

use std::sync::Arc;

use sqlx::AnyPool;
use tengen_kit::client::ServiceChannel;
use tengen_kit::service::{MAX_MESSAGE_BYTES, Service};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql::Migration;
use tengen_kit::time::SharedTime;
use tengen_proto::internal::v1::presence_service_client::PresenceServiceClient;
use tengen_proto::internal::v1::results_service_client::ResultsServiceClient;
use tengen_proto::rating::v1::rating_service_server::RatingServiceServer;

pub use audit::{AuditError, Books, Summary, audit};
pub use config::{Config, ConfigError};
pub use process::{ProcessSettings, start};

/// The schema; [`tengen_kit::sql::open`] brings it up to date.
pub const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "ledger", sql: include_str!("../migrations/0001_ledger.sql") },
    Migration {
        version: 2,
        name: "leaderboard",
        sql: include_str!("../migrations/0002_leaderboard.sql"),
    },
    Migration { version: 3, name: "pairs", sql: include_str!("../migrations/0003_pairs.sql") },
    Migration { version: 4, name: "notices", sql: include_str!("../migrations/0004_notices.sql") },
    Migration { version: 5, name: "tiers", sql: include_str!("../migrations/0005_tiers.sql") },
];

/// What the service is made of.
pub struct Parts {
    /// The settings.
    pub config: Config,
    /// The database, with [`MIGRATIONS`] applied.
    pub database: AnyPool,
    /// The way to the results of games.
    pub results: ServiceChannel,
    /// The way to the session service, which tells players.
    pub sessions: ServiceChannel,
    /// What bookings are dated and waits are timed by.
    pub time: SharedTime,
    /// Ends the tasks.
    pub shutdown: Shutdown,
}

/// Binds the service to its parts.
///
/// # Errors
/// When the settings name a ladder that cannot be read.
pub fn bind(parts: Parts) -> Result<Service, ConfigError> {
    let Parts { config, database, results, sessions, time, shutdown } = parts;
    let ladder = Arc::new(config.ladder()?);
    let store = store::Store::new(database, ladder, &config, Arc::clone(&time));
    let results = ResultsServiceClient::new(results);
    let intake = intake::Intake::new(results, store.clone(), Arc::clone(&time));
    let presence = PresenceServiceClient::new(sessions);
    let telling = telling::Telling::new(presence, store.clone(), Arc::clone(&time));
    let folding = folding::run(store.clone(), time, shutdown.clone());
    let rating = RatingServiceServer::new(service::Rating { store });
    Ok(Service::new("rating")
        .grpc(rating.max_decoding_message_size(MAX_MESSAGE_BYTES))
        .task(intake.run(shutdown.clone()))
        .task(telling.run(shutdown))
        .task(folding))
}
