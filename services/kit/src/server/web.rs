//! What browsers ask of the port: calls in gRPC-Web, and pages.

use std::convert::Infallible;
use std::task::{Context, Poll};

use axum::Router;
use futures_util::future::{BoxFuture, Either};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, Request, Response};
use tonic::body::Body;
use tonic_web::{GrpcWebLayer, GrpcWebService};
use tower::{Layer, Service};

/// Answers browsers, where there are pages for them.
#[derive(Clone)]
pub(super) struct Web(pub(super) Option<Router>);

/// A service behind the layer.
#[derive(Clone)]
pub(super) struct WebService<S> {
    pages: Option<Router>,
    translated: GrpcWebService<S>,
    inner: S,
}

impl<S> Layer<S> for Web
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone,
{
    type Service = WebService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let translated = GrpcWebLayer::new().layer(inner.clone());
        WebService { pages: self.0.clone(), translated, inner }
    }
}

impl<S> Service<Request<Body>> for WebService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<
        Either<S::Future, <GrpcWebService<S> as Service<Request<Body>>>::Future>,
        BoxFuture<'static, Result<Response<Body>, Infallible>>,
    >;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Some(pages) = &self.pages else {
            return Either::Left(Either::Left(self.inner.call(request)));
        };
        let speaks = content_type(request.headers());
        if speaks.starts_with("application/grpc-web") {
            return Either::Left(Either::Right(self.translated.call(request)));
        }
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        if !reads || speaks.starts_with("application/grpc") {
            return Either::Left(Either::Left(self.inner.call(request)));
        }
        let answer = pages.clone().call(request);
        Either::Right(Box::pin(async { Ok(answer.await?.map(Body::new)) }))
    }
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, StatusCode};
    use tower::{ServiceExt, service_fn};

    use super::*;

    /// The content type in which the services were called; `None` if they were not.
    async fn called(pages: bool, method: Method, content_type: &'static str) -> Option<String> {
        let services = service_fn(async |request: Request<Body>| {
            let mut response = Response::new(Body::empty());
            let speaks = request.headers().get(CONTENT_TYPE).cloned();
            let speaks = speaks.unwrap_or(HeaderValue::from_static(""));
            response.headers_mut().insert("x-called", speaks);
            Ok::<_, Infallible>(response)
        });
        let pages = pages.then(|| Router::new().fallback(async || StatusCode::IM_A_TEAPOT));
        let mut request = Request::new(Body::empty());
        *request.method_mut() = method;
        *request.version_mut() = http::Version::HTTP_2;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        let response = Web(pages).layer(services).oneshot(request).await.unwrap();
        let called = response.headers().get("x-called").map(|it| it.to_str().unwrap().to_owned());
        assert_eq!(called.is_none(), response.status() == StatusCode::IM_A_TEAPOT);
        called
    }

    #[tokio::test]
    async fn pages_are_read_and_services_called() {
        let (grpc, web) = ("application/grpc", "application/grpc-web+proto");
        for (pages, method, content_type, expected) in [
            (true, Method::POST, grpc, Some(grpc)),
            (true, Method::POST, web, Some(grpc)),
            (true, Method::POST, "application/json", Some("application/json")),
            (true, Method::GET, grpc, Some(grpc)),
            (true, Method::GET, "", None),
            (true, Method::HEAD, "text/html", None),
            (false, Method::GET, "", Some("")),
            (false, Method::POST, web, Some(web)),
        ] {
            let told = called(pages, method.clone(), content_type).await;
            assert_eq!(told.as_deref(), expected, "{pages} {method} {content_type}");
        }
    }
}
