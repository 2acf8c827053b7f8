//! The game service and clock services around one live state, on real ports, in hand-moved time.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "each test file uses a part; a test fails by panicking"
)]

use std::future::Future;
use std::net::SocketAddr;
use std::ops::Deref;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use tempfile::TempDir;
use tengen_clock::Config;
use tengen_kit::auth::{Claims, Gate, Rule, ServiceSecret, ServiceTokens, Signer, Verifier};
use tengen_kit::client;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql;
use tengen_kit::time::{ManualTime, Time};
use tengen_live::{Live, Memory, Settings as LiveSettings};
use tengen_proto::clock::v1 as clock;
use tengen_proto::clock::v1::clock_service_client::ClockServiceClient;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::watch_clock_response::Message as Told;
use tengen_proto::common::v1::{Point, Role};
use tengen_proto::game::v1 as game;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::lobby_service_client::LobbyServiceClient;
use tengen_proto::time::{duration, timestamp_ms};
use tengen_timing::{Control, Seat};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::body::Body;
use tonic::codegen::http;
use tonic::service::RoutesBuilder;
use tonic::transport::Channel;
use tonic::transport::server::TcpIncoming;
use tonic::{Code, Request, Streaming};
use tonic_types::StatusExt;
use tower::util::MapRequestLayer;

const START_MS: i64 = 1_767_225_600_000;
const WATCH_GAME: &str = "/tengen.game.v1.GameService/WatchGame";
pub const PLAYERS: [&str; 2] = ["player-black", "player-white"];

/// A server that is up.
pub struct Server {
    pub address: SocketAddr,
    pub channel: Channel,
    shutdown: Shutdown,
    served: JoinHandle<()>,
}

/// What a game service stands on.
pub struct Site {
    pub time: ManualTime,
    pub live: Arc<dyn Live>,
    /// How many watches the game service was asked for.
    pub feeds: Arc<AtomicUsize>,
    secret: ServiceSecret,
    gate: Gate,
    /// Holds the archive.
    folder: TempDir,
}

/// A game service and what it stands on.
pub struct Suite {
    site: Site,
    pub game: Server,
    signer: Signer,
    requests: Mutex<u32>,
}

/// A watch of clocks, message by message.
pub struct Watch(Streaming<clock::WatchClockResponse>);

impl Suite {
    pub async fn start() -> Self {
        let time = ManualTime::new(START_MS);
        let live: Arc<dyn Live> = Arc::new(Memory::new(time.shared(), LiveSettings::default()));
        let (signer, secret) = (Signer::generate(), ServiceSecret::generate());
        let verifier =
            Verifier::new("tengen", "tengen", time.shared()).with_services(&secret).unwrap();
        verifier.set_jwks(&signer.jwks()).unwrap();
        // A channel asks for the health of what it calls.
        let health = Rule::new("/grpc.health.v1.Health/Watch", "GUEST", "");
        let rules = tengen_proto::METHODS.iter().map(|method| {
            let role = Role::try_from(method.requires).unwrap();
            Rule::new(method.path, role.as_str_name(), method.not_built)
        });
        let site = Site {
            time,
            live,
            feeds: Arc::default(),
            secret,
            gate: Gate::new(rules.chain([health]), Arc::new(verifier)),
            folder: TempDir::new().unwrap(),
        };
        let game = site.serve_game(None).await;
        Self { site, game, signer, requests: Mutex::new(0) }
    }

