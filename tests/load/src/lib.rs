#![doc = include_str!("../README.md")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

mod build;
pub mod paced;
mod reference;
mod site;

pub use build::build;
pub use reference::Reference;
pub use site::Site;
