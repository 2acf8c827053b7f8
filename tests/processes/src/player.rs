//! Somebody who plays, over the services' own ports.

use std::sync::atomic::{AtomicU64, Ordering};

use tengen_proto::clock::v1::Absolute;
use tengen_proto::clock::v1::TimeControl;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::lobby_service_client::LobbyServiceClient;
use tengen_proto::game::v1::{
    AcceptChallengeRequest, ColourChoice, CreateChallengeRequest, Game, Settings,
};
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{RegisterRequest, SignInRequest};
use tengen_proto::time::duration;
use tonic::Request;
use tonic::transport::Channel;

/// A signed-in player.
pub struct Player {
    pub id: String,
    token: String,
}

pub fn request_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("request-{:08}", NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Player {
    pub async fn register(session: Channel, name: &str) -> Self {
        let request = RegisterRequest {
            request_id: request_id(),
            name: name.to_owned(),
            password: "correct horse".to_owned(),
        };
        let answer = SessionServiceClient::new(session).register(request).await.unwrap();
        let answer = answer.into_inner();
        Self { id: answer.account.unwrap().player_id, token: answer.tokens.unwrap().access_token }
    }

    /// An account of before.
    pub async fn sign_in(session: Channel, name: &str) -> Self {
        let request = SignInRequest { name: name.to_owned(), password: "correct horse".to_owned() };
        let answer = SessionServiceClient::new(session).sign_in(request).await.unwrap();
        let answer = answer.into_inner();
        Self { id: answer.account.unwrap().player_id, token: answer.tokens.unwrap().access_token }
    }

    /// A request of this player's.
    pub fn ask<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let value = format!("Bearer {}", self.token).parse().unwrap();
        request.metadata_mut().insert("authorization", value);
        request
    }

    /// A game between two, an hour each; this one is Black.
    pub async fn game(&self, opponent: &Self, game: Channel) -> Game {
        self.game_of(opponent, game, 3_600_000).await
    }

    /// A game between two, so long each.
    pub async fn game_of(&self, opponent: &Self, game: Channel, main_ms: i64) -> Game {
        let mut lobby = LobbyServiceClient::new(game.clone());
        let absolute = Absolute { main: Some(duration(main_ms)) };
        let settings = Settings {
            size: Some(BoardSize { rows: 9, columns: 9 }),
            time: Some(TimeControl { kind: Some(Kind::Absolute(absolute)) }),
            rated: true,
            ..Settings::default()
        };
        let create = CreateChallengeRequest {
            request_id: request_id(),
            colour: ColourChoice::Black.into(),
            settings: Some(settings),
            ..CreateChallengeRequest::default()
        };
        let created = lobby.create_challenge(self.ask(create)).await.unwrap().into_inner();
        let accept = AcceptChallengeRequest {
            request_id: request_id(),
            challenge_id: created.challenge.unwrap().challenge_id,
        };
        let accepted = lobby.accept_challenge(opponent.ask(accept)).await.unwrap().into_inner();
        accepted.game.unwrap()
    }

    pub fn games(game: Channel) -> GameServiceClient<Channel> {
        GameServiceClient::new(game)
    }
}
