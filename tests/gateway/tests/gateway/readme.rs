//! The game over JSON of the README, as a newcomer would type it.

use tengen_gateway::before_dev;
use tengen_suite::readme::{block, root, run};

const ADDRESS: &str = "127.0.0.1:8080";

#[tokio::test(flavor = "multi_thread")]
async fn the_game_over_json_of_the_readme_works() {
    let buf = root().join(".cache/venv/bin/buf");
    assert!(buf.exists(), "buf is missing: run `make buf`");
    let script = block("<!-- gateway game -->");
    assert!(script.contains(ADDRESS) && script.contains("curl") && script.contains("grpcweb"));
    let (envoy, _suite) = before_dev(&[]).await;
    let printed = run(&script.replace(ADDRESS, &format!("127.0.0.1:{}", envoy.port()))).await;
    // The watch may begin after the moves; it begins with a snapshot and ends with the game.
    for expected in [r#"{"snapshot":"#, "END_REASON_RESIGNATION", "B+R", "promoteAt"] {
        assert!(printed.contains(expected), "no {expected} in {printed}");
    }
}
