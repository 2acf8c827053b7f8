#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_errors_doc,
    missing_docs,
    reason = "a test fails by panicking, and reads like a story"
)]

pub mod games;
pub mod player;
pub mod raw;
pub mod refusal;
pub mod requests;
pub mod site;
pub mod suite;

pub use player::Player;
pub use refusal::Refused;
pub use suite::Suite;
