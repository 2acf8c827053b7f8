//! Names of keys. What belongs to a partition has its hash tag, so that one script may touch it.

use crate::error::LiveError;
use crate::id::{PARTITIONS, partition};

/// What every key begins with.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    prefix: String,
}

impl Keys {
    /// Keys that begin with `prefix`.
    pub(super) fn new(prefix: &str) -> Result<Self, LiveError> {
        if prefix.contains(['{', '}']) {
            let message = format!("the prefix {prefix:?} holds a brace, which would be a hash tag");
            return Err(LiveError::BadSettings(message));
        }
        Ok(Self { prefix: prefix.to_owned() })
    }

    /// What the keys of a partition begin with; with an id behind it, the key of that record.
    pub(super) fn base(&self, partition: u16) -> String {
        format!("{}{{p{partition:02x}}}", self.prefix)
    }

    /// When the records of a partition are due: a sorted set.
    pub(super) fn due(&self, partition: u16) -> String {
        self.base(partition) + "due"
    }

    /// When a partition last showed that it lives, and how many outages it had; the list of these.
    pub(super) fn beats(&self, partition: u16) -> [String; 2] {
        let base = self.base(partition);
        [format!("{base}beat"), format!("{base}outages")]
    }

    /// How many records of a partition have each label: a hash.
    pub(super) fn labels(&self, partition: u16) -> String {
        self.base(partition) + "labels"
    }

    /// When the messages of a partition came: a sorted set.
    pub(super) fn order(&self, partition: u16) -> String {
        self.base(partition) + "order"
    }

    /// What they say: a hash.
    pub(super) fn messages(&self, partition: u16) -> String {
        self.base(partition) + "messages"
    }

    /// Where a record's wake-ups are told.
    pub(super) fn channel(&self, partition: u16, id: &str) -> String {
        self.base(partition) + "wake:" + id
    }

    /// A slot's entries, a hash, and when they expire, a sorted set.
    pub(super) fn slot(&self, slot: &str) -> [String; 2] {
        let entries = format!("{}{{s:{slot}}}", self.prefix);
        let expiries = format!("{entries}x");
        [entries, expiries]
    }
}

/// The partition of this version's [`PARTITIONS`] that holds a record.
pub(super) fn home(id: &str) -> Option<u16> {
    partition(id).map(|partition| partition % PARTITIONS)
}
