//! The due queue: leases, and waiting without asking again and again.

use std::collections::BTreeSet;
use std::pin::pin;
use std::task::Poll;

use tengen_live::Live;

use super::{Subject, commit, create, head, id};

const LEASE_MS: u32 = 5_000;

/// Creates record `n`, due in `in_ms`.
async fn due_in(live: &dyn Live, n: u8, in_ms: i64) {
    let mut due = create(1);
    due.next_due_ms = Some(live.now_ms() + in_ms);
    live.commit(&id(n), due).await.unwrap();
}

async fn claimed(live: &dyn Live) -> Vec<String> {
    let claims = live.claim_due(LEASE_MS.into(), 100).await.unwrap();
    claims.into_iter().map(|claim| claim.id).collect()
}

pub(crate) async fn nothing_is_claimed_early(subject: &impl Subject) {
    let live = subject.live();
    let due_ms = live.now_ms() + 1_000;
    due_in(&*live, 1, 1_000).await;
    live.commit(&id(2), create(1)).await.unwrap();
    subject.pass_ms(999).await;
    assert!(claimed(&*live).await.is_empty());
    subject.pass_ms(1).await;
    let claims = live.claim_due(LEASE_MS.into(), 100).await.unwrap();
    assert_eq!(claims.len(), 1);
    assert_eq!((&claims[0].id, claims[0].due_ms), (&id(1), due_ms));
}

// fault: F3
pub(crate) async fn two_claimers_never_both_get_it(subject: &impl Subject) {
    let live = subject.live();
    for n in 0..64 {
        due_in(&*live, n, 0).await;
    }
    let claimers: Vec<_> = (0..8)
        .map(|_| {
            let live = subject.live();
            tokio::spawn(async move {
                let mut mine = Vec::new();
                loop {
                    let claims = live.claim_due(LEASE_MS.into(), 3).await.unwrap();
                    if claims.is_empty() {
                        return mine;
                    }
                    mine.extend(claims.into_iter().map(|claim| claim.id));
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let mut all = Vec::new();
    for claimer in claimers {
        all.extend(claimer.await.unwrap());
    }
    let distinct: BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (64, 64));
}

pub(crate) async fn an_expired_lease_gives_it_again(subject: &impl Subject) {
    let live = subject.live();
    due_in(&*live, 1, 0).await;
    for _ in 0..3 {
        assert_eq!(claimed(&*live).await, [id(1)]);
        subject.pass_ms(LEASE_MS - 1).await;
        assert!(claimed(&*live).await.is_empty());
        subject.pass_ms(1).await;
    }
}

pub(crate) async fn a_commit_replaces_the_lease(subject: &impl Subject) {
    let live = subject.live();
    due_in(&*live, 1, 0).await;
    due_in(&*live, 2, 0).await;
    due_in(&*live, 3, 0).await;
    assert_eq!(claimed(&*live).await.len(), 3);
    // One is due sooner than its lease, one later, one never again.
    for (n, entries, next_due_ms) in [
        (1, 1, Some(live.now_ms() + 10)),
        (2, 0, Some(live.now_ms() + i64::from(LEASE_MS) + 10)),
        (3, 1, None),
    ] {
        let mut next = commit(head(1), entries);
        next.next_due_ms = next_due_ms;
        live.commit(&id(n), next).await.unwrap();
    }
    subject.pass_ms(10).await;
    assert_eq!(claimed(&*live).await, [id(1)]);
    let mut done = commit(head(2), 1);
    done.next_due_ms = None;
    live.commit(&id(1), done).await.unwrap();
    subject.pass_ms(LEASE_MS - 1).await;
    assert!(claimed(&*live).await.is_empty());
    subject.pass_ms(1).await;
    assert_eq!(claimed(&*live).await, [id(2)]);
}

pub(crate) async fn a_claim_takes_no_more_than_asked(subject: &impl Subject) {
    let live = subject.live();
    for n in 0..5 {
        due_in(&*live, n, 0).await;
    }
    for expected in [0, 2, 2, 1, 0] {
        let most = expected.min(2);
        let claims = live.claim_due(LEASE_MS.into(), most).await.unwrap();
        assert_eq!(claims.len(), expected);
    }
}

/// A partition that always has something due must not keep the others waiting.
pub(crate) async fn a_full_claim_starves_no_partition(subject: &impl Subject) {
    let live = subject.live();
    for n in 0..64 {
        due_in(&*live, n, 0).await;
    }
    let mut seen = BTreeSet::new();
    for _ in 0..128 {
        for claim in live.claim_due(1, 1).await.unwrap() {
            seen.insert(claim.id);
        }
        // The lease ends at once: what was claimed competes again.
        subject.pass_ms(1).await;
    }
    assert_eq!(seen.len(), 64);
}

pub(crate) async fn waiting_ends_when_something_is_due(subject: &impl Subject) {
    let live = subject.live();
    due_in(&*live, 1, 1_000).await;
    let mut wait = pin!(live.due_wait());
    assert!(pending(&mut wait).await);
    subject.pass_ms(1_000).await;
    wait.await.unwrap();
    // It says so as long as nobody claims.
    live.due_wait().await.unwrap();
    assert_eq!(claimed(&*live).await, [id(1)]);
    let mut wait = pin!(live.due_wait());
    assert!(pending(&mut wait).await);
    subject.pass_ms(LEASE_MS).await;
    wait.await.unwrap();
}

pub(crate) async fn waiting_hears_of_an_earlier_instant(subject: &impl Subject) {
    let live = subject.live();
    for later_ms in [None, Some(60_000)] {
        if let Some(later_ms) = later_ms {
            due_in(&*live, 2, later_ms).await;
        }
        let waiter = subject.live();
        let mut wait = pin!(waiter.due_wait());
        assert!(pending(&mut wait).await);
        let n = if later_ms.is_some() { 3 } else { 1 };
        due_in(&*live, n, 0).await;
        wait.await.unwrap();
        assert_eq!(claimed(&*live).await, [id(n)]);
        let mut done = commit(head(1), 0);
        done.next_due_ms = None;
        live.commit(&id(n), done).await.unwrap();
    }
}

/// Polls once, also past a task switch, and says whether the future still waits.
pub(crate) async fn pending<F: Future + Unpin>(future: &mut F) -> bool {
    tokio::task::yield_now().await;
    std::future::poll_fn(|context| {
        Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_pending())
    })
    .await
}
