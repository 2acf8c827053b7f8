//! Nonces that measure the delay to a player. A stream carries one, the client returns it at once,
//! and the server subtracts two instants of its own: nothing a client claims is believed.

use tengen_kit::auth::Seal;

/// A delay longer than this is no delay of a network.
pub const MOST_MS: i64 = 10_000;
const STAMP_BYTES: usize = 8;
const SEAL_BYTES: usize = tengen_kit::auth::SEAL_BYTES;

/// Issues nonces and measures by them, on any replica.
#[derive(Clone)]
pub struct Nonces(Seal);

/// What a returned nonce tells.
#[derive(Debug, PartialEq, Eq)]
pub struct Measured {
    /// The game whose stream carried it.
    pub game_id: String,
    /// From when it was sent to when it came back.
    pub lag_ms: i64,
}

impl Nonces {
    /// Nonces under this seal.
    pub fn new(seal: Seal) -> Self {
        Self(seal)
    }

    /// A nonce for one player's stream of one game, sent now.
    pub fn issue(&self, game_id: &str, player_id: &str, now_ms: i64) -> Vec<u8> {
        let stamp = now_ms.to_be_bytes();
        let seal = self.0.seal(&[&stamp, game_id.as_bytes(), player_id.as_bytes()]);
        [&stamp, seal.as_slice(), game_id.as_bytes()].concat()
    }

    /// What a nonce tells that this player returned now; `None` if it is not one of ours for this
    /// player, or too old.
    pub fn measure(&self, nonce: &[u8], player_id: &str, now_ms: i64) -> Option<Measured> {
        let (stamp, rest) = nonce.split_first_chunk::<STAMP_BYTES>()?;
        let (seal, game_id) = rest.split_first_chunk::<SEAL_BYTES>()?;
        if !self.0.holds(&[stamp, game_id, player_id.as_bytes()], seal) {
            return None;
        }
        let lag_ms = now_ms.saturating_sub(i64::from_be_bytes(*stamp)).max(0);
        let game_id = String::from_utf8(game_id.to_vec()).ok()?;
        (lag_ms <= MOST_MS).then_some(Measured { game_id, lag_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_kit::auth::ServiceSecret;

    fn nonces() -> Nonces {
        Nonces::new(Seal::new(ServiceSecret::generate(), "lag"))
    }

    // case: C19
    #[test]
    fn the_delay_is_what_the_server_measures() {
        let nonces = nonces();
        let nonce = nonces.issue("g01-a", "aki", 5_000);
        let measured = |player, now_ms| nonces.measure(&nonce, player, now_ms);
        let expected = Measured { game_id: "g01-a".into(), lag_ms: 80 };
        assert_eq!(measured("aki", 5_080), Some(expected));
        assert_eq!(measured("aki", 4_000).map(|measured| measured.lag_ms), Some(0));
        assert_eq!(measured("aki", 5_000 + MOST_MS + 1), None);
        assert_eq!(measured("bo", 5_080), None);
    }

    #[test]
    fn a_nonce_that_was_touched_tells_nothing() {
        let nonces = nonces();
        let nonce = nonces.issue("g01-a", "aki", 5_000);
        for length in 0..nonce.len() {
            assert_eq!(nonces.measure(&nonce[..length], "aki", 5_080), None);
        }
        for byte in 0..nonce.len() {
            let mut spoilt = nonce.clone();
            spoilt[byte] ^= 1;
            assert_eq!(nonces.measure(&spoilt, "aki", 5_080), None, "byte {byte}");
        }
    }
}
