//! Tells every watcher of each move. The way of a message is that of the suite, from one broadcast
//! over a task and a channel for each watcher; but it is cloned and encoded for each of them.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use tengen_proto::game::v1::game_service_server::GameService;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{
    Game, PlayMoveRequest, PlayMoveResponse, Snapshot, WatchGameRequest, WatchGameResponse,
};
use tokio::sync::{broadcast, mpsc};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use crate::answer::{accepted, event};

/// Messages a watcher may lag behind.
const BEHIND: usize = 128;

type Watching = Pin<Box<dyn Stream<Item = Result<WatchGameResponse, Status>> + Send>>;

/// The games that are watched.
#[derive(Default)]
pub struct FanOut {
    games: Mutex<HashMap<String, Watched>>,
}

struct Watched {
    messages: broadcast::Sender<WatchGameResponse>,
    played: i32,
}

impl Default for Watched {
    fn default() -> Self {
        Self { messages: broadcast::channel(BEHIND).0, played: 0 }
    }
}

impl FanOut {
    fn game<T>(&self, id: &str, act: impl FnOnce(&mut Watched) -> T) -> T {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        act(games.entry(id.to_owned()).or_default())
    }
}

#[tonic::async_trait]
impl GameService for FanOut {
    async fn play_move(
        &self,
        request: Request<PlayMoveRequest>,
    ) -> Result<Response<PlayMoveResponse>, Status> {
        let PlayMoveRequest { game_id, move_number, point, .. } = request.into_inner();
        let told = Message::Event(event(&game_id, move_number, point));
        self.game(&game_id, |game| {
            game.played = move_number;
            // Nobody may be watching.
            let _ = game.messages.send(WatchGameResponse { message: Some(told) });
        });
        Ok(Response::new(PlayMoveResponse { accepted: Some(accepted(move_number)) }))
    }

    async fn watch_game(
        &self,
        request: Request<WatchGameRequest>,
    ) -> Result<Response<Watching>, Status> {
        let game_id = request.into_inner().game_id;
        let (played, messages) =
            self.game(&game_id, |game| (game.played, game.messages.subscribe()));
        let game = Game { game_id, move_number: played + 1, ..Game::default() };
        let snapshot = Message::Snapshot(Snapshot { game: Some(game), rewound: false });
        let first = WatchGameResponse { message: Some(snapshot) };
        let (sender, receiver) = mpsc::channel(2);
        tokio::spawn(pass(sender, first, messages));
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }
}

async fn pass(
    sender: mpsc::Sender<Result<WatchGameResponse, Status>>,
    first: WatchGameResponse,
    mut messages: broadcast::Receiver<WatchGameResponse>,
) {
    let mut message = Ok(first);
    while sender.send(message).await.is_ok() {
        message = match messages.recv().await {
            Ok(message) => Ok(message),
            Err(broadcast::error::RecvError::Closed) => return,
            Err(broadcast::error::RecvError::Lagged(_)) => {
                Err(Status::resource_exhausted("messages were read too slowly"))
            }
        };
    }
}
