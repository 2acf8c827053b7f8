//! Slots: small keyed collections whose entries are compared and set one at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;

use crate::error::LiveError;
use crate::live::Version;

/// A group of slots under one lock.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// An empty slot is removed.
    slots: HashMap<String, BTreeMap<String, Entry>>,
    /// (expiry, slot, key) of every entry that expires.
    expiry: BTreeSet<(i64, String, String)>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) version: Version,
    pub(super) value: Bytes,
    pub(super) expires_ms: Option<i64>,
}

impl Slots {
    pub(super) fn put(
        &mut self,
        slot: &str,
        key: &str,
        expected: Option<Version>,
        value: Option<Entry>,
        most: usize,
    ) -> Result<(), LiveError> {
        let found = self.slots.get(slot);
        let version = found.and_then(|entries| entries.get(key)).map(|e| e.version);
        if version != expected {
            return Err(LiveError::EntryConflict { version });
        }
        let full = found.is_some_and(|entries| entries.len() >= most);
        match value {
            None => self.remove(slot, key),
            Some(_) if version.is_none() && full => {
                return Err(LiveError::Full("entries in this slot"));
            }
            Some(entry) => {
                self.remove(slot, key);
                if let Some(expires_ms) = entry.expires_ms {
                    self.expiry.insert((expires_ms, slot.to_owned(), key.to_owned()));
                }
                self.slots.entry(slot.to_owned()).or_default().insert(key.to_owned(), entry);
            }
        }
        Ok(())
    }

    pub(super) fn entry(&self, slot: &str, key: &str) -> Option<(Version, Bytes)> {
        let entry = self.slots.get(slot)?.get(key)?;
        Some((entry.version, entry.value.clone()))
    }

    pub(super) fn entries(&self, slot: &str) -> Vec<(String, Version, Bytes)> {
        self.slots
            .get(slot)
            .into_iter()
            .flatten()
            .map(|(key, entry)| (key.clone(), entry.version, entry.value.clone()))
            .collect()
    }

    /// Drops every entry whose time has come.
    pub(super) fn expire(&mut self, now_ms: i64) {
        while let Some((expires_ms, _, _)) = self.expiry.first()
            && *expires_ms <= now_ms
            && let Some((_, slot, key)) = self.expiry.pop_first()
        {
            self.remove(&slot, &key);
        }
    }

    fn remove(&mut self, slot: &str, key: &str) {
        let Some(entries) = self.slots.get_mut(slot) else {
            return;
        };
        let removed = entries.remove(key);
        if entries.is_empty() {
            self.slots.remove(slot);
        }
        if let Some(expires_ms) = removed.and_then(|entry| entry.expires_ms) {
            self.expiry.remove(&(expires_ms, slot.to_owned(), key.to_owned()));
        }
    }
}
