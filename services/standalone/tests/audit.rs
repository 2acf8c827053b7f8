//! `tengen audit` as a process: books of a played game are in order, what is broken is named, and what
//! cannot be audited is told apart from both.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql;
use tengen_kit::time::WallTime;
use tengen_live::Memory;
use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::lobby_service_client::LobbyServiceClient;
use tengen_proto::game::v1::{
    AcceptChallengeRequest, ColourChoice, CreateChallengeRequest, GetGameRequest, RatingState,
    ResignRequest, Settings,
};
use tengen_proto::session::v1::RegisterRequest;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_standalone::dev::{Config, Parts, bind};
use tokio::net::TcpListener;
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

/// The exit code of an audit of the files in a folder, and what it printed.
fn audit(folder: &Path) -> (i32, String, String) {
    let url = |name: &str| format!("sqlite://{}", folder.join(name).display());
    let output = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .env_clear()
        .args(["audit", "--rating-database-url", &url("rating.db")])
        .args(["--game-database-url", &url("game.db")])
        .output()
        .unwrap();
    let [said, wrong] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), said, wrong)
}

/// A player's token.
async fn register(channel: &Channel, name: &str) -> String {
    let request = RegisterRequest {
        request_id: format!("register-{name}"),
        name: name.to_owned(),
        password: "three corners".to_owned(),
    };
    let answer = SessionServiceClient::new(channel.clone()).register(request).await.unwrap();
    format!("Bearer {}", answer.into_inner().tokens.unwrap().access_token)
}

fn signed<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", token.parse().unwrap());
    request
}

/// Plays a rated game, which is resigned, and waits until it is booked and archived.
async fn play(channel: &Channel) {
    let [aki, bo] = [register(channel, "aki").await, register(channel, "bo").await];
    let mut lobby = LobbyServiceClient::new(channel.clone());
    let challenge = CreateChallengeRequest {
        request_id: "challenge-1".to_owned(),
        preset: "blitz".to_owned(),
        colour: ColourChoice::Black.into(),
        settings: Some(Settings {
            size: Some(BoardSize { rows: 9, columns: 9 }),
            rated: true,
            ..Settings::default()
        }),
        ..CreateChallengeRequest::default()
    };
    let made = lobby.create_challenge(signed(&aki, challenge)).await.unwrap().into_inner();
    let accept = AcceptChallengeRequest {
        request_id: "accept-01".to_owned(),
        challenge_id: made.challenge.unwrap().challenge_id,
    };
    let accepted = lobby.accept_challenge(signed(&bo, accept)).await.unwrap().into_inner();
    let game_id = accepted.game.unwrap().game_id;
    let mut games = GameServiceClient::new(channel.clone());
    let resign = ResignRequest { request_id: "resign-01".to_owned(), game_id: game_id.clone() };
    games.resign(signed(&bo, resign)).await.unwrap();
    loop {
        let request = GetGameRequest { game_id: game_id.clone() };
        let game = games.get_game(request).await.unwrap().into_inner().game.unwrap();
        if game.result.unwrap().rating() == RatingState::Applied {
            return;
        }
    }
}

// fault: F7
#[tokio::test]
async fn books_are_in_order_or_what_is_not_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said, wrong) = audit(folder.path());
    assert_eq!((code, said.as_str()), (2, ""));
    assert!(wrong.starts_with("tengen audit: "), "{wrong}");
    assert!(!folder.path().join("rating.db").exists(), "an audit makes nothing");

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (time, shutdown) = (WallTime::shared(), Shutdown::new());
    let live = Memory::new(time.clone(), tengen_live::Settings::default());
    let parts = Parts {
        listener,
        data: folder.path().to_owned(),
        live: Arc::new(live),
        time,
        shutdown: shutdown.clone(),
        config: Config::default(),
    };
    let serving = tokio::spawn(bind(parts).await.unwrap());
    let channel = Endpoint::from_shared(url).unwrap().connect().await.unwrap();
    play(&channel).await;
    // Beside the services, too.
    let clean = "audit: 2 players, 1 games, 2 ledger rows, 2 fees, 1 archived games, 0 on their way: \
                 0 differences\n";
    assert_eq!(audit(folder.path()), (0, clean.to_owned(), String::new()));
    drop(channel);
    serving.abort();

    let rating = format!("sqlite://{}", folder.path().join("rating.db").display());
    let pool = sql::pool(&rating).unwrap();
    sqlx::query("update standings set won = 7 where won = 1").execute(&pool).await.unwrap();
    let (code, said, wrong) = audit(folder.path());
    assert_eq!((code, wrong.as_str()), (1, ""));
    let (difference, summary) = said.split_once('\n').unwrap();
    assert!(difference.contains(" has won 7, lost 0,"), "{difference}");
    assert!(summary.ends_with(": 1 differences\n"), "{summary}");
}
