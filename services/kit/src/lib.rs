#![doc = include_str!("../README.md")]

pub mod auth;
pub mod client;
pub mod config;
mod deadline;
pub mod fields;
pub mod id;
pub mod origin;
mod rates;
pub mod ready;
mod run;
pub mod server;
pub mod service;
pub mod shutdown;
mod site;
pub mod sql;
pub mod status;
pub mod telemetry;
pub mod time;
mod turns;
mod typed;

pub use run::{Contract, run};
pub use site::Site;
