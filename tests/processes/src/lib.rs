#![doc = include_str!("../README.md")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

mod binary;
mod collector;
mod elsewhere;
mod player;
mod process;
mod reserved;
mod suite;

pub use binary::binary;
pub use collector::{Collector, Seen, traceparent};
pub use elsewhere::Elsewhere;
pub use player::{Player, request_id};
pub use process::{Process, Status};
pub use reserved::Reserved;
pub use suite::Suite;
