//! The admin port, over plain HTTP: whether the process lives, whether it is ready, and its
//! numbers.

use std::io;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header::CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;

use crate::ready::Readiness;
use crate::service::Page;

/// The pages of the services, once they are there.
pub(crate) type Pages = Arc<OnceLock<Vec<Page>>>;

/// Serves for as long as the process lives, a drain included.
///
/// # Errors
/// When the port fails.
pub(crate) async fn serve(
    listener: TcpListener,
    readiness: Readiness,
    pages: Pages,
) -> io::Result<()> {
    let own = router(readiness, Arc::clone(&pages));
    axum::serve(listener, own.fallback(get(page).with_state(pages))).await
}

/// The pages that are there whatever the services are.
pub(crate) fn router(readiness: Readiness, pages: Pages) -> Router {
    Router::new()
        .route("/livez", get(async || "live\n"))
        .route("/readyz", get(readyz).with_state(readiness))
        .route("/metrics", get(page).with_state(pages))
}

async fn readyz(State(readiness): State<Readiness>) -> (StatusCode, String) {
    match readiness.missing()[..] {
        [] => (StatusCode::OK, "ready\n".to_owned()),
        ref missing => {
            (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {}\n", missing.join(", ")))
        }
    }
}

async fn page(State(pages): State<Pages>, uri: Uri) -> Response {
    let page = pages.get().and_then(|pages| pages.iter().find(|page| page.path == uri.path()));
    match page {
        Some(page) => ([(CONTENT_TYPE, page.content_type)], (page.content)()).into_response(),
        None => (StatusCode::NOT_FOUND, "no such page\n").into_response(),
    }
}
