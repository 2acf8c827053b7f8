#![doc = include_str!("../README.md")]

mod here;
mod keys;

pub use here::{Here, Stay, tell};
pub use keys::{keys, revocations};
