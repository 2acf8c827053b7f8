//! What this replica knows of the live state's outages, and what they owe a game.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use tengen_kit::status::Refusal;
use tengen_live::{Live, Outages, partition};
use tengen_table::Event;
use tengen_timing::CreditReason;

use crate::error;
use crate::record::GameRecord;

/// The outages of each partition that had some. A commit names how many are known, and is refused
/// where there was one more: so no game is judged by a clock that ran through an outage.
#[derive(Debug, Default)]
pub struct Known(RwLock<HashMap<u16, Arc<Outages>>>);

impl Known {
    /// How many outages of a game's partition are known.
    pub fn number(&self, id: &str) -> i64 {
        self.of(id).map_or(0, |outages| outages.number)
    }

    /// Asks the live state.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn read(&self, live: &dyn Live, id: &str) -> Result<(), Refusal> {
        let outages = live.outages(id).await.map_err(|error| error::live(&error))?;
        if let Some(partition) = partition(id) {
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            known.insert(partition, Arc::new(outages));
        }
        Ok(())
    }

    /// The first outage that cost a game something and is not made good in it. One that ended
    /// before the game's last event is: that event's commit knew of it.
    pub fn owed(&self, record: &GameRecord, now_ms: i64) -> Option<Event> {
        let outages = self.of(&record.id)?;
        let last_at_ms = record.table.last_at_ms();
        let later = outages.list.partition_point(|outage| outage.to_ms <= last_at_ms);
        let mut owed = outages.list.iter().skip(later).filter_map(|outage| {
            record.table.credit(CreditReason::Outage, outage.from_ms, outage.to_ms, now_ms)
        });
        owed.next()
    }

    fn of(&self, id: &str) -> Option<Arc<Outages>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&partition(id)?).cloned()
    }
}
