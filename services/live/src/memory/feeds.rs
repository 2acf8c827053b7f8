//! The feeds of one partition.

use std::collections::{BTreeSet, HashMap, VecDeque};

use bytes::Bytes;

use crate::feed::{FEED_KEPT, FEED_MS, Message};

#[derive(Debug, Default)]
pub(super) struct Feeds {
    feeds: HashMap<String, Feed>,
    /// (expiry, id) of every feed.
    expiry: BTreeSet<(i64, String)>,
}

#[derive(Debug, Default)]
struct Feed {
    /// (key, message), the oldest first.
    messages: VecDeque<(String, Message)>,
    expires_ms: i64,
}

impl Feeds {
    /// The message's sequence, and whether it is new.
    pub(super) fn append(&mut self, id: &str, key: &str, body: Bytes, now_ms: i64) -> (i64, bool) {
        let feed = self.feeds.entry(id.to_owned()).or_default();
        if let Some((_, message)) = feed.messages.iter().find(|(found, _)| found == key) {
            return (message.sequence, false);
        }
        let sequence = 1 + feed.messages.back().map_or(0, |(_, message)| message.sequence);
        if feed.messages.len() == FEED_KEPT {
            feed.messages.pop_front();
        }
        feed.messages.push_back((key.to_owned(), Message { sequence, body }));
        self.expiry.remove(&(feed.expires_ms, id.to_owned()));
        feed.expires_ms = now_ms.saturating_add(FEED_MS);
        self.expiry.insert((feed.expires_ms, id.to_owned()));
        (sequence, true)
    }

    pub(super) fn messages(&self, id: &str) -> Vec<Message> {
        let messages = self.feeds.get(id).map(|feed| feed.messages.iter());
        messages.into_iter().flatten().map(|(_, message)| message.clone()).collect()
    }

    pub(super) fn expire(&mut self, now_ms: i64) {
        while let Some((expires_ms, _)) = self.expiry.first()
            && *expires_ms <= now_ms
            && let Some((_, id)) = self.expiry.pop_first()
        {
            self.feeds.remove(&id);
        }
    }
}
