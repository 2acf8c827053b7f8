//! A session service on a socket and a database of its own.

use std::net::SocketAddr;
use std::sync::Arc;

use sqlx::AnyPool;
use tengen_harness::Database;
use tengen_kit::auth::{Gate, Rule, ServiceSecret, ServiceTokens, Verifier};
use tengen_kit::client::ServiceChannel;
use tengen_kit::config::Issuer;
use tengen_kit::origin::Origins;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::ManualTime;
use tengen_kit::{client, server, sql};
use tengen_live::{Live, Memory, Settings};
use tengen_proto::common::v1::Role;
use tengen_proto::internal::v1::presence_service_client::PresenceServiceClient;
use tengen_proto::internal::v1::revocation_service_client::RevocationServiceClient;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::{DESCRIPTORS, METHODS};
use tengen_session::{Config, Keys, MIGRATIONS, Parts, bind};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Channel;

/// Of services that ask session.
pub(crate) const SECRET: &str = "a secret of services that is long enough";

/// Where no service is.
const NOBODY: &str = "http://127.0.0.1:1";

pub(crate) struct Site {
    pub(crate) time: ManualTime,
    pub(crate) database: AnyPool,
    place: Arc<Database>,
    pub(crate) live: Arc<dyn Live>,
    pub(crate) jwks: String,
    address: SocketAddr,
    shutdown: Shutdown,
    served: JoinHandle<()>,
}

impl Site {
    pub(crate) async fn new(place: Database) -> Self {
        let time = ManualTime::new(1_767_225_600_123);
        let live = Arc::new(Memory::new(time.shared(), Settings::default()));
        Self::start(Arc::new(place), live, time, Config::default(), NOBODY).await
    }

    /// With these settings.
    pub(crate) async fn with(config: Config) -> Self {
        let time = ManualTime::new(1_767_225_600_123);
        let live = Arc::new(Memory::new(time.shared(), Settings::default()));
        Self::start(Arc::new(Database::sqlite()), live, time, config, NOBODY).await
    }

    /// With these settings, and no proxy that is believed.
    pub(crate) async fn without_proxy(config: Config) -> Self {
        let time = ManualTime::new(1_767_225_600_123);
        let live = Arc::new(Memory::new(time.shared(), Settings::default()));
        let (place, origins) = (Arc::new(Database::sqlite()), Origins::default());
        Self::start_by(place, live, time, config, NOBODY, origins).await
    }

    /// That tells a game service who is gone.
    pub(crate) async fn telling(games: &str) -> Self {
        let time = ManualTime::new(1_767_225_600_123);
        let live = Arc::new(Memory::new(time.shared(), Settings::default()));
        Self::start(Arc::new(Database::sqlite()), live, time, Config::default(), games).await
    }

    /// With its reconnect tokens in another live state.
    pub(crate) async fn over(live: Arc<dyn Live>) -> Self {
        let time = ManualTime::new(1_767_225_600_123);
        Self::start(Arc::new(Database::sqlite()), live, time, Config::default(), NOBODY).await
    }

    /// Another process, so to say, on the same stores.
    pub(crate) async fn replica(&self, config: &Config) -> Self {
        let (place, live) = (Arc::clone(&self.place), Arc::clone(&self.live));
        Self::start(place, live, self.time.clone(), config.clone(), NOBODY).await
    }

    /// Ends in order.
    pub(crate) async fn end(self) {
        self.shutdown.begin();
        self.served.await.unwrap();
    }

    pub(crate) async fn restarted(self) -> Self {
        self.restarted_with(Config::default()).await
    }

    /// With these settings.
    pub(crate) async fn restarted_with(self, config: Config) -> Self {
        self.shutdown.begin();
        self.served.await.unwrap();
        self.database.close().await;
        Self::start(self.place, self.live, self.time, config, NOBODY).await
    }

    pub(crate) fn revocations(&self) -> RevocationServiceClient<ServiceChannel> {
        RevocationServiceClient::new(self.channel())
    }

    pub(crate) fn presence(&self) -> PresenceServiceClient<ServiceChannel> {
        PresenceServiceClient::new(self.channel())
    }

    /// As the other services have it.
    fn channel(&self) -> ServiceChannel {
        let secret = ServiceSecret::new(SECRET).unwrap();
        let tokens = ServiceTokens::new("game", &secret, self.time.shared()).unwrap();
        client::channel(&format!("http://{}", self.address), tokens).unwrap()
    }

    pub(crate) fn client(&self) -> SessionServiceClient<Channel> {
        let endpoint = client::endpoint(&format!("http://{}", self.address)).unwrap();
        SessionServiceClient::new(endpoint.connect_lazy())
    }

    async fn start(
        place: Arc<Database>,
        live: Arc<dyn Live>,
        time: ManualTime,
        config: Config,
        games: &str,
    ) -> Self {
        // A proxy on this machine tells where calls come from.
        let proxies = vec!["127.0.0.1".parse().unwrap()];
        let origins = Origins::new(proxies, vec!["127.0.0.1".parse().unwrap()]);
        Self::start_by(place, live, time, config, games, origins).await
    }

    async fn start_by(
        place: Arc<Database>,
        live: Arc<dyn Live>,
        time: ManualTime,
        config: Config,
        games: &str,
        origins: Origins,
    ) -> Self {
        let database = sql::open(place.url(), MIGRATIONS).await.unwrap();
        let keys = Keys::open(database.clone(), time.shared(), config.key_days).await.unwrap();
        let (issuer, jwks, shutdown) = (Issuer::default(), keys.jwks(), Shutdown::new());
        let secret = ServiceSecret::new(SECRET).unwrap();
        let verifier = Verifier::new(&issuer.name, &issuer.audience, time.shared());
        let verifier = Arc::new(verifier.with_services(&secret).unwrap());
        let tokens = ServiceTokens::new("session", &secret, time.shared()).unwrap();
        let games = client::channel(games, tokens).unwrap();
        let service = bind(Parts {
            config,
            issuer,
            origins,
            database: database.clone(),
            keys,
            live: Arc::clone(&live),
            verifier: Arc::clone(&verifier),
            time: time.shared(),
            shutdown: shutdown.clone(),
            games,
        });
        let services = vec![service.unwrap()];

        let rules = METHODS.iter().map(|method| {
            let role = Role::try_from(method.requires).unwrap_or_default();
            Rule::new(method.path, role.as_str_name(), method.not_built)
        });
        let gate = Gate::new(rules, verifier);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = shutdown.clone();
        let served = tokio::spawn(async move {
            server::serve(listener, services, gate, DESCRIPTORS, stop).await.unwrap();
        });
        Self { time, database, place, live, jwks, address, shutdown, served }
    }
}
