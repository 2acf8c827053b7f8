//! Whom is played against, and how games begin and end there.

use std::sync::Arc;

use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Reserved, TimeControl};
use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::lobby_service_client::LobbyServiceClient;
use tengen_proto::game::v1::organiser_service_client::OrganiserServiceClient;
use tengen_proto::game::v1::{
    AcceptChallengeRequest, ColourChoice, CreateChallengeRequest, CreateGameRequest, Settings,
};
use tengen_proto::time::duration;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

use super::grpc::{GrpcSeat, lines, watching};
use super::plan::{By, Named, Plan, endpoints};
use super::socketio::SocketIoSeat;
use crate::accounts::{Account, Sessions};
use crate::error::{ToolError, failed, refused};

/// Streams that share a connection: a gateway carries about as many.
const WATCHERS_A_CONNECTION: usize = 100;

/// Whom is played against.
pub(super) enum House {
    /// The suite.
    Suite(Box<Suite>),
    /// A reference that answers PlayMove, and maybe WatchGame.
    Bare(Bare),
    /// A reference that speaks socket.io.
    SocketIo {
        /// Where it is: `host:port`.
        authority: String,
        /// What players wait for.
        by: By,
    },
}

/// A side of one game after another.
pub(super) enum Seat {
    /// Over gRPC.
    Grpc(GrpcSeat),
    /// Over a websocket.
    SocketIo(SocketIoSeat),
}

/// The suite, with those who play there.
pub(super) struct Suite {
    /// The two sides of each table.
    accounts: Vec<[Arc<Account>; 2]>,
    organiser: Option<Account>,
    lines: Vec<[Channel; 2]>,
    watch_lines: Vec<Channel>,
    by: By,
}

/// A reference over gRPC.
pub(super) struct Bare {
    lines: Vec<[Channel; 2]>,
    /// None where nobody can watch.
    watch_lines: Vec<Channel>,
    by: By,
}

impl House {
    /// The suite; the accounts are made here.
    pub(super) async fn suite(plan: &Plan, run: &str) -> Result<Self, ToolError> {
        let games = endpoints("game", &plan.game)?;
        let sessions = endpoints("session", &plan.session)?;
        let sessions = Sessions::new(sessions.iter().map(Endpoint::connect_lazy).collect());
        let organiser = match plan.organised() {
            Some((name, password)) => Some(sessions.clone().sign_in(name, password).await?),
            None => None,
        };
        let accounts = sessions.register(&format!("load-{run}"), 2 * plan.games.get()).await?;
        let pairs = accounts.chunks_exact(2);
        Ok(Self::Suite(Box::new(Suite {
            accounts: pairs.map(|pair| [Arc::clone(&pair[0]), Arc::clone(&pair[1])]).collect(),
            organiser,
            lines: lines(&games, plan.games.get(), plan.connections),
            watch_lines: watch_lines(&games, plan),
            by: plan.by,
        })))
    }

    /// A reference, by the scheme of its URL.
    pub(super) async fn reference(
        plan: &Plan,
        reference: &Named<String>,
    ) -> Result<Self, ToolError> {
        if let Some(authority) = reference.value.strip_prefix("ws://") {
            return Ok(Self::SocketIo { authority: authority.to_owned(), by: plan.by });
        }
        let endpoints = endpoints("reference", std::slice::from_ref(&reference.value))?;
        let probe = GameServiceClient::new(endpoints[0].connect_lazy());
        let watched = match probe.clone().watch_game(watching("probe")).await {
            Ok(_) => true,
            Err(status) if status.code() == Code::Unimplemented => false,
            Err(status) => return Err(refused("watching at a reference")(status)),
        };
        Ok(Self::Bare(Bare {
            lines: lines(&endpoints, plan.games.get(), plan.connections),
            watch_lines: if watched { watch_lines(&endpoints, plan) } else { Vec::new() },
            by: if watched { plan.by } else { By::Ack },
        }))
    }

    /// The sides of a table, connected and without a game.
    pub(super) async fn seats(&self, table: usize) -> Result<[Seat; 2], ToolError> {
        Ok(match self {
            Self::Suite(suite) => [0, 1].map(|side| {
                let account = Arc::clone(&suite.accounts[table][side]);
                let line = suite.lines[table][side].clone();
                Seat::Grpc(GrpcSeat::new(line, Some(account), suite.by == By::Watch))
            }),
            Self::Bare(bare) => bare.lines[table]
                .clone()
                .map(|line| Seat::Grpc(GrpcSeat::new(line, None, bare.by == By::Watch))),
            Self::SocketIo { authority, by } => {
                let watches = *by == By::Watch;
                [
                    Seat::SocketIo(SocketIoSeat::connect(authority, watches).await?),
                    Seat::SocketIo(SocketIoSeat::connect(authority, watches).await?),
                ]
            }
        })
    }

