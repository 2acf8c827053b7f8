//! The sparring bot plays whole games by the public API, to the count.

use tengen_proto::game::v1::Settings;
use tengen_suite::Suite;
use tengen_suite::bots::{Pairing, check_counted, games, gnu_go, sparring};
use tengen_suite::player::board;

#[tokio::test]
async fn the_sparring_bot_finishes_games_against_itself() {
    let suite = Suite::in_real_time().await;
    let mut pairing =
        Pairing::new(suite.doors()).await.with(suite.doors(), [sparring, sparring]).await;
    for number in 0..games() {
        let handicap = if number % 4 == 3 { 3 } else { 0 };
        check_counted(&pairing.play(Settings { handicap, ..board(9) }).await);
    }
}

#[tokio::test]
async fn the_sparring_bot_finishes_games_against_gnu_go() {
    let suite = Suite::in_real_time().await;
    let mut pairing =
        Pairing::new(suite.doors()).await.with(suite.doors(), [sparring, gnu_go]).await;
    for _ in 0..games() {
        check_counted(&pairing.play(board(9)).await);
    }
}
