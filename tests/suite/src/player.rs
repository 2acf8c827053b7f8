//! A player, as a client of the public API.

use std::sync::atomic::{AtomicU64, Ordering};

use tengen_proto::clock::v1::clock_service_client::ClockServiceClient;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Absolute, TimeControl};
use tengen_proto::common::v1::{BoardSize, Point};
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::lobby_service_client::LobbyServiceClient;
use tengen_proto::game::v1::record_service_client::RecordServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{
    AcceptChallengeRequest, AcceptCountRequest, Accepted, ClaimTimeRequest, ColourChoice,
    ConfirmEndRequest, CreateChallengeRequest, DisputeCountRequest, Game, GetGameRequest,
    Heartbeat, LeaveRequest, MarkDeadRequest, PassRequest, PlayMoveRequest, ResignRequest,
    Settings, WatchGameRequest,
};
use tengen_proto::rating::v1::rating_service_client::RatingServiceClient;
use tengen_proto::rating::v1::{
    GetPlayerRequest, GetPlayerResponse, LedgerEntry, ListLedgerRequest,
};
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{
    Account, ReconnectRequest, RegisterRequest, SignInRequest, SignOutRequest, Tokens,
};
use tengen_proto::time::duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};

use crate::doors::Doors;

/// The channel of a signed-in player.
pub type Signed = InterceptedService<Channel, Bearer>;

