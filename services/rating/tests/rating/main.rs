//! The rating service over a real server, on a SQLite file and on PostgreSQL.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod audit;
mod board;
mod calls;
mod ends;
mod intake;
mod pairs;
mod schema;
mod support;
mod telling;
