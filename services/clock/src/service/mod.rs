//! ClockService: what the clocks read, asked once or followed.

mod dial;
mod watch;
mod watcher;

use std::sync::Arc;

use tengen_kit::auth::caller;
use tengen_kit::fields::Fields;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_link::Here;
use tengen_live::Live;
use tengen_proto::clock::v1 as wire;
use tengen_proto::clock::v1::clock_service_server::ClockService;
use tengen_proto::time::timestamp;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use crate::client::Game;
use crate::error;
use crate::lag::{Measured, Nonces};
use watch::Watches;
use watcher::Stamp;

/// Reads the clocks, and measures delays.
#[derive(Clone)]
pub struct Reader {
    game: Game,
    live: Arc<dyn Live>,
    watches: Arc<Watches>,
    nonces: Nonces,
    /// Whose streams are open here.
    here: Here,
}

impl Reader {
    /// A reader of the clocks of that game service.
    pub fn new(
        game: Game,
        live: Arc<dyn Live>,
        time: SharedTime,
        shutdown: Shutdown,
        nonces: Nonces,
        here: Here,
    ) -> Self {
        let watches = Watches::new(game.clone(), Arc::clone(&live), time, shutdown);
        Self { game, live, watches, nonces, here }
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
        let player = caller(&request).account_id().map(str::to_owned);
        let id = request.into_inner().game_id;
        game_id(&id)?;
        let stamp = player.map(|player_id| Stamp {
            nonces: self.nonces.clone(),
            live: Arc::clone(&self.live),
            _stay: self.here.enter(&player_id),
            game_id: id.clone(),
            player_id,
        });
        Ok(Response::new(Box::pin(self.watches.watch(&id, stamp).await?)))
    }

    async fn echo_lag(
        &self,
        request: Request<wire::EchoLagRequest>,
    ) -> Result<Response<wire::EchoLagResponse>, Status> {
        let player_id = caller(&request).account()?.id.clone();
        let nonce = request.into_inner().nonce;
        let mut fields = Fields::new();
        let measured = self.nonces.measure(&nonce, &player_id, self.live.now_ms());
        if measured.is_none() {
            let expected = "a nonce that the caller's own stream carried in the last 10 seconds";
            fields.refuse("nonce", format!("{} bytes", nonce.len()), expected);
        }
        let Measured { game_id, lag_ms } = fields.complete(measured)?;
        let least = self.game.lag_measured(&game_id, &player_id, lag_ms).await;
        Ok(Response::new(wire::EchoLagResponse { lag: least.map_err(error::game)? }))
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
