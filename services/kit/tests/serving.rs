//! A real server on a real socket: who gets through the gate, and how the server ends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::convert::Infallible;
use std::future::{Ready, pending, ready};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt as _;
use tengen_kit::auth::{
    Caller, Claims, Gate, Rule, ServiceSecret, ServiceTokens, Signer, Verifier,
};
use tengen_kit::client;
use tengen_kit::ready::Latch;
use tengen_kit::server::{Drain, ServeError, Server};
use tengen_kit::service::{Page, Service};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::ManualTime;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response, uri::PathAndQuery};
use tonic::server::NamedService;
use tonic::service::Interceptor;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{FILE_DESCRIPTOR_SET, HealthCheckRequest, HealthCheckResponse};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::{ServerReflectionRequest, server_reflection_response};
use tonic_types::StatusExt;
use tower::ServiceExt as _;

const NOW_MS: i64 = 1_767_225_600_000;
const LONG: Drain = Drain { notice: Duration::ZERO, grace: Duration::from_secs(60) };

/// Answers every method with ABORTED and the caller it was told of.
#[derive(Clone)]
struct WhoAmI;

impl NamedService for WhoAmI {
    const NAME: &'static str = "test.WhoAmI";
}

impl tower::Service<Request<Body>> for WhoAmI {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let caller = match request.extensions().get::<Caller>() {
            None => "nobody".to_owned(),
            Some(Caller::Guest) => "a guest".to_owned(),
            Some(Caller::Account(account)) => account.id.clone(),
            Some(Caller::Service(name)) => format!("the service {name}"),
        };
        ready(Ok(Status::aborted(caller).into_http()))
    }
}

const RULES: [(&str, &str, &str); 6] = [
    ("/test.WhoAmI/Open", "ROLE_GUEST", ""),
    ("/test.WhoAmI/Player", "ROLE_PLAYER", ""),
    ("/test.WhoAmI/Referee", "ROLE_REFEREE", ""),
    ("/test.WhoAmI/Service", "ROLE_SERVICE", ""),
    ("/test.WhoAmI/Nobody", "ROLE_UNSPECIFIED", ""),
    ("/test.WhoAmI/Later", "ROLE_PLAYER", "it comes later"),
];

struct Site {
    address: SocketAddr,
    shutdown: Shutdown,
    served: JoinHandle<Result<(), ServeError>>,
    signer: Signer,
    services: ServiceTokens,
}

impl Site {
    async fn start(service: Service, drain: Drain) -> Self {
        let time = ManualTime::new(NOW_MS);
        let signer = Signer::generate();
        let secret = ServiceSecret::generate();
        let verifier =
            Verifier::new("tengen", "tengen", time.shared()).with_services(&secret).unwrap();
        verifier.set_jwks(&signer.jwks()).unwrap();
        let rules = RULES.map(|(path, role, not_built)| Rule::new(path, role, not_built));
        let gate = Gate::new(rules, Arc::new(verifier));

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = Shutdown::new();
        let stop = shutdown.clone();
        let served = tokio::spawn(async move {
            let mut server = Server::new(listener, gate, FILE_DESCRIPTOR_SET, stop);
            server.drain = drain;
            server.serve(async { Ok(vec![service]) }).await
        });
        let services = ServiceTokens::new("clock", &secret, time.shared()).unwrap();
        Self { address, shutdown, served, signer, services }
    }

    fn channel(&self) -> Channel {
        client::endpoint(&format!("http://{}", self.address)).unwrap().connect_lazy()
    }

    fn token(&self, roles: &[&str]) -> String {
        let claims = Claims {
            iss: "tengen".to_owned(),
            aud: "tengen".to_owned(),
            sub: "player_1".to_owned(),
            exp: NOW_MS / 1_000 + 600,
            roles: roles.iter().map(|&role| role.to_owned()).collect(),
            ..Claims::default()
        };
        format!("Bearer {}", self.signer.sign(&claims).unwrap())
    }

    async fn call(&self, path: &'static str, authorization: &[&str]) -> Status {
        let mut request = tonic::Request::new(HealthCheckRequest::default());
        for value in authorization {
            request.metadata_mut().append("authorization", value.parse().unwrap());
        }
        let mut grpc = tonic::client::Grpc::new(self.channel());
        grpc.ready().await.unwrap();
        let codec = ProstCodec::<HealthCheckRequest, HealthCheckResponse>::default();
        grpc.unary(request, PathAndQuery::from_static(path), codec).await.unwrap_err()
    }

