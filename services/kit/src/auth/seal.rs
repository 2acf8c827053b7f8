//! Seals: short proofs that some bytes come from a service of this suite.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::ServiceSecret;

/// The length of a seal in bytes.
pub const SEAL_BYTES: usize = 16;

/// Seals bytes with the suite's secret, so that any replica knows its own again.
#[derive(Clone)]
pub struct Seal {
    secret: ServiceSecret,
    label: &'static str,
}

impl Seal {
    /// Seals for one purpose; those of another label are not taken.
    #[must_use]
    pub fn new(secret: ServiceSecret, label: &'static str) -> Self {
        Self { secret, label }
    }

    /// The seal of these parts, in this order: HMAC-SHA-256, cut to 16 bytes.
    #[must_use]
    pub fn seal(&self, parts: &[&[u8]]) -> [u8; SEAL_BYTES] {
        let digest = self.mac(parts).finalize().into_bytes();
        let mut seal = [0; SEAL_BYTES];
        seal.copy_from_slice(&digest[..SEAL_BYTES]);
        seal
    }

    /// Whether this is the seal of these parts; compared in constant time.
    #[must_use]
    pub fn holds(&self, parts: &[&[u8]], seal: &[u8]) -> bool {
        seal.len() == SEAL_BYTES && self.mac(parts).verify_truncated_left(seal).is_ok()
    }

    fn mac(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = keyed(self.secret.bytes());
        for part in std::iter::once(&self.label.as_bytes()).chain(parts) {
            mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("a key of any length")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_holds_for_its_parts_and_label_alone() {
        let secret = ServiceSecret::generate();
        let seal = Seal::new(secret.clone(), "lag");
        let sealed = seal.seal(&[b"ab", b"c"]);
        assert!(seal.holds(&[b"ab", b"c"], &sealed));
        assert!(!seal.holds(&[b"a", b"bc"], &sealed));
        assert!(!seal.holds(&[b"ab"], &sealed));
        assert!(!seal.holds(&[b"ab", b"c"], &sealed[..15]));
        assert!(!Seal::new(secret, "other").holds(&[b"ab", b"c"], &sealed));
        let foreign = Seal::new(ServiceSecret::generate(), "lag");
        assert!(!foreign.holds(&[b"ab", b"c"], &sealed));
        for byte in 0..SEAL_BYTES {
            let mut spoilt = sealed;
            spoilt[byte] ^= 1;
            assert!(!seal.holds(&[b"ab", b"c"], &spoilt));
        }
    }
}
