//! `tengen load` as a process: what it prints, and how it ends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::WallTime;
use tengen_live::Memory;
use tengen_standalone::dev;
use tokio::net::TcpListener;
use tokio::process::Command;

/// Runs `tengen load` to its end: the exit code, and what it printed and complained of.
async fn load(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let output = command.arg("load").args(arguments).kill_on_drop(true).output().await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn it_plays_and_tells() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (time, shutdown) = (WallTime::shared(), Shutdown::new());
    let live = Arc::new(Memory::new(Arc::clone(&time), tengen_live::Settings::default()));
    let (data, config) = (folder.path().to_owned(), dev::Config::default());
    let parts = dev::Parts { listener, data, live, time, shutdown: shutdown.clone(), config };
    let serving = tokio::spawn(dev::bind(parts).await.unwrap());

    let pid = format!("game={}", std::process::id());
    let own = ["--game", &url, "--session", &url, "--pid", &pid];
    let more = ["--games", "3", "--watchers", "2", "--seconds", "1"];
    let (code, printed, complained) = load(&[own, more].concat()).await;
    assert_eq!((code, complained.as_str()), (Some(0), ""), "{printed}");
    for line in [
        "load suite moves=",
        "load suite ack_us p50=",
        "load suite opponent_us p50=",
        "load suite watch_messages_per_s=",
        "load suite cpu_us_per_move client=",
        "load suite watcher_bytes=",
    ] {
        assert!(printed.lines().any(|printed| printed.starts_with(line)), "{line}: {printed}");
    }
    assert!(printed.contains(" errors=0\n") && !printed.contains(" moves=0 "), "{printed}");

    shutdown.begin();
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_cannot_be_done_is_said_in_a_line() {
    let gone = "http://127.0.0.1:1";
    for (arguments, code, names) in [
        (["--game", "127.0.0.1:1", "--session", gone], 64, "--game"),
        (["--game", gone, "--session", "ftp://127.0.0.1:1"], 64, "--session"),
        (["--game", gone, "--session", gone], 1, "registering"),
    ] {
        let (ended, printed, complained) = load(&arguments).await;
        assert_eq!((ended, printed.as_str()), (Some(code), ""), "{arguments:?}: {complained}");
        assert_eq!(complained.lines().count(), 1, "{arguments:?}: {complained}");
        assert!(complained.contains(names), "{arguments:?}: {complained}");
    }
}
