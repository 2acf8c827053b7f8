//! The beats of one partition, and the outages between them.

use crate::outage::{OUTAGES_KEPT, Outage, Outages};

#[derive(Debug, Default)]
pub(super) struct Beats {
    last_ms: Option<i64>,
    pub(super) outages: Outages,
}

impl Beats {
    /// Ends an outage, if the last beat was more than `outage_ms` ago; says whether one did.
    pub(super) fn look(&mut self, now_ms: i64, outage_ms: i64) -> bool {
        let Some(from_ms) = self.last_ms.filter(|last_ms| now_ms - last_ms > outage_ms) else {
            return false;
        };
        self.outages.number += 1;
        self.outages.list.push(Outage { from_ms, to_ms: now_ms });
        let over = self.outages.list.len().saturating_sub(OUTAGES_KEPT);
        self.outages.list.drain(..over);
        self.last_ms = Some(now_ms);
        true
    }

    pub(super) fn beat(&mut self, now_ms: i64) {
        self.last_ms = Some(now_ms);
    }
}
