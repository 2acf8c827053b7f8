//! A player, or whoever watches, over gRPC: at the suite, or at a reference with the same methods.

use std::sync::Arc;

use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{PlayMoveRequest, ResignRequest, WatchGameRequest, WatchGameResponse};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Streaming};

use crate::accounts::Account;
use crate::error::{ToolError, failed, refused};

/// A side of one game after another.
pub(super) struct GrpcSeat {
    games: GameServiceClient<Channel>,
    /// `None` where nobody asks who plays.
    account: Option<Arc<Account>>,
    game_id: String,
    /// Whether the side has a stream of its own.
    watches: bool,
    stream: Option<Streaming<WatchGameResponse>>,
    /// Moves of the game that the stream has told.
    told: usize,
}

/// The connections of the two sides of each table. Opponents are at different replicas, where there
/// are several. Without a limit each side has a connection of its own.
pub(super) fn lines(replicas: &[Endpoint], tables: usize, limit: Option<u16>) -> Vec<[Channel; 2]> {
    let connect = |endpoint: &Endpoint| endpoint.connect_lazy();
    let Some(limit) = limit else {
        let line = |place: usize| connect(&replicas[place % replicas.len()]);
        return (0..tables).map(|table| [line(table), line(table + 1)]).collect();
    };
    let pool = |endpoint| (0..limit).map(move |_| connect(endpoint)).collect::<Vec<_>>();
    let pools: Vec<Vec<_>> = replicas.iter().map(pool).collect();
    let line = |table: usize, side: usize| {
        let pool = &pools[(table + side) % pools.len()];
        pool[(2 * table + side) % pool.len()].clone()
    };
    (0..tables).map(|table| [line(table, 0), line(table, 1)]).collect()
}

impl GrpcSeat {
    /// A side that has no game yet.
    pub(super) fn new(line: Channel, account: Option<Arc<Account>>, watches: bool) -> Self {
        let games = GameServiceClient::new(line);
        Self { games, account, game_id: String::new(), watches, stream: None, told: 0 }
    }

    /// Turns to a game.
    pub(super) async fn sit(&mut self, game_id: &str) -> Result<(), ToolError> {
        game_id.clone_into(&mut self.game_id);
        self.told = 0;
        self.stream = None;
        if self.watches { self.watch().await } else { Ok(()) }
    }

    pub(super) fn watches(&self) -> bool {
        self.watches
    }

    /// Plays the move of this number.
    pub(super) async fn play(&mut self, number: usize, point: Point) -> Result<(), ToolError> {
        let request = PlayMoveRequest {
            game_id: self.game_id.clone(),
            request_id: format!("move-{number:04}"),
            move_number: i32::try_from(number).unwrap_or(i32::MAX),
            point: Some(point),
        };
        let request = self.ask(request).await?;
        self.games.play_move(request).await.map_err(refused("a move"))?;
        Ok(())
    }

    /// Waits until the stream has told the move of this number.
    pub(super) async fn see(&mut self, number: usize) -> Result<(), ToolError> {
        while self.told < number {
            let stream = self.stream.as_mut();
            let stream = stream.ok_or_else(|| failed("watching a game", "no stream"))?;
            match stream.message().await {
                Ok(Some(answer)) => self.told = moves_in(&answer).unwrap_or(self.told),
                Ok(None) => return Err(failed("watching a game", "the stream ended early")),
                // A stream does not live for ever, and tells so.
                Err(status) if status.code() == Code::Unavailable => self.watch().await?,
                Err(status) => return Err(refused("watching a game")(status)),
            }
        }
        Ok(())
    }

    /// Ends the game.
    pub(super) async fn resign(&mut self) -> Result<(), ToolError> {
        let request =
            ResignRequest { game_id: self.game_id.clone(), request_id: "resignation".to_owned() };
        let request = self.ask(request).await?;
        self.games.resign(request).await.map_err(refused("a resignation"))?;
        Ok(())
    }

    async fn watch(&mut self) -> Result<(), ToolError> {
        let request = self.ask(watching(&self.game_id)).await?;
        let stream = self.games.watch_game(request).await.map_err(refused("watching a game"))?;
        self.stream = Some(stream.into_inner());
        Ok(())
    }

    async fn ask<T>(&self, message: T) -> Result<Request<T>, ToolError> {
        match &self.account {
            Some(account) => account.ask(message).await,
            None => Ok(Request::new(message)),
        }
    }
}

/// Asks for all of a game.
pub(super) fn watching(game_id: &str) -> WatchGameRequest {
    WatchGameRequest { game_id: game_id.to_owned(), ..WatchGameRequest::default() }
}

/// How many moves a game has after what is told; `None` if nothing of it is.
fn moves_in(answer: &WatchGameResponse) -> Option<usize> {
    let next = match answer.message.as_ref()? {
        Message::Snapshot(snapshot) => snapshot.game.as_ref()?.move_number,
        Message::Event(event) => event.move_number,
        Message::Heartbeat(_) => return None,
    };
    usize::try_from(next - 1).ok()
}