    /// One more replica of the clock service.
    pub async fn clock(&self, config: Config) -> Server {
        let tokens = ServiceTokens::new("clock", &self.secret, self.time.shared()).unwrap();
        let url = format!("http://{}", self.game.address);
        let shutdown = Shutdown::new();
        let service = tengen_clock::bind(tengen_clock::Parts {
            config,
            live: Arc::clone(&self.live),
            time: self.time.shared(),
            shutdown: shutdown.clone(),
            secret: self.secret.clone(),
            games: client::channel(&url, tokens.clone()).unwrap(),
            // Nobody is there.
            sessions: client::channel("http://127.0.0.1:1", tokens).unwrap(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (gate, end) = (self.gate.clone(), shutdown.clone());
        let served = tokio::spawn(async move {
            let descriptors = tengen_proto::DESCRIPTORS;
            tengen_kit::server::serve(listener, vec![service], gate, descriptors, end)
                .await
                .unwrap();
        });
        Server::up(address, shutdown, served)
    }

    pub async fn stop_game(&mut self) {
        self.game.stop().await;
    }

    /// A game service with nothing remembered, where the one before was.
    pub async fn restart_game(&mut self) {
        let at = Some(self.game.address);
        self.game = self.site.serve_game(at).await;
    }

    /// Stops the game service and loses all games. Another one is up elsewhere until
    /// [`Suite::restart_game`]; what is asked for in the same order gets the same ids.
    pub async fn forget_games(&mut self) {
        self.game.stop().await;
        let live = Memory::new(self.time.shared(), LiveSettings::default());
        self.site.live = Arc::new(live);
        *self.requests.lock().unwrap() = 0;
        let elsewhere = self.site.serve_game(None).await;
        self.game.channel = elsewhere.channel;
    }

    pub fn skip_request_ids(&self, number: u32) {
        *self.requests.lock().unwrap() += number;
    }

    /// A new game; its id, and when it began. Black is the first of [`PLAYERS`].
    pub async fn game(&self, control: Option<Control>) -> (String, i64) {
        let settings = game::Settings {
            time: control.as_ref().map(wire_control),
            ..game::Settings::default()
        };
        let mut lobby = LobbyServiceClient::new(self.game.channel.clone());
        let challenge = game::CreateChallengeRequest {
            request_id: self.request_id(),
            settings: Some(settings),
            colour: game::ColourChoice::Black as i32,
            ..game::CreateChallengeRequest::default()
        };
        let challenge = lobby.create_challenge(self.signed(Seat::Black, challenge)).await;
        let accept = game::AcceptChallengeRequest {
            challenge_id: challenge.unwrap().into_inner().challenge.unwrap().challenge_id,
            request_id: self.request_id(),
        };
        let accepted = lobby.accept_challenge(self.signed(Seat::White, accept)).await;
        let game = accepted.unwrap().into_inner().game.unwrap();
        (game.game_id, self.time.now_ms())
    }

    pub async fn play(&self, game_id: &str, seat: Seat, number: i32) {
        let request = game::PlayMoveRequest {
            game_id: game_id.to_owned(),
            move_number: number,
            point: Some(Point { row: number, column: 3 }),
            request_id: self.request_id(),
        };
        let request = self.signed(seat, request);
        self.games().play_move(request).await.unwrap();
    }

    pub async fn pass(&self, game_id: &str, seat: Seat, number: i32) {
        let request = game::PassRequest {
            game_id: game_id.to_owned(),
            move_number: number,
            request_id: self.request_id(),
        };
        self.games().pass(self.signed(seat, request)).await.unwrap();
    }

    pub async fn resign(&self, game_id: &str, seat: Seat) {
        let request =
            game::ResignRequest { game_id: game_id.to_owned(), request_id: self.request_id() };
        let request = self.signed(seat, request);
        self.games().resign(request).await.unwrap();
    }

    pub async fn get_game(&self, game_id: &str) -> game::Game {
        let request = game::GetGameRequest { game_id: game_id.to_owned() };
        let response = self.games().get_game(request).await.unwrap();
        response.into_inner().game.unwrap()
    }

    /// Waits for the end of a game, as any watcher does.
    pub async fn end_of(&self, game_id: &str) -> game::Result {
        let request = game::WatchGameRequest {
            game_id: game_id.to_owned(),
            ..game::WatchGameRequest::default()
        };
        let response = self.games().watch_game(request).await.unwrap();
        let mut events = response.into_inner();
        while events.message().await.unwrap().is_some() {}
        self.get_game(game_id).await.result.expect("it is over")
    }

    pub fn advance(&self, ms: i64) {
        self.time.advance(u32::try_from(ms).unwrap());
    }

    /// To an instant that has not passed.
    pub fn advance_to(&self, at_ms: i64) {
        self.advance(at_ms - self.time.now_ms());
    }

    /// How long ago the suite was started.
    pub fn time_since_start(&self) -> i64 {
        self.time.now_ms() - START_MS
    }

    fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.game.channel.clone())
    }

    fn signed<T>(&self, seat: Seat, message: T) -> Request<T> {
        let player = PLAYERS[usize::from(seat == Seat::White)];
        let claims = Claims {
            iss: "tengen".into(),
            aud: "tengen".into(),
            sub: player.into(),
            name: player.into(),
            iat: START_MS / 1_000,
            exp: START_MS / 1_000 + 1_000_000,
            roles: vec!["PLAYER".into()],
            bot: false,
            generation: 0,
            tier: 0,
        };
        let token = self.signer.sign(&claims).unwrap();
        let mut request = Request::new(message);
        let value = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", value);
        request
    }

    fn request_id(&self) -> String {
        let mut last = self.requests.lock().unwrap();
        *last += 1;
        format!("request-{last:08}")
    }
}

impl Deref for Suite {
    type Target = Site;

