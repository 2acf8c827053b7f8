//! Logging to standard error, filtered by a variable.

use tracing_subscriber::EnvFilter;

/// The variable that filters the log, in the syntax of `tracing-subscriber`; by default `info`.
pub const LOG_VARIABLE: &str = "TENGEN_LOG";

/// Starts logging for a process called `name`. A second call changes nothing.
pub fn init(name: &str) {
    let filter = EnvFilter::try_from_env(LOG_VARIABLE).unwrap_or_else(|_| EnvFilter::new("info"));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    if subscriber.try_init().is_ok() {
        tracing::info!(name, version = env!("CARGO_PKG_VERSION"), "starting");
    }
}
