#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking, and reads like a story"
)]

pub mod games;
pub mod player;
pub mod refusal;
pub mod suite;

pub use player::Player;
pub use refusal::Refused;
pub use suite::Suite;
