//! What the other services ask: results on their way to the ledger, and games that are due.

use std::sync::Arc;

use prost::Message;
use tengen_kit::fields::Fields;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_live::Live;
use tengen_proto::internal::v1 as internal;
use tengen_proto::internal::v1::game_control_service_server::GameControlService;
use tengen_proto::internal::v1::results_service_server::ResultsService;
use tengen_proto::time::{duration, duration_ms, timestamp};
use tengen_table::Presence;
use tonic::{Request, Response, Status};

use crate::error;
use crate::record::Changes;
use crate::store::Games;

/// The longest a call waits for the first result.
const MOST_WAIT_MS: i64 = 30_000;
/// A delay longer than this is no delay of a network.
const MOST_LAG_MS: i64 = 60_000;

/// Results and due games.
#[derive(Clone)]
pub struct Control {
    /// The games.
    pub games: Arc<Games>,
    /// Their live state.
    pub live: Arc<dyn Live>,
    /// What a waiting call is timed by.
    pub time: SharedTime,
    /// Ends waiting calls.
    pub shutdown: Shutdown,
}

#[tonic::async_trait]
impl GameControlService for Control {
    async fn due(
        &self,
        request: Request<internal::DueRequest>,
    ) -> Result<Response<internal::DueResponse>, Status> {
        let id = request.into_inner().game_id;
        let mut fields = Fields::new();
        fields.id("game_id", &id);
        fields.finish()?;
        let next_due = self.games.due(&id).await?.map(timestamp);
        Ok(Response::new(internal::DueResponse { next_due }))
    }

    async fn lag_measured(
        &self,
        request: Request<internal::LagMeasuredRequest>,
    ) -> Result<Response<internal::LagMeasuredResponse>, Status> {
        let internal::LagMeasuredRequest { game_id, player_id, lag } = request.into_inner();
        let mut fields = Fields::new();
        fields.id("game_id", &game_id);
        fields.id("player_id", &player_id);
        let lag_ms = lag.as_ref().and_then(duration_ms);
        fields.range("lag", lag_ms.unwrap_or(-1), 0..=MOST_LAG_MS);
        let lag_ms = fields.complete(lag_ms)?;
        let least_ms = self.games.measure(&game_id, &player_id, lag_ms).await?;
        Ok(Response::new(internal::LagMeasuredResponse { lag: Some(duration(least_ms)) }))
    }

    async fn player_gone(
        &self,
        request: Request<internal::PlayerGoneRequest>,
    ) -> Result<Response<internal::PlayerGoneResponse>, Status> {
        let internal::PlayerGoneRequest { player_id, presence_number } = request.into_inner();
        check_word(&player_id, presence_number)?;
        let word = Presence::Gone { number: presence_number };
        let games = self.games.tell_all(&player_id, word).await?;
        let games = i32::try_from(games).unwrap_or(i32::MAX);
        Ok(Response::new(internal::PlayerGoneResponse { games }))
    }

    async fn player_back(
        &self,
        request: Request<internal::PlayerBackRequest>,
    ) -> Result<Response<internal::PlayerBackResponse>, Status> {
        let internal::PlayerBackRequest { player_id, presence_number } = request.into_inner();
        check_word(&player_id, presence_number)?;
        let word = Presence::Back { number: presence_number };
        self.games.tell_all(&player_id, word).await?;
        Ok(Response::new(internal::PlayerBackResponse {}))
    }
}

fn check_word(player_id: &str, number: i64) -> Result<(), Refusal> {
    let mut fields = Fields::new();
    fields.id("player_id", player_id);
    fields.range("presence_number", number, 1..=i64::MAX);
    fields.finish()
}

#[tonic::async_trait]
impl ResultsService for Control {
    async fn take_results(
        &self,
        request: Request<internal::TakeResultsRequest>,
    ) -> Result<Response<internal::TakeResultsResponse>, Status> {
        let internal::TakeResultsRequest { most, wait } = request.into_inner();
        let wait_ms = wait.as_ref().map_or(Some(0), duration_ms);
        let mut fields = Fields::new();
        fields.range("most", most.into(), 1..=100);
        fields.range("wait", wait_ms.unwrap_or(-1), 0..=MOST_WAIT_MS);
        fields.finish()?;
        let until_ms = self.time.now_ms().saturating_add(wait_ms.unwrap_or(0));
        tokio::select! {
            biased;
            waited = self.live.outbox_wait() => waited.map_err(|error| error::live(&error))?,
            () = self.time.until(until_ms) => {}
            () = self.shutdown.begun() => {}
        }
        let most = usize::try_from(most).unwrap_or(1);
        let waiting = self.live.outbox_take(most).await.map_err(|error| error::live(&error))?;
        let results = waiting.iter().filter_map(|outgoing| {
            let result = internal::GameResult::decode(outgoing.body.as_ref());
            if let Err(error) = &result {
                tracing::error!(result_id = outgoing.id, %error, "a result cannot be read");
            }
            result.ok()
        });
        Ok(Response::new(internal::TakeResultsResponse { results: results.collect() }))
    }

