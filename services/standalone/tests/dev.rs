//! `tengen dev` as a process: what it prints, what it refuses, how it ends, what it keeps.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tengen_proto::rating::v1::GetLadderRequest;
use tengen_proto::rating::v1::rating_service_client::RatingServiceClient;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{Account, RegisterRequest, SignInRequest};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::transport::{Channel, Endpoint};

/// How long it may take to end once it is told to.
const DRAIN: Duration = Duration::from_secs(10);

/// `tengen dev` with these arguments and nothing from the environment.
fn dev(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.arg("dev").args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TENGEN_")) {
        command.env_remove(name);
    }
    command
}

/// A process that listens; killed if the test fails.
struct Running {
    child: Child,
    url: String,
    printed: String,
}

impl Running {
    fn start(data: &Path) -> Self {
        Self::with(data, &[])
    }

    fn with(data: &Path, more: &[&str]) -> Self {
        let arguments = ["--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
        let mut child = dev(&[&arguments, more].concat()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut printed = String::new();
        loop {
            let line = lines.next().expect("it greets before it ends").unwrap();
            printed += &line;
            printed.push('\n');
            if line.contains("Ctrl-C") {
                break;
            }
        }
        let (_, after) = printed.split_once("Tengen is at ").expect("it says where it is");
        let (address, _) = after.split_once(':').expect("a port");
        let port: String =
            after[address.len() + 1..].chars().take_while(char::is_ascii_digit).collect();
        let url = format!("http://{address}:{port}");
        Self { child, url, printed }
    }

    async fn connect(&self) -> Channel {
        Endpoint::from_shared(self.url.clone()).unwrap().connect().await.unwrap()
    }

    /// Sends SIGTERM, and waits for the end.
    async fn terminate(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        assert!(sent.success());
        let ended = tokio::task::spawn_blocking(move || {
            let status = self.child.wait();
            (self, status)
        });
        let (_, status) =
            tokio::time::timeout(DRAIN, ended).await.expect("it ends in time").unwrap();
        status.unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn register(channel: Channel) -> Account {
    let request = RegisterRequest {
        request_id: "request-1".into(),
        name: "aki".into(),
        password: "three corners".into(),
    };
    let answer = SessionServiceClient::new(channel).register(request).await.unwrap();
    answer.into_inner().account.unwrap()
}

async fn sign_in(channel: Channel) -> Account {
    let request = SignInRequest { name: "aki".into(), password: "three corners".into() };
    let answer = SessionServiceClient::new(channel).sign_in(request).await.unwrap();
    answer.into_inner().account.unwrap()
}

#[tokio::test]
async fn it_says_where_it_is_serves_and_ends_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path());
    assert!(running.printed.contains(folder.path().to_str().unwrap()), "{}", running.printed);
    let channel = running.connect().await;
    let ladder = RatingServiceClient::new(channel.clone()).get_ladder(GetLadderRequest {}).await;
    assert_eq!(ladder.unwrap().into_inner().levels.len(), 21);
    // A client that stays connected does not hold the end up.
    assert_eq!(running.terminate().await.code(), Some(0));
    drop(channel);
}

#[tokio::test]
async fn it_says_whether_there_is_a_board() {
    let [data, board] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let web = ["--web", board.path().to_str().unwrap()];
    let without = Running::with(data.path(), &web);
    assert!(without.printed.contains("The web board is not built"), "{}", without.printed);
    assert_eq!(without.terminate().await.code(), Some(0));
    std::fs::write(board.path().join("index.html"), "").unwrap();
    let with = Running::with(data.path(), &web);
    let line = format!("Play at {}/ in a browser.", with.url);
    assert!(with.printed.contains(&line), "{}", with.printed);
    assert_eq!(with.terminate().await.code(), Some(0));
}

#[tokio::test]
async fn its_numbers_are_on_its_port() {
    let data = TempDir::new().unwrap();
    let running = Running::start(data.path());
    let mut ratings = RatingServiceClient::new(running.connect().await);
    ratings.get_ladder(GetLadderRequest::default()).await.unwrap();
    let address = running.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let method = "tengen.rating.v1.RatingService/GetLadder";
    let call = format!("tengen_calls_total{{method=\"{method}\",code=\"OK\"}} 1");
    assert!(answer.contains(&call) && answer.contains("tengen_moves_total"), "{answer}");
}

#[tokio::test]
async fn accounts_outlive_it() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path());
    let account = register(running.connect().await).await;
    assert_eq!(running.terminate().await.code(), Some(0));
    let running = Running::start(folder.path());
    assert_eq!(sign_in(running.connect().await).await, account);
    assert_eq!(running.terminate().await.code(), Some(0));
}

/// Checks that it does not start: the exit code, and one line of plain text that names what is
/// wrong.
fn refused(arguments: &[&str], code: i32, names: &str) {
    let Output { status, stdout, stderr } = dev(arguments).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(status.code(), Some(code), "{arguments:?}: {stdout}{stderr}");
    assert_eq!(stdout, "", "{arguments:?}");
    let errors: Vec<_> = stderr.lines().filter(|line| line.contains("ERROR")).collect();
    let [error] = errors[..] else { panic!("{arguments:?}: {stderr}") };
    assert!(error.contains(names) && !stderr.contains('\u{1b}'), "{arguments:?}: {stderr:?}");
}

#[test]
fn a_bad_setting_ends_it_with_one_line() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:4700"] {
        refused(&["--listen", listen, "--data", data], 64, "expected a loopback address");
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    refused(&["--listen", "127.0.0.1:0", "--data", file.to_str().unwrap()], 64, "TENGEN_DEV_DATA");
    assert!(!Path::new(data).exists(), "nothing is made before the settings are checked");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let folder = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let data = folder.path().to_str().unwrap();
    refused(&["--listen", &address, "--data", data], 1, &address);
}
