//! A server process that cannot outlive this one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Runs `$@` until standard input ends, as it does when the process that holds its other end is
/// gone, however that came; then ends it by a signal and, unless told to keep it, removes the
/// folder `$0`.
const GUARD: &str = r#"
signal=$1
shift
"$@" </dev/null 2>&1 &
exec >/dev/null
read -r word
kill -"$signal" $!
wait
[ "$word" = keep ] || rm -rf "$0"
"#;

/// A program, and how it is run.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) command: Vec<String>,
    /// Its own; it is removed together with the process.
    pub(crate) folder: PathBuf,
    /// The signal that ends it at once: `KILL`.
    pub(crate) end: &'static str,
    /// Whom it runs as, if not as this process.
    pub(crate) user: Option<User>,
}

/// Ids of a user of the system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct User {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

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
    /// Starts a program in its folder.
    pub(crate) fn start(program: &Program) -> (Self, Log) {
        let mut guard = Command::new("sh");
        guard
            .args(["-c", GUARD])
            .arg(&program.folder)
            .arg(program.end)
            .args(&program.command)
            .current_dir(&program.folder)
            // The terminal's interrupt is for the test; the guard ends when that does.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(User { uid, gid }) = program.user {
            guard.uid(uid).gid(gid);
        }
        let mut guard = guard.spawn().expect("sh can be started");
        let lines = BufReader::new(guard.stdout.take().expect("its output is piped"));
        let program = program.command.first().cloned().unwrap_or_default();
        (Self { guard }, Log { program, lines })
    }

    /// Sends it the signal that ends it, and does not wait for that; its folder goes with it.
    pub(crate) fn end(&mut self) {
        drop(self.guard.stdin.take());
    }

    /// Ends the server at once; its folder stays.
    pub(crate) fn kill(&mut self) {
        if let Some(mut guard) = self.guard.stdin.take() {
            // A guard that is gone has ended it before.
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
        self.find(text).unwrap_or_else(|said| panic!("{said}"));
    }

    /// The same; an error with all that was said, if it ends before.
    pub(crate) fn find(&mut self, text: &str) -> Result<(), String> {
        let mut said = String::new();
        loop {
            let from = said.len();
            if self.lines.read_line(&mut said).unwrap_or(0) == 0 {
                return Err(format!("{} ended without \"{text}\":\n{said}", self.program));
            }
            if said[from..].contains(text) {
                return Ok(());
            }
        }
    }
}

/// A new folder. In memory where that is possible: what is tested is a process that dies, not a
/// disk that is slow.
pub(crate) fn folder() -> PathBuf {
    folder_in(Path::new("/dev/shm"))
}

/// A new folder on a disk.
pub(crate) fn disk_folder() -> PathBuf {
    folder_in(Path::new("/var/tmp"))
}

/// Removes a folder that no process guards.
pub(crate) fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

/// A port that nobody listens on. Below those that the system gives to outgoing connections, so
/// that none of these takes it while its server is down.
///
/// # Panics
///
/// Never: it looks until it has found one.
#[must_use]
pub fn free_port() -> u16 {
    let free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let mut candidates = std::iter::repeat_with(|| rand::random_range(15_000..32_000_u16));
    candidates.find(free).expect("the candidates never end")
}

/// The first file of this name on the path.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn folder_in(root: &Path) -> PathBuf {
    let root = if root.is_dir() { root.to_owned() } else { std::env::temp_dir() };
    let folder = tempfile::Builder::new().prefix("tengen-").tempdir_in(root);
    folder.expect("a temporary folder can be made").keep()
}