    async fn check(&self, path: &'static str, authorization: &[&str], expected: (Code, &str)) {
        let status = self.call(path, authorization).await;
        let said = match status.get_error_details().error_info() {
            None => status.message().to_owned(),
            Some(info) => {
                let mut facts: Vec<_> =
                    info.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
                facts.sort();
                format!("{} {}", info.reason, facts.join(" "))
            }
        };
        assert_eq!((status.code(), said.as_str()), expected, "{path} {authorization:?}");
    }
}

async fn who_am_i() -> Site {
    Site::start(Service::new("test").grpc(WhoAmI), LONG).await
}

#[tokio::test]
async fn the_gate_lets_through_what_a_rule_allows() {
    let site = who_am_i().await;
    let player = site.token(&["PLAYER"]);
    let referee = site.token(&["PLAYER", "REFEREE"]);
    let impostor = site.token(&["SERVICE", "UNSPECIFIED", "GUEST"]);
    let service = site.services.header().unwrap();
    let service = service.to_str().unwrap();
    let lower = player.replace("Bearer", "bearer");

    let missing = (Code::Unauthenticated, "INVALID_TOKEN token=missing");
    let allowed = [
        ("/test.WhoAmI/Open", None, "a guest"),
        ("/test.WhoAmI/Open", Some(player.as_str()), "player_1"),
        ("/test.WhoAmI/Open", Some(service), "the service clock"),
        ("/test.WhoAmI/Player", Some(&player), "player_1"),
        ("/test.WhoAmI/Player", Some(&lower), "player_1"),
        ("/test.WhoAmI/Referee", Some(&referee), "player_1"),
        ("/test.WhoAmI/Service", Some(service), "the service clock"),
    ];
    for (path, token, caller) in allowed {
        let tokens: Vec<_> = token.into_iter().collect();
        site.check(path, &tokens, (Code::Aborted, caller)).await;
    }
    for path in ["/test.WhoAmI/Player", "/test.WhoAmI/Service", "/test.WhoAmI/Later"] {
        site.check(path, &[], missing).await;
    }
    let denied = [
        ("/test.WhoAmI/Player", service, "PLAYER"),
        ("/test.WhoAmI/Player", impostor.as_str(), "PLAYER"),
        ("/test.WhoAmI/Referee", &player, "REFEREE"),
        ("/test.WhoAmI/Service", &impostor, "SERVICE"),
        ("/test.WhoAmI/Nobody", &impostor, "UNSPECIFIED"),
        ("/test.WhoAmI/Nobody", service, "UNSPECIFIED"),
        ("/test.WhoAmI/Later", service, "PLAYER"),
    ];
    for (path, token, role) in denied {
        let said = format!("ROLE_MISSING requires={role}");
        site.check(path, &[token], (Code::PermissionDenied, &said)).await;
    }
}

#[tokio::test]
async fn what_is_not_built_says_why_and_what_has_no_rule_is_refused() {
    let site = who_am_i().await;
    let player = site.token(&["PLAYER"]);
    let status = site.call("/test.WhoAmI/Later", &[&player]).await;
    assert_eq!((status.code(), status.message()), (Code::Unimplemented, "it comes later"));
    for path in ["/test.WhoAmI/Later", "/test.WhoAmI/NoRule", "/test.WhoAmI/", "/"] {
        let said = format!("NOT_BUILT method={path}");
        site.check(path, &[&player], (Code::Unimplemented, &said)).await;
    }
    // Close to what stands open, but not it.
    for path in ["/grpc.health.v1.HealthX/Check", "/test.WhoAmI/open", "//test.WhoAmI/Open"] {
        let said = format!("NOT_BUILT method={path}");
        site.check(path, &[], (Code::Unimplemented, &said)).await;
    }
}

#[tokio::test]
async fn a_bad_token_is_refused_where_none_is_needed() {
    let site = who_am_i().await;
    let good = site.token(&["PLAYER"]);
    let stranger = {
        let claims = Claims { iss: "x".to_owned(), exp: 1, ..Claims::default() };
        format!("Bearer {}", Signer::generate().sign(&claims).unwrap())
    };
    let cases: [(&[&str], &str); 7] = [
        (&[""], "malformed"),
        (&["Bearer"], "malformed"),
        (&["Bearer "], "malformed"),
        (&["Basic dXNlcjpwYXNz"], "malformed"),
        (&["Bearer a.b.c"], "malformed"),
        (&[&stranger], "signed by an unknown key"),
        (&[&good, &good], "malformed"),
    ];
    for (authorization, fault) in cases {
        for path in ["/test.WhoAmI/Open", "/test.WhoAmI/Player", "/test.WhoAmI/NoRule"] {
            let said = format!("INVALID_TOKEN token={fault}");
            site.check(path, authorization, (Code::Unauthenticated, &said)).await;
        }
    }
}

