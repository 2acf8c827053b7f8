//! `tengen-clock`: the clock service, one of any number of replicas.

use std::process::ExitCode;

use tengen_kit::auth::Rule;
use tengen_proto::{DESCRIPTORS, METHODS, Method};

fn main() -> ExitCode {
    let rule = |it: &Method| Rule::new(it.path, it.role(), it.not_built).costing(it.cost);
    let contract = tengen_kit::Contract {
        rules: METHODS.iter().map(rule).collect(),
        descriptors: DESCRIPTORS,
    };
    tengen_kit::run(
        "tengen-clock",
        "The clock service of Tengen: flags, and the seconds read aloud.",
        contract,
        tengen_clock::start,
    )
}
