#![doc = include_str!("../README.md")]

mod archive;
#[cfg(test)]
mod archive_tests;
mod beat;
mod client;
pub mod config;
mod convert;
mod error;
mod herald;
mod lag;
mod metrics;
mod outages;
mod pages;
mod process;
mod record;
#[cfg(test)]
mod record_tests;
mod service;
mod store;

use std::sync::Arc;

use sqlx::AnyPool;
use tengen_kit::service::{MAX_MESSAGE_BYTES, Service};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql::Migration;
use tengen_kit::time::SharedTime;
use tengen_link::Here;
use tengen_live::Live;
use tengen_proto::game::v1::lobby_service_server::LobbyServiceServer;
use tengen_proto::game::v1::organiser_service_server::OrganiserServiceServer;
use tengen_proto::game::v1::record_service_server::RecordServiceServer;
use tengen_proto::game::v1::referee_service_server::RefereeServiceServer;
use tengen_proto::internal::v1::game_control_service_server::GameControlServiceServer;
use tengen_proto::internal::v1::results_service_server::ResultsServiceServer;

pub use client::{SessionChannel, session_channel};
pub use config::Config;
pub use process::{ProcessSettings, start};

/// The schema of the archive; [`tengen_kit::sql::open`] brings it up to date.
pub const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "archive", sql: include_str!("../migrations/0001_archive.sql") },
    Migration { version: 2, name: "changes", sql: include_str!("../migrations/0002_changes.sql") },
];

/// What the service is made of.
pub struct Parts {
    /// The settings.
    pub config: Config,
    /// The live games.
    pub live: Arc<dyn Live>,
    /// What streams and waits are timed by; games go by the live state's clock.
    pub time: SharedTime,
    /// Ends streams and waits.
    pub shutdown: Shutdown,
    /// The database of finished games, with [`MIGRATIONS`] applied.
    pub archive: AnyPool,
    /// The way to the session service.
    pub sessions: SessionChannel,
}

/// Binds the service to its parts, and begins to beat. To be called on a runtime.
pub fn bind(parts: Parts) -> Service {
    let Parts { config, live, time, shutdown, archive, sessions } = parts;
    let archive = archive::Archive::new(archive);
    let here = Here::default();
    let sessions = client::Sessions::new(sessions, Arc::clone(&time));
    let (herald, crying) =
        herald::Herald::new(sessions.clone(), Arc::clone(&time), shutdown.clone());
    let remembered = config.remembered;
    let games =
        store::Games::new(Arc::clone(&live), archive, sessions.clone(), herald.clone(), remembered);
    let metrics = games.metrics.clone();
    let games = Arc::new(games);
    let looking = metrics.clone().look(Arc::clone(&live), Arc::clone(&time), shutdown.clone());
    let telling = sessions.clone();
    let telling = here.clone().keep_telling(
        move |told| {
            let sessions = telling.clone();
            async move { sessions.present(told).await }
        },
        Arc::clone(&time),
        shutdown.clone(),
    );
    tokio::spawn(beat::beat(Arc::downgrade(&games), Arc::clone(&live), Arc::clone(&time)));
    let watches = service::watch::Watches::new(
        Arc::clone(&games),
        Arc::clone(&live),
        Arc::clone(&time),
        shutdown.clone(),
    );
    let play = service::Play { games: Arc::clone(&games), watches, here };
    let lobby = service::lobby::Lobby {
        games: Arc::clone(&games),
        live: Arc::clone(&live),
        open: service::lobby::open::Open::new(Arc::clone(&live)),
        config,
        herald,
    };
    let records = service::records::Records { games: Arc::clone(&games) };
    let referee = service::referee::Referee { games: Arc::clone(&games) };
    let organiser = service::organiser::Organiser { games: Arc::clone(&games), sessions };
    let control = service::results::Control { games, live, time, shutdown };
    Service::new("game")
        .grpc(service::encoded::GameRoutes::new(play))
        .grpc(LobbyServiceServer::new(lobby).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .grpc(RefereeServiceServer::new(referee).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .grpc(RecordServiceServer::new(records).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .grpc(OrganiserServiceServer::new(organiser).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .grpc(
            GameControlServiceServer::new(control.clone())
                .max_decoding_message_size(MAX_MESSAGE_BYTES),
        )
        .grpc(ResultsServiceServer::new(control).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .metrics(move |registry| metrics.register(registry))
        .task(looking)
        .task(telling)
        .task(crying)
}
