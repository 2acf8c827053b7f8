//! The outbox: messages in the order they came, until each is acknowledged.

use std::collections::{BTreeMap, HashMap};

use crate::record::Outgoing;

#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// The place of the newest message.
    last: u64,
    waiting: BTreeMap<u64, Waiting>,
    /// Message id to place.
    places: HashMap<String, u64>,
}

#[derive(Debug)]
struct Waiting {
    record: String,
    outgoing: Outgoing,
}

impl Outbox {
    /// Whether it was added: an id that is waiting already is not.
    pub(super) fn add(&mut self, record: &str, outgoing: Outgoing) -> bool {
        if self.places.contains_key(&outgoing.id) {
            return false;
        }
        self.last += 1;
        self.places.insert(outgoing.id.clone(), self.last);
        self.waiting.insert(self.last, Waiting { record: record.to_owned(), outgoing });
        true
    }

    pub(super) fn take(&self, most: usize) -> Vec<Outgoing> {
        self.waiting.values().take(most).map(|waiting| waiting.outgoing.clone()).collect()
    }

    /// Moves a message to the back.
    pub(super) fn defer(&mut self, id: &str) {
        if let Some(place) = self.places.get_mut(id)
            && let Some(waiting) = self.waiting.remove(place)
        {
            self.last += 1;
            *place = self.last;
            self.waiting.insert(self.last, waiting);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes a message and gives the id of its record.
    pub(super) fn remove(&mut self, id: &str) -> Option<String> {
        let place = self.places.remove(id)?;
        self.waiting.remove(&place).map(|waiting| waiting.record)
    }
}
