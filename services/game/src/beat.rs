//! Shows the live state that games can be changed, and looks after games when they could not.

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use tengen_kit::time::SharedTime;
use tengen_live::{BEAT_MS, Live};

use crate::store::Games;

/// Beats for as long as the service is there. Any replica's beat counts for all.
pub async fn beat(games: Weak<Games>, live: Arc<dyn Live>, time: SharedTime) {
    let mut known: Option<Vec<i64>> = None;
    while games.strong_count() > 0 {
        match live.beat().await {
            Ok(numbers) => {
                let before = known.replace(numbers.clone()).unwrap_or_else(|| numbers.clone());
                let had = numbers.iter().zip(before).zip(0_u16..);
                let had: HashSet<u16> = had
                    .filter_map(|((number, before), partition)| {
                        (*number != before).then_some(partition)
                    })
                    .collect();
                if !had.is_empty()
                    && let Some(games) = games.upgrade()
                {
                    games.metrics.outages.inc();
                    tracing::warn!(partitions = had.len(), "an outage of the live state is over");
                    // Aside, so that the next beat is not late.
                    tokio::spawn(async move { games.look_after(&had).await });
                }
            }
            // Its end is an outage's end; readiness tells of it meanwhile.
            Err(error) => tracing::debug!(%error, "no beat"),
        }
        time.until(time.now_ms().saturating_add(BEAT_MS)).await;
    }
}
