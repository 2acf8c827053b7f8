//! The door in front of all routes: shut until the service behind it is there.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use futures_util::future::Either;
use http::{Request, Response};
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Code, Status};
use tower::Service;

use crate::auth::GateService;
use crate::status::Refusal;

type Inside = GateService<Routes>;

/// Answers health checks always, and everything else once [`Door::open`] was called. Its clones are
/// the same door.
#[derive(Clone)]
pub(super) struct Door<H> {
    health: H,
    inside: Arc<OnceLock<Inside>>,
}

impl<H> Door<H> {
    /// A shut door.
    pub(super) fn new(health: H) -> Self {
        Self { health, inside: Arc::default() }
    }

    /// Lets calls in; for good.
    pub(super) fn open(&self, inside: Inside) {
        self.inside.get_or_init(|| inside);
    }
}

impl<H> Service<Request<Body>> for Door<H>
where
    H: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<
        H::Future,
        Either<
            <Inside as Service<Request<Body>>>::Future,
            Ready<Result<Response<Body>, Infallible>>,
        >,
    >;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.health.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if request.uri().path().starts_with("/grpc.health.v1.Health/") {
            return Either::Left(self.health.call(request));
        }
        Either::Right(match self.inside.get() {
            // Routes are always ready, and share what they hold.
            Some(inside) => Either::Left(inside.clone().call(request)),
            None => Either::Right(ready(Ok(Status::from(shut()).into_http()))),
        })
    }
}

/// Without RetryInfo: another replica may answer at once.
fn shut() -> Refusal {
    let message = "this replica is starting, try another with the same request_id";
    Refusal::new(Code::Unavailable, "BEHIND_UNAVAILABLE", message).meta("what", "replica")
}
