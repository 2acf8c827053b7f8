//! A client without generated code, in three ways.

use bytes::{Buf, BufMut, Bytes};
use http::Request;
use http::uri::PathAndQuery;
use http_body_util::Full;
use prost::Message;
use prost_reflect::{DynamicMessage, MethodDescriptor};
use serde_json::Value;
use tengen_suite::raw::frame;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use crate::answer::{Refusal, Stream};
use crate::contract;
use crate::plain::Plain;

/// How a method is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Native,
    Web,
    Json,
}

impl Way {
    pub const ALL: [Self; 3] = [Self::Native, Self::Web, Self::Json];
}

/// A caller, who may have signed in.
#[derive(Clone)]
pub struct Client {
    url: String,
    channel: Channel,
    plain: Plain,
    token: Option<String>,
}

impl Client {
    pub fn new(url: &str) -> Self {
        let channel = Endpoint::from_shared(url.to_owned()).expect("an address").connect_lazy();
        Self::over(url, channel)
    }

    /// The native way over a connection that is given.
    pub fn over(url: &str, channel: Channel) -> Self {
        Self { url: url.to_owned(), channel, plain: Plain::default(), token: None }
    }

    /// The same client with an access token.
    pub fn signed(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// The first message of the answer, which a unary method's only one is.
    pub async fn call(
        &self,
        way: Way,
        method: &MethodDescriptor,
        json: &Value,
    ) -> Result<DynamicMessage, Refusal> {
        let mut stream = self.open(way, method, json).await?;
        let first = stream.next().await?;
        first.ok_or_else(|| Refusal::new(Code::Unknown, "an answer without a message"))
    }

    /// By its path: `/tengen.game.v1.GameService/PlayMove`.
    pub async fn ask(&self, way: Way, path: &str, json: Value) -> Result<Value, Refusal> {
        let answer = self.call(way, &contract::method(path), &json).await?;
        Ok(serde_json::to_value(answer).expect("JSON"))
    }

    /// Begins a call.
    pub async fn open(
        &self,
        way: Way,
        method: &MethodDescriptor,
        json: &Value,
    ) -> Result<Stream, Refusal> {
        let path = contract::path(method);
        let message = || {
            let message = DynamicMessage::deserialize(method.input(), json.clone());
            message.unwrap_or_else(|error| panic!("{path}: {error}: {json}")).encode_to_vec()
        };
        match way {
            Way::Native => self.native(&path, message(), method).await,
            Way::Web => {
                let request = Request::post(format!("{}{path}", self.url))
                    .header("content-type", "application/grpc-web+proto")
                    .header("x-grpc-web", "1");
                self.plain(request, frame(0, &message()), method, Way::Web).await
            }
            Way::Json => {
                let rule = contract::rule(method).expect("a public method");
                let (target, body) = rule.request(json);
                let request = Request::builder()
                    .method(rule.method)
                    .uri(format!("{}{target}", self.url))
                    .header("content-type", "application/json");
                self.plain(request, body.into(), method, Way::Json).await
            }
        }
    }

    async fn native(
        &self,
        path: &str,
        message: Vec<u8>,
        method: &MethodDescriptor,
    ) -> Result<Stream, Refusal> {
        let mut grpc = tonic::client::Grpc::new(self.channel.clone());
        grpc.ready().await.expect("a connection");
        let mut request = tonic::Request::new(message);
        if let Some(value) = self.authorization() {
            request.metadata_mut().insert("authorization", value.parse().expect("ASCII"));
        }
        let path = PathAndQuery::try_from(path).expect("a path");
        let answer = grpc.server_streaming(request, path, Raw).await;
        let answer = answer.map_err(|status| Refusal::from(&status))?;
        Ok(Stream::native(method.output(), answer.into_inner()))
    }

    async fn plain(
        &self,
        mut request: http::request::Builder,
        body: Bytes,
        method: &MethodDescriptor,
        way: Way,
    ) -> Result<Stream, Refusal> {
        if let Some(value) = self.authorization() {
            request = request.header("authorization", value);
        }
        let request = request.body(Full::new(body)).expect("a request");
        Stream::plain(method.output(), self.plain.send(request).await, way).await
    }

    fn authorization(&self) -> Option<String> {
        self.token.as_ref().map(|token| format!("Bearer {token}"))
    }
}

/// Messages as they are.
#[derive(Debug, Clone, Copy)]
pub struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining()).to_vec()))
    }
}
