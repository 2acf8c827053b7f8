//! Takes results from the game service, books each once, acknowledges what is booked.
//!
//! A result is delivered until it is acknowledged, and acknowledged only when the ledger holds it.
//! So neither a crash nor an outage loses one, and the ledger's own key lets none in twice. Games
//! that have no player in common are booked side by side.

use std::collections::HashSet;
use std::pin::pin;

use futures_util::StreamExt;
use futures_util::stream;
use tengen_kit::client::ServiceChannel;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql::{self, Failure};
use tengen_kit::time::SharedTime;
use tengen_proto::internal::v1 as internal;
use tengen_proto::internal::v1::results_service_client::ResultsServiceClient;
use tengen_proto::time::duration;
use tonic::Status;

use crate::convert;
use crate::error::StoreError;
use crate::store::{GameEnd, Moved, Store};
use crate::traces::Traces;
use crate::waves::waves;

/// Results taken at once.
const MOST: i32 = 100;
/// How long the game service waits for the first result; less than a call over a
/// [`ServiceChannel`] may take.
const WAIT_MS: i64 = 3_000;
const SHORTEST_PAUSE_MS: i64 = 100;
/// After an outage results are booked within a few seconds (fault F6).
const LONGEST_PAUSE_MS: i64 = 2_000;

pub(crate) struct Intake {
    results: ResultsServiceClient<ServiceChannel>,
    store: Store,
    time: SharedTime,
    /// Results that stay unacknowledged and were logged; they come again and again.
    reported: HashSet<String>,
}

/// What became of one result.
enum Fate {
    /// The ledger holds it, and moved this by it.
    Held(Vec<Moved>),
    /// It cannot be booked as it is, and why.
    Left(String),
    /// The ledger does not answer.
    Down,
}

/// What a round came to.
enum Round {
    /// Something was booked, or there was nothing: on at once.
    Went,
    /// Nothing could be acknowledged: on after a pause.
    Stuck,
}

impl Intake {
    pub(crate) fn new(
        results: ResultsServiceClient<ServiceChannel>,
        store: Store,
        time: SharedTime,
    ) -> Self {
        Self { results, store, time, reported: HashSet::new() }
    }

    /// Runs until the shutdown begins. Cut anywhere, it loses nothing.
    pub(crate) async fn run(mut self, shutdown: Shutdown) {
        tokio::select! {
            () = shutdown.begun() => {}
            () = self.forever() => {}
        }
    }

    async fn forever(&mut self) {
        let mut pause_ms = SHORTEST_PAUSE_MS;
        loop {
            match self.round().await {
                Ok(Round::Went) => {
                    pause_ms = SHORTEST_PAUSE_MS;
                    continue;
                }
                Ok(Round::Stuck) => {}
                Err(status) => {
                    let (code, message) = (status.code(), status.message());
                    tracing::warn!(%code, message, "the results cannot be taken");
                }
            }
            self.time.until(self.time.now_ms().saturating_add(pause_ms)).await;
            pause_ms = LONGEST_PAUSE_MS.min(pause_ms * 2);
        }
    }

    async fn round(&mut self) -> Result<Round, Status> {
        let asked_ms = self.time.now_ms();
        let request = internal::TakeResultsRequest { most: MOST, wait: Some(duration(WAIT_MS)) };
        let results = self.results.take_results(request).await?.into_inner().results;
        if results.is_empty() {
            let waited_ms = self.time.now_ms().saturating_sub(asked_ms);
            // One that does not wait is about to end.
            return Ok(if waited_ms < WAIT_MS / 2 { Round::Stuck } else { Round::Went });
        }
        let named = results.iter().map(|result| (&*result.result_id, &*result.traceparent));
        let traces = Traces::of(named);
        let request = self.book(results, &traces).await;
        let went = !request.result_ids.is_empty();
        if went || !request.deferred_ids.is_empty() {
            let span = traces.of_all(&request.result_ids);
            span.around(self.results.acknowledge_results(request)).await?;
        }
        Ok(if went { Round::Went } else { Round::Stuck })
    }

    /// Books what can be booked; gives what the ledger holds now, and what it cannot hold.
    async fn book(
        &mut self,
        results: Vec<internal::GameResult>,
        traces: &Traces,
    ) -> internal::AcknowledgeResultsRequest {
        let mut done = internal::AcknowledgeResultsRequest::default();
        let mut ends = Vec::new();
        for result in results {
            let result_id = result.result_id.clone();
            match convert::game_end(result) {
                Ok(end) => ends.push(end),
                Err(refusal) => {
                    self.report(&result_id, &refusal.to_string());
                    done.deferred_ids.push(result_id);
                }
            }
        }
        for wave in waves(ends) {
            let store = self.store.clone();
            let bookings =
                stream::iter(wave).map(|end| traces.of_one(&end).around(book(&store, end)));
            let mut booked = pin!(bookings.buffer_unordered(store.writers()));
            while let Some((result_id, fate)) = booked.next().await {
                match fate {
                    Fate::Held(moved) => {
                        self.reported.remove(&result_id);
                        done.changes.extend(convert::changes(store.ladder(), &result_id, &moved));
                        done.result_ids.push(result_id);
                    }
                    Fate::Left(why) => {
                        self.report(&result_id, &why);
                        done.deferred_ids.push(result_id);
                    }
                    // Each of the others would wait as long to learn the same.
                    Fate::Down => return done,
                }
            }
        }
        done
    }

    /// Logs a result that stays where it is, once.
    fn report(&mut self, result_id: &str, why: &str) {
        if self.reported.insert(result_id.to_owned()) {
            tracing::error!(result_id, why, "a result cannot be booked; it stays in the outbox");
        }
    }
}

async fn book(store: &Store, end: GameEnd) -> (String, Fate) {
    let fate = match store.book(&end).await {
        Ok(moved) => Fate::Held(moved),
        Err(StoreError::Sql(error)) if sql::classify(&error) == Failure::Transient => {
            tracing::warn!(end.result_id, %error, "the ledger does not answer");
            Fate::Down
        }
        Err(error) => Fate::Left(error.to_string()),
    };
    (end.result_id, fate)
}
