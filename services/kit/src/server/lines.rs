//! Connections: who gets one, and when it ends. A connection that brings no call is told to go, and
//! cut if it does not.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::transport::server::TcpConnectInfo;

use super::calls::Calls;
use super::descriptors;
use super::places::{Line, Places};
use crate::config::Limits;
use crate::origin::Origins;
use crate::rates::Rates;
use crate::shutdown::Shutdown;
use crate::telemetry::calls::Calls as Numbers;
use crate::turns::Turns;

/// With the time an answer may take, a line that is half open is found within 15 seconds.
const KEEPALIVE_EVERY: Duration = Duration::from_secs(8);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(4);
/// What the headers of a call may take, an access token among them.
const MOST_HEADER_BYTES: u32 = 16 * 1024;
/// How many streams a client may have reset before they were looked at, and how many may have been
/// reset for what it did wrong. One more ends the connection.
const MOST_RESETS: usize = 20;
const MOST_FAULTS: usize = 256;
/// How long whoever was told to go has for it.
const GOING: Duration = Duration::from_secs(2);
/// The longest that a new connection waits to be looked at.
const MOST_HELD: Duration = Duration::from_secs(10);
/// How often is looked after what was refused, and what may be forgotten.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// How long nothing is accepted after that failed, for want of descriptors, say.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections and serves them.
pub(super) struct Lines {
    limits: Limits,
    /// How old a connection gets.
    pub(super) age: Duration,
    /// Whether browsers are answered, which speak HTTP/1.1 too.
    pub(super) browsers: bool,
    /// Where calls that get no place are counted.
    calls: Numbers,
    origins: Origins,
    places: Arc<Places>,
    /// When connections of an address are looked at.
    turns: Turns<IpAddr>,
    rates: Arc<Rates>,
}

impl Lines {
    /// Lines for programs, whose connections get old.
    pub(super) fn new(limits: Limits, rates: Arc<Rates>, calls: Numbers) -> Self {
        let (origins, places) = (limits.origins(), Places::new(&limits, descriptors::raise()));
        let per_s = limits.connections_per_s;
        let turns = Turns::new(per_s, per_s, MOST_HELD);
        let (age, browsers) = (super::CONNECTION_AGE, false);
        Self { limits, age, browsers, calls, origins, places, turns, rates }
    }

    /// Serves until it is over, and all connections have ended.
    pub(super) async fn serve<S>(self, listener: TcpListener, service: S, over: Shutdown)
    where
        S: tower::Service<Request<Body>, Response = Response<Body>, Error = Infallible>
            + Clone
            + Send
            + 'static,
        S::Future: Send + 'static,
    {
        let running = TaskTracker::new();
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let accepted = tokio::select! {
                () = over.begun() => break,
                _ = look.tick() => {
                    self.look();
                    continue;
                }
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let here = self.origins.of_connection(peer.ip()).address();
                    // Whoever gets no place hears so by the end of the connection.
                    if let Some(line) = self.places.connection(here) {
                        let turn = here.map(|address| self.turns.next(address));
                        let connection = self.connection(&stream, peer, line, service.clone());
                        running.spawn(connection.serve(stream, turn, over.clone()));
                    }
                }
                Err(error) if is_of_the_peer(&error) => {}
                Err(error) => {
                    tracing::error!(%error, "no connection can be accepted");
                    sleep_until(Instant::now() + PAUSE).await;
                }
            }
        }
        drop(listener);
        running.close();
        running.wait().await;
    }

    fn look(&self) {
        self.rates.forget();
        self.turns.forget();
        let (connections, calls) = (self.places.take_turned_away(), self.rates.take_refused());
        if connections > 0 || calls > 0 {
            tracing::warn!(connections, calls, "over the limits of one client, refused");
        }
    }

    fn connection<S>(
        &self,
        stream: &TcpStream,
        peer: SocketAddr,
        line: Arc<Line>,
        service: S,
    ) -> Connection<S> {
        let Limits { first_call_ms, request_ms, idle_s, open_calls_per_connection, .. } =
            self.limits;
        let peer = TcpConnectInfo { local_addr: stream.local_addr().ok(), remote_addr: Some(peer) };
        Connection {
            calls: Calls {
                service,
                line: Arc::clone(&line),
                numbers: self.calls.clone(),
                peer,
                within: Duration::from_millis(request_ms),
            },
            line,
            most_calls: open_calls_per_connection,
            browsers: self.browsers,
            first_call: Duration::from_millis(first_call_ms),
            idle: Duration::from_secs(idle_s),
            age: self.age,
        }
    }
}

/// One connection.
struct Connection<S> {
    calls: Calls<S>,
    line: Arc<Line>,
    most_calls: u32,
    browsers: bool,
    first_call: Duration,
    idle: Duration,
    age: Duration,
}

impl<S> Connection<S>
where
    S: tower::Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    async fn serve(self, stream: TcpStream, turn: Option<Instant>, over: Shutdown) {
        if let Some(turn) = turn {
            sleep_until(turn).await;
        }
        let Self { calls, line, most_calls, browsers, first_call, idle, age } = self;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection without TCP_NODELAY");
        }
        let transport = transport(most_calls, browsers);
        let transport = transport.serve_connection(TokioIo::new(stream), calls);
        let (mut transport, now) = (pin!(transport), Instant::now());
        let (mut old, mut look) =
            (pin!(sleep_until(now + age)), pin!(sleep_until(now + first_call)));
        let (mut leaving, mut told_to_go, mut seen) = (false, false, 0);
        loop {
            tokio::select! {
                ended = &mut transport => {
                    if let Err(error) = ended {
                        tracing::debug!(error = &*error as &dyn std::error::Error, "a connection failed");
                    }
                    return;
                }
                () = over.begun(), if !leaving => leaving = true,
                () = &mut old, if !leaving => leaving = true,
                () = &mut look => {
                    if line.is_open() || line.begun() != seen {
                        seen = line.begun();
                        look.as_mut().reset(Instant::now() + idle);
                        continue;
                    }
                    if told_to_go {
                        return;
                    }
                    (told_to_go, leaving) = (true, true);
                    look.as_mut().reset(Instant::now() + GOING);
                }
            }
            // Calls that run go on; the client makes the next one over another connection.
            transport.as_mut().graceful_shutdown();
        }
    }
}

fn transport(most_calls: u32, browsers: bool) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEPALIVE_EVERY)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .max_concurrent_streams(most_calls)
        .max_header_list_size(MOST_HEADER_BYTES)
        .max_pending_accept_reset_streams(MOST_RESETS)
        .max_local_error_reset_streams(MOST_FAULTS);
    if browsers {
        builder.http1().timer(TokioTimer::new());
        return builder;
    }
    builder.http2_only()
}

/// Whether a connection was gone before it was accepted.
fn is_of_the_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};

    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
