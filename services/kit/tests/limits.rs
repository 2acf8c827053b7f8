//! A real server on a real socket: what one client may take.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use http::uri::PathAndQuery;
use tengen_kit::auth::{Claims, Gate, Rule, ServiceSecret, ServiceTokens, Signer, Verifier};
use tengen_kit::client;
use tengen_kit::config::Limits;
use tengen_kit::server::Server;
use tengen_kit::service::Service;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::ManualTime;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, timeout};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{FILE_DESCRIPTOR_SET, HealthCheckRequest, HealthCheckResponse};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt;

const NOW_MS: i64 = 1_767_225_600_000;
const PATIENCE: Duration = Duration::from_secs(60);
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Frames of HTTP/2, and their flags.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

struct Site {
    address: SocketAddr,
    signer: Signer,
    services: ServiceTokens,
}

impl Site {
    /// A server without a service, where this machine counts as any address.
    async fn start(limits: Limits) -> Self {
        let time = ManualTime::new(NOW_MS);
        let (signer, secret) = (Signer::generate(), ServiceSecret::generate());
        let verifier = Verifier::new("tengen", "tengen", time.shared());
        let verifier = verifier.with_services(&secret).unwrap();
        verifier.set_jwks(&signer.jwks()).unwrap();
        let rules = [Rule::new("/test.Nothing/Open", "ROLE_GUEST", "it comes later")];
        let gate = Gate::new(rules, Arc::new(verifier));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut server = Server::new(listener, gate, FILE_DESCRIPTOR_SET, Shutdown::new());
        server.limits = Limits { shared_addresses: vec![], ..limits };
        tokio::spawn(server.serve(async { Ok(vec![Service::new("test")]) }));
        let services = ServiceTokens::new("clock", &secret, time.shared()).unwrap();
        Self { address, signer, services }
    }

    async fn connect(&self) -> Channel {
        let endpoint = client::endpoint(&format!("http://{}", self.address)).unwrap();
        endpoint.connect().await.unwrap()
    }

    fn token(&self, account: &str) -> String {
        let claims = Claims {
            iss: "tengen".to_owned(),
            aud: "tengen".to_owned(),
            sub: account.to_owned(),
            exp: NOW_MS / 1_000 + 600,
            ..Claims::default()
        };
        format!("Bearer {}", self.signer.sign(&claims).unwrap())
    }
}

/// The code that a call gets: UNIMPLEMENTED when it is let in.
async fn call(channel: &Channel, authorization: Option<&str>) -> Code {
    let mut request = Request::new(HealthCheckRequest::default());
    if let Some(value) = authorization {
        request.metadata_mut().insert("authorization", value.parse().unwrap());
    }
    let mut grpc = tonic::client::Grpc::new(channel.clone());
    grpc.ready().await.unwrap();
    let codec = ProstCodec::<HealthCheckRequest, HealthCheckResponse>::default();
    let path = PathAndQuery::from_static("/test.Nothing/Open");
    let status = grpc.unary(request, path, codec).await.unwrap_err();
    if status.code() == Code::ResourceExhausted {
        is_told_when_to_come(&status);
    }
    status.code()
}

fn is_told_when_to_come(status: &Status) {
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "LIMIT_REACHED");
    assert!(!details.retry_info().unwrap().retry_delay.unwrap().is_zero());
}

fn few() -> Limits {
    Limits { calls_per_s: 1, calls_at_once: 3, ..Limits::default() }
}

/// Of 40 calls that come together: a bucket full, and what time adds to it.
fn a_few_are_let_in(codes: &[Code], answered: Code) {
    let admitted = codes.iter().filter(|code| **code == answered).count();
    let refused = codes.iter().filter(|code| **code == Code::ResourceExhausted).count();
    assert_eq!(admitted + refused, codes.len(), "{codes:?}");
    assert!((3..20).contains(&admitted), "{admitted} were let in");
}

