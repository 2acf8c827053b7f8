//! The faults that need the machine for themselves, each with what it may cost: one at a time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod by_hand;
mod f1;
mod f12;
mod f17;
mod f18;
mod f21;
mod f3;
mod f4;
mod f5;
mod f6;
mod f8;
