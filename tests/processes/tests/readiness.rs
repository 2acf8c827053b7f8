//! A process is ready only while all it needs is there, and says what is not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_processes::{Player, Status, Suite, request_id};
use tengen_proto::game::v1::{
    GetGameRequest, GetGameResponse, ListMyGamesRequest, Phase, ResignRequest,
};
use tonic::Code;

#[tokio::test]
async fn game_is_ready_once_live_state_and_keys_are_there() {
    let mut suite = Suite::new();
    // A port that is known, and nobody at it.
    let session = suite.session(&[]).await;
    session.ready().await;
    let sessions = session.url();
    let listen = session.listen.to_string();
    let player = Player::register(session.channel().await, "ada").await;
    session.signal("TERM");
    session.ended().await;
    suite.redis.kill();

    let game = suite.game(&sessions, &[]).await;
    let mut health = game.health().await;
    health.until(Status::NotServing).await;
    assert_eq!(game.page("/livez").await, (200, "live\n".to_owned()));
    assert_eq!(
        game.page("/readyz").await,
        (503, "not ready: keys, live state, service\n".to_owned())
    );
    assert_eq!(game.page("/metrics-of-the-moon").await.0, 404);
    let mut games = Player::games(game.channel().await);
    // Not UNAUTHENTICATED, which would make clients sign in again.
    let mine = || player.ask(ListMyGamesRequest::default());
    assert_eq!(games.list_my_games(mine()).await.unwrap_err().code(), Code::Unavailable);

    suite.redis.restart();
    let session = suite.session(&[("TENGEN_LISTEN", &listen)]).await;
    health.until(Status::Serving).await;
    assert_eq!(game.page("/readyz").await, (200, "ready\n".to_owned()));
    games.list_my_games(mine()).await.unwrap();

    // Without session it works on with the keys that it has.
    session.signal("TERM");
    session.ended().await;
    games.list_my_games(mine()).await.unwrap();
    assert_eq!(game.page("/readyz").await.0, 200);

    suite.redis.kill();
    health.until(Status::NotServing).await;
    assert_eq!(game.page("/readyz").await, (503, "not ready: live state\n".to_owned()));
    suite.redis.restart();
    health.until(Status::Serving).await;
    games.list_my_games(mine()).await.unwrap();
}

// fault: F25: while Redis takes no change, nobody is sent to a replica, and no move is acknowledged.
#[tokio::test]
async fn game_is_not_ready_while_redis_refuses_writes() {
    let suite = Suite::new();
    let session = suite.session(&[]).await;
    session.ready().await;
    let game = suite.game(&session.url(), &[]).await;
    let mut health = game.health().await;
    health.until(Status::Serving).await;
    let ada = Player::register(session.channel().await, "ada").await;
    let bo = Player::register(session.channel().await, "bo").await;
    let id = ada.game(&bo, game.channel().await).await.game_id;
    let mut games = Player::games(game.channel().await);
    let resign = ResignRequest { game_id: id.clone(), request_id: request_id() };

    // As with a full disk: it answers, and refuses whatever would change something.
    suite.redis.ask(&["CONFIG", "SET", "min-replicas-to-write", "1"]);
    health.until(Status::NotServing).await;
    assert_eq!(game.page("/readyz").await, (503, "not ready: live state\n".to_owned()));
    let refused = games.resign(ada.ask(resign.clone())).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    let shown = || ada.ask(GetGameRequest { game_id: id.clone() });
    let game_of = |answer: GetGameResponse| answer.game.unwrap();
    let standing = game_of(games.get_game(shown()).await.unwrap().into_inner());
    assert_eq!(standing.phase(), Phase::Playing, "what is read is true");
    suite.redis.ask(&["CONFIG", "SET", "min-replicas-to-write", "0"]);
    health.until(Status::Serving).await;
    games.resign(ada.ask(resign)).await.unwrap();
    let ended = game_of(games.get_game(shown()).await.unwrap().into_inner());
    assert_eq!(ended.phase(), Phase::Ended);
}

#[tokio::test]
async fn session_shows_its_keys_on_the_admin_port() {
    let suite = Suite::new();
    let session = suite.session(&[]).await;
    session.ready().await;
    let (code, jwks) = session.page("/.well-known/jwks.json").await;
    assert_eq!(code, 200);
    assert!(jwks.starts_with("{\"keys\":[{") && jwks.contains("\"crv\":\"Ed25519\""), "{jwks}");
}
