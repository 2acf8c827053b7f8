//! Channels over real sockets: replicas that die, tries, deadlines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tengen_kit::auth::{Gate, Rule, ServiceSecret, ServiceTokens, Verifier};
use tengen_kit::client::{self, ServiceChannel};
use tengen_kit::server::serve;
use tengen_kit::service::Service;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::status::Refusal;
use tengen_kit::time::{SharedTime, WallTime};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response, uri::PathAndQuery};
use tonic::server::NamedService;
use tonic::{Code, Status};
use tonic_health::pb::{FILE_DESCRIPTOR_SET, HealthCheckRequest, HealthCheckResponse};
use tonic_prost::ProstCodec;

const PATH: &str = "/test.Echo/Say";

type Handler = Arc<dyn Fn(Request<Body>) -> BoxFuture<'static, Status> + Send + Sync>;

/// Answers its only method with a status.
#[derive(Clone)]
struct Echo(Handler);

impl NamedService for Echo {
    const NAME: &'static str = "test.Echo";
}

impl tower::Service<Request<Body>> for Echo {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let status = (self.0)(request);
        Box::pin(async move { Ok(status.await.into_http()) })
    }
}

/// A replica on a runtime of its own, so that it can die at once, connections and all.
struct Replica {
    address: SocketAddr,
    calls: Arc<AtomicUsize>,
    runtime: Option<Runtime>,
}

/// Replicas of one service, and who may call it.
struct Suite {
    secret: ServiceSecret,
    time: SharedTime,
}

