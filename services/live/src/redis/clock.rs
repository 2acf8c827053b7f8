//! The clock of Redis, as this process knows it.

use std::sync::atomic::{AtomicI64, Ordering};

use redis::cmd;
use tengen_kit::time::{SharedTime, WallTime};

use super::connection::Connection;
use crate::error::LiveError;

/// Counts on between measurements, by the local clock. What it says is never ahead of `TIME`, and
/// behind it by what one measurement took and 2 ms at most. Where there are several masters, it
/// follows the one that is behind the others.
pub(super) struct Clock {
    local: SharedTime,
    /// What the local clock is behind Redis.
    offset_ms: AtomicI64,
}

impl Clock {
    /// A clock to be measured before it is used.
    pub(super) fn new() -> Self {
        Self { local: WallTime::shared(), offset_ms: AtomicI64::new(i64::MIN) }
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.local.now_ms().saturating_add(self.offset_ms.load(Ordering::Relaxed))
    }

    /// Waits until this clock says so, or for at most so long.
    pub(super) async fn until(&self, at_ms: i64, most_ms: i64) {
        let wait_ms = at_ms.saturating_sub(self.now_ms()).clamp(0, most_ms);
        self.local.until(self.local.now_ms().saturating_add(wait_ms)).await;
    }

    /// Asks every master for its time.
    pub(super) async fn measure(&self, connection: &Connection) -> Result<(), LiveError> {
        let before_ms = self.local.now_ms();
        let times: Vec<(i64, i64)> = connection.query_masters(cmd("TIME")).await?;
        let after_ms = self.local.now_ms();
        let times_ms = times.iter().map(|(seconds, micros)| seconds * 1000 + micros / 1000);
        let time_ms = times_ms.min().unwrap_or(i64::MIN);
        let offset_ms = self.offset_ms.load(Ordering::Relaxed);
        let offset_ms = corrected(offset_ms, before_ms, time_ms, after_ms);
        self.offset_ms.store(offset_ms, Ordering::Relaxed);
        Ok(())
    }
}

/// The offset after a measurement: Redis said `time_ms` at some instant between the other two.
/// What no measurement contradicts stays, so that a slow answer does not set the clock back.
fn corrected(offset_ms: i64, before_ms: i64, time_ms: i64, after_ms: i64) -> i64 {
    // Each reading is rounded down to its millisecond.
    let least = time_ms.saturating_sub(after_ms).saturating_sub(1);
    let most = time_ms.saturating_sub(before_ms).saturating_add(1);
    if (least..=most).contains(&offset_ms) { offset_ms } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_moves_the_clock_only_where_it_contradicts_it() {
        for (offset_ms, before_ms, time_ms, after_ms, expected) in [
            // The first one.
            (i64::MIN, 1_000, 5_000, 1_004, 3_995),
            // A quicker answer shows that Redis is ahead of what we say.
            (3_995, 2_000, 6_000, 2_001, 3_998),
            // A slow answer leaves the clock alone.
            (3_998, 3_000, 7_300, 3_600, 3_998),
            // Redis was set back, or our clock runs fast.
            (3_998, 4_000, 7_950, 4_001, 3_948),
            (3_948, 5_000, 9_000, 5_001, 3_998),
        ] {
            let found = corrected(offset_ms, before_ms, time_ms, after_ms);
            assert_eq!(found, expected, "{offset_ms} {before_ms} {time_ms} {after_ms}");
            assert!(after_ms + found <= time_ms + (after_ms - before_ms) + 1);
        }
    }
}
