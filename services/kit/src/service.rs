//! What each service's `bind` returns: its routes and its background tasks.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use prometheus_client::registry::Registry;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::server::NamedService;
use tonic::service::RoutesBuilder;

/// The most bytes of one message that a service reads; each gRPC server sets it
/// (`max_decoding_message_size`).
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// Adds a service's routes to a server.
pub type AddRoutes = Box<dyn FnOnce(&mut RoutesBuilder) + Send>;

/// Adds a service's numbers to those of its process, under names that begin with `tengen_`.
pub type AddMetrics = Box<dyn FnOnce(&mut Registry) + Send>;

/// A task that runs as long as the server does.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A text for everybody, on the admin port and, by GET, on that of calls.
#[derive(Clone)]
pub struct Page {
    /// Where it is: `/.well-known/jwks.json`.
    pub path: &'static str,
    /// What it is: `application/json`.
    pub content_type: &'static str,
    /// The text, as it is now.
    pub content: Arc<dyn Fn() -> String + Send + Sync>,
}

/// A service, ready to be served, alone or beside others in one process.
pub struct Service {
    /// Its short name, for the log: `game`.
    pub name: &'static str,
    /// The gRPC services it answers, by their full names, for the health service.
    pub grpc_names: Vec<&'static str>,
    /// Its routes.
    pub routes: Vec<AddRoutes>,
    /// Its numbers.
    pub metrics: Vec<AddMetrics>,
    /// What runs beside the calls. A task ends by itself when the shutdown begins.
    pub tasks: Vec<Task>,
    /// What it shows to everybody.
    pub pages: Vec<Page>,
}

impl Service {
    /// A service with nothing to answer yet.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            grpc_names: Vec::new(),
            routes: Vec::new(),
            metrics: Vec::new(),
            tasks: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// Answers a gRPC service: `service.grpc(GameServiceServer::new(…))`.
    #[must_use]
    pub fn grpc<S>(mut self, server: S) -> Self
    where
        S: tower::Service<Request<Body>, Response = Response<Body>, Error = Infallible>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        self.grpc_names.push(S::NAME);
        self.routes.push(Box::new(|routes| {
            routes.add_service(server);
        }));
        self
    }

    /// Shows numbers beside those of its calls.
    #[must_use]
    pub fn metrics(mut self, add: impl FnOnce(&mut Registry) + Send + 'static) -> Self {
        self.metrics.push(Box::new(add));
        self
    }

    /// Runs a task beside the calls.
    #[must_use]
    pub fn task(mut self, task: impl Future<Output = ()> + Send + 'static) -> Self {
        self.tasks.push(Box::pin(task));
        self
    }

    /// Shows a text to everybody.
    #[must_use]
    pub fn page(mut self, page: Page) -> Self {
        self.pages.push(page);
        self
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Page").field(&self.path).finish()
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("name", &self.name)
            .field("grpc_names", &self.grpc_names)
            .field("tasks", &self.tasks.len())
            .finish_non_exhaustive()
    }
}