/// Puts an access token on each call.
#[derive(Clone)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Bearer {
    pub fn new(token: &str) -> Self {
        Self(Some(format!("Bearer {token}").parse().expect("a token is ASCII")))
    }

    /// Nobody's.
    pub fn guest() -> Self {
        Self(None)
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

/// A signed-in player, or a guest.
#[derive(Clone)]
pub struct Player {
    pub id: String,
    pub name: String,
    pub token: String,
    pub reconnect_token: String,
    doors: Doors,
    pub games: GameServiceClient<Signed>,
    pub lobby: LobbyServiceClient<Signed>,
    pub records: RecordServiceClient<Signed>,
    pub clocks: ClockServiceClient<Signed>,
    pub ratings: RatingServiceClient<Signed>,
    pub sessions: SessionServiceClient<Signed>,
}

/// A request id that was not used before.
pub fn request_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("request-{:08}", NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Player {
    fn over(doors: &Doors, bearer: &Bearer, id: &str, name: &str, tokens: &Tokens) -> Self {
        let signed = |channel: &Channel| InterceptedService::new(channel.clone(), bearer.clone());
        Self {
            id: id.into(),
            name: name.into(),
            token: tokens.access_token.clone(),
            reconnect_token: tokens.reconnect_token.clone(),
            doors: doors.clone(),
            games: GameServiceClient::new(signed(&doors.game)),
            lobby: LobbyServiceClient::new(signed(&doors.game)),
            records: RecordServiceClient::new(signed(&doors.game)),
            clocks: ClockServiceClient::new(signed(&doors.clock)),
            ratings: RatingServiceClient::new(signed(&doors.rating)),
            sessions: SessionServiceClient::new(signed(&doors.session)),
        }
    }

    /// Somebody who has not signed in.
    pub fn guest(doors: &Doors) -> Self {
        Self::over(doors, &Bearer::guest(), "", "guest", &Tokens::default())
    }

    /// A new account.
    pub async fn register(doors: &Doors, name: &str) -> Self {
        let mut sessions = SessionServiceClient::new(doors.session.clone());
        let request = RegisterRequest {
            request_id: request_id(),
            name: name.into(),
            password: password(name),
        };
        let answer = sessions.register(request).await.expect("registers").into_inner();
        Self::signed_in(doors, answer.account.unwrap(), answer.tokens.unwrap())
    }

    /// An account of before.
    pub async fn sign_in(doors: &Doors, name: &str) -> Self {
        let mut sessions = SessionServiceClient::new(doors.session.clone());
        let request = SignInRequest { name: name.into(), password: password(name) };
        let answer = sessions.sign_in(request).await.expect("signs in").into_inner();
        Self::signed_in(doors, answer.account.unwrap(), answer.tokens.unwrap())
    }

    fn signed_in(doors: &Doors, account: Account, tokens: Tokens) -> Self {
        let bearer = Bearer::new(&tokens.access_token);
        Self::over(doors, &bearer, &account.player_id, &account.name, &tokens)
    }

    /// The same player with a new pair of tokens, by the reconnect token that he has.
    pub async fn reconnect(&self) -> Result<Self, Status> {
        let request = ReconnectRequest {
            request_id: request_id(),
            reconnect_token: self.reconnect_token.clone(),
        };
        let mut sessions = SessionServiceClient::new(self.doors.session.clone());
        let tokens = sessions.reconnect(request).await?.into_inner().tokens.unwrap();
        let bearer = Bearer::new(&tokens.access_token);
        Ok(Self::over(&self.doors, &bearer, &self.id, &self.name, &tokens))
    }

    /// Signs out everywhere.
    pub async fn sign_out(&mut self) -> Result<(), Status> {
        let request = SignOutRequest { request_id: request_id() };
        self.sessions.sign_out(request).await.map(drop)
    }

    /// Offers a game; returns the challenge's id.
    pub async fn challenge(&mut self, settings: Settings, colour: ColourChoice) -> String {
        let request = CreateChallengeRequest {
            request_id: request_id(),
            settings: Some(settings),
            colour: colour as i32,
            ..CreateChallengeRequest::default()
        };
        let answer = self.lobby.create_challenge(request).await.expect("challenges").into_inner();
        answer.challenge.unwrap().challenge_id
    }

    /// Takes a challenge.
    pub async fn accept(&mut self, challenge_id: &str) -> Result<Game, Status> {
        let request =
            AcceptChallengeRequest { challenge_id: challenge_id.into(), request_id: request_id() };
        Ok(self.lobby.accept_challenge(request).await?.into_inner().game.unwrap())
    }

    pub async fn game(&mut self, game_id: &str) -> Game {
        let request = GetGameRequest { game_id: game_id.into() };
        self.games.get_game(request).await.expect("the game").into_inner().game.unwrap()
    }

    pub async fn play(&mut self, id: &str, number: i32, point: Point) -> Result<Accepted, Status> {
        let request = PlayMoveRequest {
            game_id: id.into(),
            request_id: request_id(),
            move_number: number,
            point: Some(point),
        };
        Ok(self.games.play_move(request).await?.into_inner().accepted.unwrap())
    }

    pub async fn pass(&mut self, id: &str, number: i32) -> Result<Accepted, Status> {
        let request =
            PassRequest { game_id: id.into(), request_id: request_id(), move_number: number };
        Ok(self.games.pass(request).await?.into_inner().accepted.unwrap())
    }

    pub async fn confirm(&mut self, id: &str, number: i32) -> Result<Accepted, Status> {
        let request =
            ConfirmEndRequest { game_id: id.into(), request_id: request_id(), move_number: number };
        Ok(self.games.confirm_end(request).await?.into_inner().accepted.unwrap())
    }

    pub async fn mark(&mut self, id: &str, point: Point, dead: bool) -> Result<Accepted, Status> {
        let request = MarkDeadRequest {
            game_id: id.into(),
            request_id: request_id(),
            point: Some(point),
            dead,
        };
        Ok(self.games.mark_dead(request).await?.into_inner().accepted.unwrap())
    }

    pub async fn accept_count(&mut self, id: &str, hash: &str) -> Result<Accepted, Status> {
        let request = AcceptCountRequest {
            game_id: id.into(),
            request_id: request_id(),
            dead_set_hash: hash.into(),
        };
        Ok(self.games.accept_count(request).await?.into_inner().accepted.unwrap())
    }

    pub async fn dispute(&mut self, id: &str) -> Result<Accepted, Status> {
        let request = DisputeCountRequest { game_id: id.into(), request_id: request_id() };
        Ok(self.games.dispute_count(request).await?.into_inner().accepted.unwrap())
    }

    pub async fn resign(&mut self, id: &str) -> Result<Accepted, Status> {
        let request = ResignRequest { game_id: id.into(), request_id: request_id() };
        Ok(self.games.resign(request).await?.into_inner().accepted.unwrap())
    }

    pub async fn leave(&mut self, id: &str) -> Result<Accepted, Status> {
        let request = LeaveRequest { game_id: id.into(), request_id: request_id() };
        Ok(self.games.leave(request).await?.into_inner().accepted.unwrap())
    }

    pub async fn claim_time(&mut self, id: &str) -> Result<Accepted, Status> {
        let request = ClaimTimeRequest { game_id: id.into(), request_id: request_id() };
        Ok(self.games.claim_time(request).await?.into_inner().accepted.unwrap())
    }

    /// Follows a game from the beginning of the watch.
    pub async fn watch(&mut self, id: &str) -> Watch {
        self.resume(id, 0, "").await.expect("watches")
    }

    /// Follows a game from an event that is known already.
    pub async fn resume(&mut self, id: &str, sequence: i64, hash: &str) -> Result<Watch, Status> {
        let request = WatchGameRequest {
            game_id: id.into(),
            after_sequence: sequence,
            head_hash: hash.into(),
        };
        Ok(Watch(self.games.watch_game(request).await?.into_inner()))
    }

    /// Where a player stands on the ladder.
    pub async fn rating(&mut self, player_id: &str) -> GetPlayerResponse {
        let request = GetPlayerRequest { player_id: player_id.into() };
        self.ratings.get_player(request).await.expect("the rating").into_inner()
    }

    /// A player's ledger, the newest row first.
    pub async fn ledger(&mut self, player_id: &str) -> Vec<LedgerEntry> {
        let request =
            ListLedgerRequest { player_id: player_id.into(), ..ListLedgerRequest::default() };
        self.ratings.list_ledger(request).await.expect("the ledger").into_inner().entries
    }
}

/// A game's stream.
#[derive(Debug)]
pub struct Watch(Streaming<tengen_proto::game::v1::WatchGameResponse>);

impl Watch {
    /// The next message that is no heartbeat; `None` when the stream has closed OK.
    pub async fn next(&mut self) -> Result<Option<Message>, Status> {
        loop {
            match self.0.message().await?.map(|told| told.message.expect("a message")) {
                Some(Message::Heartbeat(_)) => {}
                other => return Ok(other),
            }
        }
    }

    /// The next message, which has to be a heartbeat.
    pub async fn heartbeat(&mut self) -> Heartbeat {
        match self.0.message().await.expect("lives").and_then(|told| told.message) {
            Some(Message::Heartbeat(beat)) => beat,
            other => panic!("a heartbeat, not {other:?}"),
        }
    }
}

/// A point of the wire.
pub fn point(row: i32, column: i32) -> Point {
    Point { row, column }
}

/// Settings of a casual, untimed, even game on a square board.
pub fn board(lines: i32) -> Settings {
    Settings { size: Some(BoardSize { rows: lines, columns: lines }), ..Settings::default() }
}

/// The same, rated, with an hour a side.
pub fn rated(settings: Settings) -> Settings {
    Settings { rated: true, ..timed(settings) }
}

/// The same, with an hour a side.
pub fn timed(settings: Settings) -> Settings {
    let absolute = Absolute { main: Some(duration(3_600_000)) };
    let time = Some(TimeControl { kind: Some(Kind::Absolute(absolute)) });
    Settings { time, ..settings }
}

/// The password that a player of this name registers with.
pub fn password(name: &str) -> String {
    format!("the password of {name}")
}
