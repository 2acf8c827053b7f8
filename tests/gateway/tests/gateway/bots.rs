//! GNU Go plays GNU Go through the gateway, rated, to the count.

use tengen_gateway::before_dev;
use tengen_gateway::site::doors;
use tengen_suite::bots::{Pairing, check_agreed, gnu_go};
use tengen_suite::player::{board, rated};

async fn plays_itself(lines: i32) {
    let (envoy, suite) = before_dev(&[]).await;
    let doors = doors(&envoy);
    let mut pairing = Pairing::new(&doors).await.with(&doors, [gnu_go, gnu_go]).await;
    let game = pairing.play(rated(board(lines))).await;
    check_agreed(&doors, &game).await;
    suite.rated(&game.game_id).await;
}

#[tokio::test]
async fn gnu_go_plays_itself_on_9_lines_and_agrees_with_the_count() {
    plays_itself(9).await;
}

#[tokio::test]
async fn gnu_go_plays_itself_on_19_lines_and_agrees_with_the_count() {
    plays_itself(19).await;
}
