//! Why a result is not booked or a call is refused.

use tengen_kit::sql;
use tengen_kit::status::Refusal;
use tengen_ladder::LadderError;
use tonic::Code;

/// What went wrong in the store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The database failed.
    #[error("the database failed: {0}")]
    Sql(#[from] sqlx::Error),
    /// A stored standing is none of the ladder in use.
    #[error("a stored standing does not fit the ladder in use: {0}")]
    Ladder(#[from] LadderError),
    /// A correction is of another game than the version before.
    #[error("version {version} of the result names other players, or another rating")]
    OtherGame {
        /// The version that came.
        version: i64,
    },
    /// The leaderboard has no such player.
    #[error("{0} has not played a rated game yet")]
    NotRanked(String),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Sql(error) => sql::refusal("ledger", &error),
            StoreError::NotRanked(ref player_id) => {
                Self::new(Code::NotFound, "NOT_RANKED", error.to_string())
                    .meta("player_id", player_id)
            }
            error => {
                tracing::error!(%error, "the ledger cannot be read");
                Self::behind_unavailable("ledger")
            }
        }
    }
}
