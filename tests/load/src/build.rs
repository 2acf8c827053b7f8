//! The services as a benchmark needs them.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// The services, optimised as this program is, and put beside it.
pub fn build() {
    let this = std::env::current_exe().expect("a program has a file");
    let target = this.ancestors().nth(3).expect("target/release/deps/<program>");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    // What cargo tells this program of its package would make build scripts run anew.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|own| begins(&name, own)) {
            cargo.env_remove(name);
        }
    }
    cargo
        .args(["build", "--quiet", "--profile", "bench", "--target-dir"])
        .arg(target)
        // With this crate, so that they share what was built for it.
        .args(["-p", "tengen-load", "-p", "tengen-game", "-p", "tengen-session"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let done = cargo.status().expect("cargo can be started");
    assert!(done.success(), "the services do not build");
}

fn begins(name: &OsStr, with: &str) -> bool {
    name.as_encoded_bytes().starts_with(with.as_bytes())
}