    async fn acknowledge_results(
        &self,
        request: Request<internal::AcknowledgeResultsRequest>,
    ) -> Result<Response<internal::AcknowledgeResultsResponse>, Status> {
        let internal::AcknowledgeResultsRequest { result_ids, deferred_ids, changes } =
            request.into_inner();
        let all = result_ids.len().saturating_add(deferred_ids.len());
        let mut fields = Fields::new();
        fields.range("result_ids", i64::try_from(all).unwrap_or(i64::MAX), 1..=100);
        fields.finish()?;
        if !deferred_ids.is_empty() {
            self.live.outbox_defer(&deferred_ids).await.map_err(|error| error::live(&error))?;
        }
        for result_id in &result_ids {
            let made = changes.iter().find(|made| made.result_id == *result_id);
            let made = Changes(made.map(Message::encode_to_vec).unwrap_or_default());
            self.games.archive(result_id, &made).await?;
        }
        self.live.outbox_acknowledge(&result_ids).await.map_err(|error| error::live(&error))?;
        Ok(Response::new(internal::AcknowledgeResultsResponse {}))
    }
}

#[cfg(test)]
mod tests {
    use tengen_kit::sql;
    use tengen_kit::time::ManualTime;
    use tengen_live::{Commit, Head, Memory, Outgoing, Relabel, Settings};
    use tonic::Code;

    use super::*;
    use crate::archive::Archive;
    use crate::service::stand_in::House;

    /// A service over an outbox that holds the results of these games.
    async fn control(folder: &std::path::Path, game_ids: &[&str]) -> Control {
        let time = ManualTime::new(1_767_225_600_000).shared();
        let live: Arc<dyn Live> = Arc::new(Memory::new(time.clone(), Settings::default()));
        for game_id in game_ids {
            let result_id = format!("{game_id}:1");
            let result = internal::GameResult { result_id: result_id.clone(), ..<_>::default() };
            let body = result.encode_to_vec().into();
            let commit = Commit {
                expected: None,
                outages: 0,
                head: Head { sequence: 1, hash: [1; 16] },
                entries: vec!["end".into()],
                next_due_ms: None,
                outbox: Some(Outgoing { id: result_id, body }),
                ended: true,
                relabel: Relabel::default(),
            };
            live.commit(game_id, commit).await.unwrap();
        }
        let database = sql::pool(&format!("sqlite://{}/games.db", folder.display())).unwrap();
        let sessions = Arc::new(House::default()).sessions(Arc::clone(&time));
        let herald = crate::store::tests::deaf(sessions.clone());
        let games = Games::new(Arc::clone(&live), Archive::new(database), sessions, herald, 10);
        Control { games: Arc::new(games), live, time, shutdown: Shutdown::new() }
    }

    async fn taken(control: &Control, most: i32) -> Vec<String> {
        let request = internal::TakeResultsRequest { most, wait: None };
        let answer = control.take_results(Request::new(request)).await.unwrap().into_inner();
        answer.results.into_iter().map(|result| result.result_id).collect()
    }

    #[tokio::test]
    async fn results_that_are_deferred_come_behind_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let control = control(folder.path(), &["g01-a", "g01-b"]).await;
        assert_eq!(taken(&control, 1).await, ["g01-a:1"]);
        let deferred_ids = vec!["g01-a:1".to_owned()];
        let request = internal::AcknowledgeResultsRequest { deferred_ids, ..<_>::default() };
        control.acknowledge_results(Request::new(request)).await.unwrap();
        assert_eq!(taken(&control, 1).await, ["g01-b:1"]);
        assert_eq!(taken(&control, 2).await, ["g01-b:1", "g01-a:1"]);
    }

    #[tokio::test]
    async fn a_word_of_presence_names_a_player_and_has_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let control = control(folder.path(), &[]).await;
        for (player_id, presence_number, code) in [
            ("nobody-yet", 1, Code::Ok),
            ("nobody-yet", i64::MAX, Code::Ok),
            ("nobody-yet", 0, Code::InvalidArgument),
            ("", 1, Code::InvalidArgument),
        ] {
            let player_id = player_id.to_owned();
            let gone =
                internal::PlayerGoneRequest { player_id: player_id.clone(), presence_number };
            let back = internal::PlayerBackRequest { player_id, presence_number };
            let gone = control.player_gone(Request::new(gone)).await.map(drop);
            let back = control.player_back(Request::new(back)).await.map(drop);
            for told in [gone, back] {
                assert_eq!(told.map_or_else(|status| status.code(), |()| Code::Ok), code);
            }
        }
    }

    #[tokio::test]
    async fn an_acknowledgement_is_of_one_to_a_hundred_results() {
        let folder = tempfile::tempdir().unwrap();
        let control = control(folder.path(), &[]).await;
        for (held, deferred) in [(0, 0), (101, 0), (1, 100)] {
            let ids = |number| vec!["g01-a:1".to_owned(); number];
            let (result_ids, deferred_ids) = (ids(held), ids(deferred));
            let request =
                internal::AcknowledgeResultsRequest { result_ids, deferred_ids, ..<_>::default() };
            let refused = control.acknowledge_results(Request::new(request)).await.unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument, "{held} {deferred}");
        }
    }
}
