//! A server process that cannot outlive this one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Runs `$@` until standard input ends, as it does when the process that holds its other end is
/// gone, however that came; then kills it and, unless told to keep it, removes the folder `$0`.
const GUARD: &str = r#"
"$@" </dev/null 2>&1 &
exec >/dev/null
read -r word
kill -9 $!
wait
[ "$word" = keep ] || rm -rf "$0"
"#;

/// A running server, its log and its folder.
#[derive(Debug)]
pub(crate) struct Process {
    guard: Child,
}

/// What a server says, until it has said enough.
pub(crate) struct Log {
    program: String,
    lines: BufReader<ChildStdout>,
}

impl Process {
    /// Starts `command` in `folder`.
    pub(crate) fn start(folder: &Path, command: &[String]) -> (Self, Log) {
        let mut guard = Command::new("sh")
            .args(["-c", GUARD])
            .arg(folder)
            .args(command)
            .current_dir(folder)
            // The terminal's interrupt is for the test; the guard ends when that does.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh can be started");
        let lines = BufReader::new(guard.stdout.take().expect("its output is piped"));
        let program = command.first().cloned().unwrap_or_default();
        (Self { guard }, Log { program, lines })
    }

    /// Kills the server at once, as by `kill -9`; its folder stays.
    pub(crate) fn kill(&mut self) {
        if let Some(mut guard) = self.guard.stdin.take() {
            // A guard that is gone has killed it before.
            let _ = guard.write_all(b"keep\n");
        }
        let _ = self.guard.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

impl Log {
    /// Reads on until a line holds `text`.
    pub(crate) fn wait_for(&mut self, text: &str) {
        let mut said = String::new();
        loop {
            let from = said.len();
            let read = self.lines.read_line(&mut said).unwrap_or(0);
            assert!(read > 0, "{} ended without \"{text}\":\n{said}", self.program);
            if said[from..].contains(text) {
                return;
            }
        }
    }
}

/// A new folder. In memory where that is possible: what is tested is a process that dies, not a
/// disk that is slow.
pub(crate) fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let root = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = tempfile::Builder::new().prefix("tengen-").tempdir_in(root);
    folder.expect("a temporary folder can be made").keep()
}

/// Removes a folder that no process guards.
pub(crate) fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

/// A port that nobody listens on. Below those that the system gives to outgoing connections, so
/// that none of these takes it while its server is down.
pub(crate) fn free_port() -> u16 {
    let free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let mut candidates = std::iter::repeat_with(|| rand::random_range(15_000..32_000_u16));
    candidates.find(free).expect("the candidates never end")
}
