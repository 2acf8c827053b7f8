#![doc = include_str!("../README.md")]

pub mod accounts;
pub mod audit;
pub mod bot;
pub mod dev;
mod error;
pub mod load;

pub use error::ToolError;
mod web;
