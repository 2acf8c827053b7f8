//! The presence service, as the session service has it, which can be told to fail.

use std::sync::Arc;

use tengen_kit::time::SharedTime;
use tengen_proto::internal::v1 as internal;
use tengen_proto::internal::v1::presence_service_server::PresenceService;
use tokio::sync::watch;
use tonic::{Code, Request, Response, Status};

#[derive(Clone)]
pub(crate) struct Presence(Arc<State>);

struct State {
    /// What Notify answers; `Ok` is well.
    answer: watch::Sender<Code>,
    time: SharedTime,
    /// When Notify was called.
    asked: watch::Sender<Vec<i64>>,
    /// What was told, each time it was.
    told: watch::Sender<Vec<internal::NotifyRequest>>,
}

impl Presence {
    pub(crate) fn new(time: SharedTime) -> Self {
        Self(Arc::new(State {
            answer: watch::Sender::new(Code::Ok),
            time,
            asked: watch::Sender::new(Vec::new()),
            told: watch::Sender::new(Vec::new()),
        }))
    }

    /// From now on every notice is answered so.
    pub(crate) fn answer(&self, code: Code) {
        self.0.answer.send_replace(code);
    }

    /// When it was asked so far.
    pub(crate) fn asked(&self) -> Vec<i64> {
        self.0.asked.borrow().clone()
    }

    /// Waits until it was asked so often.
    pub(crate) async fn until_asked(&self, times: usize) {
        self.0.asked.subscribe().wait_for(|asked| asked.len() >= times).await.unwrap();
    }

    /// Waits until so many notices were told, and gives all.
    pub(crate) async fn until_told(&self, notices: usize) -> Vec<internal::NotifyRequest> {
        let mut told = self.0.told.subscribe();
        told.wait_for(|told| told.len() >= notices).await.unwrap().clone()
    }
}

#[tonic::async_trait]
impl PresenceService for Presence {
    async fn still_gone(
        &self,
        _: Request<internal::StillGoneRequest>,
    ) -> Result<Response<internal::StillGoneResponse>, Status> {
        Err(Status::unimplemented("nobody asks"))
    }

    async fn notify(
        &self,
        request: Request<internal::NotifyRequest>,
    ) -> Result<Response<internal::NotifyResponse>, Status> {
        self.0.asked.send_modify(|asked| asked.push(self.0.time.now_ms()));
        match *self.0.answer.borrow() {
            Code::Ok => {}
            code => return Err(Status::new(code, "not now")),
        }
        self.0.told.send_modify(|told| told.push(request.into_inner()));
        Ok(Response::new(internal::NotifyResponse {}))
    }
}
