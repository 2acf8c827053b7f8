//! The timekeeper: takes what is due from the due queue and tells the game service, which decides.
//!
//! It knows no game and decides nothing, so any number of them may run. A call that fails is left
//! to the lease: when that is over the game is due again, to whichever timekeeper comes first.

use std::sync::Arc;
use std::time::Duration;

use tengen_kit::shutdown::Shutdown;
use tengen_kit::telemetry::Span;
use tengen_kit::time::SharedTime;
use tengen_live::{Live, LiveError};
use tokio::task::{JoinError, JoinSet};
use tonic::{Code, Status};

use crate::back_off::BackOff;
use crate::client::Game;
use crate::config::Config;

/// The longest wait while the live state or the game service is away. With a lease that just
/// began when it came back, flags are less than a second late (fault F10).
const MOST_WAIT_MS: i64 = 200;

/// One timekeeper.
pub struct Keeper {
    game: Game,
    live: Arc<dyn Live>,
    time: SharedTime,
    shutdown: Shutdown,
    lease_ms: i64,
    batch: usize,
    most_calls: usize,
    calls: JoinSet<Result<(), Status>>,
    back_off: BackOff,
    /// The last call that ended found no game service.
    away: bool,
}

impl Keeper {
    /// A timekeeper that has not begun.
    pub fn new(
        config: Config,
        game: Game,
        live: Arc<dyn Live>,
        time: SharedTime,
        shutdown: Shutdown,
    ) -> Self {
        Self {
            game,
            live,
            time,
            shutdown,
            lease_ms: config.lease_ms,
            batch: config.batch.into(),
            most_calls: config.calls.into(),
            calls: JoinSet::new(),
            back_off: BackOff::new(MOST_WAIT_MS),
            away: false,
        }
    }

    /// Keeps time until the shutdown begins, and ends when the calls under way have.
    pub async fn keep(mut self) {
        let shutdown = self.shutdown.clone();
        loop {
            tokio::select! {
                biased;
                () = shutdown.begun() => break,
                () = self.round() => {}
            }
        }
        while self.calls.join_next().await.is_some() {}
    }

    async fn round(&mut self) {
        if let Err(error) = self.claim().await {
            tracing::warn!(%error, "the due queue does not answer");
            self.wait().await;
        }
    }

    /// Waits until something is due, takes it and begins the calls.
    async fn claim(&mut self) -> Result<(), LiveError> {
        self.live.due_wait().await?;
        if self.calls.len() >= self.most_calls
            && let Some(ended) = self.calls.join_next().await
        {
            self.note(ended);
        }
        while let Some(ended) = self.calls.try_join_next() {
            self.note(ended);
        }
        if self.away {
            self.wait().await;
        }
        let room = self.most_calls.saturating_sub(self.calls.len());
        let claims = self.live.claim_due(self.lease_ms, self.batch.min(room)).await?;
        let limit = Duration::from_millis(self.lease_ms.unsigned_abs());
        for claim in claims {
            let game = self.game.clone();
            let span = Span::root("due")
                .with("tengen.game_id", claim.id.clone())
                .with("tengen.due_ms", claim.due_ms);
            self.calls.spawn(span.around(async move {
                let told = game.due(&claim.id, limit).await;
                if let Err(status) = &told {
                    let (game_id, due_ms) = (claim.id, claim.due_ms);
                    tracing::warn!(game_id, due_ms, %status, "a due game could not be told");
                }
                told
            }));
        }
        Ok(())
    }

    fn note(&mut self, ended: Result<Result<(), Status>, JoinError>) {
        match ended {
            Ok(Ok(())) => {
                self.away = false;
                self.back_off.reset();
            }
            // It answered; another game may fare better.
            Ok(Err(status)) if status.code() == Code::NotFound => {}
            Ok(Err(_)) => self.away = true,
            Err(error) => tracing::error!(%error, "a call died"),
        }
    }

    async fn wait(&mut self) {
        let at_ms = self.time.now_ms().saturating_add(self.back_off.wait_ms());
        self.time.until(at_ms).await;
    }
}
