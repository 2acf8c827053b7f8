//! A load of a second or two against real processes and against each reference: everything is told,
//! and nothing goes wrong.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use prost::Message as _;
use tengen_load::{Reference, Site};
use tengen_processes::{Player, request_id};
use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::lobby_service_client::LobbyServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{
    AcceptChallengeRequest, ColourChoice, CreateChallengeRequest, Event, PlayMoveRequest,
    PlayMoveResponse, WatchGameRequest,
};
use tengen_standalone::load::{Plan, Report, run};
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tengen-reference");

async fn load(site: &Site, references: &[Reference], more: &str) -> Report {
    let references = references.iter().flat_map(Reference::arguments);
    let arguments: Vec<_> = site.arguments().into_iter().chain(references).collect();
    let arguments = arguments.iter().map(String::as_str).chain(more.split(' '));
    run(&Plan::of(arguments).unwrap()).await.unwrap()
}

#[tokio::test]
async fn the_suite_and_each_reference_are_played_against() {
    let site = Site::start().await;
    let redis = site.redis_url();
    let references = [
        Reference::start(PROGRAM, "echo", &redis).await,
        Reference::start(PROGRAM, "script", &redis).await,
        Reference::node(&redis).await,
    ];
    let report = load(&site, &references, "--games 4 --watchers 3 --seconds 1").await;
    assert!(!report.failed(), "{report}");
    let names: Vec<_> = report.0.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["suite", "echo", "script", "node"]);
    for one in &report.0 {
        let told = matches!(one.name.as_str(), "suite" | "node");
        assert_eq!((one.moves > 0, !one.opponent_us.is_empty()), (true, told), "{report}");
        assert_eq!(one.ack_us.len(), one.moves, "{report}");
    }
    let suite = &report.0[0];
    assert!(suite.messages >= suite.moves && suite.watcher_bytes.is_some(), "{report}");
    assert!(
        suite
            .cpu
            .iter()
            .map(|(name, _)| name.as_str())
            .eq(["client", "game", "redis", "echo", "script", "node"])
    );
    assert!(report.to_string().contains("\nratio suite/node moves_per_s="), "{report}");
}

#[tokio::test]
async fn watchers_of_a_reference_are_told_and_games_are_weighed() {
    let site = Site::start().await;
    let redis = site.redis_url();
    let references = [Reference::start(PROGRAM, "fan-out", &redis).await];
    let more = format!("--games 2 --watchers 20 --seconds 1 --connections 1 --redis {redis}");
    let report = load(&site, &references, &more).await;
    assert!(!report.failed(), "{report}");
    for one in &report.0 {
        assert!(one.messages > one.moves && one.watcher_bytes.is_some(), "{report}");
    }
    assert!(report.0[0].redis_bytes.is_some_and(|bytes| bytes > 2_000), "{report}");
}

#[tokio::test]
async fn a_suite_that_is_gone_is_an_error() {
    let site = Site::start().await;
    let mut arguments = site.arguments();
    arguments[1] = "http://127.0.0.1:1".to_owned();
    let plan = Plan::of(arguments.iter().map(String::as_str)).unwrap();
    let error = run(&plan).await.unwrap_err();
    assert!(error.to_string().contains("making a game"), "{error}");
}

/// Plays three moves, after which both sides have thought, and returns the answer to the last and
/// what a watcher is told of it.
async fn third_move(
    line: Channel,
    game_id: &str,
    ask: impl Fn(PlayMoveRequest) -> Request<PlayMoveRequest>,
) -> (PlayMoveResponse, Option<Event>) {
    let mut games = GameServiceClient::new(line);
    let watch = WatchGameRequest { game_id: game_id.to_owned(), ..WatchGameRequest::default() };
    let stream = games.watch_game(watch).await.ok().map(tonic::Response::into_inner);
    let mut last = PlayMoveResponse::default();
    for move_number in 1..=3 {
        let request = PlayMoveRequest {
            game_id: game_id.to_owned(),
            request_id: request_id(),
            move_number,
            point: Some(Point { row: 3, column: 3 + move_number }),
        };
        last = games.play_move(ask(request)).await.unwrap().into_inner();
    }
    let Some(mut stream) = stream else { return (last, None) };
    loop {
        match stream.message().await.unwrap().unwrap().message {
            Some(Message::Event(event)) if event.move_number == 4 => return (last, Some(event)),
            _ => {}
        }
    }
}

/// The references answer with as much as the suite: within a tenth, in bytes.
#[tokio::test]
async fn canned_answers_are_as_long_as_those_of_the_suite() {
    let site = Site::start().await;
    let session = site.session().channel().await;
    let black = Player::register(session.clone(), "black").await;
    let white = Player::register(session, "white").await;
    let line = site.game().channel().await;
    let game_id = game(line.clone(), &black, &white).await;
    let sides = [&black, &white];
    let ask = |request: PlayMoveRequest| sides[usize::from(request.move_number == 2)].ask(request);
    let (ours, told) = third_move(line, &game_id, ask).await;
    let told = told.unwrap();
    for kind in ["echo", "script", "fan-out"] {
        let reference = Reference::start(PROGRAM, kind, &site.redis_url()).await;
        let endpoint = Endpoint::from_shared(reference.url().to_owned()).unwrap();
        let line = endpoint.connect().await.unwrap();
        let (theirs, event) = third_move(line, &game_id, Request::new).await;
        let pair = [ours.encoded_len(), theirs.encoded_len()];
        assert!(alike(pair), "{kind}: {pair:?}\n{ours:?}\n{theirs:?}");
        assert_eq!(event.is_some(), kind == "fan-out");
        if let Some(event) = event {
            let pair = [told.encoded_len(), event.encoded_len()];
            assert!(alike(pair), "{kind}: {pair:?}\n{told:?}\n{event:?}");
        }
    }
}

/// A game with the time that games of a load have.
async fn game(line: Channel, black: &Player, white: &Player) -> String {
    let mut lobby = LobbyServiceClient::new(line);
    let challenge = CreateChallengeRequest {
        request_id: request_id(),
        colour: ColourChoice::Black as i32,
        preset: "national".to_owned(),
        ..CreateChallengeRequest::default()
    };
    let created = lobby.create_challenge(black.ask(challenge)).await.unwrap().into_inner();
    let challenge_id = created.challenge.unwrap().challenge_id;
    let accept = AcceptChallengeRequest { request_id: request_id(), challenge_id };
    let accepted = lobby.accept_challenge(white.ask(accept)).await.unwrap().into_inner();
    accepted.game.unwrap().game_id
}

fn alike([one, other]: [usize; 2]) -> bool {
    one.abs_diff(other) * 10 <= one
}
