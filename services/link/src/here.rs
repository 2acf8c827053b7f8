//! The players who have a stream open in this process, told to the session service.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tengen_kit::client::ServiceChannel;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tengen_proto::internal::v1::PresentRequest;
use tengen_proto::internal::v1::presence_service_client::PresenceServiceClient;
use tokio::sync::Notify;
use tonic::Status;

/// How often it is told without a change; the session service forgets after three times as long.
const TELL_MS: i64 = 3_000;
/// How soon it is told again after a failure.
const AGAIN_MS: i64 = 500;

/// The players who have a stream open in this process. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Here(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// How many streams each player has.
    streams: Mutex<HashMap<Arc<str>, usize>>,
    /// Rung when somebody came or left.
    changed: Notify,
}

/// A stream of a player; dropped when it ends.
#[derive(Debug)]
pub struct Stay {
    here: Here,
    player_id: Arc<str>,
}

impl Here {
    /// A stream of this player is open from now on.
    #[must_use]
    pub fn enter(&self, player_id: &str) -> Stay {
        let player_id: Arc<str> = player_id.into();
        let streams = &mut *self.streams();
        let first = match streams.entry(Arc::clone(&player_id)) {
            Entry::Occupied(mut entry) => {
                *entry.get_mut() += 1;
                false
            }
            Entry::Vacant(entry) => {
                entry.insert(1);
                true
            }
        };
        if first {
            self.0.changed.notify_one();
        }
        Stay { here: self.clone(), player_id }
    }

    fn players(&self) -> Vec<String> {
        self.streams().keys().map(|id| id.to_string()).collect()
    }

    fn streams(&self) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
        self.0.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells `hear` who is here, at once after a change and every three seconds, until the process
    /// ends: each time with a larger number, as a call may be heard late.
    pub async fn keep_telling<Heard>(
        self,
        hear: impl Fn(PresentRequest) -> Heard,
        time: SharedTime,
        shutdown: Shutdown,
    ) where
        Heard: Future<Output = Result<(), Status>>,
    {
        let holder_id = format!("{:032x}", rand::random::<u128>());
        let (mut number, mut heard) = (0, true);
        while !shutdown.has_begun() {
            number += 1;
            let (holder_id, player_ids) = (holder_id.clone(), self.players());
            let wait_ms = match hear(PresentRequest { holder_id, number, player_ids }).await {
                Ok(()) => {
                    heard = true;
                    TELL_MS
                }
                Err(status) => {
                    if std::mem::take(&mut heard) {
                        tracing::warn!(error = status.message(), "nobody hears who is present");
                    }
                    AGAIN_MS
                }
            };
            let again_ms = time.now_ms().saturating_add(wait_ms);
            tokio::select! {
                () = self.0.changed.notified(), if wait_ms == TELL_MS => {}
                () = time.until(again_ms) => {}
                () = shutdown.begun() => {}
            }
        }
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let streams = &mut *self.here.streams();
        if let Some(count) = streams.get_mut(&self.player_id) {
            *count -= 1;
            if *count == 0 {
                streams.remove(&self.player_id);
                self.here.0.changed.notify_one();
            }
        }
    }
}

/// Tells the session service who is here, until the process ends.
pub async fn tell(here: Here, sessions: ServiceChannel, time: SharedTime, shutdown: Shutdown) {
    let hear = |request| {
        let mut client = PresenceServiceClient::new(sessions.clone());
        async move { client.present(request).await.map(drop) }
    };
    here.keep_telling(hear, time, shutdown).await;
}
