#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod cluster;
mod database;
mod envoy;
mod postgres;
mod process;
mod server;

pub use cluster::Cluster;
pub use database::Database;
pub use envoy::Envoy;
pub use postgres::Postgres;
pub use process::free_port;
pub use server::{Kind, Server};
