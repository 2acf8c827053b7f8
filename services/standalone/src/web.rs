//! The web board's built files, as browsers may keep them.

use std::path::Path;

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use tower_http::services::{ServeDir, ServeFile};
use tower_http::set_header::SetResponseHeaderLayer;

/// The names of these files change with what is in them.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";
/// Nothing from elsewhere, nothing inline, in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";
const NOT_BUILT: &str = "The web board is not built.\n";

/// Whether a folder holds the board.
pub(crate) fn is_built(folder: &Path) -> bool {
    folder.join("index.html").is_file()
}

/// The pages of the board in `folder`; any path that is no file is the board's own business. Where
/// there is none, each page says so.
pub(crate) fn pages(folder: Option<&Path>) -> Router {
    let Some(folder) = folder.filter(|folder| is_built(folder)) else {
        return Router::new().fallback(async || (StatusCode::NOT_FOUND, NOT_BUILT));
    };
    let assets = Router::new().fallback_service(ServeDir::new(folder.join("assets"))).layer(
        SetResponseHeaderLayer::overriding(CACHE_CONTROL, |response: &Response| {
            let gone = response.status().is_client_error();
            Some(HeaderValue::from_static(if gone { ASK_AGAIN } else { FOR_EVER }))
        }),
    );
    let index = ServeFile::new(folder.join("index.html"));
    Router::new()
        .fallback_service(ServeDir::new(folder).fallback(index))
        .layer(header(CACHE_CONTROL, ASK_AGAIN))
        .nest("/assets", assets)
        .layer(header(CONTENT_SECURITY_POLICY, POLICY))
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(REFERRER_POLICY, "no-referrer"))
}

fn header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::{HeaderMap, Request};
    use tower::ServiceExt;

    use super::*;

    /// Status and headers of a page.
    async fn get(pages: &Router, path: &str) -> (StatusCode, HeaderMap) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = pages.clone().oneshot(request).await.unwrap();
        (response.status(), response.headers().clone())
    }

    #[tokio::test]
    async fn files_are_kept_as_long_as_they_may() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("assets")).unwrap();
        std::fs::write(folder.path().join("index.html"), "<!doctype html>").unwrap();
        std::fs::write(folder.path().join("assets/main-1a2b.js"), "").unwrap();
        let pages = pages(Some(folder.path()));
        for (path, status, kept) in [
            ("/", StatusCode::OK, ASK_AGAIN),
            ("/index.html", StatusCode::OK, ASK_AGAIN),
            ("/game/g00-1", StatusCode::OK, ASK_AGAIN),
            ("/assets/main-1a2b.js", StatusCode::OK, FOR_EVER),
            ("/assets/main-3c4d.js", StatusCode::NOT_FOUND, ASK_AGAIN),
            ("/assets/../../secret", StatusCode::NOT_FOUND, ASK_AGAIN),
        ] {
            let (told, headers) = get(&pages, path).await;
            assert_eq!((told, &headers[CACHE_CONTROL]), (status, &HeaderValue::from_static(kept)));
            assert_eq!(headers[CONTENT_SECURITY_POLICY], POLICY, "{path}");
            assert_eq!(headers[X_CONTENT_TYPE_OPTIONS], "nosniff", "{path}");
        }
    }

    #[tokio::test]
    async fn a_board_that_is_not_built_is_no_page() {
        let folder = tempfile::tempdir().unwrap();
        for pages in [pages(None), pages(Some(folder.path()))] {
            assert_eq!(get(&pages, "/").await.0, StatusCode::NOT_FOUND);
        }
    }
}
