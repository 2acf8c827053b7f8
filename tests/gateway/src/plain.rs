//! HTTP/1.1, as scripts and web pages speak it.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;

/// What anything may take on a busy machine before the test fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A body that is still coming.
pub type Body = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// A client with connections of its own.
#[derive(Clone)]
pub struct Plain(Client<HttpConnector, Full<Bytes>>);

impl Default for Plain {
    fn default() -> Self {
        Self(Client::builder(TokioExecutor::new()).build_http())
    }
}

impl Plain {
    /// Sends a request, and gets what begins the answer.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Response<Body> {
        let response = timeout(PATIENCE, self.0.request(request)).await.expect("an answer in time");
        response.expect("an answer").map(|body| body.map_err(Into::into).boxed_unsync())
    }

    /// The same, to the end of the body.
    pub async fn ask(&self, request: Request<Full<Bytes>>) -> Response<String> {
        let (head, body) = self.send(request).await.into_parts();
        let body = timeout(PATIENCE, body.collect()).await.expect("ends").expect("a whole body");
        let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        Response::from_parts(head, text)
    }

    /// A page.
    pub async fn get(&self, url: &str) -> Response<String> {
        self.ask(Request::get(url).body(Full::default()).expect("a request")).await
    }
}
