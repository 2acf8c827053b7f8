//! `tengen-rating`: the rating service, one of any number of replicas.

use std::process::ExitCode;

use tengen_kit::auth::Rule;
use tengen_proto::{DESCRIPTORS, METHODS};

fn main() -> ExitCode {
    let rule =
        |method: &tengen_proto::Method| Rule::new(method.path, method.role(), method.not_built);
    let contract = tengen_kit::Contract {
        rules: METHODS.iter().map(rule).collect(),
        descriptors: DESCRIPTORS,
    };
    tengen_kit::run(
        "tengen-rating",
        "The rating service of Tengen: ladder, ledger, history.",
        contract,
        tengen_rating::start,
    )
}
