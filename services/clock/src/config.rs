//! What may be set.

use clap::value_parser;

/// The settings of the clock service.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Config {
    /// How long a timekeeper has a game that is due to itself, in milliseconds: so long a call to
    /// the game service may take, and so late is a flag whose timekeeper died.
    #[arg(
        long = "clock-lease-ms",
        env = "TENGEN_CLOCK_LEASE_MS",
        default_value_t = 750,
        value_parser = value_parser!(i64).range(50..=60_000)
    )]
    pub lease_ms: i64,
    /// Games taken from the due queue at once.
    #[arg(
        long = "clock-batch",
        env = "TENGEN_CLOCK_BATCH",
        default_value_t = 64,
        value_parser = value_parser!(u16).range(1..)
    )]
    pub batch: u16,
    /// Calls to the game service under way at once.
    #[arg(
        long = "clock-calls",
        env = "TENGEN_CLOCK_CALLS",
        default_value_t = 256,
        value_parser = value_parser!(u16).range(1..)
    )]
    pub calls: u16,
}

impl Default for Config {
    fn default() -> Self {
        Self { lease_ms: 750, batch: 64, calls: 256 }
    }
}