#[tokio::test]
async fn health_and_reflection_stand_open() {
    let site = who_am_i().await;
    let mut health = HealthClient::new(site.channel());
    for service in ["", "test.WhoAmI"] {
        let request = HealthCheckRequest { service: service.to_owned() };
        let status = health.check(request).await.unwrap().into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service:?}");
    }

    let mut reflection = ServerReflectionClient::new(site.channel());
    let list = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let answers = reflection.server_reflection_info(tokio_stream::once(list)).await;
    let answer = answers.unwrap().into_inner().message().await.unwrap().unwrap();
    let Some(server_reflection_response::MessageResponse::ListServicesResponse(list)) =
        answer.message_response
    else {
        panic!("a list");
    };
    assert!(list.service.iter().any(|service| service.name == "grpc.health.v1.Health"));
}

#[tokio::test]
async fn a_service_channel_calls_as_its_service() {
    let site = who_am_i().await;
    let channel = client::channel(&format!("http://{}", site.address), site.services.clone());
    let mut grpc = tonic::client::Grpc::new(channel.unwrap());
    grpc.ready().await.unwrap();
    let codec = ProstCodec::<HealthCheckRequest, HealthCheckResponse>::default();
    let path = PathAndQuery::from_static("/test.WhoAmI/Service");
    let request = tonic::Request::new(HealthCheckRequest::default());
    let status = grpc.unary(request, path, codec).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::Aborted, "the service clock"));
    // And the interceptor alone, as a service with channels of its own uses it.
    let request = site.services.clone().call(tonic::Request::new(())).unwrap();
    assert!(request.metadata().contains_key("authorization"));
}

#[tokio::test]
async fn a_drain_tells_health_and_tasks_and_ends_as_soon_as_they_do() {
    let told = Arc::new(AtomicBool::new(false));
    let shutdown = Shutdown::new();
    let (heard, begun) = (Arc::clone(&told), shutdown.clone());
    let service = Service::new("test").grpc(WhoAmI).task(async move {
        begun.begun().await;
        heard.store(true, Ordering::SeqCst);
    });
    let site = Site::start(service, LONG).await;
    let mut health = HealthClient::new(site.channel());
    let request = HealthCheckRequest { service: "test.WhoAmI".to_owned() };
    let mut watch = health.watch(request).await.unwrap().into_inner();
    let first = watch.message().await.unwrap().unwrap();
    assert_eq!(first.status(), ServingStatus::Serving);

    shutdown.begin();
    site.shutdown.begin();
    let second = watch.message().await.unwrap().unwrap();
    assert_eq!(second.status(), ServingStatus::NotServing);
    assert!(watch.message().await.unwrap().is_none());
    // Long before the minute of grace is over, or the test hangs for as long.
    site.served.await.unwrap().unwrap();
    assert!(told.load(Ordering::SeqCst));
}

#[tokio::test]
async fn during_the_notice_calls_are_answered_and_health_says_not_serving() {
    let drain = Drain { notice: Duration::from_secs(60), ..LONG };
    let site = Site::start(Service::new("test").grpc(WhoAmI), drain).await;
    let mut health = HealthClient::new(site.channel());
    let request = HealthCheckRequest { service: String::new() };
    let mut watch = health.watch(request.clone()).await.unwrap().into_inner();
    watch.message().await.unwrap().unwrap();
    site.shutdown.begin();
    watch.message().await.unwrap().unwrap();
    let status = health.check(request).await.unwrap().into_inner().status();
    assert_eq!(status, ServingStatus::NotServing);
    site.check("/test.WhoAmI/Open", &[], (Code::Aborted, "a guest")).await;
    assert!(!site.served.is_finished());
}

#[tokio::test]
async fn a_drain_does_not_wait_for_ever_for_an_open_stream() {
    let drain = Drain { notice: Duration::ZERO, grace: Duration::from_millis(50) };
    let site = Site::start(Service::new("test").grpc(WhoAmI).task(pending()), drain).await;
    // A stream whose client never ends it.
    let mut reflection = ServerReflectionClient::new(site.channel());
    let open = reflection.server_reflection_info(tokio_stream::pending()).await.unwrap();
    site.shutdown.begin();
    site.served.await.unwrap().unwrap();
    drop(open);
}

#[tokio::test]
async fn a_task_that_dies_ends_the_server_with_an_error() {
    let service = Service::new("test").grpc(WhoAmI).task(async { panic!("on purpose") });
    let site = Site::start(service, LONG).await;
    let result = site.served.await.unwrap();
    assert!(matches!(result, Err(ServeError::Task(_))), "{result:?}");
    assert!(site.shutdown.has_begun());
}

