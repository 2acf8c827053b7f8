//! Ids of created things: derived, so that making a thing twice makes it once.

use sha2::{Digest, Sha256};

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// 26 characters of 5 bits hold 128 bits.
const CHARACTERS: usize = 26;

/// An id that is the same for the same prefix and parts: `game_` and 26 characters of a–z and 2–7.
///
/// The parts are what makes the thing one: `derive("game", &[caller, request_id])`. Parts cannot
/// run into each other: `["ab", "c"]` and `["a", "bc"]` give two ids.
#[must_use]
pub fn derive(prefix: &str, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in std::iter::once(&prefix).chain(parts) {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    let mut id = format!("{prefix}_");
    base32(&hash.finalize(), CHARACTERS, &mut id);
    id
}

fn base32(bytes: &[u8], characters: usize, text: &mut String) {
    for index in 0..characters {
        let bit = index * 5;
        let pair = u16::from_be_bytes([byte(bytes, bit / 8), byte(bytes, bit / 8 + 1)]);
        let five = usize::from(pair >> (11 - bit % 8)) & 31;
        text.push(char::from(ALPHABET[five]));
    }
}

fn byte(bytes: &[u8], index: usize) -> u8 {
    bytes.get(index).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{base32, derive};

    #[test]
    fn base32_is_that_of_rfc_4648_in_lower_case() {
        let mut text = String::new();
        base32(b"foobar", 10, &mut text);
        assert_eq!(text, "mzxw6ytboi");
    }

    #[test]
    fn ids_differ_when_anything_does() {
        let ids = [
            derive("game", &["ab", "c"]),
            derive("game", &["a", "bc"]),
            derive("game", &["abc"]),
            derive("game", &["abc", ""]),
            derive("name", &["abc"]),
        ];
        for (index, id) in ids.iter().enumerate() {
            assert_eq!(id.len(), 31);
            assert!(!ids[..index].contains(id), "{id} came twice");
        }
        assert_eq!(ids[0], derive("game", &["ab", "c"]));
    }
}
