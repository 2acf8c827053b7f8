//! What stands in for the game service: it hears who is gone and who is back.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use tengen_proto::internal::v1::game_control_service_server::{
    GameControlService, GameControlServiceServer,
};
use tengen_proto::internal::v1::{
    PlayerBackRequest, PlayerBackResponse, PlayerGoneRequest, PlayerGoneResponse,
};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// What was heard: a player, whether it is gone, and the number of that.
pub(crate) type Heard = (String, bool, i64);

pub(crate) struct Games {
    pub(crate) url: String,
    pub(crate) heard: mpsc::UnboundedReceiver<Heard>,
    /// In how many games a player is missed; −1 to answer nothing.
    pub(crate) missed: Arc<AtomicI32>,
}

struct Ears {
    tell: mpsc::UnboundedSender<Heard>,
    missed: Arc<AtomicI32>,
}

impl Games {
    pub(crate) async fn start() -> Self {
        let (tell, heard) = mpsc::unbounded_channel();
        let missed = Arc::new(AtomicI32::new(1));
        let ears = Ears { tell, missed: Arc::clone(&missed) };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (_, health) = tonic_health::server::health_reporter();
        let server = tonic::transport::Server::builder()
            .add_service(health)
            .add_service(GameControlServiceServer::new(ears));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Self { url, heard, missed }
    }

    /// The next that is heard.
    pub(crate) async fn next(&mut self) -> (String, bool, i64) {
        self.heard.recv().await.unwrap()
    }
}

#[tonic::async_trait]
impl GameControlService for Ears {
    async fn player_gone(
        &self,
        request: Request<PlayerGoneRequest>,
    ) -> Result<Response<PlayerGoneResponse>, Status> {
        let PlayerGoneRequest { player_id, presence_number } = request.into_inner();
        let games = self.missed.load(Ordering::Relaxed);
        if games < 0 {
            return Err(Status::unavailable("nobody plays"));
        }
        let _ = self.tell.send((player_id, true, presence_number));
        Ok(Response::new(PlayerGoneResponse { games }))
    }

    async fn player_back(
        &self,
        request: Request<PlayerBackRequest>,
    ) -> Result<Response<PlayerBackResponse>, Status> {
        let PlayerBackRequest { player_id, presence_number } = request.into_inner();
        let _ = self.tell.send((player_id, false, presence_number));
        Ok(Response::new(PlayerBackResponse {}))
    }
}
