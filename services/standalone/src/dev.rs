//! All services in one process.

use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use tengen_kit::auth::{Gate, KeyError, Rule, ServiceSecret, ServiceTokens, Verifier};
use tengen_kit::client::{self, ServiceChannel};
use tengen_kit::config::{Issuer, Limits};
use tengen_kit::server::{ServeError, Server};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql::{self, SqlError};
use tengen_kit::telemetry;
use tengen_kit::time::{SharedTime, WallTime};
use tengen_live::{Live, Memory, OUTAGE_MS};
use tengen_proto::{DESCRIPTORS, METHODS};
use tokio::net::TcpListener;

use crate::{bot, web};

/// What a bad setting ends with (EX_USAGE of sysexits.h).
const BAD_SETTING: u8 = 64;

/// The arguments of `tengen dev`.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// Where it listens; loopback only, as its games live in memory.
    #[arg(long, env = "TENGEN_DEV_LISTEN", default_value = "127.0.0.1:4700")]
    listen: SocketAddr,
    /// The folder of the SQLite files.
    #[arg(long, env = "TENGEN_DEV_DATA", default_value = ".tengen")]
    data: PathBuf,
    #[command(flatten)]
    config: Config,
}

/// The settings of the services.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct Config {
    #[command(flatten)]
    /// The game service.
    pub game: tengen_game::Config,
    #[command(flatten)]
    /// The clock service.
    pub clock: tengen_clock::Config,
    #[command(flatten)]
    /// The rating service.
    pub rating: tengen_rating::Config,
    #[command(flatten)]
    /// The session service.
    pub session: tengen_session::Config,
    #[command(flatten)]
    /// Whose access tokens are taken.
    pub issuer: Issuer,
    #[command(flatten)]
    /// How much one client may take.
    pub limits: Limits,
    /// The folder of the built web board.
    #[arg(long, env = "TENGEN_DEV_WEB", default_value = "services/web/dist")]
    pub web: Option<PathBuf>,
}

/// What everything is made of.
pub struct Parts {
    /// Where it listens.
    pub listener: TcpListener,
    /// The folder of the SQLite files; made if it is not there.
    pub data: PathBuf,
    /// The live games.
    pub live: Arc<dyn Live>,
    /// The time of everything else.
    pub time: SharedTime,
    /// Ends it.
    pub shutdown: Shutdown,
    /// The settings of the services.
    pub config: Config,
}

