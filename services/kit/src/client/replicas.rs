//! The replicas of a service: which are there, and which to call.
//!
//! Each address has a keeper that holds a connection to it and watches the health of the process at
//! its other end. So a call goes only where one is served: a replica that is away, starting or
//! about to end gets none, and costs none.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use tokio::net::lookup_host;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::task::AbortOnDropHandle;
use tonic::transport::{Channel, Endpoint};
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use super::{CONNECT_TIMEOUT, Urls, endpoint};
use crate::time::SharedTime;

const RESOLVE_EVERY_MS: i64 = 5_000;
const RESOLVE_AGAIN_MS: i64 = 500;
const SHORTEST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The replicas of one service, as long as it lives.
#[derive(Debug)]
pub(super) struct Replicas {
    table: Shared,
    _resolver: AbortOnDropHandle<()>,
}

/// A replica that serves. Whoever holds it counts as a call under way.
#[derive(Debug, Clone)]
pub(super) struct Replica {
    pub(super) channel: Channel,
    id: Arc<()>,
}

type Shared = Arc<watch::Sender<Table>>;

#[derive(Debug, Default)]
struct Table {
    /// Whether the addresses have been looked up.
    resolved: bool,
    states: BTreeMap<SocketAddr, State>,
}

#[derive(Debug)]
enum State {
    /// Nothing is known of it yet.
    Connecting,
    /// It serves.
    Up(Replica),
    /// It cannot be reached, or says that it does not serve.
    Down,
}

impl Replicas {
    /// Begins to look for replicas.
    pub(super) fn new(urls: Urls, time: SharedTime) -> Self {
        let table = Shared::default();
        let resolver = tokio::spawn(resolve(urls, time, Arc::clone(&table)));
        Self { table, _resolver: AbortOnDropHandle::new(resolver) }
    }

    /// A replica that serves and was not tried, of two drawn the one with less under way. Waits
    /// while nothing is known of some and no other is there; `None` if there is none.
    pub(super) async fn choose(&self, tried: &[Replica]) -> Option<Replica> {
        if let Some(replica) = self.table.borrow().choose(tried) {
            return Some(replica);
        }
        let mut changes = self.table.subscribe();
        let known = |table: &Table| table.choose(tried).is_some() || !table.pending();
        changes.wait_for(known).await.ok()?.choose(tried)
    }
}

impl Replica {
    fn new(channel: Channel) -> Self {
        Self { channel, id: Arc::default() }
    }

    fn under_way(&self) -> usize {
        Arc::strong_count(&self.id)
    }
}

impl PartialEq for Replica {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.id, &other.id)
    }
}

impl Table {
    fn choose(&self, tried: &[Replica]) -> Option<Replica> {
        let free = || self.states.values().filter_map(State::up).filter(|up| !tried.contains(up));
        let draw = |count| free().nth(rand::random_range(0..count));
        match free().count() {
            0 => None,
            1 => free().next().cloned(),
            count => [draw(count), draw(count)]
                .into_iter()
                .flatten()
                .min_by_key(|replica| replica.under_way())
                .cloned(),
        }
    }

    fn pending(&self) -> bool {
        !self.resolved || self.states.values().any(|state| matches!(state, State::Connecting))
    }

    fn set(&mut self, address: SocketAddr, state: State) {
        // A keeper may be a moment late to hear that its address is gone.
        if let Some(entry) = self.states.get_mut(&address) {
            *entry = state;
        }
    }
}

impl State {
    fn up(&self) -> Option<&Replica> {
        match self {
            Self::Up(replica) => Some(replica),
            Self::Connecting | Self::Down => None,
        }
    }
}

/// Looks the addresses up again and again, and has a keeper for each. An address whose name cannot
/// be looked up just now stays.
async fn resolve(urls: Urls, time: SharedTime, table: Shared) {
    let mut known: HashMap<String, Vec<SocketAddr>> = HashMap::new();
    let mut keepers: HashMap<SocketAddr, AbortOnDropHandle<()>> = HashMap::new();
    loop {
        let mut wait_ms = RESOLVE_EVERY_MS;
        let mut origins: HashMap<SocketAddr, Uri> = HashMap::new();
        for (host, origin) in urls.hosts() {
            match lookup_host(&host).await {
                Ok(found) => {
                    known.insert(host.clone(), found.collect());
                }
                Err(error) => {
                    tracing::debug!(host, %error, "a name cannot be looked up");
                    wait_ms = RESOLVE_AGAIN_MS;
                }
            }
            let addresses = known.get(&host).into_iter().flatten();
            origins.extend(addresses.map(|address| (*address, origin.clone())));
        }
        keepers.retain(|address, _| origins.contains_key(address));
        let new: HashSet<_> =
            origins.keys().copied().filter(|address| !keepers.contains_key(address)).collect();
        table.send_modify(|table| {
            table.resolved = true;
            table.states.retain(|address, _| origins.contains_key(address));
            table.states.extend(new.iter().map(|address| (*address, State::Connecting)));
        });
        for address in new {
            match endpoint(&format!("http://{address}")) {
                Ok(endpoint) => {
                    let endpoint = endpoint.origin(origins[&address].clone());
                    let keeper = tokio::spawn(keep(address, endpoint, Arc::clone(&table)));
                    keepers.insert(address, AbortOnDropHandle::new(keeper));
                }
                Err(error) => tracing::error!(%address, %error, "no address"),
            }
        }
        time.until(time.now_ms().saturating_add(wait_ms)).await;
    }
}

/// Keeps the state of one replica.
async fn keep(address: SocketAddr, endpoint: Endpoint, table: Shared) {
    let set = |state| table.send_modify(|table| table.set(address, state));
    let mut wait = SHORTEST_WAIT;
    loop {
        let mut served = false;
        let ended = attend(&endpoint, |channel| {
            served |= channel.is_some();
            set(channel.map_or(State::Down, |channel| State::Up(Replica::new(channel))));
        });
        let ended = ended.await;
        tracing::debug!(%address, served, ?ended, "a replica is away");
        if served {
            wait = SHORTEST_WAIT;
            set(State::Connecting);
        } else {
            set(State::Down);
        }
        sleep_until(Instant::now() + wait.mul_f32(rand::random_range(0.75..1.25))).await;
        wait = LONGEST_WAIT.min(wait * 2);
    }
}

/// Connects, and tells whether the replica serves, until the connection is gone.
async fn attend(
    endpoint: &Endpoint,
    mut tell: impl FnMut(Option<Channel>),
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let open = async {
        let channel = endpoint.connect().await?;
        let health = HealthClient::new(channel.clone()).watch(HealthCheckRequest::default()).await;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((channel, health?.into_inner()))
    };
    let (channel, mut health) = timeout(CONNECT_TIMEOUT, open).await??;
    while let Some(answer) = health.message().await? {
        let serves = answer.status == ServingStatus::Serving as i32;
        tell(serves.then(|| channel.clone()));
    }
    Ok(())
}
