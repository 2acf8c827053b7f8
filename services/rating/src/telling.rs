//! Tells the session service of ledger rows, so that players learn at once that their levels moved.
//!
//! What is to be told stands in SQL since the booking, and is forgotten when session has taken it: at
//! least once each, whoever is away meanwhile. Bookings never wait for it.

use std::collections::VecDeque;

use tengen_kit::client::ServiceChannel;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tengen_proto::internal::v1::presence_service_client::PresenceServiceClient;
use tonic::Code;

use crate::convert;
use crate::error::StoreError;
use crate::store::{Entry, Store};

/// Notices taken at once.
const MOST: i64 = 50;
/// From one lot to the next, so that bookings keep what a process and its database can do.
const BETWEEN_MS: i64 = 200;
/// Notices that a process took are left to it for so long, even if it is gone.
const CLAIM_MS: i64 = 30_000;
/// A process that books nothing looks after the notices of others this often.
const LOOK_MS: i64 = 5_000;
/// A notice as old as that is news to nobody; the ledger has what it would tell.
const KEPT_MS: i64 = 7 * 86_400_000;
const SHORTEST_PAUSE_MS: i64 = 1_000;
const LONGEST_PAUSE_MS: i64 = 30_000;

pub(crate) struct Telling {
    presence: PresenceServiceClient<ServiceChannel>,
    store: Store,
    time: SharedTime,
    /// Claimed and not told yet.
    left: VecDeque<Entry>,
    claimed_until_ms: i64,
}

/// What a round came to.
enum Round {
    /// Notices were told: there may be more.
    Went,
    /// There was none.
    Idle,
    /// Session or the database does not take part.
    Stuck(String),
}

impl Telling {
    pub(crate) fn new(
        presence: PresenceServiceClient<ServiceChannel>,
        store: Store,
        time: SharedTime,
    ) -> Self {
        Self { presence, store, time, left: VecDeque::new(), claimed_until_ms: 0 }
    }

    /// Runs until the shutdown begins. Cut anywhere, it loses nothing.
    pub(crate) async fn run(mut self, shutdown: Shutdown) {
        tokio::select! {
            () = shutdown.begun() => {}
            () = self.forever() => {}
        }
    }

    async fn forever(&mut self) {
        let mut booked = self.store.booked();
        let mut pause_ms = SHORTEST_PAUSE_MS;
        loop {
            match self.round().await {
                Round::Went => {
                    pause_ms = SHORTEST_PAUSE_MS;
                    self.pause(BETWEEN_MS).await;
                }
                Round::Idle => {
                    pause_ms = SHORTEST_PAUSE_MS;
                    tokio::select! {
                        _ = booked.changed() => {}
                        () = self.pause(LOOK_MS) => {}
                    }
                }
                Round::Stuck(why) => {
                    if pause_ms == SHORTEST_PAUSE_MS {
                        tracing::warn!(why, "players are told of their ratings later");
                    }
                    self.pause(pause_ms).await;
                    pause_ms = LONGEST_PAUSE_MS.min(pause_ms * 2);
                }
            }
        }
    }

    async fn pause(&self, ms: i64) {
        self.time.until(self.time.now_ms().saturating_add(ms)).await;
    }

    async fn round(&mut self) -> Round {
        if let Err(error) = self.claim().await {
            return Round::Stuck(error.to_string());
        }
        if self.left.is_empty() {
            return Round::Idle;
        }
        let mut told = Vec::new();
        let mut stuck = None;
        while let Some(entry) = self.left.pop_front() {
            if let Err(why) = self.tell(&entry).await {
                self.left.push_front(entry);
                stuck = Some(why);
                break;
            }
            told.push(entry);
        }
        if let Err(error) = self.store.told(&told).await {
            // They are claimed, and told again, when the claim has run out.
            return Round::Stuck(error.to_string());
        }
        stuck.map_or(Round::Went, Round::Stuck)
    }

    /// Takes notices, unless some are left that are still this process's to tell.
    async fn claim(&mut self) -> Result<(), StoreError> {
        let now_ms = self.time.now_ms();
        if !self.left.is_empty() && now_ms < self.claimed_until_ms {
            return Ok(());
        }
        self.left.clear();
        self.store.forget_notices(now_ms.saturating_sub(KEPT_MS)).await?;
        self.claimed_until_ms = now_ms.saturating_add(CLAIM_MS);
        self.left = self.store.claim_notices(self.claimed_until_ms, MOST).await?.into();
        Ok(())
    }

    /// Tells one player; a notice that is refused for what it is has been told, too.
    async fn tell(&mut self, entry: &Entry) -> Result<(), String> {
        let request = convert::notice(self.store.ladder(), entry);
        let key = request.key.clone();
        match self.presence.notify(request).await {
            Ok(_) => Ok(()),
            Err(status) if matches!(status.code(), Code::InvalidArgument | Code::NotFound) => {
                tracing::warn!(key, message = status.message(), "a notice is refused");
                Ok(())
            }
            Err(status) => Err(format!("{}: {}", status.code(), status.message())),
        }
    }
}
