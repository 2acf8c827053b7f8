//! A process that is told to end ends in order, and in time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::time::{Duration, Instant};

use tengen_processes::{Player, Status, Suite};
use tengen_proto::game::v1::WatchGameRequest;
use tokio::net::TcpStream;
use tonic::Code;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_types::StatusExt as _;

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "how long a real process takes")]
async fn sigterm_ends_an_open_watch_and_then_the_process() {
    let suite = Suite::new();
    let session = suite.session(&[]).await;
    let game = suite.game(&session.url(), &[("TENGEN_DRAIN_NOTICE_MS", "500")]).await;
    session.ready().await;
    let mut health = game.health().await;
    health.until(Status::Serving).await;
    let channel = session.channel().await;
    let black = Player::register(channel.clone(), "black").await;
    let white = Player::register(channel, "white").await;
    let made = black.game(&white, game.channel().await).await;
    let request = WatchGameRequest { game_id: made.game_id, ..WatchGameRequest::default() };
    let mut games = Player::games(game.channel().await);
    let mut watch = games.watch_game(white.ask(request.clone())).await.unwrap().into_inner();
    watch.message().await.unwrap().expect("a snapshot");

    let told = Instant::now();
    game.signal("TERM");
    health.until(Status::NotServing).await;
    // Within the notice it still answers.
    games.watch_game(white.ask(request)).await.unwrap();
    let end = loop {
        match watch.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("an end without a reason"),
            Err(status) => break status,
        }
    };
    assert!(told.elapsed() >= Duration::from_millis(500), "not before the notice is over");
    assert_eq!(end.code(), Code::Unavailable);
    assert_eq!(end.get_details_error_info().unwrap().reason, "RESUME_ELSEWHERE");
    let (listen, (status, log)) = (game.listen, game.ended().await);
    assert_eq!(status.code(), Some(0), "{log:?}");
    assert!(told.elapsed() < Duration::from_secs(10), "within notice and grace");
    assert!(TcpStream::connect(listen).await.is_err());
    assert!(log.last().unwrap().contains("ended"), "{log:?}");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "how long a real process takes")]
async fn a_second_signal_ends_it_at_once() {
    let suite = Suite::new();
    let session = suite.session(&[("TENGEN_DRAIN_GRACE_MS", "600000")]).await;
    session.ready().await;
    // A stream that only its client ends.
    let mut reflection = ServerReflectionClient::new(session.channel().await);
    let open = reflection.server_reflection_info(tokio_stream::pending()).await.unwrap();
    let mut health = session.health().await;
    health.until(Status::Serving).await;
    session.signal("TERM");
    health.until(Status::NotServing).await;
    let told = Instant::now();
    session.signal("TERM");
    let (status, log) = session.ended().await;
    assert_eq!(status.code(), Some(1), "{log:?}");
    assert!(told.elapsed() < Duration::from_secs(30), "long before the grace is over");
    drop(open);
}
