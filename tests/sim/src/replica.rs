//! One replica of the game service: the real one, called through its gate and its gRPC routes, but
//! without a socket. The only place that says what the service is made of.

use std::future::Future;
use std::sync::Arc;

use tengen_game::{Config, Parts};
use tengen_kit::auth::GateService;
use tengen_kit::shutdown::Shutdown;
use tengen_live::Live;
use tokio_util::task::AbortOnDropHandle;
use tonic::service::{Routes, RoutesBuilder};
use tonic::{Response, Status};
use tower::Layer;

use crate::house::House;
use crate::keys::keys;
use crate::life::Life;
use crate::world::World;

/// The way into a replica.
pub type Door = GateService<Routes>;

/// A replica that is up.
pub struct Replica {
    /// Its life.
    pub life: Life,
    /// The way in.
    pub door: Door,
    shutdown: Shutdown,
    tasks: Vec<AbortOnDropHandle<()>>,
}

impl Replica {
    /// A replica with nothing remembered.
    pub fn start(world: &World, life: Life, live: Arc<dyn Live>) -> Self {
        let shutdown = Shutdown::new();
        let service = tengen_game::bind(Parts {
            config: Config::default(),
            live,
            time: world.agenda.shared(),
            shutdown: shutdown.clone(),
            archive: world.archive.clone(),
            sessions: tengen_game::session_channel(House::routes(world)),
        });
        let mut routes = RoutesBuilder::default();
        service.routes.into_iter().for_each(|add| add(&mut routes));
        let door = keys().gate.layer(routes.routes().prepare());
        let tasks =
            service.tasks.into_iter().map(|task| AbortOnDropHandle::new(tokio::spawn(task)));
        Self { life, door, shutdown, tasks: tasks.collect() }
    }

    /// What a call through the door comes to. It breaks off when the replica dies.
    ///
    /// # Errors
    /// What the replica says, or that it died.
    pub async fn reach<T>(
        &self,
        call: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<T, Status> {
        tokio::select! {
            biased;
            () = self.life.over() => Err(Status::unavailable("the connection broke")),
            answer = call => answer.map(Response::into_inner),
        }
    }

    /// Ends when the replica goes away, in order or not.
    pub async fn leaving(&self) {
        self.shutdown.begun().await;
    }

    /// Tells it to end in order: streams go elsewhere, what is under way goes on.
    pub fn drain(&self) {
        self.shutdown.begin();
    }

    /// Ends it where it stands. Calls break off, and what it began itself comes to nothing: its way
    /// to the live state is shut.
    pub fn kill(&self) {
        self.life.kill();
        self.shutdown.begin();
        self.tasks.iter().for_each(AbortOnDropHandle::abort);
    }
}
