//! `tengen-game`: the game service, one of any number of replicas.

use std::process::ExitCode;

use tengen_kit::auth::Rule;
use tengen_proto::{DESCRIPTORS, METHODS, Method};

/// A move is many small messages, and a good part of its cost is the allocator's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let rule = |it: &Method| Rule::new(it.path, it.role(), it.not_built).costing(it.cost);
    let contract = tengen_kit::Contract {
        rules: METHODS.iter().map(rule).collect(),
        descriptors: DESCRIPTORS,
    };
    tengen_kit::run(
        "tengen-game",
        "The game service of Tengen: lobby, play, count, watch.",
        contract,
        tengen_game::start,
    )
}
