//! `tengen`: everything in one process, and the operator's tools.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tengen_standalone::{audit, bot, dev, load};
use tokio::runtime::Builder;

/// A move is many small messages, and a good part of its cost is the allocator's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A match platform for Go.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs all services in one process on loopback, with live games in memory.
    Dev(Box<dev::Arguments>),
    /// Rebuilds the ledger's figures and compares them with what is stored.
    Audit(audit::Arguments),
    /// Plays recorded games against a running suite, and tells how fast it answers.
    Load(Box<load::Plan>),
    /// Lets an engine that speaks GTP play, as a bot.
    Gtp(Box<bot::Arguments>),
}

#[expect(clippy::print_stderr, reason = "there is no log yet")]
fn main() -> ExitCode {
    let (mut runtime, command) = match Arguments::parse().command {
        command @ Command::Dev(_) => (Builder::new_multi_thread(), command),
        // One core for the client leaves the others to what it loads.
        command @ (Command::Load(_) | Command::Audit(_) | Command::Gtp(_)) => {
            (Builder::new_current_thread(), command)
        }
    };
    match runtime.enable_all().build() {
        Ok(runtime) => runtime.block_on(run(command)),
        Err(error) => {
            eprintln!("tengen: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> ExitCode {
    match command {
        Command::Dev(arguments) => dev::command(*arguments).await,
        Command::Audit(arguments) => audit::command(&arguments).await,
        Command::Load(plan) => load::command(&plan).await,
        Command::Gtp(arguments) => bot::command(*arguments).await,
    }
}
