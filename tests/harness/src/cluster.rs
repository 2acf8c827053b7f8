//! A Redis Cluster of three masters.

use crate::process::{Log, free_port};
use crate::server::{Kind, Server};

/// The slots, a third for each master.
const RANGES: [(&str, &str); 3] = [("0", "5460"), ("5461", "10922"), ("10923", "16383")];

/// A private Redis Cluster. Dropping it ends it and removes its files.
#[derive(Debug)]
pub struct Cluster {
    masters: Vec<Server>,
}

impl Cluster {
    /// Starts three masters, joins them, and waits until each knows that all slots are served.
    ///
    /// # Panics
    ///
    /// When a server does not start, or refuses to join.
    #[must_use]
    pub fn start() -> Self {
        let (masters, mut logs): (Vec<Server>, Vec<Log>) =
            RANGES.map(|_| master()).into_iter().unzip();
        for (place, (master, (first, last))) in masters.iter().zip(RANGES).enumerate() {
            master.ask(&["CLUSTER", "SET-CONFIG-EPOCH", &(place + 1).to_string()]);
            master.ask(&["CLUSTER", "ADDSLOTSRANGE", first, last]);
        }
        for master in &masters[1..] {
            let (port, bus) = (master.port().to_string(), bus(master));
            masters[0].ask(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus]);
        }
        for log in &mut logs {
            log.wait_for("Cluster state changed: ok");
        }
        Self { masters }
    }

    /// The masters.
    #[must_use]
    pub fn masters(&self) -> &[Server] {
        &self.masters
    }

    /// Where clients connect to: one address of each master.
    #[must_use]
    pub fn url(&self) -> String {
        let ports = self.masters.iter().map(|master| format!("127.0.0.1:{}", master.port()));
        format!("redis+cluster://{}", ports.collect::<Vec<_>>().join(","))
    }
}

fn master() -> (Server, Log) {
    let bus = free_port().to_string();
    let options = ["--cluster-enabled", "yes", "--cluster-port", &bus];
    Server::start_logged(Kind::Redis, &options)
}

/// The port on which a master talks to the others.
fn bus(master: &Server) -> String {
    let answer = master.ask(&["CONFIG", "GET", "cluster-port"]);
    answer.lines().last().unwrap_or_default().to_owned()
}
