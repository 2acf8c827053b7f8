//! A record and what changes it. A record is its log; what the entries say is the caller's matter.

use bytes::Bytes;

use crate::error::LiveError;

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Head {
    /// Number of the last entry; the first is 1.
    pub sequence: i64,
    /// Chain hash of the last entry. A number alone would not tell one history from another that
    /// took its place after a rewind.
    pub hash: [u8; 16],
}

/// A record: its whole log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Where it stands.
    pub head: Head,
    /// Every entry, the first first; entry `n` has sequence `n + 1`.
    pub log: Vec<Bytes>,
}

/// One change of a record, all or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Where the record has to stand; `None` creates it.
    pub expected: Option<Head>,
    /// How many outages of the partition are made good in the record, this commit included
    /// ([`Outages::number`](crate::Outages)). Not asked of a creation.
    pub outages: i64,
    /// Where it stands afterwards: the expected sequence plus the number of entries.
    pub head: Head,
    /// Entries to append. None at all changes only what follows, and wakes nobody.
    pub entries: Vec<Bytes>,
    /// When the record is due next, on the clock of [`Live::now_ms`](crate::Live::now_ms);
    /// `None`: never. Takes the place of what was set before, a claim's lease included.
    pub next_due_ms: Option<i64>,
    /// What leaves by the outbox.
    pub outbox: Option<Outgoing>,
    /// Whether the record is over. It is then kept for a while and expires.
    pub ended: bool,
    /// Under which label the record is counted from now on.
    pub relabel: Relabel,
}

/// Moves a record from one label to another; an empty one is none. The default leaves it where it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Relabel {
    /// The label that the record has.
    pub from: &'static str,
    /// The one that it gets.
    pub to: &'static str,
}

/// A message on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Its id: the record's id, and behind it what tells its messages apart, such as `:2`.
    pub id: String,
    /// What it says.
    pub body: Bytes,
}

/// A record that is due, leased to whoever took the claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The record.
    pub id: String,
    /// When it was due; after an expired lease, when that expired.
    pub due_ms: i64,
}

impl Relabel {
    /// What changes in the counts, if anything does.
    pub(crate) fn changes(self) -> impl Iterator<Item = (&'static str, i64)> {
        let changes = [(self.from, -1), (self.to, 1)];
        changes.into_iter().filter(move |(label, _)| self.from != self.to && !label.is_empty())
    }
}

impl Commit {
    /// Checks what does not depend on the record; every backend calls it first.
    ///
    /// # Errors
    ///
    /// [`LiveError::BadCommit`] when head and entries do not fit, or the outgoing message's id
    /// does not begin with the record's.
    pub fn check(&self, id: &str) -> Result<(), LiveError> {
        let before = self.expected.map_or(0, |head| head.sequence);
        let added = i64::try_from(self.entries.len()).unwrap_or(i64::MAX);
        if self.entries.is_empty() && self.expected != Some(self.head) {
            return Err(LiveError::BadCommit("the head moves without an entry"));
        }
        if before.checked_add(added) != Some(self.head.sequence) {
            return Err(LiveError::BadCommit(
                "the head's sequence is not the expected one plus the number of entries",
            ));
        }
        match &self.outbox {
            Some(outgoing) if !outgoing.id.starts_with(id) => {
                Err(LiveError::BadCommit("the outgoing id does not begin with the record's id"))
            }
            _ => Ok(()),
        }
    }
}
