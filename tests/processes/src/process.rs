//! One service as a process.

use std::net::SocketAddr;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tengen_kit::client;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::Streaming;
use tonic::transport::Channel;
pub use tonic_health::pb::health_check_response::ServingStatus as Status;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::binary;

/// What anything may take on a busy machine before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Set to see what processes say, as they say it.
const SHOW: &str = "TENGEN_PROCESS_LOG";

/// A running service. Dropping it kills it.
pub struct Process {
    child: Child,
    /// Reads on what it says, so that it never waits for a reader; ends with the process.
    log: JoinHandle<Vec<String>>,
    pub listen: SocketAddr,
    pub admin: SocketAddr,
}

impl Process {
    /// Starts a service and waits until it has its ports.
    pub async fn start(service: &str, variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(binary(service))
            .env_clear()
            .env("TENGEN_LISTEN", "127.0.0.1:0")
            .env("TENGEN_ADMIN_LISTEN", "127.0.0.1:0")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary starts");
        let mut log = BufReader::new(child.stderr.take().expect("piped")).lines();
        let first = timeout(PATIENCE, log.next_line()).await.expect("says something").unwrap();
        let first = first.expect("a first line");
        assert!(!first.contains('\u{1b}'), "no colours in a pipe: {first}");
        let address = |name: &str| {
            let word = first.split_whitespace().find_map(|word| word.strip_prefix(name));
            word.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{name} in: {first}"))
        };
        let (listen, admin) = (address("listen="), address("admin="));
        let (name, show) = (service.to_owned(), std::env::var_os(SHOW).is_some());
        let log = tokio::spawn(async move {
            let mut said = Vec::new();
            while let Ok(Some(line)) = log.next_line().await {
                if show {
                    eprintln!("{name} {listen}: {line}");
                }
                said.push(line);
            }
            said
        });
        Self { child, log, listen, admin }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.listen)
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.child.id().expect("runs")
    }

    /// A connection of one's own.
    pub async fn channel(&self) -> Channel {
        client::endpoint(&self.url()).unwrap().connect().await.expect("connects")
    }

    /// The health of the process, as it is told on a stream.
    pub async fn health(&self) -> Health {
        let mut client = HealthClient::new(self.channel().await);
        Health(client.watch(HealthCheckRequest::default()).await.unwrap().into_inner())
    }

    /// Waits until it says that it serves.
    pub async fn ready(&self) {
        self.health().await.until(Status::Serving).await;
    }

    /// A page of the admin port: the code and the text.
    pub async fn page(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.admin).await.expect("the admin port listens");
        let request = format!("GET {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        timeout(PATIENCE, stream.read_to_string(&mut answer)).await.expect("answers").unwrap();
        let (head, text) = answer.split_once("\r\n\r\n").expect("a head");
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a code");
        (code, text.to_owned())
    }

    /// Sends it a signal: `TERM`.
    pub fn signal(&self, signal: &str) {
        let id = self.child.id().expect("runs").to_string();
        let kill = std::process::Command::new("kill").args([&format!("-{signal}"), &id]).status();
        assert!(kill.expect("kill can be called").success());
    }

    /// Waits for its end: how, and what it said since it had its ports.
    pub async fn ended(mut self) -> (ExitStatus, Vec<String>) {
        let all = async { (self.child.wait().await.expect("has a status"), self.log.await) };
        let (status, said) = timeout(PATIENCE, all).await.expect("ends");
        (status, said.expect("is read to its end"))
    }
}

/// A process's health, as it changes.
pub struct Health(Streaming<HealthCheckResponse>);

impl Health {
    /// Waits until it is so.
    pub async fn until(&mut self, status: Status) {
        let told = async {
            loop {
                let answer = self.0.message().await.expect("lives").expect("goes on");
                if answer.status() == status {
                    return;
                }
            }
        };
        timeout(PATIENCE, told).await.unwrap_or_else(|_| panic!("never {status:?}"));
    }
}
