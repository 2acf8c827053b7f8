//! A game as its callers see it: each test tells a game through `decide` and `fold`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    unreachable_pub,
    reason = "a test fails by panicking"
)]

mod asks;
mod counting;
mod dice;
mod disputes;
mod ending;
mod folding;
mod games;
mod given;
mod invariants;
mod irregular;
mod kit;
mod model;
mod offers;
mod pauses;
mod phases;
mod play;
mod presence;
mod requests;
mod restored;
mod settings;
mod time;
mod transcript;
mod waiting;
