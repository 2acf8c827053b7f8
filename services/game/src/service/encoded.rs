//! Messages of a game's stream that are encoded once, and the route that sends them as they are.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes};
use http::{Request, Response};
use prost::Message;
use tengen_kit::service::MAX_MESSAGE_BYTES;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_server::GameServiceServer;
use tengen_proto::game::v1::watch_game_response::Message as Told;
use tonic::Status;
use tonic::body::Body;
use tonic::codec::{Codec, EncodeBuf, Encoder};
use tonic::server::{Grpc, NamedService, ServerStreamingService};
use tonic_prost::ProstDecoder;
use tower::Service;

use crate::service::Play;
use crate::service::watch::Watching;

/// The method whose answers come encoded.
const WATCH_GAME: &str = "/tengen.game.v1.GameService/WatchGame";

/// One message of a game's stream, encoded; its clones share the bytes.
#[derive(Debug, Clone)]
pub struct Encoded {
    bytes: Bytes,
    /// The sequence the watcher stands at with it; `None` if it tells nothing new.
    pub sequence: Option<i64>,
    /// Whether it tells the end.
    pub ended: bool,
}

impl Encoded {
    /// Encodes what is told.
    pub fn of(told: Told) -> Self {
        let (sequence, ended) = match &told {
            Told::Event(event) => (Some(event.sequence), event.phase() == wire::Phase::Ended),
            Told::Snapshot(snapshot) => (snapshot.game.as_ref().map(|game| game.sequence), false),
            Told::Heartbeat(_) => (None, false),
        };
        let message = wire::WatchGameResponse { message: Some(told) };
        Self { bytes: message.encode_to_vec().into(), sequence, ended }
    }
}

/// GameService, with WatchGame sent as it is encoded: a thousand watchers of an event cost one
/// encoding.
#[derive(Clone)]
pub struct GameRoutes {
    play: Play,
    rest: GameServiceServer<Play>,
}

impl GameRoutes {
    /// The routes of this service.
    pub fn new(play: Play) -> Self {
        let rest = GameServiceServer::new(play.clone());
        Self { play, rest: rest.max_decoding_message_size(MAX_MESSAGE_BYTES) }
    }
}

impl NamedService for GameRoutes {
    const NAME: &'static str = GameServiceServer::<Play>::NAME;
}

impl Service<Request<Body>> for GameRoutes {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<Body>>::poll_ready(&mut self.rest, context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if request.uri().path() != WATCH_GAME {
            return self.rest.call(request);
        }
        let play = self.play.clone();
        Box::pin(async move {
            let mut grpc =
                Grpc::new(AsEncoded).apply_max_message_size_config(Some(MAX_MESSAGE_BYTES), None);
            Ok(grpc.server_streaming(WatchGame(play), request).await)
        })
    }
}

struct WatchGame(Play);

impl ServerStreamingService<wire::WatchGameRequest> for WatchGame {
    type Response = Encoded;
    type ResponseStream = Watching;
    type Future = Pin<Box<dyn Future<Output = Result<tonic::Response<Watching>, Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<wire::WatchGameRequest>) -> Self::Future {
        let play = self.0.clone();
        Box::pin(async move { play.watch(request).await })
    }
}

/// Decodes requests, and sends answers as they are.
struct AsEncoded;

impl Codec for AsEncoded {
    type Encode = Encoded;
    type Decode = wire::WatchGameRequest;
    type Encoder = Self;
    type Decoder = ProstDecoder<wire::WatchGameRequest>;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstDecoder::new(tonic::codec::BufferSettings::default())
    }
}

impl Encoder for AsEncoded {
    type Item = Encoded;
    type Error = Status;

    fn encode(&mut self, item: Encoded, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item.bytes);
        Ok(())
    }
}
