//! Where a call comes from, as calls and attempts are counted.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use http::HeaderMap;
use tonic::Request;

/// What a proxy says of its caller.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// Whoever has an IPv6 address usually has all that begin alike.
const IPV6_PREFIX: u8 = 64;

/// Addresses that begin alike: `10.0.0.0/8`, or one alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// How many bits count.
    bits: u8,
}

/// Where calls through proxies come from, and which addresses say nothing about who calls.
#[derive(Debug, Clone)]
pub struct Origins {
    proxies: Vec<Network>,
    shared: Vec<Network>,
}

/// Where a call comes from: an IPv4 address, or the first 64 bits of an IPv6 one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin(Option<IpAddr>);

impl Network {
    /// This machine itself: a proxy beside the service, or a tool.
    pub(crate) const LOOPBACK: [Self; 2] = [
        Self { address: IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), bits: 8 },
        Self { address: IpAddr::V6(Ipv6Addr::LOCALHOST), bits: 128 },
    ];

    fn contains(&self, address: IpAddr) -> bool {
        let same_kind = self.address.is_ipv4() == address.is_ipv4();
        same_kind && masked(address, self.bits) == masked(self.address, self.bits)
    }
}

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let wrong = "expected an address, or a network as 10.0.0.0/8";
        let address: IpAddr = address.parse().map_err(|_| wrong)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| wrong)?;
        if bits <= most { Ok(Self { address, bits }) } else { Err(wrong) }
    }
}

impl Origins {
    /// `proxies` are believed when they name their callers; the addresses of `shared` stand for many
    /// callers each.
    #[must_use]
    pub fn new(proxies: Vec<Network>, shared: Vec<Network>) -> Self {
        Self { proxies, shared }
    }

    /// Where a request comes from: the peer's address, or, if that is a proxy's, the last that the
    /// proxy names. Those before it are what its caller claims.
    #[must_use]
    pub fn of<T>(&self, request: &Request<T>) -> Origin {
        self.of_call(request.remote_addr().map(|peer| peer.ip()), request.metadata().as_ref())
    }

    pub(crate) fn of_call(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Origin {
        let Some(peer) = peer.map(|address| address.to_canonical()) else { return Origin(None) };
        if !is_in(&self.proxies, peer) {
            return self.origin(peer);
        }
        let last = headers.get_all(FORWARDED_FOR).iter().next_back();
        let named = last
            .and_then(|value| value.to_str().ok())
            .and_then(|hops| hops.rsplit(',').next())
            .and_then(|hop| hop.trim().parse::<IpAddr>().ok());
        self.origin(named.map_or(peer, |address| address.to_canonical()))
    }

    /// Whose a connection is; a proxy's is nobody's.
    pub(crate) fn of_connection(&self, peer: IpAddr) -> Origin {
        let peer = peer.to_canonical();
        if is_in(&self.proxies, peer) { Origin(None) } else { self.origin(peer) }
    }

    fn origin(&self, address: IpAddr) -> Origin {
        let own = Some(address).filter(|address| !is_in(&self.shared, *address));
        Origin(own.map(|address| match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(_) => masked(address, IPV6_PREFIX),
        }))
    }
}

impl Default for Origins {
    /// No proxies; this machine itself stands for many.
    fn default() -> Self {
        Self::new(Vec::new(), Network::LOOPBACK.into())
    }
}

impl Origin {
    /// What it is counted by; `None` for an address that stands for many callers, as this machine
    /// itself does.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        self.0
    }

    /// The same as text.
    #[must_use]
    pub fn counted(&self) -> Option<String> {
        self.0.map(|address| address.to_string())
    }

    /// What it is called beside a name.
    #[must_use]
    pub fn label(&self) -> String {
        self.counted().unwrap_or_default()
    }
}

fn is_in(networks: &[Network], address: IpAddr) -> bool {
    networks.iter().any(|network| network.contains(address))
}

