//! The gateway before what it serves.

use std::net::Ipv4Addr;

use tengen_harness::{Envoy, free_port};
use tengen_processes::{Collector, Process, Suite as Stores};
use tengen_suite::doors::Doors;
use tengen_suite::site::People;
use tengen_suite::{Player, Suite};
use tokio::time::timeout;
use tonic::transport::Channel;

use crate::Client;
use crate::names::Names;
use crate::plain::{PATIENCE, Plain};

/// Where the replicas of game are, all on one port, as pods are.
const GAMES: [Ipv4Addr; 2] = [Ipv4Addr::new(127, 0, 0, 2), Ipv4Addr::new(127, 0, 0, 3)];

/// Has Envoy send each span at once.
const SPANS_AT_ONCE: &str = r#"
layered_runtime:
  layers: [{name: spans, static_layer: {"tracing.opentelemetry.min_flush_spans": 1}}]
"#;

/// A gateway before `tengen dev`, for what does not need more.
pub async fn before_dev(more: &[(&str, &str)]) -> (Envoy, Suite) {
    let suite = Suite::in_real_time().await;
    (before(&suite, more).await, suite)
}

/// A gateway before what runs in this process.
pub async fn before(suite: &Suite, more: &[(&str, &str)]) -> Envoy {
    let mut variables = to_all(suite);
    variables.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let envoy = start(variables, String::new()).await;
    ready(&envoy).await;
    envoy
}

/// The same, but nobody is where the session service should be.
pub async fn without_session(suite: &Suite) -> Envoy {
    let mut variables = to_all(suite);
    variables.push(("SESSION_PORT".to_owned(), free_port().to_string()));
    let envoy = start(variables, String::new()).await;
    counted(&envoy, &healthy("rating"), |replicas| replicas > 0).await;
    envoy
}

/// Says that all services are in this process.
fn to_all(suite: &Suite) -> Vec<(String, String)> {
    let port = suite.url().rsplit(':').next().expect("a port");
    let mut variables = Vec::new();
    for service in ["GAME", "CLOCK", "RATING", "SESSION"] {
        variables.push((format!("{service}_HOST"), "127.0.0.1".to_owned()));
        variables.push((format!("{service}_PORT"), port.to_owned()));
    }
    variables
}

/// The gateway before the four services as processes, two of them for games.
pub struct Site {
    pub envoy: Envoy,
    pub people: People,
    games: [Option<Process>; 2],
    game_port: u16,
    sessions: String,
    _running: Vec<Process>,
    stores: Stores,
}

impl Site {
    pub async fn start() -> Self {
        let stores = Stores::new();
        let game_port = free_port();
        let urls = GAMES.map(|address| format!("http://{address}:{game_port}")).join(",");
        let (staff, session) = session_with_staff(&stores, &urls).await;
        let sessions = session.url();
        let mut games = [None, None];
        for (game, address) in games.iter_mut().zip(GAMES) {
            *game = Some(game_at(&stores, &sessions, address, game_port).await);
        }
        let (clock, rating) =
            tokio::join!(stores.clock(&urls, &sessions), stores.rating(&urls, &sessions));
        for process in games.iter().flatten().chain([&session, &clock, &rating]) {
            process.ready().await;
        }
        let names = Names::start(&GAMES);
        let mut variables = Vec::new();
        for (service, host, port) in [
            ("GAME", "games", game_port),
            ("CLOCK", "127.0.0.1", clock.listen.port()),
            ("RATING", "127.0.0.1", rating.listen.port()),
            ("SESSION", "127.0.0.1", session.listen.port()),
        ] {
            variables.push((format!("{service}_HOST"), host.to_owned()));
            variables.push((format!("{service}_PORT"), port.to_string()));
        }
        let envoy = start(variables, names.configuration()).await;
        ready(&envoy).await;
        let doors = doors(&envoy);
        let people = People::gather(&doors, Player::sign_in(&doors, &staff).await).await;
        let _running = vec![clock, rating, session];
        Self { envoy, people, games, game_port, sessions, _running, stores }
    }

    pub fn client(&self) -> Client {
        Client::new(&self.envoy.url())
    }

    /// Kills a replica of game, as by `kill -9`.
    pub fn kill(&mut self, replica: usize) {
        self.games[replica] = None;
    }

    /// Starts a replica of game again at its address: once the gateway has missed it, and until the
    /// gateway sends it calls.
    pub async fn revive(&mut self, replica: usize) {
        counted(&self.envoy, &healthy("game"), |replicas| replicas == 1).await;
        let address = GAMES[replica];
        let game = game_at(&self.stores, &self.sessions, address, self.game_port).await;
        game.ready().await;
        self.games[replica] = Some(game);
        counted(&self.envoy, &healthy("game"), |replicas| replicas == 2).await;
    }
}

