//! One PostgreSQL server.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::process::{
    Log, Process, Program, User, disk_folder, folder, free_port, on_path, remove,
};

/// A private PostgreSQL. Dropping it ends it and removes its files.
#[derive(Debug)]
pub struct Postgres {
    program: Program,
    port: u16,
    process: Option<Process>,
    databases: AtomicU32,
}

impl Postgres {
    /// Starts a server whose files are in memory, and waits until it takes connections. What is
    /// committed outlives its process, not a power cut.
    ///
    /// # Panics
    ///
    /// When a program of PostgreSQL is missing, or does not do what it should.
    #[must_use]
    pub fn start() -> Self {
        Self::start_in(folder(), &["fsync=off", "full_page_writes=off"])
    }

    /// The same on a disk, and a commit waits until it is there: as slow as a real one.
    ///
    /// # Panics
    ///
    /// As [`Postgres::start`].
    #[must_use]
    pub fn durable() -> Self {
        Self::start_in(disk_folder(), &[])
    }

    /// The one server that all tests of this process share, each with a database of its own.
    ///
    /// # Panics
    ///
    /// As [`Postgres::start`].
    #[must_use]
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Postgres> = LazyLock::new(Postgres::start);
        &SHARED
    }

    /// Makes a database and gives its address.
    ///
    /// # Panics
    ///
    /// When the server does not answer.
    #[must_use]
    pub fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.ask("postgres", &format!("create database {name}"));
        self.url(&name)
    }

    /// The address of a database.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Runs one statement and gives its rows as lines, columns separated by `|`.
    ///
    /// # Panics
    ///
    /// When the server does not answer, or refuses the statement.
    pub fn ask(&self, database: &str, statement: &str) -> String {
        let done = Command::new(Self::program("psql"))
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--dbname", &self.url(database), "--command", statement])
            .output()
            .expect("psql can be started");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{statement}: {said}");
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// Ends the server at once, without a checkpoint, as a crash does. Its port and its files stay.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    /// Starts it again after [`Postgres::kill`], and waits until it takes connections.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn restart(&mut self) {
        self.kill();
        let (process, mut log) = Process::start(&self.program);
        self.process = Some(process);
        log.wait_for("ready to accept connections");
    }

    /// A program of the PostgreSQL in use: `pgbench`.
    ///
    /// # Panics
    ///
    /// When it is missing.
    #[must_use]
    pub fn program(name: &str) -> PathBuf {
        let found = programs().map(|folder| folder.join(name)).filter(|file| file.is_file());
        let missing = || panic!("{name} is missing: python3 tests/tools/setup.py postgres");
        found.unwrap_or_else(missing)
    }

    fn start_in(folder: PathBuf, settings: &[&str]) -> Self {
        let user = not_root(&folder);
        let port = free_port();
        let files = folder.join("data").to_string_lossy().into_owned();
        let program = Program { command: initdb(&files), folder, end: "QUIT", user };
        // It is guarded like a server: a test that is killed leaves nothing behind.
        let (mut process, mut log): (_, Log) = Process::start(&program);
        log.wait_for("Success");
        process.kill();
        let command = server(&files, port, settings);
        let program = Program { command, ..program };
        let mut postgres = Self { program, port, process: None, databases: AtomicU32::new(0) };
        postgres.restart();
        postgres
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // The guard of a running process removes the folder as well.
        drop(self.process.take());
        remove(&self.program.folder);
    }
}

/// Makes the files of a server.
fn initdb(files: &str) -> Vec<String> {
    let options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"];
    let options = [&["--no-sync", "--pgdata", files], &options[..]].concat();
    command("initdb", &options)
}

/// Runs a server on its files, on loopback alone.
fn server(files: &str, port: u16, settings: &[&str]) -> Vec<String> {
    let port = format!("port={port}");
    let own =
        ["listen_addresses=127.0.0.1", &port, "unix_socket_directories=", "max_connections=200"];
    let settings = own.iter().chain(settings).flat_map(|setting| ["-c", setting]);
    command("postgres", &["-D", files].into_iter().chain(settings).collect::<Vec<_>>())
}

fn command(program: &str, options: &[&str]) -> Vec<String> {
    let program = Postgres::program(program).to_string_lossy().into_owned();
    std::iter::once(program).chain(options.iter().map(|&option| option.to_owned())).collect()
}

/// Where the programs are: those of the path, else the newest that the distribution has, which
/// keeps them off the path.
fn programs() -> Option<PathBuf> {
    if let Some(initdb) = on_path("initdb") {
        // Perhaps a link, beside which the other programs are not.
        return initdb.canonicalize().ok()?.parent().map(Path::to_owned);
    }
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok);
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|entry| entry.path()).max_by_key(version)?;
    Some(newest.join("bin"))
}

/// PostgreSQL refuses to run as root: then the folder is given to a user who may do less.
fn not_root(folder: &Path) -> Option<User> {
    let owner = fs::metadata(folder).expect("the folder is there").uid();
    if owner != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = ["postgres", "nobody"].iter().find_map(|name| find(&users, name));
    let user = user.expect("root runs it as the user postgres or nobody");
    chown(folder, Some(user.uid), Some(user.gid)).expect("root may give it away");
    Some(user)
}

/// A user by name, in the form of `/etc/passwd`: `name:password:uid:gid:…`.
fn find(users: &str, name: &str) -> Option<User> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let found = fields.next() == Some(name);
        let (uid, gid) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
        found.then_some(User { uid, gid })
    })
}
