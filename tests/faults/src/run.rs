//! How the tests of this crate run: one after another, for so long, from a seed.

use std::fmt::Display;
use std::io::Write as _;

use tokio::sync::{Mutex, MutexGuard};

/// How long a loaded phase takes where nobody sets it.
const SECONDS: i64 = 10;
const SEED: u64 = 20_260_101;

/// Waits for one's turn: a test that starves another of the machine proves nothing about either.
pub async fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}

/// How long a loaded phase takes, in milliseconds: `TENGEN_FAULT_SECONDS`.
pub fn loaded_ms() -> i64 {
    number("TENGEN_FAULT_SECONDS").unwrap_or(SECONDS) * 1_000
}

/// What everything that is drawn is drawn from: `TENGEN_SEED`.
pub fn seed() -> u64 {
    number("TENGEN_SEED").unwrap_or(SEED)
}

/// Says one line of what a test saw, also where the output of tests that pass is kept back.
pub fn say(fault: &str, figures: impl Display) {
    let line = format!("\n{fault}: seed={} {figures}\n", seed());
    std::io::stdout().write_all(line.as_bytes()).expect("somebody listens");
}

fn number<N: std::str::FromStr>(variable: &str) -> Option<N> {
    let given = std::env::var(variable).ok()?;
    Some(given.parse().unwrap_or_else(|_| panic!("{variable} is {given}, expected a number")))
}
