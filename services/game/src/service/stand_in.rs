//! A session service for tests, behind the real gRPC routes: it knows who is gone, and may be away.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tengen_kit::time::SharedTime;
use tengen_proto::internal::v1::presence_service_server::{PresenceService, PresenceServiceServer};
use tengen_proto::internal::v1::{StillGoneRequest, StillGoneResponse};
use tonic::{Request, Response, Status};

use crate::client::{Sessions, session_channel};

/// What it knows.
#[derive(Default)]
pub struct House {
    gone: Mutex<HashSet<String>>,
    /// It answers UNAVAILABLE.
    pub away: AtomicBool,
    /// It does not answer at all.
    pub silent: AtomicBool,
    /// How often it was asked.
    pub asked: AtomicUsize,
}

struct Door(Arc<House>);

impl House {
    /// The way to it.
    pub fn sessions(self: &Arc<Self>, time: SharedTime) -> Sessions {
        let server = PresenceServiceServer::new(Door(Arc::clone(self)));
        Sessions::new(session_channel(server), time)
    }

    /// Says whether a player is gone from now on.
    pub fn set(&self, player_id: &str, gone: bool) {
        let mut players = self.gone.lock().unwrap();
        if gone {
            players.insert(player_id.to_owned())
        } else {
            players.remove(player_id)
        };
    }

    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

#[tonic::async_trait]
impl PresenceService for Door {
    async fn still_gone(
        &self,
        request: Request<StillGoneRequest>,
    ) -> Result<Response<StillGoneResponse>, Status> {
        self.0.asked.fetch_add(1, Ordering::Relaxed);
        if self.0.silent.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        if self.0.away.load(Ordering::Relaxed) {
            return Err(Status::unavailable("away"));
        }
        let gone = self.0.gone.lock().unwrap().contains(&request.into_inner().player_id);
        Ok(Response::new(StillGoneResponse { gone }))
    }
}
