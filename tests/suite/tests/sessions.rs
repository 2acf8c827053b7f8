//! Staying signed in for as long as a game takes, and being signed out in time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use tengen_kit::time::{Time, WallTime};
use tengen_proto::clock::v1::WatchClockRequest;
use tengen_proto::game::v1::{ListMyGamesRequest, WatchGameRequest};
use tengen_suite::Suite;
use tengen_suite::games::Pair;
use tengen_suite::player::{board, point, timed};
use tengen_suite::refusal::{reason, refused};
use tonic::Code;

tengen_suite::on_both! {
    a_new_token_takes_the_place_of_the_old_one_in_mid_game,
    a_token_that_is_used_twice_ends_its_family,
    a_sign_out_ends_what_is_open,
}

/// Within which a sign-out is honoured.
const HONOURED_MS: i64 = 5_000;

async fn pair(suite: &Suite) -> Pair {
    Pair::begin(suite.player("aki").await, suite.player("bo").await, timed(board(9))).await
}

async fn a_new_token_takes_the_place_of_the_old_one_in_mid_game(suite: Suite) {
    let mut pair = pair(&suite).await;
    let id = pair.game_id.clone();
    let mut watch = pair.white.watch(&id).await;
    watch.next().await.unwrap();
    for number in 1..=8 {
        let player = if number % 2 == 1 { &mut pair.black } else { &mut pair.white };
        // In all longer than any access token lives.
        suite.pass(120_000);
        let old = player.reconnect_token.clone();
        *player = player.reconnect().await.unwrap();
        assert_ne!(old, player.reconnect_token);
        player.play(&id, number, point(number, 4)).await.unwrap();
        watch.next().await.unwrap();
    }
    assert_eq!(pair.black.game(&id).await.turns.len(), 8);
}

// fault: F15
async fn a_token_that_is_used_twice_ends_its_family(suite: Suite) {
    let first = suite.player("aki").await;
    let second = first.reconnect().await.unwrap();
    let refusal = refused(first.reconnect().await.map(drop));
    assert_eq!(
        (refusal.code, refusal.reason.as_str()),
        (Code::Unauthenticated, "RECONNECT_TOKEN_REUSED")
    );
    assert_eq!(reason(second.reconnect().await.map(drop)), "RECONNECT_TOKEN_UNKNOWN");
    let again = suite.sign_in("aki").await;
    again.reconnect().await.unwrap();
}

async fn a_sign_out_ends_what_is_open(suite: Suite) {
    let mut pair = pair(&suite).await;
    let id = pair.game_id.clone();
    let request = || WatchGameRequest { game_id: id.clone(), ..WatchGameRequest::default() };
    let mut game = pair.black.games.watch_game(request()).await.unwrap().into_inner();
    let mut other = pair.white.games.watch_game(request()).await.unwrap().into_inner();
    let request = WatchClockRequest { game_id: id.clone() };
    let mut clock = pair.black.clocks.watch_clock(request).await.unwrap().into_inner();

    let time: Arc<dyn Time> = WallTime::shared();
    let before_ms = time.now_ms();
    pair.black.sign_out().await.unwrap();
    suite.pass(u32::try_from(HONOURED_MS).unwrap() - 1);
    let game = async {
        loop {
            if let Err(status) = game.message().await {
                return status;
            }
        }
    };
    let clock = async {
        loop {
            if let Err(status) = clock.message().await {
                return status;
            }
        }
    };
    let (game, clock) = tokio::join!(game, clock);
    assert!(time.now_ms() - before_ms < HONOURED_MS);
    for status in [game, clock] {
        let refusal = refused::<()>(Err(status));
        assert_eq!(refusal.code, Code::Unauthenticated);
        assert_eq!((refusal.reason.as_str(), refusal.meta("token")), ("INVALID_TOKEN", "revoked"));
    }
    // Each replica of game hears of it in its own time; then any refuses the old token.
    let mut refusals = 0;
    while refusals < 8 {
        match pair.black.games.list_my_games(ListMyGamesRequest {}).await {
            Ok(_) => refusals = 0,
            Err(_) => refusals += 1,
        }
        assert!(time.now_ms() - before_ms < HONOURED_MS);
    }
    for _ in 0..8 {
        let refusal = refused(pair.black.play(&id, 1, point(4, 4)).await);
        assert_eq!((refusal.reason.as_str(), refusal.meta("token")), ("INVALID_TOKEN", "revoked"));
    }
    assert_eq!(reason(pair.black.reconnect().await.map(drop)), "RECONNECT_TOKEN_UNKNOWN");
    // Nobody else is touched, and a new sign-in goes on.
    let mut black = suite.sign_in("aki").await;
    black.play(&id, 1, point(4, 4)).await.unwrap();
    pair.white.play(&id, 2, point(2, 2)).await.unwrap();
    while let Some(told) = other.message().await.unwrap() {
        let text = format!("{told:?}");
        if text.contains("move_number: 2") || text.contains("sequence: 3") {
            break;
        }
    }
}
