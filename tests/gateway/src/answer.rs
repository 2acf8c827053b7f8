//! What comes back, the same for each way.

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use prost_reflect::{DynamicMessage, MessageDescriptor};
use serde_json::Value;
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt;

use crate::client::Way;
use crate::plain::{Body, PATIENCE};

/// The frame of gRPC-Web that holds the trailers.
const TRAILERS: u8 = 0x80;
/// Flag and length.
const FRAME_HEAD: usize = 5;

/// Why there is no answer, or no more of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub code: Code,
    /// The reason of the contract; the gateway's own refusals have none.
    pub reason: String,
    pub message: String,
}

/// The messages of an answer.
pub struct Stream {
    output: MessageDescriptor,
    source: Source,
}

enum Source {
    Native(Box<Streaming<Vec<u8>>>),
    Plain { body: Body, way: Way, buffer: BytesMut, over: bool },
}

impl Refusal {
    pub fn new(code: Code, message: &str) -> Self {
        Self { code, reason: String::new(), message: message.to_owned() }
    }

    /// A google.rpc.Status in JSON.
    fn from_json(text: &str) -> Self {
        let Ok(told) = serde_json::from_str::<Value>(text) else {
            return Self::new(Code::Unknown, text);
        };
        let code = told["code"].as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(2);
        Self {
            code: Code::from(code),
            reason: reason(&told).to_owned(),
            message: told["message"].as_str().unwrap_or_default().to_owned(),
        }
    }
}

impl From<&Status> for Refusal {
    fn from(status: &Status) -> Self {
        let info = status.get_details_error_info();
        Self {
            code: status.code(),
            reason: info.map(|info| info.reason).unwrap_or_default(),
            message: status.message().to_owned(),
        }
    }
}

impl Stream {
    pub(crate) fn native(output: MessageDescriptor, streaming: Streaming<Vec<u8>>) -> Self {
        Self { output, source: Source::Native(Box::new(streaming)) }
    }

    /// Begins to read an answer of HTTP/1.1; what it refuses by is an error.
    pub(crate) async fn plain(
        output: MessageDescriptor,
        response: Response<Body>,
        way: Way,
    ) -> Result<Self, Refusal> {
        let (head, body) = response.into_parts();
        if way == Way::Web {
            ended(&head.headers)?;
        }
        if !head.status.is_success() {
            let whole = timeout(PATIENCE, body.collect()).await.expect("ends");
            let text = whole.expect("a whole body").to_bytes();
            let refusal = Refusal::from_json(&String::from_utf8_lossy(&text));
            assert_eq!(head.status.as_u16(), http_status(refusal.code), "{refusal:?}");
            return Err(refusal);
        }
        let source = Source::Plain { body, way, buffer: BytesMut::new(), over: false };
        Ok(Self { output, source })
    }

    /// The next message; `None` after the last one, where all is well.
    pub async fn next(&mut self) -> Result<Option<DynamicMessage>, Refusal> {
        let next = timeout(PATIENCE, self.source.next()).await.expect("a message in time")?;
        Ok(next.map(|told| match told {
            Told::Binary(bytes) => {
                DynamicMessage::decode(self.output.clone(), bytes).expect("a message of its type")
            }
            Told::Json(text) => {
                let mut json = serde_json::Deserializer::from_slice(&text);
                DynamicMessage::deserialize(self.output.clone(), &mut json)
                    .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&text)))
            }
        }))
    }
}

/// The reason among the details of a google.rpc.Status in JSON.
pub fn reason(status: &Value) -> &str {
    let details = status["details"].as_array().into_iter().flatten();
    details.filter_map(|detail| detail["reason"].as_str()).next().unwrap_or_default()
}

enum Told {
    Binary(Bytes),
    Json(Bytes),
}

impl Source {
    async fn next(&mut self) -> Result<Option<Told>, Refusal> {
        let (body, way, buffer, over) = match self {
            Self::Native(streaming) => {
                let message = streaming.message().await.map_err(|status| Refusal::from(&status))?;
                return Ok(message.map(|bytes| Told::Binary(bytes.into())));
            }
            Self::Plain { body, way, buffer, over } => (body, *way, buffer, over),
        };
        loop {
            let taken = match way {
                Way::Json => line(buffer, *over),
                _ => web_frame(buffer)?,
            };
            if taken.is_some() || *over {
                return Ok(taken);
            }
            match body.frame().await {
                None => *over = true,
                Some(Err(error)) => {
                    return Err(Refusal::new(Code::Unavailable, &format!("cut: {error}")));
                }
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => buffer.extend_from_slice(&data),
                    // How a stream of JSON ended.
                    Err(frame) => ended(frame.trailers_ref().expect("trailers"))?,
                },
            }
        }
    }
}

/// A line of JSON; the last one may have no end.
fn line(buffer: &mut BytesMut, over: bool) -> Option<Told> {
    let whole = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
    let length = whole.or((over && !buffer.is_empty()).then_some(buffer.len()))?;
    Some(Told::Json(buffer.split_to(length).freeze()))
}

/// A message of gRPC-Web; its trailers tell how it ended.
fn web_frame(buffer: &mut BytesMut) -> Result<Option<Told>, Refusal> {
    if buffer.len() < FRAME_HEAD {
        return Ok(None);
    }
    let length = u32::from_be_bytes([buffer[1], buffer[2], buffer[3], buffer[4]]) as usize;
    if buffer.len() < FRAME_HEAD + length {
        return Ok(None);
    }
    let flag = buffer[0];
    buffer.advance(FRAME_HEAD);
    let frame = buffer.split_to(length).freeze();
    if flag != TRAILERS {
        return Ok(Some(Told::Binary(frame)));
    }
    let text = String::from_utf8_lossy(&frame).into_owned();
    let mut trailers = HeaderMap::new();
    for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let name = http::HeaderName::try_from(name.trim()).expect("a name");
        trailers.insert(name, value.trim().parse().expect("a value"));
    }
    ended(&trailers)?;
    Ok(None)
}

/// An error if headers or trailers say so.
fn ended(headers: &HeaderMap) -> Result<(), Refusal> {
    match Status::from_header_map(headers) {
        Some(status) if status.code() != Code::Ok => Err(Refusal::from(&status)),
        _ => Ok(()),
    }
}

/// The status of HTTP that says the same as a code.
fn http_status(code: Code) -> u16 {
    match code {
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => 400,
        Code::Unauthenticated => 401,
        Code::PermissionDenied => 403,
        Code::NotFound => 404,
        Code::AlreadyExists | Code::Aborted => 409,
        Code::ResourceExhausted => 429,
        Code::Unimplemented => 501,
        Code::Unavailable => 503,
        Code::DeadlineExceeded => 504,
        _ => 500,
    }
}
