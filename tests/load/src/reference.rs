//! References as processes.

use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const NODE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/baseline-node");

/// A running reference. Dropping it kills it.
pub struct Reference {
    _child: Child,
    name: &'static str,
    url: String,
    pid: u32,
}

impl Reference {
    /// One of this crate's program: `echo`, `script` or `fan-out`.
    pub async fn start(program: &str, name: &'static str, redis_url: &str) -> Self {
        let mut command = Command::new(program);
        command.args([name, "--redis", redis_url]);
        Self::run(command, name, "http").await
    }

    /// The naive server in Node.
    pub async fn node(redis_url: &str) -> Self {
        let there = Path::new(NODE).join("node_modules").is_dir();
        assert!(there, "not installed: python3 tests/tools/setup.py baseline-node");
        let mut command = Command::new("node");
        command.arg(Path::new(NODE).join("server.mjs")).env("REDIS_URL", redis_url);
        Self::run(command, "node", "ws").await
    }

    /// What it is called, and where it is, for `tengen load`.
    pub fn arguments(&self) -> Vec<String> {
        let Self { name, url, pid, .. } = self;
        let reference = ["--reference".to_owned(), format!("{name}={url}")];
        [reference, ["--pid".to_owned(), format!("{name}={pid}")]].concat()
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    async fn run(mut command: Command, name: &'static str, scheme: &str) -> Self {
        let spawned =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn();
        let mut child = spawned.unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let line = lines.next_line().await.unwrap().expect("says where it listens");
        let address = line.strip_prefix("listen=").unwrap_or_else(|| panic!("{name}: {line}"));
        let pid = child.id().expect("runs");
        Self { _child: child, name, url: format!("{scheme}://{address}"), pid }
    }
}
