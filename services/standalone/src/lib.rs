#![doc = include_str!("../README.md")]

pub mod audit;
pub mod dev;
pub mod load;