/// Why it could not start, or ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum DevError {
    /// An address other machines can reach, with games that live in memory.
    #[error(
        "TENGEN_DEV_LISTEN is {0}, expected a loopback address: games in memory are for trying out"
    )]
    NotLoopback(SocketAddr),
    /// The folder of the SQLite files cannot be made.
    #[error("TENGEN_DEV_DATA is {folder}: {error}")]
    Data {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        error: std::io::Error,
    },
    /// The port cannot be listened on, or the signals not.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        error: std::io::Error,
    },
    /// A database cannot be opened.
    #[error("the database of {of}: {error}")]
    Database {
        /// Whose it is.
        of: &'static str,
        /// What is wrong with it.
        error: SqlError,
    },
    /// A setting of a service.
    #[error("{0}")]
    Setting(String),
    /// A key cannot be made or read.
    #[error("a signing key: {0}")]
    Key(#[from] KeyError),
    /// The key of access tokens.
    #[error("the key of access tokens: {0}")]
    Signer(#[from] tengen_session::SignerError),
    /// The address of this process cannot be called.
    #[error("the own address: {0}")]
    Channel(#[from] client::UrlError),
    /// Nor by the sparring bot.
    #[error("the own address: {0}")]
    Connect(#[from] tonic::transport::Error),
    /// It ended by itself.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

impl DevError {
    /// Whether a setting is wrong, which no second try mends.
    fn is_setting(&self) -> bool {
        matches!(self, Self::NotLoopback(_) | Self::Data { .. } | Self::Setting(_))
    }
}

/// Runs everything until the process is told to end, and says how that went.
pub async fn command(arguments: Arguments) -> ExitCode {
    match run(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::from(if error.is_setting() { BAD_SETTING } else { 1 })
        }
    }
}

/// Runs everything until the process is told to end.
///
/// # Errors
/// When a setting is wrong, the port is taken, or a database cannot be opened.
async fn run(arguments: Arguments) -> Result<(), DevError> {
    telemetry::init("tengen");
    let Arguments { listen, data, config } = arguments;
    if !listen.ip().is_loopback() {
        return Err(DevError::NotLoopback(listen));
    }
    let io = |what: String| move |error| DevError::Io { what, error };
    let listener = TcpListener::bind(listen).await.map_err(io(format!("listening on {listen}")))?;
    let address = listener.local_addr().map_err(io("the own address".into()))?;
    let shutdown = Shutdown::on_signal().map_err(io("listening to signals".into()))?;
    let (folder, board) = (data.clone(), config.web.clone());
    let time = WallTime::shared();
    // A process that was stopped for a while is an outage like any other.
    let settings = tengen_live::Settings { outage_ms: OUTAGE_MS, ..Default::default() };
    let live = Arc::new(Memory::new(Arc::clone(&time), settings));
    let parts = Parts { listener, data, live, time, shutdown, config };
    let serving = bind(parts).await?;
    greet(address, &folder, board.as_deref());
    let here = client::endpoint(&format!("http://{address}"))?.connect_lazy();
    let bot = tokio::spawn(async move { bot::keep(here, &folder).await });
    let served = serving.await.map_err(DevError::from);
    bot.abort();
    served
}

#[expect(clippy::print_stdout, reason = "what a newcomer reads first")]
fn greet(address: SocketAddr, data: &Path, board: Option<&Path>) {
    let board = match board.filter(|folder| web::is_built(folder)) {
        Some(_) => format!("Play at http://{address}/ in a browser."),
        None => "The web board is not built: `make run` builds it where node is installed.".into(),
    };
    println!(
        "Tengen is at {address}: gRPC and gRPC-Web, with reflection.
{board}

  Kept in {}: accounts, ratings, the ledger.
  Lost at exit: running games and open challenges, which live in memory.
  An opponent waits in the lobby: sparring, on boards of 9, 13 and 19 lines.

Try:
  .cache/venv/bin/buf curl --protocol grpc --http2-prior-knowledge \\
    http://{address}/tengen.rating.v1.RatingService/GetLadder

README.md plays a first game in a few commands. Ctrl-C ends it.",
        data.display()
    );
}

/// Binds all services; the future serves until the shutdown has begun.
///
/// # Errors
/// When a setting is wrong or a database cannot be opened.
pub async fn bind(
    parts: Parts,
) -> Result<impl Future<Output = Result<(), ServeError>> + Send, DevError> {
    let Parts { listener, data, live, time, shutdown, config } = parts;
    let address = listener
        .local_addr()
        .map_err(|error| DevError::Io { what: "the own address".into(), error })?;
    std::fs::create_dir_all(&data)
        .map_err(|error| DevError::Data { folder: data.clone(), error })?;
    let secret = ServiceSecret::generate();
    let channel = |name| -> Result<ServiceChannel, DevError> {
        let tokens = ServiceTokens::new(name, &secret, Arc::clone(&time))?;
        Ok(client::channel(&format!("http://{address}"), tokens)?)
    };
    let game = tengen_game::bind(tengen_game::Parts {
        config: config.game,
        live: Arc::clone(&live),
        time: Arc::clone(&time),
        shutdown: shutdown.clone(),
        archive: open("game", &data, tengen_game::MIGRATIONS).await?,
        sessions: tengen_game::session_channel(channel("game")?),
    });
    let clock = tengen_clock::bind(tengen_clock::Parts {
        config: config.clock,
        live: Arc::clone(&live),
        time: Arc::clone(&time),
        shutdown: shutdown.clone(),
        secret: secret.clone(),
        games: channel("clock")?,
        sessions: channel("clock")?,
    });
    let rating = tengen_rating::bind(tengen_rating::Parts {
        config: config.rating,
        database: open("rating", &data, tengen_rating::MIGRATIONS).await?,
        results: channel("rating")?,
        sessions: channel("rating")?,
        time: Arc::clone(&time),
        shutdown: shutdown.clone(),
    })
    .map_err(|error| DevError::Setting(error.to_string()))?;
    let accounts = open("session", &data, tengen_session::MIGRATIONS).await?;
    let days = config.session.key_days;
    let keys = tengen_session::Keys::open(accounts.clone(), Arc::clone(&time), days).await?;
    let verifier = Verifier::new(&config.issuer.name, &config.issuer.audience, Arc::clone(&time))
        .with_services(&secret)?;
    let verifier = Arc::new(verifier);
    let session = tengen_session::bind(tengen_session::Parts {
        config: config.session,
        issuer: config.issuer,
        origins: config.limits.origins(),
        database: accounts,
        keys,
        live,
        verifier: Arc::clone(&verifier),
        games: channel("session")?,
        time,
        shutdown: shutdown.clone(),
    })
    .map_err(|error| DevError::Setting(error.to_string()))?;

    let gate = Gate::new(rules(), verifier);
    let services = vec![game, clock, rating, session];
    let mut server = Server::new(listener, gate, DESCRIPTORS, shutdown);
    server.limits = config.limits;
    let admin = server.admin();
    server.web = Some(web::pages(config.web.as_deref()).merge(admin));
    Ok(server.serve(async { Ok(services) }))
}

async fn open(
    of: &'static str,
    data: &Path,
    migrations: &'static [sql::Migration],
) -> Result<sqlx::AnyPool, DevError> {
    let url = format!("sqlite://{}", data.join(format!("{of}.db")).display());
    sql::open(&url, migrations).await.map_err(|error| DevError::Database { of, error })
}

/// Who may call what, as the contract says.
fn rules() -> impl Iterator<Item = Rule> {
    METHODS
        .iter()
        .map(|method| Rule::new(method.path, method.role(), method.not_built).costing(method.cost))
}
