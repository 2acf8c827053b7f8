//! Results on their way to the ledger.

use prost::Message as _;
use tengen_proto::game::v1::Result as Shown;
use tengen_proto::internal::v1 as internal;
use tengen_proto::time::timestamp_ms;
use tengen_rules::Colour;

use crate::convert::game::{result, result_version};
use crate::record::GameRecord;

/// The id of a game's result: game and version.
pub fn id(record: &GameRecord) -> String {
    format!("{}:{}", record.id, result_version(&record.table))
}

/// When the game ended whose result this is, as the outbox holds it.
pub fn at_ms(body: &[u8]) -> Option<i64> {
    timestamp_ms(internal::GameResult::decode(body).ok()?.at.as_ref()?)
}

/// The result of a game that is over, and the trace that its end is seen in.
pub fn render(record: &GameRecord, traceparent: String) -> internal::GameResult {
    let Shown { reason, winner, at, together, version, .. } =
        result(&record.table, None).unwrap_or_default();
    internal::GameResult {
        result_id: id(record),
        game_id: record.id.clone(),
        version,
        black_id: record.player(Colour::Black).id.clone(),
        white_id: record.player(Colour::White).id.clone(),
        rated: record.table.settings().rated,
        reason,
        winner,
        together,
        at,
        black_tier: record.player(Colour::Black).tier,
        white_tier: record.player(Colour::White).tier,
        traceparent,
    }
}
