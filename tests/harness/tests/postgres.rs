//! The private PostgreSQL: what it keeps, and that nothing is left of it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use tengen_harness::Postgres;

/// Set for the process that a test kills: it starts a server, and says where.
const VICTIM: &str = "TENGEN_HARNESS_VICTIM";

fn files(postgres: &Postgres) -> String {
    postgres.ask("postgres", "show data_directory").trim().to_owned()
}

#[test]
fn what_is_committed_outlives_a_crash_and_goes_with_the_handle() {
    for (mut postgres, fsync) in [(Postgres::start(), "off\n"), (Postgres::durable(), "on\n")] {
        assert_eq!(postgres.ask("postgres", "show fsync"), fsync);
        let url = postgres.database();
        let name = url.rsplit('/').next().unwrap().to_owned();
        postgres.ask(&name, "create table kept (word text)");
        postgres.ask(&name, "insert into kept values ('碁')");
        postgres.kill();
        postgres.restart();
        assert_eq!(postgres.ask(&name, "select word from kept"), "碁\n");
        assert_ne!(postgres.database(), url);
        let files = files(&postgres);
        assert!(Path::new(&files).is_dir());
        drop(postgres);
        assert!(!Path::new(&files).exists());
    }
}

#[test]
fn it_ends_with_the_process_that_started_it() {
    if std::env::var_os(VICTIM).is_some() {
        let postgres = Postgres::start();
        eprintln!("{}", files(&postgres));
        loop {
            std::thread::park();
        }
    }
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "it_ends_with_the_process_that_started_it", "--nocapture"])
        .env(VICTIM, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(victim.stderr.take().unwrap()).lines();
    let files = said.map(|line| line.unwrap()).find(|line| line.ends_with("/data")).unwrap();
    let folder = Path::new(&files).parent().unwrap();
    assert!(folder.is_dir());
    victim.kill().unwrap();
    victim.wait().unwrap();
    while folder.exists() {
        std::thread::yield_now();
    }
}