#[tokio::test]
async fn unreadable_descriptors_are_refused_at_the_start() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let verifier = Verifier::new("tengen", "tengen", ManualTime::new(NOW_MS).shared());
    let gate = Gate::new([], Arc::new(verifier));
    let server = Server::new(listener, gate, b"\xff", Shutdown::new());
    let result = server.serve(async { Ok(vec![]) }).await;
    assert!(matches!(result, Err(ServeError::Descriptors(_))), "{result:?}");
}

/// A server whose service comes when the sender says so, and one latch beside it.
struct Late {
    address: SocketAddr,
    latch: Latch,
    come: oneshot::Sender<Service>,
}

async fn late() -> Late {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let verifier = Verifier::new("tengen", "tengen", ManualTime::new(NOW_MS).shared());
    let rules = RULES.map(|(path, role, not_built)| Rule::new(path, role, not_built));
    let gate = Gate::new(rules, Arc::new(verifier));
    let server = Server::new(listener, gate, FILE_DESCRIPTOR_SET, Shutdown::new());
    let latch = server.readiness.latch("keys");
    let (come, service) = oneshot::channel();
    tokio::spawn(server.serve(async { Ok(vec![service.await.unwrap()]) }));
    Late { address, latch, come }
}

#[tokio::test]
async fn health_says_serving_only_while_all_is_there() {
    let late = late().await;
    let channel = client::endpoint(&format!("http://{}", late.address)).unwrap().connect_lazy();
    let request = HealthCheckRequest { service: String::new() };
    let mut watch = HealthClient::new(channel.clone()).watch(request).await.unwrap().into_inner();
    let mut next = async || watch.message().await.unwrap().unwrap().status();
    assert_eq!(next().await, ServingStatus::NotServing);

    // Before the service is there, a token that nobody can check yet is no reason to sign in again.
    let call = async || {
        let mut grpc = tonic::client::Grpc::new(channel.clone());
        grpc.ready().await.unwrap();
        let codec = ProstCodec::<HealthCheckRequest, HealthCheckResponse>::default();
        let mut request = tonic::Request::new(HealthCheckRequest::default());
        request.metadata_mut().insert("authorization", "Bearer a.b.c".parse().unwrap());
        let path = PathAndQuery::from_static("/test.WhoAmI/Open");
        grpc.unary(request, path, codec).await.unwrap_err().code()
    };
    assert_eq!(call().await, Code::Unavailable);
    late.latch.set();
    late.come.send(Service::new("test").grpc(WhoAmI)).unwrap();
    while next().await != ServingStatus::Serving {}
    assert_eq!(call().await, Code::Unauthenticated);

    late.latch.lose(&"gone");
    while next().await != ServingStatus::NotServing {}
    // Those who call all the same are answered: what is not there is for each call to find out.
    assert_eq!(call().await, Code::Unauthenticated);
    late.latch.set();
    while next().await != ServingStatus::Serving {}
}

#[tokio::test]
async fn services_hear_of_the_end_after_the_notice() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let verifier = Verifier::new("tengen", "tengen", ManualTime::new(NOW_MS).shared());
    let gate = Gate::new([], Arc::new(verifier));
    let (shutdown, ending) = (Shutdown::new(), Shutdown::new());
    let mut server = Server::new(listener, gate, FILE_DESCRIPTOR_SET, shutdown.clone());
    let notice = Duration::from_millis(300);
    server.drain = Drain { notice, ..LONG };
    server.ending = ending.clone();
    let served = tokio::spawn(server.serve(async { Ok(vec![Service::new("test")]) }));
    let start = tokio::time::Instant::now();
    shutdown.begin();
    ending.begun().await;
    assert!(start.elapsed() >= notice);
    served.await.unwrap().unwrap();
}

/// Whoever balances the calls gets a page by the same way; a call of its path is none.
#[tokio::test]
async fn a_page_is_shown_on_the_port_of_calls() {
    let content_type = "application/json";
    let page = Page { path: "/keys.json", content_type, content: Arc::new(|| "{}".to_owned()) };
    let site = Site::start(Service::new("test").grpc(WhoAmI).page(page), LONG).await;
    for (method, path, expected) in [
        ("GET", "/keys.json", Some("{}")),
        ("GET", "/keys.json/", None),
        ("GET", "/livez", None),
        ("POST", "/keys.json", None),
    ] {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        let (head, body) = site.channel().oneshot(request).await.unwrap().into_parts();
        let text = body.collect().await.unwrap().to_bytes();
        if let Some(expected) = expected {
            assert_eq!((head.status.as_u16(), &text[..]), (200, expected.as_bytes()));
            assert_eq!(head.headers["content-type"], content_type);
        } else {
            assert_eq!(head.status.as_u16(), 415, "{method} {path}");
        }
    }
}
