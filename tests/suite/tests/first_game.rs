//! The first game of the README, as a newcomer would type it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::Path;
use std::process::{Command, Output};

use tengen_suite::Suite;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const ADDRESS: &str = "127.0.0.1:4700";

/// The block of shell that follows a mark, up to its fence.
fn block(page: &str, mark: &str) -> String {
    let (_, after) = page.split_once(mark).expect("the mark stands in the README");
    let (_, block) = after.split_once("```sh\n").expect("a block of shell");
    block.split_once("```").expect("an end").0.to_owned()
}

/// Runs a script with bash from the root of the project; any call that fails ends it.
fn run(script: String) -> Output {
    let script = format!("set -euo pipefail\n{script}");
    Command::new("bash").args(["-c", &script]).current_dir(ROOT).output().expect("bash")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_game_of_the_readme_works() {
    let buf = Path::new(ROOT).join(".cache/venv/bin/buf");
    assert!(buf.exists(), "buf is missing: run `make buf`");
    let page = std::fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let script = block(&page, "<!-- first game -->");
    assert!(script.contains(ADDRESS) && script.contains(".cache/venv/bin/buf curl"));

    let suite = Suite::in_real_time().await;
    let script = script.replace(ADDRESS, suite.url().strip_prefix("http://").unwrap());
    let output = tokio::task::spawn_blocking(move || run(script)).await.unwrap();
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{printed}\n{errors}", output.status);
    for expected in ["END_REASON_RESIGNATION", "COLOUR_BLACK", "B+R"] {
        assert!(printed.contains(expected), "no {expected} in {printed}");
    }
    let rated = ["RATING_STATE_APPLIED", "RATING_STATE_PENDING"];
    assert!(rated.iter().any(|state| printed.contains(state)), "{printed}");
}
