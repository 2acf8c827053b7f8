//! How many calls a second an account makes, or an address without one. Some calls count as several.
//!
//! One bucket each: it holds so many calls, and fills up by so many a second. A bucket that is full
//! again says nothing, and is forgotten.
//!
//! Refusals go out at the same pace, in turns.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use http::Request;
use tokio::time::Instant;
use tonic::Code;
use tonic::transport::server::TcpConnectInfo;

use crate::config::Limits;
use crate::origin::Origins;
use crate::status::Refusal;
use crate::turns::Turns;

/// The longest that a refusal is held; less than callers have patience.
const MOST_HELD: Duration = Duration::from_secs(2);

type Buckets = RateLimiter<
    Client,
    DefaultKeyedStateStore<Client>,
    Uptime,
    NoOpMiddleware<<Uptime as Clock>::Instant>,
>;

/// The buckets.
pub(crate) struct Rates {
    buckets: Buckets,
    refusals: Turns<Client>,
    hasher: RandomState,
    per_s: u32,
    at_once: u32,
    origins: Origins,
    refused: AtomicU64,
}

/// A call too many.
#[derive(Debug)]
pub(crate) struct TooMany {
    /// What its caller is told.
    pub(crate) refusal: Refusal,
    /// And when.
    pub(crate) at: Instant,
}

/// Whose calls are counted together. An account goes by a hash of its id, so that asking for its
/// bucket copies nothing; nobody outside can find two ids that share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Client {
    Account(u64),
    Address(IpAddr),
}

/// The time since the start: it never goes back, and tests can hold it.
struct Uptime(Instant);

impl Rates {
    pub(crate) fn new(limits: &Limits) -> Self {
        let quota =
            Quota::per_second(whole(limits.calls_per_s)).allow_burst(whole(limits.calls_at_once));
        Self {
            buckets: RateLimiter::new(
                quota,
                DefaultKeyedStateStore::default(),
                Uptime(Instant::now()),
            ),
            refusals: Turns::new(limits.calls_per_s, 1, MOST_HELD),
            hasher: RandomState::new(),
            per_s: limits.calls_per_s,
            at_once: limits.calls_at_once,
            origins: limits.origins(),
            refused: AtomicU64::new(0),
        }
    }

    /// Counts what a call of an account costs.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when its bucket is empty, with when to come again.
    pub(crate) fn account(&self, id: &str, cost: u32) -> Result<(), TooMany> {
        self.count(Client::Account(self.hasher.hash_one(id)), cost)
    }

    /// Counts what a call of nobody known costs, for the address it comes from, if that stands for one
    /// caller.
    ///
    /// # Errors
    /// As [`Rates::account`].
    pub(crate) fn stranger<B>(&self, request: &Request<B>, cost: u32) -> Result<(), TooMany> {
        let line = request.extensions().get::<TcpConnectInfo>();
        let peer = line.and_then(TcpConnectInfo::remote_addr).map(|peer| peer.ip());
        match self.origins.of_call(peer, request.headers()).address() {
            Some(address) => self.count(Client::Address(address), cost),
            None => Ok(()),
        }
    }

    /// Forgets the buckets that are full again, and refusals that are due. To be called now and then:
    /// between two calls there are as many as clients that called.
    pub(crate) fn forget(&self) {
        self.refusals.forget();
        self.buckets.retain_recent();
        self.buckets.shrink_to_fit();
    }

    /// How many calls were refused since this was last asked.
    pub(crate) fn take_refused(&self) -> u64 {
        self.refused.swap(0, Ordering::Relaxed)
    }

    fn count(&self, client: Client, cost: u32) -> Result<(), TooMany> {
        // A full bucket is enough for any call.
        let cost = whole(cost.min(self.at_once));
        let Ok(Err(until)) = self.buckets.check_key_n(&client, cost) else { return Ok(()) };
        self.refused.fetch_add(1, Ordering::Relaxed);
        let wait = until.wait_time_from(self.buckets.clock().now());
        Err(TooMany { refusal: too_many(self.per_s, wait), at: self.refusals.next(client) })
    }
}

