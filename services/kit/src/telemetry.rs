//! Logging to standard error, filtered by a variable.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

/// The variable that filters the log, in the syntax of `tracing-subscriber`; by default `info`.
pub const LOG_VARIABLE: &str = "TENGEN_LOG";

/// Starts logging for a process called `name`, filtered by [`LOG_VARIABLE`]. A second call changes
/// nothing.
pub fn init(name: &str) {
    let filter = EnvFilter::try_from_env(LOG_VARIABLE).unwrap_or_else(|_| EnvFilter::new("info"));
    if start(filter) {
        tracing::info!(name, version = env!("CARGO_PKG_VERSION"), "starting");
    }
}

/// As [`init`], by a filter that was read before, and without a word.
pub(crate) fn init_with(filter: &str) {
    start(EnvFilter::new(filter));
}

fn start(filter: EnvFilter) -> bool {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    subscriber.try_init().is_ok()
}
