//! One Envoy, as `deploy/envoy` configures it.

use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, thread};

use crate::process::{Process, Program, folder, free_port, remove};
use crate::server::in_package;

/// Ports are found free a moment before Envoy takes them.
const TRIES: usize = 3;

/// A private gateway. Dropping it ends it and removes its files.
#[derive(Debug)]
pub struct Envoy {
    folder: PathBuf,
    port: u16,
    observe: u16,
    admin: u16,
    process: Option<Process>,
}

impl Envoy {
    /// Starts a gateway on free ports of loopback, and waits until it takes calls. `variables` are
    /// those that `deploy/envoy/envoy.yaml` lists at its top; `more` is configuration, in YAML, on
    /// top of that file.
    ///
    /// # Panics
    ///
    /// When the program is missing, or does not start.
    #[must_use]
    pub fn start(variables: &[(String, String)], more: &str) -> Self {
        let mut said = String::new();
        for _ in 0..TRIES {
            match Self::try_start(variables, more) {
                Ok(envoy) => return envoy,
                Err(why) => said = why,
            }
        }
        panic!("{said}");
    }

    /// An error if one of its ports was taken in the meantime.
    fn try_start(variables: &[(String, String)], more: &str) -> Result<Self, String> {
        let (folder, [port, observe, admin]) = (folder(), std::array::from_fn(|_| free_port()));
        let overlay = folder.join("more.yaml");
        let more = if more.is_empty() { "{}" } else { more };
        fs::write(&overlay, more).expect("the folder can be written to");
        let own = [
            ("LISTEN_ADDRESS", "127.0.0.1"),
            ("OBSERVE_ADDRESS", "127.0.0.1"),
            ("LISTEN_PORT", &port.to_string()),
            ("OBSERVE_PORT", &observe.to_string()),
            ("ADMIN_PORT", &admin.to_string()),
            ("DRAIN_SECONDS", "0"),
            ("LOG_LEVEL", "info"),
            ("ENVOY", &program()),
        ];
        let mut command = vec!["env".to_owned()];
        command.extend(own.iter().map(|(name, value)| format!("{name}={value}")));
        command.extend(variables.iter().map(|(name, value)| format!("{name}={value}")));
        command.push(script().display().to_string());
        let options = ["--concurrency", "1", "--config-path", &overlay.display().to_string()];
        command.extend(options.map(str::to_owned));
        // The script ends Envoy with itself.
        let program = Program { command, folder: folder.clone(), end: "TERM", user: None };
        let (process, mut log) = Process::start(&program);
        let envoy = Self { folder, port, observe, admin, process: Some(process) };
        log.find("starting workers")?;
        for port in [port, observe, admin] {
            listening(port);
        }
        Ok(envoy)
    }

    /// Whether Envoy would take the configuration: what it says, and how it ends.
    ///
    /// # Panics
    ///
    /// When the program is missing.
    #[must_use]
    pub fn validate(variables: &[(&str, &str)]) -> Output {
        Command::new(script())
            .args(["--mode", "validate"])
            .env("ENVOY", program())
            .envs(variables.iter().copied())
            .output()
            .expect("the script can be started")
    }

    /// Tells it to end, as an orchestrator does; it drains for `DRAIN_SECONDS`.
    pub fn end(&mut self) {
        if let Some(process) = &mut self.process {
            process.end();
        }
    }

    /// Where clients call, without TLS.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Where clients call.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where `/ready` and `/stats/prometheus` are.
    #[must_use]
    pub fn observe_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.observe)
    }

    /// Envoy's own pages.
    #[must_use]
    pub fn admin_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.admin)
    }
}

impl Drop for Envoy {
    fn drop(&mut self) {
        // The guard of a running process removes the folder as well.
        drop(self.process.take());
        remove(&self.folder);
    }
}

/// Waits until a port takes connections: workers begin to listen a moment after they say so.
fn listening(port: u16) {
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        thread::yield_now();
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/envoy/start.sh")
}

/// Where the program is.
fn program() -> String {
    let found = in_package("envoy/_bin/envoy");
    let missing = || panic!("envoy is missing: python3 tests/tools/setup.py envoy");
    found.unwrap_or_else(missing).to_string_lossy().into_owned()
}