// fault: F18
#[tokio::test]
async fn calls_are_counted_for_the_account_wherever_it_calls_from() {
    let site = Site::start(few()).await;
    let (one, other) = (site.connect().await, site.connect().await);
    let [ada, bo] = ["ada", "bo"].map(|account| site.token(account));
    let calls = (0..40).map(|nth| call(if nth % 2 == 0 { &one } else { &other }, Some(&ada)));
    a_few_are_let_in(&join_all(calls).await, Code::Unimplemented);
    assert_eq!(call(&one, Some(&bo)).await, Code::Unimplemented);
    // Nor are those meant that carry the suite.
    let service = site.services.header().unwrap();
    for _ in 0..40 {
        assert_eq!(call(&one, service.to_str().ok()).await, Code::Unimplemented);
        HealthClient::new(one.clone()).check(HealthCheckRequest::default()).await.unwrap();
    }
}

// fault: F18
#[tokio::test]
async fn calls_of_nobody_known_are_counted_for_the_address() {
    let stranger = Signer::generate();
    let forged = stranger.sign(&Claims { exp: i64::MAX / 1_000, ..Claims::default() }).unwrap();
    for authorization in [None, Some(format!("Bearer {forged}")), Some("Basic x".to_owned())] {
        let site = Site::start(few()).await;
        let channel = site.connect().await;
        let calls = (0..40).map(|_| call(&channel, authorization.as_deref()));
        let answered =
            if authorization.is_some() { Code::Unauthenticated } else { Code::Unimplemented };
        a_few_are_let_in(&join_all(calls).await, answered);
    }
}

// fault: F18
#[tokio::test]
async fn whoever_calls_again_as_soon_as_he_is_refused_is_refused_at_the_pace_of_calls() {
    let site = Site::start(Limits { calls_per_s: 20, calls_at_once: 1, ..Limits::default() }).await;
    let channel = site.connect().await;
    let (ada, begun) = (site.token("ada"), Instant::now());
    let mut refused = 0;
    while refused < 20 {
        refused += u32::from(call(&channel, Some(&ada)).await == Code::ResourceExhausted);
    }
    assert!(begun.elapsed() >= Duration::from_millis(50) * 19, "{:?}", begun.elapsed());
}

/// Waits until the server closes a connection.
async fn closed(stream: &mut TcpStream) -> Duration {
    let (begun, mut said) = (Instant::now(), Vec::new());
    // It may be reset as well as closed.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut said)).await.expect("it is closed");
    begun.elapsed()
}

// fault: F18
#[tokio::test]
async fn a_connection_beyond_those_of_an_address_is_closed_as_it_comes() {
    let limits = Limits { connections_per_address: 2, ..Limits::default() };
    let site = Site::start(limits).await;
    let [first, second] = [site.connect().await, site.connect().await];
    for channel in [&first, &second] {
        assert_eq!(call(channel, None).await, Code::Unimplemented);
    }
    for _ in 0..10 {
        closed(&mut TcpStream::connect(site.address).await.unwrap()).await;
    }
    assert_eq!(call(&first, None).await, Code::Unimplemented);
    drop(second);
    // Another has its place as soon as the server has heard of it.
    loop {
        let endpoint = client::endpoint(&format!("http://{}", site.address)).unwrap();
        let channel = endpoint.connect_lazy();
        let answer = HealthClient::new(channel.clone()).check(HealthCheckRequest::default()).await;
        if answer.is_ok() {
            break;
        }
    }
}

// fault: F18
#[tokio::test]
async fn open_calls_beyond_those_of_an_address_are_refused() {
    let limits = Limits { open_calls_per_address: 2, ..Limits::default() };
    let site = Site::start(limits).await;
    let (one, other) = (site.connect().await, site.connect().await);
    let watch = async |channel: &Channel| {
        HealthClient::new(channel.clone()).watch(HealthCheckRequest::default()).await
    };
    let (first, _second) = (watch(&one).await.unwrap(), watch(&other).await.unwrap());
    for channel in [&one, &other] {
        let refused = watch(channel).await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        is_told_when_to_come(&refused);
    }
    drop(first);
    while watch(&other).await.is_err() {}
}

