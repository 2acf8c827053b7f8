//! A message that is too large.

use bytes::Bytes;
use h2::SendStream;
use http::Request;
use tengen_faults::run::{say, turn};
use tengen_faults::site::{Count, Site, Store};
use tokio::net::TcpStream;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// So many messages, each said to take a gigabyte, and so much of each sent at once.
const MESSAGES: usize = 64;
const SAID: u32 = 1 << 30;
const SENT: usize = 8 << 20;
const CHUNK: usize = 64 << 10;
/// What the process may grow by; it would be half a gigabyte if all of it were kept.
const MOST_KIB: u64 = 64 << 10;

// fault: F17
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_message_that_is_too_large_nothing_is_kept() {
    let _turn = turn().await;
    let count = Count { games: 1, clocks: 0, ratings: 0, sessions: 1 };
    let site = Site::start(Store::shared(), count).await;
    let game = &site.games[0];
    let before_kib = game.memory_kib();
    let mut held = Vec::new();
    for _ in 0..MESSAGES {
        // It is refused although it never ends.
        let (status, body) = begin(&game.url()).await;
        let info = status.get_details_error_info().expect("a reason");
        assert_eq!(
            (status.code(), info.reason.as_str(), info.metadata["most"].as_str()),
            (Code::ResourceExhausted, "LIMIT_REACHED", "65536")
        );
        held.push(body);
    }
    let grown_kib = game.memory_kib().saturating_sub(before_kib);
    drop(held);
    say("F17", format!("messages={MESSAGES} sent_bytes={SENT} grown_kib={grown_kib}"));
    assert!(grown_kib < MOST_KIB, "the process grew by {grown_kib} KiB");
}

/// Begins to send a message on a connection of its own; gives what is answered.
async fn begin(url: &str) -> (Status, SendStream<Bytes>) {
    let address = url.strip_prefix("http://").expect("an address");
    let stream = TcpStream::connect(address).await.expect("connects");
    let (mut requests, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
    tokio::spawn(connection);
    let request = Request::post(format!("{url}/tengen.game.v1.GameService/GetGame"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())
        .expect("a request");
    let (answer, mut body) = requests.send_request(request, false).expect("sends");
    let head = [&[0][..], &SAID.to_be_bytes()].concat();
    body.send_data(head.into(), false).expect("is open");
    let chunk = Bytes::from(vec![0; CHUNK]);
    for _ in 0..SENT / CHUNK {
        // Whoever has refused already reads no more.
        let _ = body.send_data(chunk.clone(), false);
    }
    let answer = answer.await.expect("an answer");
    (Status::from_header_map(answer.headers()).expect("a status"), body)
}
