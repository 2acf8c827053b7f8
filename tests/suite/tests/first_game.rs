//! The first game of the README, as a newcomer would type it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_suite::Suite;
use tengen_suite::readme::{block, root, run};

const ADDRESS: &str = "127.0.0.1:4700";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_game_of_the_readme_works() {
    let buf = root().join(".cache/venv/bin/buf");
    assert!(buf.exists(), "buf is missing: run `make buf`");
    let script = block("<!-- first game -->");
    assert!(script.contains(ADDRESS) && script.contains(".cache/venv/bin/buf curl"));

    let suite = Suite::in_real_time().await;
    let script = script.replace(ADDRESS, suite.url().strip_prefix("http://").unwrap());
    let printed = run(&script).await;
    for expected in ["END_REASON_RESIGNATION", "COLOUR_BLACK", "B+R"] {
        assert!(printed.contains(expected), "no {expected} in {printed}");
    }
    let rated = ["RATING_STATE_APPLIED", "RATING_STATE_PENDING"];
    assert!(rated.iter().any(|state| printed.contains(state)), "{printed}");
}
