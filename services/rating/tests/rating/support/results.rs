//! The results service, as the game service has it, with faults that can be switched on.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prost::Message;
use tengen_kit::time::SharedTime;
use tengen_live::{Commit, Head, Live, Memory, Outgoing, Relabel};
use tengen_proto::internal::v1 as internal;
use tengen_proto::internal::v1::results_service_server::ResultsService;
use tengen_proto::time::duration_ms;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

#[derive(Clone)]
pub(crate) struct Results {
    live: Memory,
    time: SharedTime,
    faults: Arc<Faults>,
}

/// Each number of calls goes wrong before the next goes well.
pub(crate) struct Faults {
    /// Taking fails.
    pub(crate) takes: AtomicUsize,
    /// Each result comes so many times more in one answer.
    pub(crate) copies: AtomicUsize,
    /// The acknowledgement is lost: the caller hears that it failed.
    pub(crate) acknowledgements: AtomicUsize,
    /// An acknowledgement is never answered: whoever asked is about to die.
    pub(crate) hang: AtomicUsize,
    /// When TakeResults was called.
    pub(crate) taken: watch::Sender<Vec<i64>>,
    /// Calls of AcknowledgeResults so far, lost ones among them.
    pub(crate) asked: watch::Sender<usize>,
    /// The ids of results that were acknowledged so far.
    pub(crate) acknowledged: watch::Sender<HashSet<String>>,
    /// What was told of results that moved levels, each time it was.
    pub(crate) changes: watch::Sender<Vec<internal::ResultChanges>>,
}

impl Results {
    pub(crate) fn new(live: Memory, time: SharedTime) -> Self {
        let faults = Arc::new(Faults {
            takes: AtomicUsize::new(0),
            copies: AtomicUsize::new(0),
            acknowledgements: AtomicUsize::new(0),
            hang: AtomicUsize::new(0),
            taken: watch::Sender::new(Vec::new()),
            asked: watch::Sender::new(0),
            acknowledged: watch::Sender::new(HashSet::new()),
            changes: watch::Sender::new(Vec::new()),
        });
        Self { live, time, faults }
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Ends a game: its result goes into the outbox in the commit that ends its record.
    pub(crate) async fn send(&self, result: &internal::GameResult) {
        let expected = self.live.head(&result.game_id).await.unwrap();
        let sequence = expected.map_or(0, |head| head.sequence) + 1;
        let commit = Commit {
            expected,
            head: Head { sequence, hash: [u8::try_from(sequence).unwrap(); 16] },
            entries: vec!["end".into()],
            next_due_ms: None,
            outages: 0,
            outbox: Some(Outgoing {
                id: result.result_id.clone(),
                body: result.encode_to_vec().into(),
            }),
            ended: true,
            relabel: Relabel::default(),
        };
        self.live.commit(&result.game_id, commit).await.unwrap();
    }

    /// Waits until so many results were acknowledged since the start.
    pub(crate) async fn until_acknowledged(&self, results: usize) {
        let mut acknowledged = self.faults.acknowledged.subscribe();
        acknowledged.wait_for(|so_far| so_far.len() >= results).await.unwrap();
    }

    /// Sends results and waits until they are booked.
    pub(crate) async fn settle(&self, results: &[internal::GameResult]) {
        let before = self.faults.acknowledged.borrow().len();
        for result in results {
            self.send(result).await;
        }
        self.until_acknowledged(before + results.len()).await;
    }

    /// Ids that wait in the outbox.
    pub(crate) async fn waiting(&self) -> Vec<String> {
        let waiting = self.live.outbox_take(usize::MAX).await.unwrap();
        waiting.into_iter().map(|outgoing| outgoing.id).collect()
    }
}

#[tonic::async_trait]
impl ResultsService for Results {
    async fn take_results(
        &self,
        request: Request<internal::TakeResultsRequest>,
    ) -> Result<Response<internal::TakeResultsResponse>, Status> {
        let request = request.into_inner();
        self.faults.taken.send_modify(|calls| calls.push(self.time.now_ms()));
        if goes_wrong(&self.faults.takes) {
            return Err(Status::unavailable("no results now"));
        }
        let wait_ms = request.wait.as_ref().and_then(duration_ms).unwrap();
        assert!((0..=30_000).contains(&wait_ms) && (1..=100).contains(&request.most));
        tokio::select! {
            waited = self.live.outbox_wait() => waited.unwrap(),
            () = self.time.until(self.time.now_ms() + wait_ms) => {}
        }
        let most = usize::try_from(request.most).unwrap();
        let times = 1 + self.faults.copies.load(Ordering::Relaxed);
        let waiting = self.live.outbox_take(most).await.unwrap();
        let decode = |outgoing: &Outgoing| internal::GameResult::decode(outgoing.body.clone());
        let results = waiting.iter().flat_map(|outgoing| vec![decode(outgoing).unwrap(); times]);
        Ok(Response::new(internal::TakeResultsResponse { results: results.collect() }))
    }

    async fn acknowledge_results(
        &self,
        request: Request<internal::AcknowledgeResultsRequest>,
    ) -> Result<Response<internal::AcknowledgeResultsResponse>, Status> {
        self.faults.asked.send_modify(|calls| *calls += 1);
        if goes_wrong(&self.faults.hang) {
            std::future::pending::<()>().await;
        }
        if goes_wrong(&self.faults.acknowledgements) {
            return Err(Status::unavailable("not heard"));
        }
        let internal::AcknowledgeResultsRequest { result_ids, deferred_ids, changes } =
            request.into_inner();
        self.faults.changes.send_modify(|all| all.extend(changes));
        self.live.outbox_defer(&deferred_ids).await.unwrap();
        self.live.outbox_acknowledge(&result_ids).await.unwrap();
        self.faults.acknowledged.send_modify(|results| results.extend(result_ids));
        Ok(Response::new(internal::AcknowledgeResultsResponse {}))
    }
}

fn goes_wrong(faults: &AtomicUsize) -> bool {
    faults.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
}
