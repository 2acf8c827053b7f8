#![doc = include_str!("../README.md")]

mod finding;
mod source;
mod tree;

pub mod citations;
pub mod documents;
pub mod layers;
pub mod leftovers;
pub mod length;
pub mod lock;
pub mod purity;
pub mod top_level;
pub mod wire;

pub use finding::Finding;
pub use tree::Tree;
