//! Channels to other services of the suite.

use std::time::Duration;

use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};

use crate::auth::ServiceTokens;

/// A channel that calls as a service.
pub type ServiceChannel = InterceptedService<Channel, ServiceTokens>;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(15);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// A channel to `url` (`http://game:4002`) that puts a service token on each call. It connects at
/// the first call, and again whenever it must; a call takes 5 seconds at most.
///
/// # Errors
/// When `url` is none.
pub fn channel(
    url: &str,
    tokens: ServiceTokens,
) -> Result<ServiceChannel, tonic::transport::Error> {
    let channel = endpoint(url)?.timeout(CALL_TIMEOUT).connect_lazy();
    Ok(InterceptedService::new(channel, tokens))
}

/// As [`channel`] sets it up, without token and without a limit for calls: for streams, guests and
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
