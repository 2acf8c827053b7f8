//! The ways to the replicas of a service, and the policy of a good client: a call that fails for
//! want of a replica is made again on another, with the same request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::uri::PathAndQuery;
use tengen_kit::client;
use tengen_kit::time::SharedTime;
use tengen_proto::game::v1::{WatchGameRequest, WatchGameResponse};
use tokio::time::timeout;
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

use crate::ask::Ask;

/// The deadline of one try.
const TRY: Duration = Duration::from_millis(2_000);
/// Of the opening of a stream, and what its opener waits beyond the deadline it named.
const BEYOND: Duration = Duration::from_millis(1_000);
const SHORTEST_WAIT_MS: i64 = 20;
const LONGEST_WAIT_MS: i64 = 400;
/// How long a call is tried before it has failed for good.
pub const PATIENCE_MS: i64 = 90_000;

/// One connection to each replica of a service, made when it is needed.
pub struct Ways {
    channels: Vec<Channel>,
    turn: AtomicUsize,
    time: SharedTime,
}

/// What became of a call, all its tries together.
#[derive(Debug)]
pub struct Told<T> {
    pub outcome: Result<T, Status>,
    pub asked_ms: i64,
    pub answered_ms: i64,
    /// The tries before.
    pub failed: Vec<Failed>,
}

/// A try that another followed.
#[derive(Debug, Clone)]
pub struct Failed {
    pub at_ms: i64,
    pub took_ms: i64,
    pub code: Code,
    /// Whether a replica said so, and not the connection.
    pub said: bool,
}

impl Ways {
    pub fn to(urls: impl IntoIterator<Item = String>, time: &SharedTime) -> Arc<Self> {
        let way = |url: String| client::endpoint(&url).expect("an address").connect_lazy();
        let channels = urls.into_iter().map(way).collect();
        Arc::new(Self { channels, turn: AtomicUsize::new(0), time: Arc::clone(time) })
    }

    pub fn count(&self) -> usize {
        self.channels.len()
    }

    pub fn time(&self) -> &SharedTime {
        &self.time
    }

    /// The next replica in turn.
    pub fn any(&self) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed) % self.channels.len()
    }

    /// Another than this one, if there is one: not the same for all, who would crowd it.
    pub fn other(&self, replica: usize) -> usize {
        let count = self.count();
        if count == 1 { 0 } else { (replica + rand::random_range(1..count)) % count }
    }

    /// Asks one replica, once.
    pub async fn once<A: Ask>(
        &self,
        replica: usize,
        token: Option<&str>,
        message: &A,
    ) -> Result<A::Answer, Status> {
        let mut request = asked(message.clone(), token);
        request.set_timeout(TRY);
        within(TRY + BEYOND, call(&self.channels[replica], request)).await
    }

    /// Asks until there is an answer: a refusal is one, the want of a replica is not.
    pub async fn ask<A: Ask>(&self, token: Option<&str>, message: &A) -> Told<A::Answer> {
        self.ask_until(self.any(), |replica| self.other(replica), token, message).await
    }

    /// Asks one replica until it answers.
    pub async fn ask_at<A: Ask>(
        &self,
        replica: usize,
        token: Option<&str>,
        message: &A,
    ) -> Told<A::Answer> {
        self.ask_until(replica, |replica| replica, token, message).await
    }

    async fn ask_until<A: Ask>(
        &self,
        mut replica: usize,
        next: impl Fn(usize) -> usize,
        token: Option<&str>,
        message: &A,
    ) -> Told<A::Answer> {
        let asked_ms = self.time.now_ms();
        let (mut failed, mut waits) = (Vec::new(), Waits::new(self.count()));
        loop {
            let at_ms = self.time.now_ms();
            let outcome = self.once(replica, token, message).await;
            let answered_ms = self.time.now_ms();
            match outcome {
                Err(status) if again(&status) && answered_ms - asked_ms < PATIENCE_MS => {
                    failed.push(Failed::of(&status, at_ms, answered_ms));
                }
                outcome => return Told { outcome, asked_ms, answered_ms, failed },
            }
            replica = next(replica);
            waits.next(&self.time).await;
        }
    }

    /// Opens the stream of a game at one replica.
    pub async fn watch(
        &self,
        replica: usize,
        request: WatchGameRequest,
    ) -> Result<Streaming<WatchGameResponse>, Status> {
        let opened = async {
            let mut grpc = ready(&self.channels[replica]).await?;
            let path = PathAndQuery::from_static("/tengen.game.v1.GameService/WatchGame");
            grpc.server_streaming(Request::new(request), path, ProstCodec::default()).await
        };
        Ok(within(TRY + BEYOND, opened).await?.into_inner())
    }
}

impl<T> Told<T> {
    /// The answer, which is no refusal.
    #[track_caller]
    pub fn answer(self) -> T {
        let Self { outcome, failed, .. } = self;
        outcome.unwrap_or_else(|status| panic!("{status:?} after {failed:?}"))
    }
}

impl Failed {
    fn of(status: &Status, at_ms: i64, now_ms: i64) -> Self {
        let said = status.get_details_error_info().is_some();
        Self { at_ms, took_ms: now_ms - at_ms, code: status.code(), said }
    }
}

/// Whether another try may do better: no replica was there, it ended, or it could not answer.
pub fn again(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable | Code::DeadlineExceeded | Code::Aborted => true,
        // The connection's word, not a replica's.
        _ => status.get_details_error_info().is_none(),
    }
}

/// The waits between tries: none until every replica was tried, then longer and longer ones.
pub struct Waits {
    free: usize,
    ms: i64,
}

impl Waits {
    pub fn new(replicas: usize) -> Self {
        Self { free: replicas - 1, ms: SHORTEST_WAIT_MS }
    }

    pub async fn next(&mut self, time: &SharedTime) {
        if self.free > 0 {
            self.free -= 1;
            return;
        }
        // Not all at once.
        let ms = rand::random_range(self.ms / 2..=self.ms);
        time.until(time.now_ms() + ms).await;
        self.ms = LONGEST_WAIT_MS.min(self.ms * 2);
    }
}

/// Asks at the other end of a connection, once.
pub async fn call<A: Ask>(channel: &Channel, request: Request<A>) -> Result<A::Answer, Status> {
    let mut grpc = ready(channel).await?;
    let path = PathAndQuery::from_static(A::PATH);
    Ok(grpc.unary(request, path, ProstCodec::default()).await?.into_inner())
}

/// A request of whoever has this token.
pub fn asked<T>(message: T, token: Option<&str>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(token) = token {
        let value = format!("Bearer {token}").parse().expect("a token is ASCII");
        request.metadata_mut().insert("authorization", value);
    }
    request
}

async fn ready(channel: &Channel) -> Result<Grpc<Channel>, Status> {
    let mut grpc = Grpc::new(channel.clone());
    let ready = grpc.ready().await;
    ready.map_err(|error| Status::unavailable(error.to_string()))?;
    Ok(grpc)
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    let late = |_| Err(Status::deadline_exceeded("no answer"));
    timeout(limit, work).await.unwrap_or_else(late)
}