    fn deref(&self) -> &Site {
        &self.site
    }
}

impl Site {
    /// A game service, at a port of its own or at this one.
    async fn serve_game(&self, at: Option<SocketAddr>) -> Server {
        let at = at.unwrap_or_else(|| "127.0.0.1:0".parse().unwrap());
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = Shutdown::new();
        let archive = format!("sqlite://{}/archive.db", self.folder.path().display());
        // Nothing here asks the session service for anything.
        let tokens = ServiceTokens::new("game", &self.secret, self.time.shared()).unwrap();
        let sessions = client::channel("http://127.0.0.1:9", tokens).unwrap();
        let service = tengen_game::bind(tengen_game::Parts {
            config: tengen_game::Config::default(),
            live: Arc::clone(&self.live),
            time: self.time.shared(),
            shutdown: shutdown.clone(),
            archive: sql::open(&archive, tengen_game::MIGRATIONS).await.unwrap(),
            sessions: tengen_game::session_channel(sessions),
        });
        let (reporter, health) = tonic_health::server::health_reporter();
        let mut routes = RoutesBuilder::default();
        routes.add_service(health);
        service.routes.into_iter().for_each(|add| add(&mut routes));
        let feeds = Arc::clone(&self.feeds);
        let count = MapRequestLayer::new(move |request: http::Request<Body>| {
            if request.uri().path() == WATCH_GAME {
                feeds.fetch_add(1, Ordering::Relaxed);
            }
            request
        });
        let (gate, end) = (self.gate.clone(), shutdown.clone());
        let served = tokio::spawn(async move {
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            tonic::transport::Server::builder()
                .layer(count)
                .layer(gate)
                .serve_with_incoming_shutdown(routes.routes().prepare(), incoming, async move {
                    end.begun().await;
                    // Whoever watches its health would hold it up.
                    let mut reporter = reporter;
                    reporter.clear_service_status("").await;
                })
                .await
                .unwrap();
        });
        Server::up(address, shutdown, served)
    }
}

impl Server {
    fn up(address: SocketAddr, shutdown: Shutdown, served: JoinHandle<()>) -> Self {
        let channel = client::endpoint(&format!("http://{address}")).unwrap();
        Self { address, channel: channel.connect_lazy(), shutdown, served }
    }

    pub async fn stop(&mut self) {
        self.shutdown.begin();
        (&mut self.served).await.unwrap();
    }

    pub fn begin_shutdown(&self) {
        self.shutdown.begin();
    }

    pub fn clocks(&self) -> ClockServiceClient<Channel> {
        ClockServiceClient::new(self.channel.clone())
    }

