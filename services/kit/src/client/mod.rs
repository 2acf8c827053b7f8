//! Channels to other services of the suite.
//!
//! A channel spreads its calls over the replicas of a service, tries a failed one again on another,
//! and lets no call outlive the deadline of the call it is made for.

mod balanced;
mod budget;
mod replicas;
mod urls;

use std::time::Duration;

use tonic::service::interceptor::InterceptedService;
use tonic::transport::Endpoint;

pub use self::balanced::Balanced;
pub use self::urls::{UrlError, Urls};
use crate::auth::ServiceTokens;

/// A channel that calls as a service. Only calls that may be made twice may go through it, as a
/// call whose answer was lost is made again: all calls between services are such.
pub type ServiceChannel = InterceptedService<Balanced, ServiceTokens>;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// With the time an answer may take, a line that is half open is found within 15 seconds.
const KEEPALIVE_EVERY: Duration = Duration::from_secs(8);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(4);

/// A channel to `urls` (`http://game:4700`, several separated by commas) that puts a service token
/// on each call. A name may have many addresses, which are looked up again every 5 seconds. A call
/// takes 5 seconds at most, or what the caller's own deadline leaves. Must be called within a
/// runtime.
///
/// # Errors
/// When `urls` are none.
pub fn channel(urls: &str, tokens: ServiceTokens) -> Result<ServiceChannel, UrlError> {
    Ok(channel_to(&urls.parse()?, tokens))
}

/// As [`channel`], to addresses that were read before.
#[must_use]
pub fn channel_to(urls: &Urls, tokens: ServiceTokens) -> ServiceChannel {
    InterceptedService::new(Balanced::new(urls.clone(), tokens.time()), tokens)
}

/// One connection as channels make it, without token, replicas, tries and limit: for guests and
/// tests.
///
/// # Errors
/// When `url` is none.
pub fn endpoint(url: &str) -> Result<Endpoint, tonic::transport::Error> {
    Ok(Endpoint::from_shared(url.to_owned())?
        .tcp_nodelay(true)
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE_EVERY)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true))
}
