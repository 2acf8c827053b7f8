//! The layer that shows the services' pages on the port of calls too: whoever balances the calls
//! needs no second port for them.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use futures_util::future::Either;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response};
use tonic::body::Body;
use tower::{Layer, Service};

use super::admin::Pages;
use crate::service::Page;

/// Adds the layer.
#[derive(Debug, Clone)]
pub(super) struct Shown(pub(super) Pages);

/// A service behind the layer.
#[derive(Debug, Clone)]
pub(super) struct ShownService<S> {
    pages: Pages,
    inner: S,
}

impl<S> Layer<S> for Shown {
    type Service = ShownService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ShownService { pages: self.0.clone(), inner }
    }
}

impl<S, B> Service<Request<B>> for ShownService<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // Calls are never asked for by GET.
        if request.method() == Method::GET
            && let Some(page) = self
                .pages
                .get()
                .into_iter()
                .flatten()
                .find(|page| page.path == request.uri().path())
        {
            return Either::Right(ready(Ok(show(page))));
        }
        Either::Left(self.inner.call(request))
    }
}

fn show(page: &Page) -> Response<Body> {
    let mut response = Response::new(Body::new((page.content)()));
    let kind = HeaderValue::from_static(page.content_type);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
