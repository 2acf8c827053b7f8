//! The rules as a caller sees them: rulebook tables, random games, and the cases of `tests/data`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    reason = "a test fails by panicking"
)]

mod common;
mod counting;
mod data;
mod playing;
mod properties;
mod repetition;
mod text;
