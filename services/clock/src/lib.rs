#![doc = include_str!("../README.md")]

mod back_off;
mod client;
pub mod config;
mod convert;
mod error;
mod keeper;
mod lag;
mod process;
mod service;

use std::sync::Arc;

use tengen_kit::auth::{Seal, ServiceSecret};
use tengen_kit::client::ServiceChannel;
use tengen_kit::service::{MAX_MESSAGE_BYTES, Service};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tengen_link::{Here, tell};
use tengen_live::Live;
use tengen_proto::clock::v1::clock_service_server::ClockServiceServer;

pub use config::Config;
pub use process::{ProcessSettings, start};

/// What the service is made of.
pub struct Parts {
    /// The settings.
    pub config: Config,
    /// The live games: their due queue and their clock.
    pub live: Arc<dyn Live>,
    /// What waits are timed by; what is due goes by the live state's clock.
    pub time: SharedTime,
    /// Ends streams and the timekeeper.
    pub shutdown: Shutdown,
    /// The suite's secret, which seals nonces.
    pub secret: ServiceSecret,
    /// The way to the game service.
    pub games: ServiceChannel,
    /// The way to the session service, which is told who is here.
    pub sessions: ServiceChannel,
}

/// Binds the service to its parts.
pub fn bind(parts: Parts) -> Service {
    let Parts { config, live, time, shutdown, secret, games, sessions } = parts;
    let game = client::Game::new(games);
    let here = Here::default();
    let telling = tell(here.clone(), sessions, Arc::clone(&time), shutdown.clone());
    let keeper = keeper::Keeper::new(
        config,
        game.clone(),
        Arc::clone(&live),
        Arc::clone(&time),
        shutdown.clone(),
    );
    let nonces = lag::Nonces::new(Seal::new(secret, "lag"));
    let reader = service::Reader::new(game, live, time, shutdown, nonces, here);
    Service::new("clock")
        .grpc(ClockServiceServer::new(reader).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .task(keeper.keep())
        .task(telling)
}
