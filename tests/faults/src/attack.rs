//! One who means ill: connections from an address of his own, spoken by hand.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use h2::client::{Connection, SendRequest};
use http::Request;
use tengen_kit::time::SharedTime;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tonic::Status;

/// What anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// What every connection of HTTP/2 begins with, empty settings behind it.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const GOAWAY: u8 = 7;
const FRAME_HEAD: usize = 9;
/// Cancelled, as RST_STREAM says it.
const CANCEL: u32 = 8;
/// A byte now and then.
const TRICKLE_MS: i64 = 100;

/// Where he comes from, and whom he attacks.
#[derive(Debug, Clone, Copy)]
pub struct Attacker {
    from: IpAddr,
    target: SocketAddr,
}

/// How the server ended a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The error code it gave, if it said anything.
    pub goaway: Option<u32>,
    /// How long after it was waited for.
    pub took_ms: i64,
}

impl Attacker {
    /// Attacks what is at `http://address:port`.
    pub fn new(from: IpAddr, url: &str) -> Self {
        let target = url.strip_prefix("http://").and_then(|at| at.parse().ok());
        Self { from, target: target.expect("an address") }
    }

    /// A connection; it may be closed at once.
    pub async fn connect(&self) -> TcpStream {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::new(self.from, 0)).expect("a port");
        let stream = socket.connect(self.target).await.expect("connects");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    /// A connection on which calls can be made; the second is it while it is driven.
    pub async fn http2(&self) -> (SendRequest<Bytes>, Connection<TcpStream, Bytes>) {
        h2::client::handshake(self.connect().await).await.expect("HTTP/2")
    }

    /// A request for a method, by path.
    pub fn request(&self, path: &str) -> Request<()> {
        Request::post(format!("http://{}{path}", self.target))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())
            .expect("a request")
    }

    /// Calls a method with a message that ends after one byte more now and then, or never; gives
    /// what is answered.
    pub async fn dribble(&self, path: &str, time: &SharedTime) -> Status {
        let (mut requests, connection) = self.http2().await;
        let driven = tokio::spawn(connection);
        let (answer, mut body) = requests.send_request(self.request(path), false).expect("sends");
        let head = [&[0][..], &u32::to_be_bytes(1_000)].concat();
        body.send_data(head.into(), false).expect("is open");
        let more = async {
            while body.send_data(Bytes::from_static(&[0]), false).is_ok() {
                time.until(time.now_ms() + TRICKLE_MS).await;
            }
            std::future::pending::<()>().await;
        };
        let answer = tokio::select! {
            answer = timeout(PATIENCE, answer) => answer.expect("in time").expect("an answer"),
            () = more => unreachable!("waits for the answer"),
        };
        drop(requests);
        driven.abort();
        Status::from_header_map(answer.headers()).expect("a status")
    }
}

/// A call of a method that a client gives up as soon as it has made it; odd ids, each once.
pub fn called_and_reset(id: u32, path: &str) -> Vec<u8> {
    // ":method: POST" and ":scheme: http" of the static table, then names of it with own values.
    let mut block = vec![0x83, 0x86];
    for (name, value) in [(0x04, path), (0x01, "go")] {
        block.extend([name, u8::try_from(value.len()).expect("short")]);
        block.extend(value.as_bytes());
    }
    block.extend([0x0f, 0x10, 16]);
    block.extend(b"application/grpc");
    // END_HEADERS.
    let call = frame(HEADERS, 4, id, &block);
    [call, frame(RST_STREAM, 0, id, &CANCEL.to_be_bytes())].concat()
}

/// Headers that say they are longer than anybody waits for.
pub fn endless_headers() -> Vec<u8> {
    frame(HEADERS, 0, 1, &[0x83; 1_000])
}

fn frame(kind: u8, flags: u8, id: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    [&length[1..], &[kind, flags], &id.to_be_bytes(), payload].concat()
}

/// Waits until the server ends the connection.
pub async fn ended(stream: &mut (impl AsyncRead + Unpin), time: &SharedTime) -> Ended {
    let begun_ms = time.now_ms();
    let said = timeout(PATIENCE, said(stream)).await.expect("the server ends it");
    Ended { goaway: goaway(&said), took_ms: time.now_ms() - begun_ms }
}

/// The same, while bytes are sent one by one.
pub async fn ended_despite(mut stream: TcpStream, bytes: &[u8], time: &SharedTime) -> Ended {
    let (mut reader, mut writer) = stream.split();
    let begun_ms = time.now_ms();
    let trickle = async {
        for byte in bytes {
            if writer.write_all(&[*byte]).await.is_err() {
                break;
            }
            time.until(time.now_ms() + TRICKLE_MS).await;
        }
        std::future::pending::<()>().await;
    };
    let said = tokio::select! {
        said = timeout(PATIENCE, said(&mut reader)) => said.expect("the server ends it"),
        () = trickle => unreachable!("waits for the end"),
    };
    Ended { goaway: goaway(&said), took_ms: time.now_ms() - begun_ms }
}

/// All that comes until the end, however that comes.
async fn said(reader: &mut (impl AsyncRead + Unpin)) -> Vec<u8> {
    let mut said = Vec::new();
    let _ = reader.read_to_end(&mut said).await;
    said
}

/// The error code of the last GOAWAY among these frames.
fn goaway(mut frames: &[u8]) -> Option<u32> {
    let mut code = None;
    while let Some((head, rest)) = frames.split_at_checked(FRAME_HEAD) {
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let Some((payload, rest)) = rest.split_at_checked(length) else { break };
        if head[3] == GOAWAY {
            code = payload.get(4..8).map(|code| u32::from_be_bytes(code.try_into().unwrap()));
        }
        frames = rest;
    }
    code
}
