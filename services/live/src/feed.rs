//! A feed: numbered messages of which the newest are kept.

use bytes::Bytes;

/// How many messages a feed keeps.
pub const FEED_KEPT: usize = 128;
/// How long it keeps them after the newest: 30 days.
pub(crate) const FEED_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// One message of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// 1 for the first; without a gap.
    pub sequence: i64,
    /// What it says.
    pub body: Bytes,
}

/// Those after `sequence`; all, if it is of another feed's numbering.
pub(crate) fn after(mut messages: Vec<Message>, sequence: i64) -> Vec<Message> {
    let newest = messages.last().map_or(0, |message| message.sequence);
    if sequence <= newest {
        messages.retain(|message| message.sequence > sequence);
    }
    messages
}