impl Replica {
    fn start<F>(suite: &Suite, answer: impl Fn(Request<Body>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Status> + Send + 'static,
    {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let echo = Echo(Arc::new(move |request| {
            counted.fetch_add(1, Ordering::SeqCst);
            Box::pin(answer(request))
        }));
        let verifier = Verifier::new("tengen", "tengen", Arc::clone(&suite.time));
        let verifier = verifier.with_services(&suite.secret).unwrap();
        let gate = Gate::new([Rule::new(PATH, "ROLE_SERVICE", "")], Arc::new(verifier));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            let services = vec![Service::new("echo").grpc(echo)];
            serve(listener, services, gate, FILE_DESCRIPTOR_SET, Shutdown::new()).await.unwrap();
        });
        Self { address, calls, runtime: Some(runtime) }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn kill(&mut self) {
        self.runtime.take().unwrap().shutdown_background();
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Suite {
    fn new() -> Self {
        Self { secret: ServiceSecret::generate(), time: WallTime::shared() }
    }

    fn channel<'a>(&self, replicas: impl IntoIterator<Item = &'a Replica>) -> ServiceChannel {
        let urls: Vec<_> =
            replicas.into_iter().map(|replica| format!("http://{}", replica.address)).collect();
        let tokens = ServiceTokens::new("test", &self.secret, Arc::clone(&self.time)).unwrap();
        client::channel(&urls.join(","), tokens).unwrap()
    }
}

async fn call(channel: &ServiceChannel, timeout: Option<Duration>) -> Code {
    let mut grpc = tonic::client::Grpc::new(channel.clone());
    grpc.ready().await.unwrap();
    let codec = ProstCodec::<HealthCheckRequest, HealthCheckResponse>::default();
    let mut request = tonic::Request::new(HealthCheckRequest { service: "say".to_owned() });
    if let Some(timeout) = timeout {
        request.set_timeout(timeout);
    }
    let answer = grpc.unary(request, PathAndQuery::from_static(PATH), codec).await;
    answer.unwrap_err().code()
}

/// 1,000 clients over 10 channels, each of which calls this often; what they were answered.
async fn crowd(channels: &[ServiceChannel], calls_each: usize) -> Vec<Code> {
    let mut clients = JoinSet::new();
    for client in 0..1_000 {
        let channel = channels[client % channels.len()].clone();
        clients.spawn(async move {
            let mut codes = Vec::with_capacity(calls_each);
            for _ in 0..calls_each {
                codes.push(call(&channel, None).await);
            }
            codes
        });
    }
    clients.join_all().await.into_iter().flatten().collect()
}

// fault: F24
#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_dies_costs_a_thousand_clients_nothing() {
    let suite = Suite::new();
    let say = |_| async { Status::aborted("said") };
    let mut replicas = [(); 3].map(|()| Replica::start(&suite, say));
    let channels: Vec<_> = (0..10).map(|_| suite.channel(&replicas)).collect();
    // Ten calls pay for a try, and a third of a channel's 100 clients may wait for the one that dies.
    let before = crowd(&channels, 6).await;
    assert!(before.iter().all(|code| *code == Code::Aborted));
    assert!(replicas.iter().all(|replica| replica.calls() > before.len() / 10), "all are called");

    let crowd = crowd(&channels, 6);
    let (dying, others) = replicas.split_first_mut().unwrap();
    let (codes, ()) = tokio::join!(crowd, async {
        let at = dying.calls() + 500;
        while dying.calls() < at {
            tokio::task::yield_now().await;
        }
        dying.kill();
    });
    let failed: Vec<_> = codes.iter().filter(|code| **code != Code::Aborted).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let attempts = dying.calls() + others.iter().map(Replica::calls).sum::<usize>();
    let calls = before.len() + codes.len();
    assert!(attempts * 10 <= calls * 11, "{attempts} attempts for {calls} calls");
}

// fault: F24
#[tokio::test(flavor = "multi_thread")]
async fn a_sick_replica_is_not_drowned_in_tries() {
    let suite = Suite::new();
    let well = Replica::start(&suite, |_| async { Status::aborted("said") });
    let sick = Replica::start(&suite, |_| async { Status::unavailable("I cannot") });
    let channels: Vec<_> = (0..10).map(|_| suite.channel([&well, &sick])).collect();
    let calls = crowd(&channels, 5).await.len();
    let attempts = well.calls() + sick.calls();
    assert!(attempts > calls, "some are tried again");
    assert!(attempts * 10 <= calls * 11, "{attempts} attempts for {calls} calls");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_try_is_made_where_the_answer_says_when() {
    let suite = Suite::new();
    let later = |_| async { Refusal::behind_unavailable("ledger").into() };
    let replicas = [(); 2].map(|()| Replica::start(&suite, later));
    let channel = suite.channel(&replicas);
    for _ in 0..50 {
        assert_eq!(call(&channel, None).await, Code::Unavailable);
    }
    assert_eq!(replicas.iter().map(Replica::calls).sum::<usize>(), 50);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_away_is_told_at_once_and_found_when_it_comes() {
    let suite = Suite::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let away = Replica { address, calls: Arc::default(), runtime: None };
    let mut there = Replica::start(&suite, |_| async { Status::aborted("said") });
    assert_eq!(call(&suite.channel([&away]), None).await, Code::Unavailable);
    let channel = suite.channel([&away, &there]);
    for _ in 0..20 {
        assert_eq!(call(&channel, None).await, Code::Aborted);
    }
    there.kill();
    while call(&channel, None).await != Code::Unavailable {}
}

// fault: F23
#[tokio::test(flavor = "multi_thread")]
async fn inner_calls_carry_what_is_left_and_end_with_it() {
    let suite = Suite::new();
    let (told, mut headers) = mpsc::unbounded_channel();
    let (dropped, mut ends) = mpsc::unbounded_channel::<()>();
    let inner = Replica::start(&suite, move |request| {
        told.send(request.headers().get("grpc-timeout").cloned()).unwrap();
        let held = dropped.clone();
        async move {
            let _held = at_end(held);
            std::future::pending().await
        }
    });
    let channel = suite.channel([&inner]);
    // Connected, and without a deadline nothing is told.
    let free = tokio::time::timeout(Duration::from_millis(200), call(&channel, None)).await;
    assert!(free.is_err());
    assert_eq!(headers.recv().await.unwrap(), None);
    ends.recv().await.expect("hung up on");

    let behind = channel.clone();
    let outer = Replica::start(&suite, move |_| {
        let behind = behind.clone();
        async move {
            // Two calls, and some work between: the second would begin after the deadline.
            call(&behind, None).await;
            let work =
                tokio::time::timeout(Duration::from_millis(10), std::future::pending::<()>());
            work.await.unwrap_err();
            call(&behind, None).await;
            Status::aborted("never said")
        }
    });
    let outer_channel = suite.channel([&outer]);
    assert_eq!(call(&outer_channel, Some(Duration::from_millis(50))).await, Code::DeadlineExceeded);
    let left = headers.recv().await.unwrap().expect("what is left");
    let left = left.to_str().unwrap().strip_suffix('u').expect("in microseconds");
    assert!((1..=50_000).contains(&left.parse::<u32>().unwrap()), "{left}");
    ends.recv().await.expect("ended");
    assert_eq!(inner.calls(), 2, "no second inner call");

    // Nothing left: not even sent.
    assert_eq!(call(&channel, Some(Duration::ZERO)).await, Code::DeadlineExceeded);
    assert_eq!(inner.calls(), 2);
}

/// Tells when it is dropped.
fn at_end(tell: mpsc::UnboundedSender<()>) -> impl Sized {
    struct Guard(mpsc::UnboundedSender<()>);
    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    Guard(tell)
}
