//! Those who watch a game, without an account.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tengen_proto::game::v1::WatchGameResponse;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Code, Streaming};

use super::grpc::watching;
use crate::error::{ToolError, failed, refused};

/// What all watchers together were told.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Messages.
    pub(super) messages: AtomicU64,
    /// Watchers that were cut, as they read too slowly.
    pub(super) cut: AtomicU64,
}

/// The watchers of one game. Dropping them ends their streams.
pub(super) struct Watchers {
    _readers: JoinSet<()>,
}

impl Watchers {
    /// Lets so many watch a game, spread over the connections; each has been told where it stands.
    pub(super) async fn open(
        lines: &[Channel],
        game_id: &str,
        many: usize,
        heard: &Arc<Heard>,
    ) -> Result<Self, ToolError> {
        let mut opening = JoinSet::new();
        for line in lines.iter().cycle().take(many) {
            opening.spawn(open(line.clone(), game_id.to_owned()));
        }
        let mut readers = JoinSet::new();
        while let Some(opened) = opening.join_next().await {
            let stream = opened.map_err(|error| failed("watching a game", error))??;
            readers.spawn(read(stream, Arc::clone(heard)));
        }
        Ok(Self { _readers: readers })
    }
}

async fn open(line: Channel, game_id: String) -> Result<Streaming<WatchGameResponse>, ToolError> {
    let what = "watching a game";
    let stream = GameServiceClient::new(line).watch_game(watching(&game_id)).await;
    let mut stream = stream.map_err(refused(what))?.into_inner();
    stream.message().await.map_err(refused(what))?.ok_or_else(|| failed(what, "no snapshot"))?;
    Ok(stream)
}

async fn read(mut stream: Streaming<WatchGameResponse>, heard: Arc<Heard>) {
    loop {
        match stream.message().await {
            Ok(Some(_)) => heard.messages.fetch_add(1, Ordering::Relaxed),
            Ok(None) => return,
            Err(status) => {
                if status.code() == Code::ResourceExhausted {
                    heard.cut.fetch_add(1, Ordering::Relaxed);
                }
                return;
            }
        };
    }
}
