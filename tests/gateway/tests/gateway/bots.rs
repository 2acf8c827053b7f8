//! GNU Go plays GNU Go through the gateway, rated, to the count.

use tengen_gateway::before_dev;
use tengen_gateway::site::doors;
use tengen_proto::game::v1::ColourChoice;
use tengen_suite::bots::{Pairing, check_agreed, gnu_go};
use tengen_suite::games::{Pair, Recorded};
use tengen_suite::player::{board, rated};

#[tokio::test]
async fn gnu_go_plays_itself_on_9_lines_and_agrees_with_the_count() {
    let (envoy, suite) = before_dev(&[]).await;
    let doors = doors(&envoy);
    let mut pairing = Pairing::new(&doors).await.with(&doors, [gnu_go, gnu_go]).await;
    let game = pairing.play(rated(board(9))).await;
    check_agreed(&doors, &game).await;
    suite.rated(&game.game_id).await;
}

// The engines sit down at a game that others have begun: most of a recorded one, which saves a minute
// of their thinking.
#[tokio::test]
async fn gnu_go_ends_a_game_on_19_lines_and_agrees_with_the_count() {
    // What others have begun comes at once.
    let (envoy, suite) = before_dev(&[("RATE_BURST", "1000")]).await;
    let doors = doors(&envoy);
    let mut pairing = Pairing::new(&doors).await;
    let games = Recorded::of_set("kgs19");
    let recorded = games.iter().find(|game| game.moves.len() > 200).expect("a long game");
    let challenge = pairing.challenge(rated(recorded.settings()), ColourChoice::Black).await;
    let [black, white] = pairing.players.clone();
    let game_id = pairing.players[1].accept(&challenge).await.expect("accepts").game_id;
    Pair { black, white, game_id }.take(&recorded.moves[..recorded.moves.len() - 30], 1).await;

    let mut pairing = pairing.with(&doors, [gnu_go, gnu_go]).await;
    let game = pairing.finished().await;
    check_agreed(&doors, &game).await;
    suite.rated(&game.game_id).await;
}