fn masked(address: IpAddr, bits: u8) -> IpAddr {
    let keep = u32::from(bits);
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(keep)).unwrap_or(0);
            IpAddr::V4((v4.to_bits() & mask).into())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(keep)).unwrap_or(0);
            IpAddr::V6((v6.to_bits() & mask).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::{FORWARDED_FOR, Network, Origins};

    #[test]
    fn the_last_hop_counts_if_a_proxy_names_it_and_nothing_else_does() {
        let proxies =
            ["10.1.0.0/16", "192.0.2.7", "fd00::/8"].map(|text| text.parse().expect(text));
        let mut shared = Network::LOOPBACK.to_vec();
        shared.push("198.51.100.128/25".parse().expect("a network"));
        let origins = Origins::new(proxies.to_vec(), shared);
        for (peer, forwarded_for, expected) in [
            ("198.51.100.4", None, "198.51.100.4"),
            ("198.51.100.4", Some("203.0.113.9"), "198.51.100.4"),
            ("::ffff:198.51.100.4", None, "198.51.100.4"),
            ("10.1.2.3", Some("203.0.113.9"), "203.0.113.9"),
            ("10.1.2.3", Some("203.0.113.9, 203.0.113.10"), "203.0.113.10"),
            ("10.1.2.3", Some("203.0.113.9,::ffff:203.0.113.11"), "203.0.113.11"),
            ("::ffff:10.1.2.3", Some("203.0.113.9"), "203.0.113.9"),
            ("10.1.2.3", Some("unknown"), "10.1.2.3"),
            ("10.1.2.3", Some(""), "10.1.2.3"),
            ("10.1.2.3", None, "10.1.2.3"),
            ("10.2.2.3", Some("203.0.113.9"), "10.2.2.3"),
            ("192.0.2.7", Some("203.0.113.9"), "203.0.113.9"),
            ("192.0.2.8", Some("203.0.113.9"), "192.0.2.8"),
            ("fd12::1", Some("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff::1", None, "2001:db8:1:2::"),
            ("127.0.0.1", None, ""),
            ("127.9.9.9", None, ""),
            ("::1", None, ""),
            ("::2", None, "::"),
            ("198.51.100.127", None, "198.51.100.127"),
            ("198.51.100.128", None, ""),
            ("10.1.2.3", Some("198.51.100.200"), ""),
            ("10.1.2.3", Some("127.0.0.1"), ""),
            ("127.0.0.1", Some("203.0.113.9"), ""),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(hops) = forwarded_for {
                headers.append(FORWARDED_FOR, HeaderValue::from_static("192.0.2.1"));
                headers.append(FORWARDED_FOR, HeaderValue::from_static(hops));
            }
            let origin = origins.of_call(Some(peer.parse().expect(peer)), &headers);
            assert_eq!(origin.label(), expected, "{peer} {forwarded_for:?}");
        }
        assert_eq!(origins.of_call(None, &HeaderMap::new()).counted(), None);
        for (peer, expected) in
            [("198.51.100.4", "198.51.100.4"), ("10.1.2.3", ""), ("127.0.0.1", ""), ("::1", "")]
        {
            let origin = origins.of_connection(peer.parse().expect(peer));
            assert_eq!(origin.label(), expected, "{peer}");
        }
    }

    #[test]
    fn a_network_is_an_address_and_perhaps_how_many_bits_of_it_count() {
        for text in ["", "here", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
        let contains = |network: &str, address: &str| {
            let network: Network = network.parse().expect(network);
            network.contains(address.parse().expect(address))
        };
        assert!(contains("0.0.0.0/0", "203.0.113.9") && !contains("0.0.0.0/0", "::1"));
        assert!(contains("::/0", "::1") && contains("10.0.0.0/31", "10.0.0.1"));
        assert!(!contains("10.0.0.0/31", "10.0.0.2") && contains("::1", "::1"));
    }
}
