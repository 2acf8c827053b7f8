//! What every backend of live state has to keep. `conformance!(factory)` runs all of it; the
//! factory is an async function that gives an empty [`Subject`].

pub(crate) mod due;
pub(crate) mod feed;
pub(crate) mod outage;
pub(crate) mod outbox;
pub(crate) mod records;
pub(crate) mod slots;
pub(crate) mod wake;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tengen_live::{Commit, Head, Live, Relabel, record_id};
use tokio::time::timeout;

/// A backend under test. Where passing time is real, its times are short, and tests are written so
/// that they hold however late they run.
#[async_trait]
pub(crate) trait Subject: Send + Sync {
    /// A handle; all share the same state.
    fn live(&self) -> Arc<dyn Live>;

    /// Lets the backend's clock go on by `ms`.
    async fn pass_ms(&self, ms: u32);

    /// A lease, or the life of an entry, that a test waits for the end of.
    fn lease_ms(&self) -> u32;

    /// How long the backend keeps ended records.
    fn keep_ended_ms(&self) -> u32;

    /// How many entries a slot of the backend takes.
    fn entries_per_slot(&self) -> usize;

    /// How long a wait that must not end is looked at.
    fn patience(&self) -> Duration;
}

/// Whether `wait` does not end by itself.
pub(crate) async fn pending(subject: &impl Subject, wait: impl Future) -> bool {
    timeout(subject.patience(), wait).await.is_err()
}

/// Names every test of the suite for one backend.
macro_rules! conformance {
    ($factory:ident) => {
        conformance!($factory, records:
            creating_twice_conflicts,
            of_two_racing_commits_one_wins,
            entries_are_numbered,
            what_was_never_made_is_not_there,
            a_contradictory_commit_is_refused,
            a_head_of_another_history_conflicts,
            a_refused_commit_changes_nothing,
            ended_records_stay_and_then_go,
            a_record_that_goes_on_after_its_end_stays,
            records_are_counted_by_label,
        );
        conformance!($factory, wake:
            a_wake_up_comes_after_its_commit,
            wake_ups_carry_what_was_appended,
            a_commit_without_entries_wakes_nobody,
            a_subscription_may_come_first_and_again,
        );
        conformance!($factory, due:
            nothing_is_claimed_early,
            two_claimers_never_both_get_it,
            an_expired_lease_gives_it_again,
            a_commit_replaces_the_lease,
            a_claim_takes_no_more_than_asked,
            a_full_claim_starves_no_partition,
            waiting_ends_when_something_is_due,
            waiting_hears_of_an_earlier_instant,
        );
        conformance!($factory, outage:
            a_silence_is_an_outage_that_commits_must_know,
            a_commit_ends_an_outage_by_itself,
            after_an_outage_everything_is_due,
            before_the_first_beat_nothing_is_an_outage,
        );
        conformance!($factory, outbox:
            messages_leave_oldest_first,
            messages_stay_until_acknowledged,
            acknowledging_twice_does_no_harm,
            a_deferred_message_waits_behind_the_others,
            no_partition_keeps_another_from_being_taken,
            a_waiting_id_is_not_added_again,
            waiting_ends_when_a_message_comes,
        );
        conformance!($factory, feed:
            messages_are_numbered_without_a_gap,
            a_key_is_told_once,
            the_newest_are_kept,
            a_message_wakes,
        );
        conformance!($factory, slots:
            entries_are_compared_and_set,
            of_two_racing_puts_one_wins,
            a_version_is_never_used_twice,
            entries_come_in_order_of_their_keys,
            entries_expire,
            an_expired_entry_makes_room,
        );
    };
    ($factory:ident, $area:ident: $($name:ident),* $(,)?) => {
        mod $area {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $name() {
                    $crate::conformance::$area::$name(&super::$factory().await).await;
                }
            )*
        }
    };
}

/// The id of record `n`; records 0 to 63 are each in a partition of their own.
pub(crate) fn id(n: u8) -> String {
    record_id('g', &[n; 16])
}

/// The head at `sequence` of the one history that these tests tell.
pub(crate) fn head(sequence: i64) -> Head {
    Head { sequence, hash: [u8::try_from(sequence).unwrap(); 16] }
}

/// The entry at `sequence` of that history.
pub(crate) fn entry(sequence: i64) -> Bytes {
    format!("entry {sequence}").into()
}

/// Creates a record with so many entries.
pub(crate) fn create(entries: i64) -> Commit {
    Commit {
        expected: None,
        head: head(entries),
        entries: (1..=entries).map(entry).collect(),
        next_due_ms: None,
        outages: 0,
        outbox: None,
        ended: false,
        relabel: Relabel::default(),
    }
}

/// Appends so many entries after `expected`.
pub(crate) fn commit(expected: Head, entries: i64) -> Commit {
    let from = expected.sequence;
    Commit {
        expected: Some(expected),
        head: head(from + entries),
        entries: (from + 1..=from + entries).map(entry).collect(),
        ..create(1)
    }
}