impl Clock for Uptime {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

fn whole(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}

fn too_many(per_s: u32, wait: Duration) -> Refusal {
    let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).saturating_add(1);
    Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", "too many calls, try again later")
        .meta("limit", "calls a second")
        .meta("most", per_s)
        .retry_after_ms(wait_ms)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use http::Request;
    use tokio::time::advance;
    use tonic::transport::server::TcpConnectInfo;
    use tonic::{Code, Status};
    use tonic_types::StatusExt;

    use super::{Rates, TooMany};
    use crate::config::Limits;

    fn rates() -> Rates {
        Rates::new(&Limits { calls_per_s: 10, calls_at_once: 3, ..Limits::default() })
    }

    /// How long to wait; nothing if the call was let in.
    fn wait(counted: Result<(), TooMany>) -> Option<Duration> {
        let status = Status::from(counted.err()?.refusal);
        let details = status.get_error_details();
        let info = details.error_info().expect("a reason");
        assert_eq!(
            (status.code(), info.reason.as_str()),
            (Code::ResourceExhausted, "LIMIT_REACHED")
        );
        assert_eq!((&*info.metadata["limit"], &*info.metadata["most"]), ("calls a second", "10"));
        details.retry_info().expect("when to come").retry_delay
    }

    fn call(peer: &str) -> Request<()> {
        let mut request = Request::new(());
        let remote_addr = Some(SocketAddr::new(peer.parse().expect(peer), 40_000));
        request.extensions_mut().insert(TcpConnectInfo { local_addr: None, remote_addr });
        request
    }

    // fault: F18
    #[tokio::test(start_paused = true)]
    async fn whoever_calls_too_often_is_told_when_to_come_and_is_then_let_in() {
        let rates = rates();
        for _ in 0..3 {
            assert_eq!(wait(rates.account("ada", 1)), None);
        }
        for _ in 0..1_000 {
            let wait = wait(rates.account("ada", 1)).expect("too many");
            assert!(wait > Duration::ZERO && wait <= Duration::from_millis(101), "{wait:?}");
        }
        assert_eq!(rates.take_refused(), 1_000);
        assert_eq!(wait(rates.account("bo", 1)), None, "others are not meant");
        advance(wait(rates.account("ada", 1)).expect("too many")).await;
        assert_eq!(wait(rates.account("ada", 1)), None);
        assert!(wait(rates.account("ada", 1)).is_some());
    }

    // fault: F18
    #[tokio::test(start_paused = true)]
    async fn a_call_counts_as_what_it_costs_and_a_full_bucket_is_enough_for_any() {
        let rates = rates();
        assert_eq!(wait(rates.account("ada", 2)), None);
        assert!(wait(rates.account("ada", 2)).is_some());
        assert_eq!(wait(rates.account("ada", 1)), None, "one is left");
        for _ in 0..3 {
            assert_eq!(wait(rates.account("bo", 1_000)), None);
            assert!(wait(rates.account("bo", 1)).is_some());
            advance(Duration::from_millis(300)).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_not_known_counts_by_address_if_that_is_his_own() {
        let rates = rates();
        for peer in ["198.51.100.4", "2001:db8::1"] {
            for _ in 0..3 {
                assert_eq!(wait(rates.stranger(&call(peer), 1)), None);
            }
            assert!(wait(rates.stranger(&call(peer), 1)).is_some(), "{peer}");
        }
        // The same network, another, and this machine.
        assert!(wait(rates.stranger(&call("2001:db8::2"), 1)).is_some());
        assert_eq!(wait(rates.stranger(&call("198.51.100.5"), 1)), None);
        for _ in 0..10 {
            assert_eq!(wait(rates.stranger(&call("127.0.0.1"), 1)), None);
            assert_eq!(wait(rates.stranger(&Request::new(()), 1)), None);
        }
    }

    // fault: F18
    #[tokio::test(start_paused = true)]
    async fn a_bucket_that_is_full_again_is_forgotten_and_no_other() {
        let rates = rates();
        for number in 0..1_000 {
            let peer = format!("198.51.{}.{}", number / 250, number % 250);
            assert_eq!(wait(rates.stranger(&call(&peer), 1)), None);
        }
        assert_eq!(rates.buckets.len(), 1_000);
        advance(Duration::from_secs(1)).await;
        for _ in 0..3 {
            assert_eq!(wait(rates.account("ada", 1)), None);
        }
        rates.forget();
        assert_eq!(rates.buckets.len(), 1);
        assert!(wait(rates.account("ada", 1)).is_some());
    }
}
