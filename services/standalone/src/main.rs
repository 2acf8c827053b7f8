//! `tengen`: everything in one process, and the operator's tools.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tengen_standalone::dev;

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
}

/// What a bad setting ends with (EX_USAGE of sysexits.h).
const BAD_SETTING: u8 = 64;

#[tokio::main]
async fn main() -> ExitCode {
    let Command::Dev(arguments) = Arguments::parse().command;
    match dev::run(*arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::from(if error.is_setting() { BAD_SETTING } else { 1 })
        }
    }
}
