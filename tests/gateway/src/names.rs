//! A name server, so that one name has the addresses of several replicas.

use std::net::{Ipv4Addr, UdpSocket};
use std::thread;

const HEADER: usize = 12;
const A: u16 = 1;
const IN: u16 = 1;

/// Answers every question for an address with the same list. Lives as long as the process.
pub struct Names {
    port: u16,
}

impl Names {
    pub fn start(addresses: &[Ipv4Addr]) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = socket.local_addr().expect("an address").port();
        let addresses = addresses.to_vec();
        thread::spawn(move || {
            let mut question = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut question) {
                if let Some(answer) = answer(&question[..length], &addresses) {
                    let _ = socket.send_to(&answer, from);
                }
            }
        });
        Self { port }
    }

    /// What tells Envoy to ask here.
    pub fn configuration(&self) -> String {
        format!(
            r#"
typed_dns_resolver_config:
  name: envoy.network.dns_resolver.cares
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig
    resolvers: [{{socket_address: {{address: 127.0.0.1, port_value: {}, protocol: UDP}}}}]
    dns_resolver_options: {{no_default_search_domain: true}}
"#,
            self.port
        )
    }
}

/// The answer to a question of RFC 1035: its addresses for an A record, else none.
fn answer(question: &[u8], addresses: &[Ipv4Addr]) -> Option<Vec<u8>> {
    let name = question.get(HEADER..)?.iter().position(|byte| *byte == 0)?;
    let end = HEADER + name + 5;
    let kind = u16::from_be_bytes(question.get(end - 4..end - 2)?.try_into().ok()?);
    let found = if kind == A { addresses } else { &[] };
    let count = u16::try_from(found.len()).ok()?;
    let mut answer = question.get(..2)?.to_vec();
    answer.extend([0x81, 0x80, 0, 1]);
    answer.extend(count.to_be_bytes());
    answer.extend([0; 4]);
    answer.extend(question.get(HEADER..end)?);
    for address in found {
        // The name of the question, for one second.
        answer.extend([0xc0, 0x0c]);
        answer.extend([A.to_be_bytes(), IN.to_be_bytes()].concat());
        answer.extend([0, 0, 0, 1, 0, 4]);
        answer.extend(address.octets());
    }
    Some(answer)
}
