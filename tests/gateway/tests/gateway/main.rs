//! The real Envoy before the real services.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod bots;
mod configuration;
mod every_method;
mod limits;
mod readme;
mod refusals;
mod routes;
mod streams;
mod tokens;
mod traces;
