//! What cannot be connected to says so.

use std::time::Duration;

use tengen_live::{LiveError, Redis, RedisSettings};

use crate::{REDIS, settings};

#[tokio::test]
async fn what_cannot_be_set_up_is_refused() {
    let braces = RedisSettings { prefix: "a{b}".to_owned(), ..settings() };
    for (url, settings) in [
        (REDIS.url(), braces),
        ("http://127.0.0.1".to_owned(), settings()),
        ("redis+cluster://".to_owned(), settings()),
        ("redis+cluster://127.0.0.1:1,".to_owned(), settings()),
        (String::new(), settings()),
    ] {
        let refused = Redis::connect(&url, settings).await.unwrap_err();
        assert!(matches!(refused, LiveError::BadSettings(_)), "{url:?}: {refused:?}");
    }
}

#[tokio::test]
async fn where_nobody_answers_it_fails_in_time() {
    let settings = RedisSettings { timeout: Duration::from_millis(500), ..settings() };
    for url in ["redis://127.0.0.1:1", "redis+cluster://127.0.0.1:1,127.0.0.1:2"] {
        let refused = Redis::connect(url, settings.clone()).await.unwrap_err();
        assert!(matches!(refused, LiveError::Unavailable(_)), "{url:?}: {refused:?}");
    }
}
