//! What stands in keys, beyond what the scripts say of it.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::error::LiveError;
use crate::live::Version;
use crate::outage::{Outage, Outages};
use crate::record::{Head, Outgoing};

/// A head as a record begins with it: sequence, chain hash.
pub(super) const HEAD: usize = 24;

pub(super) fn head(head: &Head) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    let (sequence, hash) = bytes.split_at_mut(8);
    sequence.copy_from_slice(&head.sequence.to_be_bytes());
    hash.copy_from_slice(&head.hash);
    bytes
}

/// Takes a head off the front; `None` if there is none.
pub(super) fn read_head(bytes: &mut impl Buf) -> Option<Head> {
    let sequence = bytes.try_get_i64().ok()?;
    let mut hash = [0; 16];
    bytes.try_copy_to_slice(&mut hash).ok()?;
    Some(Head { sequence, hash })
}

/// How many entries, and the length of each.
pub(super) fn lengths(entries: &[Bytes]) -> Result<Bytes, LiveError> {
    let long = |_| LiveError::BadCommit("an entry is too long");
    let mut bytes = BytesMut::with_capacity(4 + 4 * entries.len());
    bytes.put_u32(u32::try_from(entries.len()).map_err(long)?);
    for entry in entries {
        bytes.put_u32(u32::try_from(entry.len()).map_err(long)?);
    }
    Ok(bytes.freeze())
}

/// A message as the outbox holds it: the length of its record's id, that id, what it says.
pub(super) fn message(record: &str, outgoing: &Outgoing) -> Result<Bytes, LiveError> {
    let length = u16::try_from(record.len());
    let length = length.map_err(|_| LiveError::BadCommit("the record's id is too long"))?;
    let mut bytes = BytesMut::with_capacity(2 + record.len() + outgoing.body.len());
    bytes.put_u16(length);
    bytes.put_slice(record.as_bytes());
    bytes.put_slice(&outgoing.body);
    Ok(bytes.freeze())
}

/// What a message says; `None` if it is none.
pub(super) fn read_message(mut bytes: Bytes) -> Option<Bytes> {
    let length = usize::from(bytes.try_get_u16().ok()?);
    (length <= bytes.len()).then(|| bytes.slice(length..))
}

/// Outages as outage.lua writes them: when the last beat was and how many there were; each one.
pub(super) fn outages(beats: Option<&str>, list: &[String]) -> Outages {
    let pair = |text: &str| {
        let (first, second) = text.split_once(' ')?;
        Some((first.parse::<i64>().ok()?, second.parse::<i64>().ok()?))
    };
    let number = beats.and_then(pair).map_or(0, |(_, number)| number);
    let list = list.iter().filter_map(|outage| pair(outage));
    Outages { number, list: list.map(|(from_ms, to_ms)| Outage { from_ms, to_ms }).collect() }
}

/// An entry of a slot: version, expiry, value.
pub(super) fn entry(version: Version, expires_ms: Option<i64>, value: &Bytes) -> Bytes {
    let mut bytes = BytesMut::with_capacity(16 + value.len());
    bytes.put_u64(version.0);
    bytes.put_i64(expires_ms.unwrap_or(i64::MAX));
    bytes.put_slice(value);
    bytes.freeze()
}

/// An entry that is there at `now_ms`.
pub(super) fn read_entry(mut bytes: Bytes, now_ms: i64) -> Option<(Version, Bytes)> {
    let version = Version(bytes.try_get_u64().ok()?);
    let expires_ms = bytes.try_get_i64().ok()?;
    (now_ms < expires_ms).then_some((version, bytes))
}
