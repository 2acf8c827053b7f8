//! Outages: what commits must know of them.

use tengen_live::{Commit, Live, LiveError, OUTAGE_MS, partition};

use super::{Subject, commit, create, head, id};

/// Commits it with what is known; a slow test may have one more outage in between.
async fn knowing(live: &dyn Live, mut change: Commit) {
    loop {
        change.outages = live.outages(&id(1)).await.unwrap().number;
        match live.commit(&id(1), change.clone()).await {
            Err(LiveError::UnknownOutage) => {}
            committed => return committed.unwrap(),
        }
    }
}

/// Longer than a stall.
fn silence_ms() -> u32 {
    u32::try_from(OUTAGE_MS).unwrap() + 200
}

// fault: F4
pub(crate) async fn a_silence_is_an_outage_that_commits_must_know(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(1), create(1)).await.unwrap();
    live.beat().await.unwrap();
    let before = live.outages(&id(1)).await.unwrap();
    subject.pass_ms(silence_ms()).await;
    let numbers = live.beat().await.unwrap();

    let after = live.outages(&id(1)).await.unwrap();
    assert_eq!(after.number, before.number + 1);
    assert_eq!(numbers[usize::from(partition(&id(1)).unwrap())], after.number);
    let outage = after.list.last().unwrap();
    assert!(outage.to_ms - outage.from_ms >= i64::from(silence_ms()), "{outage:?}");
    assert_eq!(after.list.len(), before.list.len() + 1);

    let mut change = commit(head(1), 1);
    change.outages = before.number;
    let refused = live.commit(&id(1), change.clone()).await;
    assert_eq!(refused, Err(LiveError::UnknownOutage));
    assert_eq!(live.head(&id(1)).await.unwrap(), Some(head(1)));
    knowing(&*live, change).await;
}

// fault: F4
pub(crate) async fn a_commit_ends_an_outage_by_itself(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(1), create(1)).await.unwrap();
    live.beat().await.unwrap();
    let before = live.outages(&id(1)).await.unwrap();
    subject.pass_ms(silence_ms()).await;

    let mut change = commit(head(1), 1);
    change.outages = before.number;
    let refused = live.commit(&id(1), change.clone()).await;
    assert_eq!(refused, Err(LiveError::UnknownOutage));
    assert_eq!(live.outages(&id(1)).await.unwrap().number, before.number + 1);
    knowing(&*live, change).await;
    // A new record has seen none of it.
    live.commit(&id(65), create(1)).await.unwrap();
}

pub(crate) async fn after_an_outage_everything_is_due(subject: &impl Subject) {
    let live = subject.live();
    for n in 1..4 {
        let mut record = create(1);
        record.next_due_ms = (n < 3).then(|| live.now_ms() + 3_600_000);
        live.commit(&id(n), record).await.unwrap();
    }
    live.beat().await.unwrap();
    assert!(live.claim_due(1_000, 10).await.unwrap().is_empty());
    subject.pass_ms(silence_ms()).await;
    live.beat().await.unwrap();
    live.due_wait().await.unwrap();
    let mut claimed = live.claim_due(60_000, 10).await.unwrap();
    claimed.sort_by(|a, b| a.id.cmp(&b.id));
    let ids: Vec<_> = claimed.into_iter().map(|claim| claim.id).collect();
    assert_eq!(ids, [id(1), id(2)], "what is never due stays so");
}

// fault: F4
pub(crate) async fn before_the_first_beat_nothing_is_an_outage(subject: &impl Subject) {
    let live = subject.live();
    let fresh = live.outages(&id(1)).await.unwrap();
    subject.pass_ms(silence_ms()).await;
    let first = live.beat().await.unwrap();
    assert!(first.iter().all(|number| *number == 0));
    assert_eq!(live.outages(&id(1)).await.unwrap(), fresh);
    assert_eq!(live.outages("no id").await, Err(LiveError::NotAnId("no id".to_owned())));
}
