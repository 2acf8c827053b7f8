//! Results of games.

use tengen_live::record_id;
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::EndReason;
use tengen_proto::internal::v1::GameResult;
use tengen_proto::time::{duration, timestamp};

pub(crate) const ENDED_AT_MS: i64 = 1_767_225_600_000;

/// The first result of game `n`, rated.
pub(crate) fn result(n: u64, players: [&str; 2], reason: EndReason, winner: Colour) -> GameResult {
    let mut digest = [0; 16];
    digest[..8].copy_from_slice(&n.to_le_bytes());
    let game_id = record_id('g', &digest);
    GameResult {
        result_id: format!("{game_id}:1"),
        game_id,
        version: 1,
        black_id: players[0].to_owned(),
        white_id: players[1].to_owned(),
        rated: true,
        reason: reason.into(),
        winner: winner.into(),
        together: Some(duration(600_000)),
        at: Some(timestamp(ENDED_AT_MS)),
        black_tier: 0,
        white_tier: 0,
        traceparent: String::new(),
    }
}

/// A game that Black wins by resignation.
pub(crate) fn black_wins(n: u64, players: [&str; 2]) -> GameResult {
    result(n, players, EndReason::Resignation, Colour::Black)
}

/// A later version of a result.
pub(crate) fn corrected(
    wrong: &GameResult,
    version: i32,
    reason: EndReason,
    winner: Colour,
) -> GameResult {
    GameResult {
        result_id: format!("{}:{version}", wrong.game_id),
        version,
        reason: reason.into(),
        winner: winner.into(),
        ..wrong.clone()
    }
}
