//! A record as it stands in the live state, read by the checker's own means.

use prost::Message as _;
use sha2::{Digest as _, Sha256};
use tengen_live::Record;
use tengen_proto::internal::v1::StoredEvent;
use tengen_proto::internal::v1::stored_event::Fact;

/// A record.
#[derive(Debug)]
pub struct Log {
    /// The events; the one of sequence `n` is at `n - 1`.
    pub events: Vec<Logged>,
}

/// One event of a record.
#[derive(Debug)]
pub struct Logged {
    /// When it was stamped.
    pub at_ms: i64,
    /// The chain hash, in hex.
    pub hash: String,
    /// Of the request that caused it; 0 for none.
    pub request_key: u64,
    /// Whose it was: 0 nobody's, 1 Black's, 2 White's.
    pub seat: i32,
    /// What happened.
    pub fact: Fact,
}

impl Log {
    /// Reads a record: each event in its place, chained to the one before, and none stamped before
    /// it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(record: &Record) -> Result<Self, String> {
        let mut events: Vec<Logged> = Vec::new();
        let mut hash = [0; 16];
        for (entry, sequence) in record.log.iter().zip(1..) {
            let chained = Sha256::new().chain_update(hash).chain_update(entry).finalize();
            hash.copy_from_slice(&chained[..16]);
            let stored = StoredEvent::decode(entry.as_ref()).map_err(|error| error.to_string())?;
            let before_ms = events.last().map_or(0, |event| event.at_ms);
            if stored.after_ms < 0 {
                return Err(format!("event {sequence} is stamped before the one before it"));
            }
            events.push(Logged {
                at_ms: before_ms + stored.after_ms,
                hash: hex(&hash),
                request_key: stored.request_key,
                seat: stored.seat,
                fact: stored.fact.ok_or("an event without a fact")?,
            });
        }
        let (length, sequence) = (record.log.len(), record.head.sequence);
        if (i64::try_from(length), record.head.hash) != (Ok(sequence), hash) {
            return Err(format!("{length} events, and the head is {sequence} with another hash"));
        }
        Ok(Self { events })
    }

    /// The event of a sequence.
    pub fn at(&self, sequence: i64) -> Option<&Logged> {
        self.events.get(usize::try_from(sequence).ok()?.checked_sub(1)?)
    }
}

/// What makes a request known again in a record: of the caller and the request's id.
pub fn request_key((caller, request_id): &(String, String)) -> u64 {
    let hash = Sha256::new().chain_update(caller).chain_update([0]).chain_update(request_id);
    let hash = hash.finalize();
    u64::from_be_bytes(hash[..8].try_into().unwrap()).max(1)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
