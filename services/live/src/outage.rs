//! Outages: while nobody could change a partition's records, nobody's time should run.

/// An interval in which no beat of a partition was heard, on the clock of
/// [`Live::now_ms`](crate::Live::now_ms).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outage {
    /// The last beat before it, in milliseconds of Unix time.
    pub from_ms: i64,
    /// The first sign of life after it.
    pub to_ms: i64,
}

/// The outages of one partition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outages {
    /// How many there have been ever; [`Commit::outages`](crate::Commit::outages) names it.
    pub number: i64,
    /// The last of them, at most [`OUTAGES_KEPT`], the oldest first.
    pub list: Vec<Outage>,
}

/// Outages a partition remembers.
pub const OUTAGES_KEPT: usize = 256;

/// How often [`Live::beat`](crate::Live::beat) is to be called, so that an outage is known that closely.
pub const BEAT_MS: i64 = 250;

/// A longer silence than this is an outage; shorter stalls are nobody's matter (fault F4).
pub const OUTAGE_MS: i64 = 1_000;