// fault: F18
#[tokio::test]
async fn a_connection_lives_as_long_as_there_are_calls() {
    let limits = Limits { first_call_ms: 100, idle_s: 1, ..Limits::default() };
    let site = Site::start(limits).await;
    let begun = Instant::now();
    let channel = site.connect().await;
    let request = HealthCheckRequest::default();
    let mut watch = HealthClient::new(channel.clone()).watch(request).await.unwrap().into_inner();
    watch.message().await.unwrap().unwrap();
    let silent = async { closed(&mut TcpStream::connect(site.address).await.unwrap()).await };
    let polite = async {
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(PREFACE).await.unwrap();
        closed(&mut stream).await
    };
    let idle = async {
        let stream = TcpStream::connect(site.address).await.unwrap();
        let (mut requests, connection) = h2::client::handshake(stream).await.unwrap();
        let connection = tokio::spawn(connection);
        let uri = format!("http://{}/grpc.health.v1.Health/Check", site.address);
        let request = http::Request::post(uri).body(()).unwrap();
        let (answer, _) = requests.send_request(request, true).unwrap();
        answer.await.unwrap();
        let begun = Instant::now();
        // Told to go, it goes in order.
        timeout(PATIENCE, connection).await.expect("it is closed").unwrap().unwrap();
        begun.elapsed()
    };
    let (silent, polite, idle) = tokio::join!(silent, polite, idle);
    let least = Duration::from_millis(90);
    assert!(silent >= least && polite >= least, "{silent:?} {polite:?}");
    assert!(idle >= Duration::from_millis(500), "{idle:?}");
    // While a stream is open nothing is idle, be it ever so quiet.
    let quiet = timeout(Duration::from_secs(3), watch.message()).await;
    assert!(quiet.is_err() && begun.elapsed() >= Duration::from_secs(3), "{quiet:?}");
}

// fault: F18
#[tokio::test]
async fn who_is_refused_before_his_messages_have_come_keeps_the_connection() {
    let site = Site::start(Limits::default()).await;
    let mut line = TcpStream::connect(site.address).await.unwrap();
    // More than a connection may have faults.
    let ids = || (0..600).map(|nth| 2 * nth + 1);
    let calls: Vec<u8> = ids().flat_map(|id| frame(HEADERS, END_HEADERS, id, &headers())).collect();
    line.write_all(&[PREFACE, &calls].concat()).await.unwrap();
    for _ in ids() {
        while !matches!(next_frame(&mut line).await, (HEADERS, _)) {}
    }
    let messages: Vec<u8> = ids().flat_map(|id| frame(DATA, END_STREAM, id, &[0; 5])).collect();
    let ping = frame(PING, 0, 0, &[7; 8]);
    line.write_all(&[messages, ping].concat()).await.unwrap();
    loop {
        let (kind, payload) = next_frame(&mut line).await;
        assert!(![RST_STREAM, GOAWAY].contains(&kind), "{kind}: {payload:?}");
        if kind == PING && payload == [7; 8] {
            break;
        }
    }
}

/// The headers of a call that no rule allows.
fn headers() -> Vec<u8> {
    // ":method: POST" and ":scheme: http" of the static table, then names of it with own values.
    let mut block = vec![0x83, 0x86];
    for (name, value) in [(&[0x04][..], "/test.Nothing/Else"), (&[0x0f, 0x10], "application/grpc")]
    {
        block.extend(name);
        block.push(u8::try_from(value.len()).unwrap());
        block.extend(value.as_bytes());
    }
    block
}

fn frame(kind: u8, flags: u8, id: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &id.to_be_bytes(), payload].concat()
}

/// The kind of the next frame, and what it says.
async fn next_frame(line: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 9];
    timeout(PATIENCE, line.read_exact(&mut head)).await.expect("in time").expect("it is open");
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; usize::try_from(length).unwrap()];
    timeout(PATIENCE, line.read_exact(&mut payload)).await.expect("in time").expect("it is open");
    (head[3], payload)
}
