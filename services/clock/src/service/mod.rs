//! ClockService: what the clocks read, asked once or followed.

mod dial;
mod watch;
mod watcher;

use std::sync::Arc;

use tengen_kit::fields::Fields;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_live::Live;
use tengen_proto::clock::v1 as wire;
use tengen_proto::clock::v1::clock_service_server::ClockService;
use tengen_proto::time::timestamp;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use crate::client::Game;
use crate::error;
use watch::Watches;

/// Reads the clocks. EchoLag is not built, and answered so by what the contract generates.
#[derive(Clone)]
pub struct Reader {
    game: Game,
    live: Arc<dyn Live>,
    watches: Arc<Watches>,
}

impl Reader {
    /// A reader of the clocks of that game service.
    pub fn new(game: Game, live: Arc<dyn Live>, time: SharedTime, shutdown: Shutdown) -> Self {
        let watches = Watches::new(game.clone(), Arc::clone(&live), time, shutdown);
        Self { game, live, watches }
    }
}

#[tonic::async_trait]
impl ClockService for Reader {
    async fn get_clock(
        &self,
        request: Request<wire::GetClockRequest>,
    ) -> Result<Response<wire::GetClockResponse>, Status> {
        let id = request.into_inner().game_id;
        game_id(&id)?;
        let clock = self.game.clock(&id).await.map_err(error::game)?;
        Ok(Response::new(wire::GetClockResponse { clock }))
    }

    async fn watch_clock(
        &self,
        request: Request<wire::WatchClockRequest>,
    ) -> Result<Response<BoxStream<wire::WatchClockResponse>>, Status> {
        let id = request.into_inner().game_id;
        game_id(&id)?;
        Ok(Response::new(Box::pin(self.watches.watch(&id).await?)))
    }

    async fn sync_time(
        &self,
        _request: Request<wire::SyncTimeRequest>,
    ) -> Result<Response<wire::SyncTimeResponse>, Status> {
        let server_now = Some(timestamp(self.live.now_ms()));
        Ok(Response::new(wire::SyncTimeResponse { server_now }))
    }
}

fn game_id(id: &str) -> Result<(), Refusal> {
    let mut fields = Fields::new();
    fields.id("game_id", id);
    fields.finish()
}
