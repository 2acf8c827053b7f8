//! The memory backend passes the suite of every backend, and keeps its own limits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[macro_use]
mod conformance;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use conformance::{Subject, commit, create, head, id};
use tengen_kit::time::ManualTime;
use tengen_live::{Live, LiveError, Memory, OUTAGE_MS, Settings, Wake};

struct InMemory {
    live: Memory,
    time: ManualTime,
}

#[async_trait]
impl Subject for InMemory {
    fn live(&self) -> Arc<dyn Live> {
        Arc::new(self.live.clone())
    }

    async fn pass_ms(&self, ms: u32) {
        self.time.advance(ms);
    }

    fn lease_ms(&self) -> u32 {
        5_000
    }

    fn keep_ended_ms(&self) -> u32 {
        u32::try_from(Settings::default().keep_ended_ms).unwrap()
    }

    fn entries_per_slot(&self) -> usize {
        Settings::default().entries_per_slot
    }

    fn patience(&self) -> Duration {
        // Its waits end at once or never: one look is enough.
        Duration::ZERO
    }
}

fn memory(settings: Settings) -> InMemory {
    let time = ManualTime::new(1_767_225_600_000);
    InMemory { live: Memory::new(time.shared(), settings), time }
}

async fn in_memory() -> InMemory {
    memory(Settings { outage_ms: OUTAGE_MS, ..Settings::default() })
}

conformance!(in_memory);

#[tokio::test]
async fn a_full_partition_takes_no_new_record_until_an_ended_one_expires() {
    let subject = memory(Settings { records_per_partition: 1, ..Settings::default() });
    let live = subject.live();
    let mut ended = create(1);
    ended.ended = true;
    live.commit(&id(1), ended).await.unwrap();
    // Both ids name the same partition.
    let other = format!("{}0", id(1));
    let refused = live.commit(&other, create(1)).await;
    assert_eq!(refused, Err(LiveError::Full("records")));
    subject.pass_ms(24 * 3_600_000).await;
    live.commit(&other, create(1)).await.unwrap();
}

#[tokio::test]
async fn a_full_slot_takes_no_new_entry_but_changes_to_old_ones() {
    let subject = memory(Settings { entries_per_slot: 1, ..Settings::default() });
    let live = subject.live();
    let put = |key, expected| live.put_entry("s", key, expected, Some("v".into()), None);
    let first = put("a", None).await.unwrap();
    let refused = put("b", None).await;
    assert_eq!(refused, Err(LiveError::Full("entries in this slot")));
    put("a", Some(first)).await.unwrap();
}

#[tokio::test]
async fn a_slow_subscriber_lags_and_delays_nobody() {
    let subject = memory(Settings { wake_ups: 2, ..Settings::default() });
    let live = subject.live();
    let mut wake_ups = live.subscribe(&id(1)).await.unwrap();
    live.commit(&id(1), create(1)).await.unwrap();
    for sequence in 1..4 {
        live.commit(&id(1), commit(head(sequence), 1)).await.unwrap();
    }
    assert_eq!(wake_ups.next().await, Some(Wake::Lagged));
    let Some(Wake::Committed(third)) = wake_ups.next().await else {
        panic!("the newest wake-ups are kept");
    };
    assert_eq!(third.first_sequence, 3);
}

#[tokio::test]
async fn a_dropped_backend_ends_its_wake_ups() {
    let subject = in_memory().await;
    let mut wake_ups = subject.live().subscribe(&id(1)).await.unwrap();
    drop(subject);
    assert_eq!(wake_ups.next().await, None);
}
