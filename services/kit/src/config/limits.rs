//! How much one client may take, so that the others have theirs and memory stays bounded.

use clap::value_parser;

use crate::origin::{Network, Origins};

/// How much one client may take. A client is an account, or else an address.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
#[group(skip)]
pub struct Limits {
    /// Calls of one account a second, lasting; without an account, of one address. A method may count as
    /// several. Each replica counts by itself.
    #[arg(
        long,
        env = "TENGEN_CALLS_PER_S",
        default_value_t = 1_000,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub calls_per_s: u32,
    /// How many of those may come at once.
    #[arg(
        long,
        env = "TENGEN_CALLS_AT_ONCE",
        default_value_t = 500,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub calls_at_once: u32,
    /// Connections.
    #[arg(
        long,
        env = "TENGEN_CONNECTIONS",
        default_value_t = 10_000,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub connections: u32,
    /// Connections from one address.
    #[arg(
        long,
        env = "TENGEN_CONNECTIONS_PER_ADDRESS",
        default_value_t = 1_000,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub connections_per_address: u32,
    /// New connections from one address a second, lasting; as many may come at once, and the next ones
    /// wait for their turn.
    #[arg(
        long,
        env = "TENGEN_CONNECTIONS_PER_S",
        default_value_t = 100,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub connections_per_s: u32,
    /// Calls that are open at once, streams among them.
    #[arg(
        long,
        env = "TENGEN_OPEN_CALLS",
        default_value_t = 100_000,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub open_calls: u32,
    /// Calls that are open at once over the connections from one address.
    #[arg(
        long,
        env = "TENGEN_OPEN_CALLS_PER_ADDRESS",
        default_value_t = 4_000,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub open_calls_per_address: u32,
    /// Calls that are open at once over one connection.
    #[arg(
        long,
        env = "TENGEN_OPEN_CALLS_PER_CONNECTION",
        default_value_t = 4_000,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub open_calls_per_connection: u32,
    /// How long a new connection may take to its first call, in milliseconds.
    #[arg(
        long,
        env = "TENGEN_FIRST_CALL_MS",
        default_value_t = 10_000,
        value_parser = value_parser!(u64).range(100..=600_000)
    )]
    pub first_call_ms: u64,
    /// How long a request may take to arrive in whole, in milliseconds.
    #[arg(
        long,
        env = "TENGEN_REQUEST_MS",
        default_value_t = 10_000,
        value_parser = value_parser!(u64).range(100..=600_000)
    )]
    pub request_ms: u64,
    /// How long a connection may be without a call before it is closed, in seconds; it may take as long
    /// again.
    #[arg(
        long,
        env = "TENGEN_IDLE_S",
        default_value_t = 300,
        value_parser = value_parser!(u64).range(1..=86_400)
    )]
    pub idle_s: u64,
    /// Addresses of proxies, or networks as 10.0.0.0/8, separated by commas; a call through one of
    /// them comes from the last address of its x-forwarded-for.
    #[arg(long, env = "TENGEN_PROXIES", value_delimiter = ',')]
    pub proxies: Vec<Network>,
    /// Addresses and networks that stand for many callers each, separated by commas: what is counted
    /// by address is not counted there.
    #[arg(
        long,
        env = "TENGEN_SHARED_ADDRESSES",
        value_delimiter = ',',
        default_value = "127.0.0.0/8,::1"
    )]
    pub shared_addresses: Vec<Network>,
}

impl Limits {
    /// Where calls come from.
    #[must_use]
    pub fn origins(&self) -> Origins {
        Origins::new(self.proxies.clone(), self.shared_addresses.clone())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls_per_s: 1_000,
            calls_at_once: 500,
            connections: 10_000,
            connections_per_address: 1_000,
            connections_per_s: 100,
            open_calls: 100_000,
            open_calls_per_address: 4_000,
            open_calls_per_connection: 4_000,
            first_call_ms: 10_000,
            request_ms: 10_000,
            idle_s: 300,
            proxies: Vec::new(),
            shared_addresses: Network::LOOPBACK.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Limits;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        limits: Limits,
    }

    #[test]
    fn without_settings_the_defaults_hold() {
        let parsed = Program::try_parse_from(["tengen"]).expect("no settings");
        assert_eq!(parsed.limits, Limits::default());
    }
}
