//! Messages of a game's stream that are encoded once, and the route that sends them as they are.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes, BytesMut};
use http::{Request, Response};
use prost::Message;
use tengen_kit::service::MAX_MESSAGE_BYTES;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_server::GameServiceServer;
use tengen_proto::game::v1::watch_game_response::Message as Told;
use tonic::Status;
use tonic::body::Body;
use tonic::codec::{Codec, EncodeBuf, Encoder};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic_prost::ProstDecoder;
use tower::Service;

use crate::service::Play;
use crate::service::watching::Watching;

/// The method whose answers come encoded.
const WATCH_GAME: &str = "/tengen.game.v1.GameService/WatchGame";
/// What stands before a message: not compressed, and how long it is.
const PREFIX: usize = 5;

/// One message of a game's stream, encoded; its clones share the bytes.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The message behind its gRPC prefix.
    pub framed: Bytes,
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
        let message = message.encode_to_vec();
        let mut framed = BytesMut::with_capacity(PREFIX + message.len());
        framed.put_u8(0);
        framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
        framed.put(&*message);
        Self { framed: framed.freeze(), sequence, ended }
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
                Grpc::new(Decoded).apply_max_message_size_config(Some(MAX_MESSAGE_BYTES), None);
            let mut response = grpc.unary(WatchGame(play), request).await;
            if let Some(Handed(watching)) = response.extensions_mut().remove() {
                let watching = watching.lock().unwrap_or_else(PoisonError::into_inner).take();
                *response.body_mut() = watching.map_or_else(Body::empty, Body::new);
            }
            Ok(response)
        })
    }
}

/// Takes the request as tonic reads it; the answer's body is handed on beside it.
struct WatchGame(Play);

#[derive(Clone)]
struct Handed(Arc<Mutex<Option<Watching>>>);

impl UnaryService<wire::WatchGameRequest> for WatchGame {
    type Response = ();
    type Future = Pin<Box<dyn Future<Output = Result<tonic::Response<()>, Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<wire::WatchGameRequest>) -> Self::Future {
        let play = self.0.clone();
        Box::pin(async move {
            let watching = play.watch(request).await?;
            let mut response = tonic::Response::new(());
            response.extensions_mut().insert(Handed(Arc::new(Mutex::new(Some(watching)))));
            Ok(response)
        })
    }
}

/// Decodes requests; nothing is encoded by it.
struct Decoded;

impl Codec for Decoded {
    type Encode = ();
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

impl Encoder for Decoded {
    type Item = ();
    type Error = Status;

    fn encode(&mut self, (): (), _: &mut EncodeBuf<'_>) -> Result<(), Status> {
        Ok(())
    }
}
