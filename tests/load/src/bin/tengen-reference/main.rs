//! What the suite is measured against: bare servers that take the same calls over the same stack,
//! and do as little as can be done. Each prints `listen=` and where it listens.
#![allow(clippy::print_stdout, reason = "a program whose first line says where it listens")]

mod answer;
mod echo;
mod fan_out;
mod script;

use std::error::Error;

use clap::{Parser, ValueEnum};
use tengen_proto::game::v1::game_service_server::{GameService, GameServiceServer};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

/// As the services have it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Arguments {
    /// What it does.
    kind: Kind,
    /// The Redis server of those that have a store.
    #[arg(long)]
    redis: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Answers every move, and does nothing.
    Echo,
    /// One script in Redis for each move.
    Script,
    /// Tells every watcher of each move, encoded once for each.
    FanOut,
}

/// One thread, as the services have.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { kind, redis } = Arguments::parse();
    match kind {
        Kind::Echo => serve(echo::Echo).await,
        Kind::Script => serve(script::Scripted::connect(&redis).await?).await,
        Kind::FanOut => serve(fan_out::FanOut::default()).await,
    }
}

async fn serve(games: impl GameService) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listen={}", listener.local_addr()?);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = Server::builder().add_service(GameServiceServer::new(games));
    server.serve_with_incoming(incoming).await?;
    Ok(())
}
