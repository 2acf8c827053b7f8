//! One HTTP/2 connection, spoken by hand: it sends what no generated client would, and never
//! connects again by itself.

use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use h2::client::{ResponseFuture, SendRequest};
use http::{HeaderMap, Request};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::{Code, Status};

/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection. Once the server has closed it, every call fails.
#[derive(Clone)]
pub struct Raw {
    requests: SendRequest<Bytes>,
    url: String,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// The status of HTTP.
    pub http: u16,
    /// The status of gRPC; OK as soon as a message came.
    pub status: Status,
}

impl Raw {
    /// Connects to `http://127.0.0.1:…`.
    pub async fn connect(url: &str) -> Self {
        let address = url.strip_prefix("http://").expect("an address without TLS");
        let stream = TcpStream::connect(address).await.expect("connects");
        stream.set_nodelay(true).expect("a socket");
        let (requests, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
        tokio::spawn(connection);
        Self { requests, url: url.into() }
    }

    /// Calls a method with one message, well framed.
    pub async fn call(
        &mut self,
        path: &str,
        authorization: Option<&str>,
        message: &[u8],
    ) -> Answer {
        self.send(request(path, authorization), frame(0, message)).await
    }

    /// Sends a request whose path is relative, and a body as it is.
    pub async fn send(&mut self, mut request: Request<()>, body: Bytes) -> Answer {
        let uri = format!("{}{}", self.url, request.uri());
        *request.uri_mut() = uri.parse().expect("a path");
        let mut requests = self.requests.clone().ready().await.expect("the connection lives");
        let (response, mut sender) =
            requests.send_request(request, body.is_empty()).expect("sends");
        if !body.is_empty() {
            // Whoever has refused already reads no body.
            let _ = sender.send_data(body, true);
        }
        let late =
            || Answer { http: 0, status: Status::deadline_exceeded("no answer in a minute") };
        timeout(PATIENCE, answer(response)).await.unwrap_or_else(|_| late())
    }
}

/// A POST of gRPC.
pub fn request(path: &str, authorization: Option<&str>) -> Request<()> {
    let mut request =
        Request::post(path).header("content-type", "application/grpc").header("te", "trailers");
    if let Some(value) = authorization {
        request = request.header("authorization", value);
    }
    request.body(()).expect("a request")
}

/// A message behind its flag and length.
pub fn frame(flag: u8, message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(5 + message.len());
    framed.put_u8(flag);
    framed.put_u32(u32::try_from(message.len()).expect("a short message"));
    framed.put_slice(message);
    framed.freeze()
}

async fn answer(response: ResponseFuture) -> Answer {
    let response = match response.await {
        Ok(response) => response,
        Err(error) => return Answer { http: 0, status: lost(&error) },
    };
    let http = response.status().as_u16();
    if let Some(status) = Status::from_header_map(response.headers()) {
        return Answer { http, status };
    }
    let mut body = response.into_body();
    let status = match body.data().await {
        Some(Ok(_)) => Status::ok(""),
        Some(Err(error)) => lost(&error),
        None => told(body.trailers().await),
    };
    Answer { http, status }
}

fn told(trailers: Result<Option<HeaderMap>, h2::Error>) -> Status {
    match trailers {
        Ok(trailers) => trailers
            .and_then(|trailers| Status::from_header_map(&trailers))
            .unwrap_or_else(|| Status::unknown("no status at all")),
        Err(error) => lost(&error),
    }
}

fn lost(error: &h2::Error) -> Status {
    Status::new(Code::Unknown, format!("the stream broke: {error}"))
}
