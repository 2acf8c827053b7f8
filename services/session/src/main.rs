//! `tengen-session`: the session service, one of any number of replicas.

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
        "tengen-session",
        "The session service of Tengen: accounts, sign-in, tokens.",
        contract,
        tengen_session::start,
    )
}
