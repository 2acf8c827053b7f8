//! Experience: whole minutes of presence, and the tiers that they make (rulebook L10).
//!
//! A minute is one of the live state's clock. It counts for whoever was here when it began and when
//! it ended; each replica looks at every turn of a minute, and whichever comes first counts. The
//! database takes each minute once, so it matters to nobody who that is, or whether it dies.

use std::collections::HashSet;
use std::sync::Arc;

use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tengen_live::Live;

use crate::presence::Presence;
use crate::store::Store;

/// How soon a minute that could not be counted is tried again.
const AGAIN_MS: i64 = 1_000;

/// The least minutes of each tier, from tier 1 on.
#[derive(Debug, Clone)]
pub(crate) struct Tiers(pub(crate) Arc<[i64]>);

/// Counts minutes.
pub(crate) struct Experience {
    pub(crate) presence: Presence,
    pub(crate) live: Arc<dyn Live>,
    pub(crate) store: Store,
    pub(crate) minute_ms: i64,
    pub(crate) time: SharedTime,
    pub(crate) shutdown: Shutdown,
}

/// A minute, by its number, and who was here when it began.
struct Begun {
    minute: i64,
    here: HashSet<String>,
}

impl Tiers {
    /// The tier of an account with so many minutes: 0 at first.
    pub(crate) fn of(&self, minutes: i64) -> i32 {
        let reached = self.0.iter().filter(|least| **least <= minutes).count();
        i32::try_from(reached).unwrap_or(i32::MAX)
    }
}

impl Experience {
    /// Counts every minute that ends, until the process does.
    pub(crate) async fn count(self) {
        let mut begun: Option<Begun> = None;
        let mut last = self.minute();
        loop {
            if !self.wait(self.left_ms()).await {
                return;
            }
            let minute = self.minute();
            // Woken a little early, where the process's clock is ahead of the live state's.
            if minute == last {
                continue;
            }
            last = minute;
            let before = begun.take();
            match self.presence.all().await {
                Ok(here) => {
                    let here = begun.insert(Begun { minute, here });
                    if let Some(before) = before {
                        self.ended(&before, here).await;
                    }
                }
                Err(error) => tracing::warn!(%error, "a minute of experience is not counted"),
            }
        }
    }

    /// Counts a minute for whoever was here all along, if the next one has just begun; tries while
    /// that lasts.
    async fn ended(&self, before: &Begun, next: &Begun) {
        if before.minute.saturating_add(1) != next.minute {
            return;
        }
        let mut stayed: Vec<_> = before.here.intersection(&next.here).cloned().collect();
        stayed.sort_unstable();
        while let Err(error) =
            self.store.count_minute(before.minute, &stayed, self.live.now_ms()).await
        {
            tracing::warn!(%error, "a minute of experience is not counted yet");
            let goes_on = self.wait(AGAIN_MS.min(self.left_ms())).await;
            if !goes_on || self.minute() != next.minute {
                return;
            }
        }
    }

    /// The number of the minute that runs.
    fn minute(&self) -> i64 {
        self.live.now_ms().div_euclid(self.minute_ms)
    }

    /// How long it still runs.
    fn left_ms(&self) -> i64 {
        self.minute_ms.saturating_sub(self.live.now_ms().rem_euclid(self.minute_ms))
    }

    /// False if the process ends meanwhile.
    async fn wait(&self, ms: i64) -> bool {
        tokio::select! {
            () = self.time.until(self.time.now_ms().saturating_add(ms)) => true,
            () = self.shutdown.begun() => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tiers;

    // rulebook: L10
    #[test]
    fn a_tier_begins_with_its_least_minutes() {
        let tiers = Tiers([600, 6_000].into());
        for (minutes, tier) in [(0, 0), (599, 0), (600, 1), (5_999, 1), (6_000, 2), (i64::MAX, 2)] {
            assert_eq!(tiers.of(minutes), tier, "{minutes}");
        }
    }
}
