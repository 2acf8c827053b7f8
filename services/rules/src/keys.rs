//! Zobrist keys: one random number for each colour on each point; a board's hash is the XOR of
//! those of its stones.

use crate::Colour;
use crate::geometry::{Index, MAX_INDICES};

/// The keys of all stones, by padded index, then colour.
pub(crate) struct Keys([[u64; 2]; MAX_INDICES]);

/// The keys every game uses.
pub(crate) static KEYS: Keys = Keys::random();

impl Keys {
    /// Splitmix64 from a fixed seed, so that a hash means the same in every build.
    const fn random() -> Self {
        let mut keys = [[0; 2]; MAX_INDICES];
        let mut state: u64 = 0x7E46_0000_0000_0361;
        let mut at = 0;
        while at < 2 * MAX_INDICES {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut key = state;
            key = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            key = (key ^ (key >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            keys[at / 2][at % 2] = key ^ (key >> 31);
            at += 1;
        }
        Self(keys)
    }

    /// Keys under which every board has the same hash.
    #[cfg(test)]
    pub(crate) const fn colliding() -> Self {
        Self([[0; 2]; MAX_INDICES])
    }

    pub(crate) fn of(&self, colour: Colour, index: Index) -> u64 {
        self.0[usize::from(index)][colour.index()]
    }
}
