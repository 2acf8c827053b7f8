//! A signal begins the shutdown. Alone in its file, as it is told to the whole process.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, id};

use tengen_kit::shutdown::Shutdown;

#[tokio::test]
async fn sigterm_begins_the_shutdown_for_all_clones() {
    let shutdown = Shutdown::on_signal().unwrap();
    let clone = shutdown.clone();
    assert!(!clone.has_begun());
    let killed = Command::new("kill").args(["-TERM", &id().to_string()]).status().unwrap();
    assert!(killed.success());
    clone.begun().await;
    assert!(shutdown.has_begun());
}
