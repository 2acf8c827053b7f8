//! Serves services, and ends in order.
//!
//! Told to end, a server says NOT_SERVING and goes on for a notice, so that load balancers look
//! elsewhere first; then it accepts no more, streams and tasks are told, and all that still runs
//! has a grace to end in.

pub(crate) mod admin;
mod arriving;
mod calls;
mod descriptors;
mod door;
mod lines;
mod places;
mod shown;
mod web;

use std::error::Error;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tonic::service::{Routes, RoutesBuilder};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::Layer as _;

use self::admin::Pages;
use self::door::Door;
use self::lines::Lines;
use self::shown::Shown;
use self::web::Web;
use crate::auth::Gate;
use crate::config::Limits;
use crate::deadline::Deadlines;
use crate::rates::Rates;
use crate::ready::Readiness;
use crate::service::{AddMetrics, Page, Service, Task};
use crate::shutdown::Shutdown;
use crate::telemetry::calls::{Calls, Seeing};
use crate::telemetry::metrics;
use crate::typed::Typed;

/// A client that stays on one connection stays on one replica: now and then it must choose again.
const CONNECTION_AGE: Duration = Duration::from_secs(30 * 60);

/// How a server ends once the shutdown has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drain {
    /// How long it goes on accepting calls while the health service says NOT_SERVING, so that load
    /// balancers look elsewhere first.
    pub notice: Duration,
    /// How long calls, streams and tasks may take to end after that.
    pub grace: Duration,
}

/// A server that has its port, and no service yet.
pub struct Server {
    /// Where calls come in.
    pub listener: TcpListener,
    /// Who may call what.
    pub gate: Gate,
    /// What reflection tells of the services.
    pub descriptors: &'static [u8],
    /// Tells the server to end.
    pub shutdown: Shutdown,
    /// Tells the services to end their streams and tasks; begun by the server, after the notice.
    pub ending: Shutdown,
    /// How it ends.
    pub drain: Drain,
    /// How old a connection gets before its client has to make a new one.
    pub connection_age: Duration,
    /// How much one client may take.
    pub limits: Limits,
    /// What the health service goes by.
    pub readiness: Readiness,
    /// The pages it shows to browsers. With them, it speaks HTTP/1.1 and gRPC-Web too; without,
    /// both are left to a gateway.
    pub web: Option<Router>,
    pub(crate) pages: Pages,
}

