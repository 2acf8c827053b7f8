//! The faults in which little is done and much is waited for, each with what it may cost: several at
//! a time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod f11;
mod f14;
mod f26;
mod f3;
mod f7;
mod half_open;
