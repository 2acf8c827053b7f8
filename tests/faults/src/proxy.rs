//! A proxy for TCP that fails as networks do, or at a request of one's choice.
//!
//! With it no failpoint is needed in the product: a process is killed right before a request of it
//! reaches a store, or right after it was carried out and before the answer comes back.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tengen_kit::time::SharedTime;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};

use crate::speech::Speech;

/// A way to a server that may fail. It is gone with its handle.
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    running: AbortHandle,
}

struct Shared {
    upstream: SocketAddr,
    speech: Speech,
    time: SharedTime,
    triggers: Mutex<Vec<Trigger>>,
    weather: watch::Sender<Weather>,
}

/// How the network is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weather {
    /// Everything passes.
    #[default]
    Fair,
    /// Everything passes so many milliseconds late.
    Slow(i64),
    /// Nothing passes. What is sent meanwhile comes when it is over, as after lost packets.
    Silent,
    /// Connections are reset, also new ones.
    Reset,
    /// Clients can send nothing more on the connections there are, and are still answered.
    HalfClosed,
}

/// When something is done about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before it is passed on; it never is.
    Before,
    /// When the server has carried it out; the answer is not passed on.
    After,
}

struct Trigger {
    holds: Vec<Vec<u8>>,
    when: When,
    act: Box<dyn FnOnce() + Send>,
    fired: oneshot::Sender<()>,
}

impl Proxy {
    /// A way to the server at this address, whose clients speak so.
    pub async fn to(upstream: &str, speech: Speech, time: &SharedTime) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            upstream: upstream.parse().expect("an address"),
            speech,
            time: Arc::clone(time),
            triggers: Mutex::default(),
            weather: watch::Sender::default(),
        });
        let running = tokio::spawn(accept(listener, Arc::clone(&shared))).abort_handle();
        Self { port, shared, running }
    }

    /// Where clients connect to.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Acts at the next request whose bytes hold all of these. What is returned ends then.
    pub fn at(
        &self,
        when: When,
        holds: &[&str],
        act: impl FnOnce() + Send + 'static,
    ) -> oneshot::Receiver<()> {
        let (fired, told) = oneshot::channel();
        let holds = holds.iter().map(|text| text.as_bytes().to_vec()).collect();
        self.shared.triggers().push(Trigger { holds, when, act: Box::new(act), fired });
        told
    }

    /// Changes the weather.
    pub fn weather(&self, weather: Weather) {
        self.shared.weather.send_replace(weather);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Shared {
    fn triggers(&self) -> std::sync::MutexGuard<'_, Vec<Trigger>> {
        self.triggers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What waits for this request.
    fn waits_for(&self, request: &[u8]) -> Option<Trigger> {
        let mut triggers = self.triggers();
        let meant = |trigger: &Trigger| trigger.holds.iter().all(|part| holds(request, part));
        let found = triggers.iter().position(meant)?;
        Some(triggers.remove(found))
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.expect("is open");
        if *shared.weather.borrow() == Weather::Reset {
            reset(client);
            continue;
        }
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // A server that is away is away for the client, too.
            if let Ok(server) = TcpStream::connect(shared.upstream).await {
                for stream in [&client, &server] {
                    stream.set_nodelay(true).expect("a stream");
                }
                relay(client, server, &shared).await;
            }
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Passes bytes on both ways, until one side is gone.
async fn relay(mut client: TcpStream, mut server: TcpStream, shared: &Shared) {
    let mut weather = shared.weather.subscribe();
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let (mut asked, mut answers) = (vec![0; 65_536], vec![0; 65_536]);
    // What is not a whole request yet.
    let mut begun = Vec::new();
    let mut open = true;
    loop {
        let now = *weather.borrow_and_update();
        if now == Weather::Reset {
            break;
        }
        if now == Weather::HalfClosed && open {
            open = false;
            let _ = to_server.shutdown().await;
        }
        let passes = now != Weather::Silent;
        let passed = tokio::select! {
            changed = weather.changed() => changed.is_ok().then_some(()),
            read = from_client.read(&mut asked), if passes && open => match read {
                Ok(read @ 1..) => {
                    late(now, shared).await;
                    begun.extend_from_slice(&asked[..read]);
                    let parts = (&mut from_client, &mut from_server, &mut to_server);
                    pass_on(&mut begun, parts, shared).await
                }
                _ => {
                    open = false;
                    to_server.shutdown().await.ok()
                }
            },
            read = from_server.read(&mut answers), if passes => match read {
                Ok(read @ 1..) => {
                    late(now, shared).await;
                    to_client.write_all(&answers[..read]).await.ok()
                }
                _ => None,
            },
        };
        if passed.is_none() {
            return;
        }
    }
    reset(client);
    reset(server);
}

type Parts<'a, 'b> = (&'a mut ReadHalf<'b>, &'a mut ReadHalf<'b>, &'a mut WriteHalf<'b>);

/// Passes on each whole request; `None` when the connection is done for.
async fn pass_on(begun: &mut Vec<u8>, parts: Parts<'_, '_>, shared: &Shared) -> Option<()> {
    let (from_client, from_server, to_server) = parts;
    while let Some(length) = shared.speech.request(begun) {
        let request: Vec<u8> = begun.drain(..length).collect();
        if let Some(trigger) = shared.waits_for(&request) {
            if trigger.when == When::After {
                to_server.write_all(&request).await.ok()?;
                carried_out(shared.speech, from_server, to_server).await;
            }
            (trigger.act)();
            let _ = trigger.fired.send(());
            // Nothing passes any more until the client is gone.
            let mut rest = vec![0; 65_536];
            while from_client.read(&mut rest).await.is_ok_and(|read| read > 0) {}
            return None;
        }
        to_server.write_all(&request).await.ok()?;
    }
    Some(())
}

/// Waits until the server has done all it was asked on this connection.
async fn carried_out(speech: Speech, from: &mut ReadHalf<'_>, to: &mut WriteHalf<'_>) {
    let (probe, answer) = speech.probe();
    to.write_all(probe).await.expect("the server reads");
    let (mut said, mut chunk) = (Vec::new(), vec![0; 65_536]);
    while !holds(&said, answer) {
        let read = from.read(&mut chunk).await.expect("the server answers");
        assert!(read > 0, "the server answers before it closes");
        said.extend_from_slice(&chunk[..read]);
    }
}

async fn late(weather: Weather, shared: &Shared) {
    if let Weather::Slow(ms) = weather {
        shared.time.until(shared.time.now_ms() + ms).await;
    }
}

/// Closes a connection so that the other side hears of an error.
fn reset(stream: TcpStream) {
    let _ = stream.set_zero_linger();
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
