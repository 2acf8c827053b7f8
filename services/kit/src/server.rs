//! Serves services, and ends in order.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use tonic::service::RoutesBuilder;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::auth::Gate;
use crate::service::{Service, Task};
use crate::shutdown::Shutdown;

const KEEPALIVE_EVERY: Duration = Duration::from_secs(30);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// A client that stays on one connection stays on one replica: now and then it must choose again.
const CONNECTION_AGE: Duration = Duration::from_secs(30 * 60);
/// A gateway carries the streams of many watchers over one connection.
const STREAMS_PER_CONNECTION: u32 = 4_096;

/// How a server ends once the shutdown has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drain {
    /// How long it goes on accepting calls while the health service says NOT_SERVING, so that load
    /// balancers look elsewhere first.
    pub notice: Duration,
    /// How long calls, streams and tasks may take to end after that.
    pub grace: Duration,
}

/// Why a server could not serve, or ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The descriptors are no descriptor set.
    #[error("the descriptor set cannot be read: {0}")]
    Descriptors(#[from] tonic_reflection::server::Error),
    /// The transport failed.
    #[error("the server failed: {0}")]
    Transport(#[from] tonic::transport::Error),
    /// A background task panicked; the rest was shut down.
    #[error("a background task died: {0}")]
    Task(#[from] tokio::task::JoinError),
}

/// Serves until the shutdown has begun and all calls, streams and tasks have ended, or the default
/// [`Drain`] is over.
///
/// # Errors
/// When the descriptors are unreadable, the transport fails or a background task panics.
pub async fn serve(
    listener: TcpListener,
    services: Vec<Service>,
    gate: Gate,
    descriptors: &[u8],
    shutdown: Shutdown,
) -> Result<(), ServeError> {
    serve_draining(
        listener,
        services,
        gate,
        descriptors,
        shutdown,
        Drain::default(),
    )
    .await
}

/// As [`serve`], with another drain. What still runs when the drain is over is left behind, and
/// dies with the runtime.
///
/// # Errors
/// As [`serve`].
pub async fn serve_draining(
    listener: TcpListener,
    services: Vec<Service>,
    gate: Gate,
    descriptors: &[u8],
    shutdown: Shutdown,
    drain: Drain,
) -> Result<(), ServeError> {
    let (reporter, health) = tonic_health::server::health_reporter();
    let mut routes = RoutesBuilder::default();
    routes.add_service(health);
    routes.add_service(reflection(descriptors).build_v1()?);
    routes.add_service(reflection(descriptors).build_v1alpha()?);

    let mut names = vec![""];
    let mut tasks = Vec::new();
    for service in services {
        tracing::info!(name = service.name, "serving");
        service.routes.into_iter().for_each(|add| add(&mut routes));
        names.extend(service.grpc_names);
        tasks.extend(service.tasks);
    }
    report(&reporter, &names, ServingStatus::Serving).await;

    let stop = stop_accepting(shutdown.clone(), reporter, names, drain.notice);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = tonic::transport::Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE_EVERY))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .max_connection_age(CONNECTION_AGE)
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .layer(gate)
        .serve_with_incoming_shutdown(routes.routes().prepare(), incoming, stop);
    let tasks = run(tasks, shutdown.clone());
    drained(server, tasks, &shutdown, drain).await
}

impl Default for Drain {
    /// No notice, 10 seconds of grace.
    fn default() -> Self {
        Self {
            notice: Duration::ZERO,
            grace: Duration::from_secs(10),
        }
    }
}

fn reflection(descriptors: &[u8]) -> tonic_reflection::server::Builder<'_> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(descriptors)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

async fn report(reporter: &HealthReporter, names: &[&str], status: ServingStatus) {
    for name in names {
        reporter.set_service_status(name, status).await;
    }
}

async fn stop_accepting(
    shutdown: Shutdown,
    mut reporter: HealthReporter,
    names: Vec<&'static str>,
    notice: Duration,
) {
    shutdown.begun().await;
    report(&reporter, &names, ServingStatus::NotServing).await;
    if !notice.is_zero() {
        sleep_until(Instant::now() + notice).await;
    }
    // Ends the streams of those who watch our health, which would otherwise hold the drain up.
    for name in &names {
        reporter.clear_service_status(name).await;
    }
}

/// Ends when all tasks have. A task that dies takes the process down in order: half a service
/// would look healthy and do nothing.
async fn run(tasks: Vec<Task>, shutdown: Shutdown) -> Result<(), ServeError> {
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
    server: impl Future<Output = Result<(), tonic::transport::Error>>,
    tasks: impl Future<Output = Result<(), ServeError>>,
    shutdown: &Shutdown,
    drain: Drain,
) -> Result<(), ServeError> {
    let mut work = pin!(async {
        let (server, tasks) = tokio::join!(server, tasks);
        tasks.and(server.map_err(ServeError::from))
    });
    tokio::select! {
        result = &mut work => return result,
        () = shutdown.begun() => {}
    }
    timeout(drain.notice + drain.grace, work)
        .await
        .unwrap_or_else(|_| {
            tracing::warn!(grace = ?drain.grace, "the drain is over, what still runs is cut");
            Ok(())
        })
}
