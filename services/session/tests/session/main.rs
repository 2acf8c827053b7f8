//! The session service over a real server, on a SQLite file and on PostgreSQL.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod answers;
mod attempts;
mod bots;
mod calls;
mod changing;
mod exchanging;
mod experience;
mod games;
mod idp;
mod keys;
mod notices;
mod presence;
mod reconnecting;
mod registering;
mod signing_out;
mod site;
mod suspending;