/// Why a server could not serve, or ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The descriptors are no descriptor set.
    #[error("the descriptor set cannot be read: {0}")]
    Descriptors(#[from] tonic_reflection::server::Error),
    /// A background task panicked; the rest was shut down.
    #[error("a background task died: {0}")]
    Task(#[from] tokio::task::JoinError),
    /// A service cannot be made.
    #[error("{0}")]
    Start(Box<dyn Error + Send + Sync>),
    /// A second signal came before the drain was over.
    #[error("told twice to end: what still ran is cut")]
    Cut,
}

/// Serves until the shutdown has begun and all calls, streams and tasks have ended, or the default
/// [`Drain`] is over.
///
/// # Errors
/// When the descriptors are unreadable or a background task panics.
pub async fn serve(
    listener: TcpListener,
    services: Vec<Service>,
    gate: Gate,
    descriptors: &'static [u8],
    shutdown: Shutdown,
) -> Result<(), ServeError> {
    Server::new(listener, gate, descriptors, shutdown).serve(async { Ok(services) }).await
}

impl Server {
    /// A server with the default [`Drain`], whose services hear of the shutdown at once.
    #[must_use]
    pub fn new(
        listener: TcpListener,
        gate: Gate,
        descriptors: &'static [u8],
        shutdown: Shutdown,
    ) -> Self {
        Self {
            listener,
            gate,
            descriptors,
            ending: shutdown.clone(),
            shutdown,
            drain: Drain::default(),
            connection_age: CONNECTION_AGE,
            limits: Limits::default(),
            readiness: Readiness::default(),
            web: None,
            pages: Pages::default(),
        }
    }

    /// `/livez`, `/readyz` and `/metrics`, for a server that has no admin port.
    pub fn admin(&self) -> Router {
        admin::router(self.readiness.clone(), Arc::clone(&self.pages))
    }

    /// Answers health checks at once, and everything else as soon as `start` has made the services;
    /// until the shutdown has begun and all calls, streams and tasks have ended, or the drain is
    /// over. What still runs then is left behind, and dies with the runtime.
    ///
    /// # Errors
    /// When a service cannot be made, the descriptors are unreadable, a background task
    /// panics, or somebody loses patience with the drain.
    pub async fn serve(
        self,
        start: impl Future<Output = Result<Vec<Service>, ServeError>>,
    ) -> Result<(), ServeError> {
        let (reporter, health) = tonic_health::server::health_reporter();
        reporter.set_service_status("", ServingStatus::NotServing).await;
        let Self { listener, gate, descriptors, shutdown, ending, drain, readiness, web, .. } =
            self;
        let (door, names) = (Door::new(health), OnceLock::new());
        // Begun when the notice is over.
        let over = Shutdown::new();
        let latch = readiness.latch("service");

        let rates = Arc::new(Rates::new(&self.limits));
        let calls = Calls::default();
        let mut lines = Lines::new(self.limits, Arc::clone(&rates), calls.clone());
        (lines.age, lines.browsers) = (self.connection_age, web.is_some());
        let gate = gate.counting(rates);
        let seeing = Seeing { calls: calls.clone(), gate: gate.clone() };
        let seen = seeing.layer(Typed.layer(Deadlines.layer(door.clone())));
        let layered = Shown(Arc::clone(&self.pages)).layer(Web(web).layer(seen));
        let server = lines.serve(listener, layered, over.clone());
        let work = async {
            let services = tokio::select! {
                services = start => services?,
                () = over.begun() => return Ok(()),
            };
            let mut bound = Bound::new(services, descriptors)?;
            bound.pages.push(metrics::page(&calls, readiness.clone(), bound.metrics));
            door.open(gate.layer(bound.routes.prepare()));
            self.pages.get_or_init(|| bound.pages);
            names.get_or_init(|| bound.names);
            latch.set();
            run(bound.tasks, &shutdown).await
        };
        let work = async {
            let result = work.await;
            if result.is_err() {
                shutdown.begin();
            }
            result
        };
        let end = async {
            shutdown.begun().await;
            latch.close();
            if !drain.notice.is_zero() {
                sleep_until(Instant::now() + drain.notice).await;
            }
            over.begin();
            ending.begin();
        };
        let report = report(&reporter, &names, &readiness, &over);
        let all = async {
            // In this order: services that are there at once are let in before the first call.
            let (work, (), (), ()) = tokio::join!(biased; work, report, end, server);
            work
        };
        drained(all, &shutdown, drain).await
    }
}

impl Default for Drain {
    /// No notice, 10 seconds of grace.
    fn default() -> Self {
        Self { notice: Duration::ZERO, grace: Duration::from_secs(10) }
    }
}

/// The services, put together.
struct Bound {
    routes: Routes,
    names: Vec<&'static str>,
    metrics: Vec<AddMetrics>,
    tasks: Vec<Task>,
    pages: Vec<Page>,
}

impl Bound {
    fn new(services: Vec<Service>, descriptors: &[u8]) -> Result<Self, ServeError> {
        let mut routes = RoutesBuilder::default();
        let (mut names, mut metrics) = (Vec::new(), Vec::new());
        let (mut tasks, mut pages) = (Vec::new(), Vec::new());
        for service in services {
            service.routes.into_iter().for_each(|add| add(&mut routes));
            names.extend(service.grpc_names);
            metrics.extend(service.metrics);
            tasks.extend(service.tasks);
            pages.extend(service.pages);
        }
        routes.add_service(reflection(descriptors, &names).build_v1()?);
        routes.add_service(reflection(descriptors, &names).build_v1alpha()?);
        Ok(Self { routes: routes.routes(), names, metrics, tasks, pages })
    }
}

/// Lists what is served here, of all that the descriptors know.
fn reflection<'a>(
    descriptors: &'a [u8],
    names: &[&'static str],
) -> tonic_reflection::server::Builder<'a> {
    let builder = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(descriptors)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .with_service_name("grpc.health.v1.Health");
    names.iter().fold(builder, |builder, name| builder.with_service_name(*name))
}

/// Tells the health service whether the process is ready, until it ends.
async fn report(
    reporter: &HealthReporter,
    names: &OnceLock<Vec<&'static str>>,
    readiness: &Readiness,
    over: &Shutdown,
) {
    let mut changes = readiness.changes();
    let names = || std::iter::once("").chain(names.get().into_iter().flatten().copied());
    loop {
        changes.mark_unchanged();
        let ready = readiness.is_ready() && !over.has_begun();
        let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
        for name in names() {
            reporter.set_service_status(name, status).await;
        }
        if over.has_begun() {
            break;
        }
        tokio::select! {
            _ = changes.changed() => {}
            () = over.begun() => {}
        }
    }
    // Ends the streams of those who watch our health, which would otherwise hold the drain up.
    for name in names() {
        reporter.clone().clear_service_status(name).await;
    }
}

/// Ends when all tasks have. A task that dies takes the process down in order: half a service
/// would look healthy and do nothing.
async fn run(tasks: Vec<Task>, shutdown: &Shutdown) -> Result<(), ServeError> {
    let mut running = JoinSet::from_iter(tasks);
    let mut result = Ok(());
    while let Some(ended) = running.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a background task died");
            shutdown.begin();
            result = Err(error.into());
        }
    }
    result
}

async fn drained(
    all: impl Future<Output = Result<(), ServeError>>,
    shutdown: &Shutdown,
    drain: Drain,
) -> Result<(), ServeError> {
    let mut all = pin!(all);
    tokio::select! {
        result = &mut all => return result,
        () = shutdown.begun() => {}
    }
    let over = Instant::now() + drain.notice + drain.grace;
    tokio::select! {
        result = all => result,
        () = shutdown.cut_short() => Err(ServeError::Cut),
        () = sleep_until(over) => {
            tracing::warn!(grace = ?drain.grace, "the drain is over, what still runs is cut");
            Ok(())
        }
    }
}
