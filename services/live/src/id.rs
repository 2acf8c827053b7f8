//! Ids of records: each names the partition that holds it.

use std::fmt::Write as _;

/// Partitions that new records are spread over. An id carries its own partition, so the number
/// may grow without moving any record.
pub const PARTITIONS: u16 = 64;

/// The partition an id names: the hex digits between its first character and its first `-`.
/// `None` if it names none.
#[must_use]
pub fn partition(id: &str) -> Option<u16> {
    let (name, rest) = id.split_once('-')?;
    let mut characters = name.chars();
    let prefix = characters.next()?;
    let digits = characters.as_str();
    let well_formed = prefix.is_ascii_lowercase()
        && (2..=4).contains(&digits.len())
        && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        && !rest.is_empty();
    if !well_formed {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

/// The id of a new record: `prefix`, its partition, `-`, and `digest` in hex.
///
/// The same digest gives the same id, so a digest of (caller, request) makes creation idempotent.
/// `prefix` is a lower-case ASCII letter that says what kind of record it is.
#[must_use]
pub fn record_id(prefix: char, digest: &[u8; 16]) -> String {
    let partition = u16::from_be_bytes([digest[0], digest[1]]) % PARTITIONS;
    let mut id = format!("{prefix}{partition:02x}-");
    for byte in digest {
        // Writing to a String cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_its_partition() {
        let mut seen = [false; PARTITIONS as usize];
        for byte in 0..=u8::MAX {
            let id = record_id('g', &[byte; 16]);
            let found = partition(&id).unwrap();
            assert!(found < PARTITIONS, "{id}");
            seen[usize::from(found)] = true;
        }
        assert_eq!(seen, [true; PARTITIONS as usize]);
        assert_eq!(record_id('g', &[0x2f; 16]), format!("g2f-{}", "2f".repeat(16)));
    }

    #[test]
    fn what_names_no_partition_is_refused() {
        for (id, expected) in [
            ("g2f-a", Some(0x2f)),
            ("g00-a:2", Some(0)),
            ("g1ff-a", Some(0x1ff)),
            ("", None),
            ("g", None),
            ("g2f", None),
            ("g2f-", None),
            ("g2-a", None),
            ("g2F-a", None),
            ("g+f-a", None),
            ("G2f-a", None),
            ("gzz-a", None),
            ("g12345-a", None),
            ("围2f-a", None),
        ] {
            assert_eq!(partition(id), expected, "{id:?}");
        }
    }
}