    pub async fn get_clock(&self, game_id: &str) -> Option<clock::Clock> {
        let request = clock::GetClockRequest { game_id: game_id.to_owned() };
        let response = self.clocks().get_clock(request).await.unwrap();
        response.into_inner().clock
    }

    pub async fn watch(&self, game_id: &str) -> Watch {
        let request = clock::WatchClockRequest { game_id: game_id.to_owned() };
        let response = self.clocks().watch_clock(request).await.unwrap();
        Watch(response.into_inner())
    }

    /// Waits until a game can be asked for again.
    pub async fn reach_game(&self, game_id: &str) {
        let request = || clock::GetClockRequest { game_id: game_id.to_owned() };
        while self.clocks().get_clock(request()).await.is_err() {}
    }

    /// Gives whatever has been set going a good chance to come to its end: what was to be sent,
    /// rightly or wrongly, is sent by then.
    pub async fn settle(&self, game_id: &str) {
        for _ in 0..5 {
            self.get_clock(game_id).await;
        }
    }
}

impl Watch {
    pub async fn next(&mut self) -> Result<Option<Told>, tonic::Status> {
        let message = self.0.message().await?;
        Ok(message.map(|message| message.message.expect("a message that says something")))
    }

    pub async fn clock(&mut self) -> clock::Clock {
        match self.next().await {
            Ok(Some(Told::Clock(clock))) => clock,
            other => panic!("expected a clock, got {other:?}"),
        }
    }

    /// When the next message was due, and what it calls.
    pub async fn call(&mut self) -> (i64, clock::call::Call) {
        match self.next().await {
            Ok(Some(Told::Call(call))) => (instant(call.due.as_ref()), call.call.unwrap()),
            other => panic!("expected a call, got {other:?}"),
        }
    }

    /// The last reading, after which the stream must close.
    pub async fn ended(&mut self) -> Option<clock::Clock> {
        match self.next().await {
            Ok(Some(Told::Ended(ended))) => {
                assert_eq!(self.next().await.unwrap(), None, "the stream closes");
                ended.clock
            }
            other => panic!("expected the end, got {other:?}"),
        }
    }

    /// Fails if a message has arrived.
    pub fn assert_silent(&mut self) {
        if let Some(message) = at_once(self.next()) {
            panic!("expected nothing, got {message:?}");
        }
    }
}

/// What a future gives without waiting.
pub fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

pub fn instant(timestamp: Option<&prost_types::Timestamp>) -> i64 {
    timestamp.and_then(timestamp_ms).expect("an instant")
}

pub fn assert_refused(status: &tonic::Status, code: Code, reason: &str) {
    let info = status.get_details_error_info();
    let reason_given = info.map(|info| info.reason).unwrap_or_default();
    assert_eq!((status.code(), reason_given.as_str()), (code, reason));
}

fn wire_control(control: &Control) -> clock::TimeControl {
    let ms = |ms| Some(duration(ms));
    let number = |n: u32| i32::try_from(n).unwrap();
    let kind = match *control {
        Control::Absolute { main_ms } => Kind::Absolute(clock::Absolute { main: ms(main_ms) }),
        Control::Reserved { limit_ms, reserved_minutes } => Kind::Reserved(clock::Reserved {
            limit: ms(limit_ms),
            reserved_minutes: number(reserved_minutes),
        }),
        Control::Japanese { main_ms, periods, period_ms } => Kind::Japanese(clock::Japanese {
            main: ms(main_ms),
            periods: number(periods),
            period: ms(period_ms),
        }),
        Control::Canadian { main_ms, stones, period_ms } => Kind::Canadian(clock::Canadian {
            main: ms(main_ms),
            stones: number(stones),
            period: ms(period_ms),
        }),
        Control::Fischer { main_ms, increment_ms, max_ms } => Kind::Fischer(clock::Fischer {
            main: ms(main_ms),
            increment: ms(increment_ms),
            cap: max_ms.map(duration),
        }),
    };
    clock::TimeControl { kind: Some(kind) }
}
