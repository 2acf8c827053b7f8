//! One replica of a service, at an address that it keeps when it is killed and started again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tengen_harness::free_port;
use tengen_processes::Process;

/// How long a process may take to end in order (fault F21).
pub const END_MS: i64 = 30_000;

const LISTEN: &str = "TENGEN_LISTEN";

/// A replica, running or not.
pub struct Replica {
    service: &'static str,
    variables: Vec<(&'static str, String)>,
    url: String,
    process: Option<Process>,
    id: Arc<AtomicU32>,
}

impl Replica {
    /// One that does not run yet.
    pub fn new(service: &'static str, mut variables: Vec<(&'static str, String)>) -> Self {
        let named = variables.iter().find(|(name, _)| *name == LISTEN);
        let listen =
            named.map_or_else(|| format!("127.0.0.1:{}", free_port()), |(_, at)| at.clone());
        let url = format!("http://{listen}");
        variables.push((LISTEN, listen));
        Self { service, variables, url, process: None, id: Arc::default() }
    }

    /// Where it is reached.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Sets a variable of it, before it is started.
    pub fn set(&mut self, variable: &'static str, value: String) {
        self.variables.push((variable, value));
    }

    /// Which service it is of.
    pub fn service(&self) -> &'static str {
        self.service
    }

    /// Starts it, if it does not run.
    pub async fn start(&mut self) {
        if self.process.is_some() {
            return;
        }
        let variables: Vec<_> =
            self.variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let process = Process::start(self.service, &variables).await;
        self.id.store(process.id(), Ordering::Relaxed);
        self.process = Some(process);
    }

    /// Waits until it says that it serves.
    pub async fn ready(&self) {
        self.running().ready().await;
    }

    /// Ends it as by `kill -9`, and waits until it is gone.
    pub async fn kill(&mut self) {
        self.signal("KILL");
        self.gone().await;
    }

    /// Kills whichever process it is when it is called, at once.
    pub fn killer(&self) -> impl FnOnce() + Send + 'static {
        let id = Arc::clone(&self.id);
        move || {
            let id = id.load(Ordering::Relaxed).to_string();
            let killed = std::process::Command::new("kill").args(["-KILL", &id]).status();
            assert!(killed.expect("kill can be called").success());
        }
    }

    /// The memory it takes, in KiB.
    pub fn memory_kib(&self) -> u64 {
        let status = format!("/proc/{}/status", self.running().id());
        let status = std::fs::read_to_string(status).expect("it runs");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = resident.and_then(|rest| rest.trim().strip_suffix(" kB"));
        kib.and_then(|kib| kib.parse().ok()).expect("a number of kB")
    }

    /// How many connections and files it has open.
    pub fn descriptors(&self) -> usize {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.running().id()));
        open.expect("it runs").count()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: &str) {
        self.running().signal(signal);
    }

    /// Waits until it is gone, and says whether it ended in order.
    pub async fn gone(&mut self) -> bool {
        let process = self.process.take().expect("runs");
        process.ended().await.0.success()
    }

    fn running(&self) -> &Process {
        self.process.as_ref().unwrap_or_else(|| panic!("{} does not run", self.service))
    }
}
