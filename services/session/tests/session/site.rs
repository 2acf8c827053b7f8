//! A session service on a socket and a database of its own.

use std::net::SocketAddr;
use std::sync::Arc;

use sqlx::AnyPool;
use tengen_harness::Database;
use tengen_kit::auth::{Gate, Rule, Signer, Verifier};
use tengen_kit::config::Issuer;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::ManualTime;
use tengen_kit::{client, server, sql};
use tengen_proto::common::v1::Role;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::{DESCRIPTORS, METHODS};
use tengen_session::{Config, MIGRATIONS, Parts, bind, signer};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Channel;

pub(crate) struct Site {
    pub(crate) time: ManualTime,
    pub(crate) database: AnyPool,
    pub(crate) signer: Arc<Signer>,
    place: Arc<Database>,
    address: SocketAddr,
    shutdown: Shutdown,
    served: JoinHandle<()>,
}

impl Site {
    pub(crate) async fn new(place: Database) -> Self {
        let time = ManualTime::new(1_767_225_600_123);
        Self::start(Arc::new(place), time, Config::default()).await
    }

    /// Another process, so to say, on the same database.
    pub(crate) async fn replica(&self, config: &Config) -> Self {
        Self::start(Arc::clone(&self.place), self.time.clone(), config.clone()).await
    }

    pub(crate) async fn restarted(self) -> Self {
        self.shutdown.begin();
        self.served.await.unwrap();
        self.database.close().await;
        Self::start(self.place, self.time, Config::default()).await
    }

    pub(crate) fn client(&self) -> SessionServiceClient<Channel> {
        let endpoint = client::endpoint(&format!("http://{}", self.address)).unwrap();
        SessionServiceClient::new(endpoint.connect_lazy())
    }

    async fn start(place: Arc<Database>, time: ManualTime, config: Config) -> Self {
        let database = sql::open(place.url(), MIGRATIONS).await.unwrap();
        let signer = Arc::new(signer(&database, &time.shared()).await.unwrap());
        let issuer = Issuer::default();
        let verifier = Verifier::new(&issuer.name, &issuer.audience, time.shared());
        verifier.set_jwks(&signer.jwks()).unwrap();
        let service = bind(Parts {
            config,
            issuer,
            database: database.clone(),
            signer: Arc::clone(&signer),
            time: time.shared(),
        });
        let services = vec![service.unwrap()];

        let rules = METHODS.iter().map(|method| {
            let role = Role::try_from(method.requires).unwrap_or_default();
            Rule::new(method.path, role.as_str_name(), method.not_built)
        });
        let gate = Gate::new(rules, Arc::new(verifier));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = Shutdown::new();
        let stop = shutdown.clone();
        let served = tokio::spawn(async move {
            server::serve(listener, services, gate, DESCRIPTORS, stop).await.unwrap();
        });
        Self { time, database, signer, place, address, shutdown, served }
    }
}
