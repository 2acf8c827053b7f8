#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    missing_docs,
    reason = "a simulation fails by panicking where it cannot go on"
)]

mod agenda;
mod ask;
mod book;
mod check;
mod client;
mod dice;
mod faulty;
mod house;
mod keeper;
mod keys;
mod ledger;
mod life;
mod lobby;
mod meddler;
mod plan;
mod player;
mod replica;
mod run;
mod story;
mod trace;
mod unsound;
mod view;
mod watcher;
mod world;

pub use run::{run, run_over};
pub use trace::Report;
pub use unsound::{Flaw, Unsound};
