#![doc = include_str!("../README.md")]

pub mod auth;
pub mod client;
pub mod fields;
pub mod id;
pub mod server;
pub mod service;
pub mod shutdown;
pub mod sql;
pub mod status;
pub mod telemetry;
pub mod time;
