//! Whether this process may be sent calls: one latch for each thing it cannot do without.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

/// The latches of a process. It is ready while all of them are set. Its clones are the same.
#[derive(Clone, Default)]
pub struct Readiness(Arc<watch::Sender<Latches>>);

/// One thing that the process cannot do without: `database`.
#[derive(Debug)]
pub struct Latch {
    name: &'static str,
    readiness: Readiness,
}

type Latches = BTreeMap<&'static str, bool>;

impl Readiness {
    /// A latch that is not set, so that from now on the process is not ready.
    #[must_use]
    pub fn latch(&self, name: &'static str) -> Latch {
        self.0.send_modify(|latches| {
            latches.insert(name, false);
        });
        Latch { name, readiness: self.clone() }
    }

    /// Whether all latches are set.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.borrow().values().all(|set| *set)
    }

    /// The names of the latches that are not set.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let latches = self.0.borrow();
        latches.iter().filter(|(_, set)| !**set).map(|(name, _)| *name).collect()
    }

    /// All latches: what each stands for, and whether it is set.
    pub(crate) fn parts(&self) -> Vec<(&'static str, bool)> {
        self.0.borrow().iter().map(|(name, set)| (*name, *set)).collect()
    }

    /// Tells of every change from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<impl Sized + use<>> {
        self.0.subscribe()
    }
}

impl Latch {
    /// It is there.
    pub fn set(&self) {
        if self.turn(true) {
            tracing::info!(latch = self.name, "ready");
        }
    }

    /// It is there no more.
    pub fn lose(&self, why: &dyn fmt::Display) {
        if self.turn(false) {
            tracing::warn!(latch = self.name, %why, "not ready");
        }
    }

    /// The process ends: no news for the log.
    pub(crate) fn close(&self) {
        self.turn(false);
    }

    fn turn(&self, to: bool) -> bool {
        self.readiness.0.send_if_modified(|latches| latches.insert(self.name, to) != Some(to))
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Readiness").field(&*self.0.borrow()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Readiness;

    #[test]
    fn ready_is_all_latches_set() {
        let readiness = Readiness::default();
        assert!(readiness.is_ready());
        let (keys, database) = (readiness.latch("keys"), readiness.latch("database"));
        assert_eq!(readiness.missing(), ["database", "keys"]);
        keys.set();
        assert_eq!(readiness.missing(), ["database"]);
        database.set();
        assert!(readiness.is_ready());
        keys.lose(&"gone");
        assert_eq!(readiness.missing(), ["keys"]);
        assert!(!readiness.is_ready());
    }

    #[test]
    fn only_changes_are_told() {
        let readiness = Readiness::default();
        let latch = readiness.latch("keys");
        let mut changes = readiness.changes();
        latch.lose(&"never was there");
        assert!(!changes.has_changed().unwrap());
        latch.set();
        assert!(changes.has_changed().unwrap());
        changes.mark_unchanged();
        latch.set();
        assert!(!changes.has_changed().unwrap());
    }
}
