#![doc = include_str!("../README.md")]

pub mod dev;
pub mod load;
