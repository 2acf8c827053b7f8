#![doc = include_str!("../README.md")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

pub mod account;
pub mod ask;
pub mod attack;
pub mod attacks;
pub mod check;
pub mod copy;
pub mod load;
pub mod mirror;
pub mod proxy;
pub mod replica;
pub mod run;
pub mod scripts;
pub mod site;
pub mod speech;
pub mod story;
pub mod stream;
pub mod table;
pub mod watcher;
pub mod ways;
