//! The faults, each with what it may cost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod by_hand;
mod f1;
mod f11;
mod f12;
mod f14;
mod f17;
mod f18;
mod f21;
mod f26;
mod f3;
mod f4;
mod f5;
mod f6;
mod f7;
mod f8;
mod half_open;
