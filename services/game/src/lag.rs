//! The delays that were measured for a player in one game: the last eight, shared by all replicas.

use bytes::Bytes;
use tengen_kit::status::Refusal;
use tengen_live::{Live, LiveError};

use crate::error;

/// Measurements that count.
const KEPT: usize = 8;
/// How long measurements count after the last one.
const KEPT_FOR_MS: i64 = 60 * 60 * 1_000;
/// Changes that may race before one is given up.
const TRIES: usize = 16;

/// Takes down one more measurement, and returns the least of those that count.
///
/// # Errors
/// The live state fails.
pub async fn record(
    live: &dyn Live,
    game_id: &str,
    player_id: &str,
    lag_ms: i64,
) -> Result<i64, Refusal> {
    let slot = format!("lag:{game_id}");
    for _ in 0..TRIES {
        let entry = live.entry(&slot, player_id).await.map_err(|error| error::live(&error))?;
        let (version, mut kept) = match &entry {
            Some((version, body)) => (Some(*version), decode(body)),
            None => (None, Vec::new()),
        };
        kept.push(u32::try_from(lag_ms).unwrap_or(0));
        let counted = kept.split_off(kept.len().saturating_sub(KEPT));
        let until_ms = live.now_ms().saturating_add(KEPT_FOR_MS);
        let body = Some(encode(&counted));
        match live.put_entry(&slot, player_id, version, body, Some(until_ms)).await {
            Ok(_) => return Ok(counted.iter().min().copied().map_or(0, i64::from)),
            Err(LiveError::EntryConflict { .. }) => {}
            Err(error) => return Err(error::live(&error)),
        }
    }
    Err(error::contended(TRIES))
}

fn encode(kept: &[u32]) -> Bytes {
    kept.iter().flat_map(|ms| ms.to_be_bytes()).collect::<Vec<u8>>().into()
}

fn decode(body: &Bytes) -> Vec<u32> {
    let numbers = body.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok());
    numbers.map(u32::from_be_bytes).collect()
}
