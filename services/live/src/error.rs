//! Why live state refused or failed.

use crate::live::Version;
use crate::record::Head;

/// Why a verb of [`Live`](crate::Live) did nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// The record stands elsewhere than the commit expected: load it and decide again.
    #[error("the record's head is {head:?}, not the one expected")]
    Conflict {
        /// Where it stands; `None` if there is no such record.
        head: Option<Head>,
    },
    /// The record's partition had an outage the commit does not know: read the outages, make them
    /// good and decide again.
    #[error("the record's partition had an outage that is not made good yet")]
    UnknownOutage,
    /// The slot's entry is another than the change expected: read it and decide again.
    #[error("the entry's version is {version:?}, not the one expected")]
    EntryConflict {
        /// The version that stands; `None` if there is no such entry.
        version: Option<Version>,
    },
    /// The id names no partition; see [`record_id`](crate::record_id).
    #[error("id: {0:?} names no partition, expected one such as g2f-…")]
    NotAnId(String),
    /// The commit contradicts itself: a fault of the caller, nothing to retry.
    #[error("commit: {0}")]
    BadCommit(&'static str),
    /// A limit of the backend is reached.
    #[error("no room for more {0}")]
    Full(&'static str),
    /// The backend cannot be set up like this.
    #[error("live state: {0}")]
    BadSettings(String),
    /// The backend does not answer, or refuses to write. A commit may have happened or not: load and compare.
    #[error("live state does not answer: {0}")]
    Unavailable(String),
}
