//! What the README tells a newcomer to type.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The project's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The block of shell in the README that follows a mark, up to its fence.
pub fn block(mark: &str) -> String {
    let page = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let (_, after) = page.split_once(mark).expect("the mark stands in the README");
    let (_, block) = after.split_once("```sh\n").expect("a block of shell");
    block.split_once("```").expect("an end").0.to_owned()
}

/// Runs a script with bash from the root of the project, and gives what it printed; any call that
/// fails ends it.
pub async fn run(script: &str) -> String {
    let script = format!("set -euo pipefail\n{script}");
    let run = move || -> Output {
        Command::new("bash").args(["-c", &script]).current_dir(root()).output().expect("bash")
    };
    let output = tokio::task::spawn_blocking(run).await.expect("it runs");
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{printed}\n{errors}", output.status);
    printed.into_owned()
}
