#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_errors_doc,
    missing_docs,
    reason = "a test fails by panicking, and reads like a story"
)]

pub mod answer;
pub mod client;
pub mod contract;
pub mod names;
pub mod plain;
pub mod site;

pub use answer::{Refusal, Stream};
pub use client::{Client, Way};
pub use site::{Site, Traced, before, before_dev};
