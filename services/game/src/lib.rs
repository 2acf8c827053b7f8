#![doc = include_str!("../README.md")]

pub mod config;
mod convert;
mod error;
mod lobby;
mod record;
mod results;
mod service;
mod store;
mod watch;

use std::sync::Arc;

use tengen_kit::service::{MAX_MESSAGE_BYTES, Service};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tengen_live::Live;
use tengen_proto::game::v1::game_service_server::GameServiceServer;
use tengen_proto::game::v1::lobby_service_server::LobbyServiceServer;
use tengen_proto::game::v1::organiser_service_server::{OrganiserService, OrganiserServiceServer};
use tengen_proto::game::v1::record_service_server::{RecordService, RecordServiceServer};
use tengen_proto::game::v1::referee_service_server::{RefereeService, RefereeServiceServer};
use tengen_proto::internal::v1::game_control_service_server::GameControlServiceServer;
use tengen_proto::internal::v1::results_service_server::ResultsServiceServer;

pub use config::Config;

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
}

/// Services of the contract of which nothing is built yet: each method answers UNIMPLEMENTED.
#[derive(Clone)]
struct NotBuilt;

impl OrganiserService for NotBuilt {}
impl RecordService for NotBuilt {}
impl RefereeService for NotBuilt {}

/// Binds the service to its parts.
pub fn bind(parts: Parts) -> Service {
    let Parts {
        config,
        live,
        time,
        shutdown,
    } = parts;
    let games = Arc::new(store::Games::new(Arc::clone(&live), config.remembered));
    let watches = watch::Watches::new(Arc::clone(&live), Arc::clone(&time), shutdown.clone());
    let play = service::Play {
        games: Arc::clone(&games),
        watches,
    };
    let lobby = lobby::Lobby {
        games: Arc::clone(&games),
        live: Arc::clone(&live),
        config,
    };
    let control = results::Control {
        games,
        live,
        time,
        shutdown,
    };
    Service::new("game")
        .grpc(GameServiceServer::new(play).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .grpc(LobbyServiceServer::new(lobby).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .grpc(RefereeServiceServer::new(NotBuilt))
        .grpc(RecordServiceServer::new(NotBuilt))
        .grpc(OrganiserServiceServer::new(NotBuilt))
        .grpc(GameControlServiceServer::new(control.clone()))
        .grpc(ResultsServiceServer::new(control).max_decoding_message_size(MAX_MESSAGE_BYTES))
}