/// The gateway before a game service and a session service, and a collector that takes the spans of
/// all three. Session stands where clock and rating would be.
pub struct Traced {
    pub envoy: Envoy,
    pub collector: Collector,
    _running: [Process; 2],
    _stores: Stores,
}

impl Traced {
    pub async fn start() -> Self {
        let collector = Collector::start().await;
        let told = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.clone()),
            ("OTEL_TRACES_SAMPLER_ARG", "1".to_owned()),
        ];
        let mut stores = Stores::new().tell("OTEL_BSP_SCHEDULE_DELAY", "50");
        for (variable, value) in &told {
            stores = stores.tell(variable, value);
        }
        let session = stores.session(&[]).await;
        session.ready().await;
        let game = stores.game(&session.url(), &[]).await;
        game.ready().await;
        let mut variables = told.map(|(variable, value)| (variable.to_owned(), value)).to_vec();
        for (service, process) in
            [("GAME", &game), ("CLOCK", &session), ("RATING", &session), ("SESSION", &session)]
        {
            variables.push((format!("{service}_HOST"), process.listen.ip().to_string()));
            variables.push((format!("{service}_PORT"), process.listen.port().to_string()));
        }
        let envoy = start(variables, SPANS_AT_ONCE.to_owned()).await;
        ready(&envoy).await;
        Self { envoy, collector, _running: [game, session], _stores: stores }
    }
}

/// Ways through a gateway.
pub fn doors(envoy: &Envoy) -> Doors {
    let endpoint = tengen_kit::client::endpoint(&envoy.url()).expect("an address");
    Doors::one(endpoint.connect_lazy())
}

/// A connection of one's own.
pub async fn connect(envoy: &Envoy) -> Channel {
    tengen_kit::client::endpoint(&envoy.url())
        .expect("an address")
        .connect()
        .await
        .expect("connects")
}

async fn start(variables: Vec<(String, String)>, more: String) -> Envoy {
    // It waits for a while, and the services may be tasks of this very thread.
    let started = tokio::task::spawn_blocking(move || Envoy::start(&variables, &more));
    started.await.expect("it starts")
}

/// Waits until the gateway has the keys of tokens and takes all services for healthy.
async fn ready(envoy: &Envoy) {
    let keys = "jwt_authn_jwks_fetch_success{envoy_http_conn_manager_prefix=\"clients\"}";
    counted(envoy, keys, |fetches| fetches > 0).await;
    for cluster in ["game", "clock", "rating", "session"] {
        counted(envoy, &healthy(cluster), |replicas| replicas > 0).await;
    }
}

/// The figure of healthy replicas of a service.
fn healthy(cluster: &str) -> String {
    format!("cluster_membership_healthy{{envoy_cluster_name=\"{cluster}\"}}")
}

/// Waits until one of Envoy's figures is so. Nothing here keeps time; it asks again after each answer.
async fn counted(envoy: &Envoy, name: &str, so: impl Fn(u64) -> bool) {
    let (plain, url) = (Plain::default(), format!("{}/stats/prometheus", envoy.observe_url()));
    let told = async {
        loop {
            let page = plain.get(&url).await;
            let figure = page.body().lines().find_map(|line| line.split_once(name));
            if figure.and_then(|(_, told)| told.trim().parse().ok()).is_some_and(&so) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, told).await.unwrap_or_else(|_| panic!("{name} never was so"));
}

/// The session service, which takes its account for a referee and an organiser: its name.
async fn session_with_staff(stores: &Stores, games: &str) -> (String, Process) {
    let name = "eun".to_owned();
    let listen = format!("127.0.0.1:{}", free_port());
    let own = [("TENGEN_LISTEN", listen.as_str()), ("TENGEN_GAME_URLS", games)];
    let session = stores.session(&own).await;
    session.ready().await;
    let id = Player::register(&Doors::one(session.channel().await), &name).await.id;
    session.signal("TERM");
    session.ended().await;
    let roles = [("TENGEN_SESSION_REFEREES", id.as_str()), ("TENGEN_SESSION_ORGANISERS", &id)];
    (name, stores.session(&[&own[..], &roles].concat()).await)
}

async fn game_at(stores: &Stores, sessions: &str, address: Ipv4Addr, port: u16) -> Process {
    stores.game(sessions, &[("TENGEN_LISTEN", &format!("{address}:{port}"))]).await
}