    /// Begins a game of a table and seats both sides. `name` is like no other of this table's.
    pub(super) async fn begin(
        &self,
        table: usize,
        name: &str,
        seats: &mut [Seat; 2],
    ) -> Result<String, ToolError> {
        let game_id = match self {
            Self::Suite(suite) => suite.make(table, name).await?,
            Self::Bare(_) | Self::SocketIo { .. } => format!("g00-{name}"),
        };
        for (seat, colour) in seats.iter_mut().zip(["black", "white"]) {
            match seat {
                Seat::Grpc(seat) => seat.sit(&game_id).await?,
                Seat::SocketIo(seat) => seat.sit(&game_id, colour).await?,
            }
        }
        Ok(game_id)
    }

    /// Ends the game, where there is anything to end.
    pub(super) async fn end(&self, seats: &mut [Seat; 2]) -> Result<(), ToolError> {
        match (self, &mut seats[0]) {
            (Self::Suite(_), Seat::Grpc(seat)) => seat.resign().await,
            _ => Ok(()),
        }
    }

    /// The connections that watchers share; none where nobody can watch.
    pub(super) fn watch_lines(&self) -> &[Channel] {
        match self {
            Self::Suite(suite) => &suite.watch_lines,
            Self::Bare(bare) => &bare.watch_lines,
            Self::SocketIo { .. } => &[],
        }
    }
}

impl Suite {
    /// Makes a game, and returns its id.
    async fn make(&self, table: usize, name: &str) -> Result<String, ToolError> {
        let [black, white] = &self.accounts[table];
        let line = || self.lines[table][0].clone();
        let Some(organiser) = &self.organiser else {
            return self.challenge(table, name).await;
        };
        let request = organiser.ask(CreateGameRequest {
            request_id: name.to_owned(),
            black_id: black.id.clone(),
            white_id: white.id.clone(),
            settings: Some(settings()),
        });
        let mut organisers = OrganiserServiceClient::new(line());
        let made =
            organisers.create_game(request.await?).await.map_err(refused("making a game"))?;
        let game = made.into_inner().game;
        game.map(|game| game.game_id).ok_or_else(|| failed("making a game", "no game"))
    }

    /// Black challenges White, who accepts.
    async fn challenge(&self, table: usize, name: &str) -> Result<String, ToolError> {
        let [black, white] = &self.accounts[table];
        let [black_line, white_line] = self.lines[table].clone();
        let request = black.ask(CreateChallengeRequest {
            request_id: name.to_owned(),
            settings: Some(settings()),
            colour: ColourChoice::Black as i32,
            opponent_id: white.id.clone(),
            preset: String::new(),
        });
        let mut lobby = LobbyServiceClient::new(black_line);
        let made = lobby.create_challenge(request.await?).await.map_err(refused("a challenge"))?;
        let challenge_id = made.into_inner().challenge.unwrap_or_default().challenge_id;
        let request =
            white.ask(AcceptChallengeRequest { challenge_id, request_id: name.to_owned() });
        let mut lobby = LobbyServiceClient::new(white_line);
        let made = lobby.accept_challenge(request.await?).await.map_err(refused("accepting"))?;
        let game = made.into_inner().game;
        game.map(|game| game.game_id).ok_or_else(|| failed("accepting", "no game"))
    }
}

impl Seat {
    /// Plays the move of this number.
    pub(super) async fn play(&mut self, number: usize, point: Point) -> Result<(), ToolError> {
        match self {
            Self::Grpc(seat) => seat.play(number, point).await,
            Self::SocketIo(seat) => seat.play(number, point).await,
        }
    }

    /// Waits until this side was told the move of this number.
    pub(super) async fn see(&mut self, number: usize) -> Result<(), ToolError> {
        match self {
            Self::Grpc(seat) => seat.see(number).await,
            Self::SocketIo(seat) => seat.see(number).await,
        }
    }

    /// Whether this side is told of moves.
    pub(super) fn watches(&self) -> bool {
        match self {
            Self::Grpc(seat) => seat.watches(),
            Self::SocketIo(seat) => seat.watches(),
        }
    }
}

fn watch_lines(replicas: &[Endpoint], plan: &Plan) -> Vec<Channel> {
    let many = (plan.games.get() * plan.watchers).div_ceil(WATCHERS_A_CONNECTION);
    replicas.iter().cycle().take(many).map(Endpoint::connect_lazy).collect()
}

/// An unrated game with the time of a national event: three hours a side, five minutes reserved.
fn settings() -> Settings {
    let reserved = Reserved { limit: Some(duration(3 * 3_600_000)), reserved_minutes: 5 };
    let time = Some(TimeControl { kind: Some(Kind::Reserved(reserved)) });
    Settings { time, ..Settings::default() }
}
