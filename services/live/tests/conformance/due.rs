//! The due queue: leases, and waiting without asking again and again.

use std::collections::BTreeSet;
use std::pin::pin;

use tengen_live::{Claim, Live};

use super::{Subject, commit, create, head, id, pending};

/// Longer than any test.
const LONG_MS: i64 = 60_000;

/// Creates record `n`, due in `in_ms`.
async fn due_in(live: &dyn Live, n: u8, in_ms: i64) {
    let mut due = create(1);
    due.next_due_ms = Some(live.now_ms() + in_ms);
    live.commit(&id(n), due).await.unwrap();
}

/// Sets when record `n`, of one entry, is due.
async fn set_due(live: &dyn Live, n: u8, next_due_ms: Option<i64>) {
    let mut next = commit(head(1), 0);
    next.next_due_ms = next_due_ms;
    live.commit(&id(n), next).await.unwrap();
}

async fn claimed(live: &dyn Live, lease_ms: i64) -> Vec<String> {
    let claims = live.claim_due(lease_ms, 100).await.unwrap();
    claims.into_iter().map(|claim| claim.id).collect()
}

/// Claims until there is something, and checks that it comes neither early nor late: it is due
/// between the two instants.
async fn next_claim(subject: &impl Subject, due_ms: (i64, i64)) -> Claim {
    let live = subject.live();
    loop {
        let before_ms = live.now_ms();
        let mut claims = live.claim_due(LONG_MS, 100).await.unwrap();
        let after_ms = live.now_ms();
        if let Some(claim) = claims.pop() {
            assert_eq!(claims, [], "besides {claim:?}");
            assert!(claim.due_ms >= due_ms.0 && claim.due_ms <= due_ms.1, "{claim:?} {due_ms:?}");
            assert!(after_ms >= claim.due_ms, "{claim:?} early, at {after_ms}");
            return claim;
        }
        assert!(before_ms < due_ms.1, "nothing at {before_ms}, due {due_ms:?}");
        subject.pass_ms(1).await;
    }
}

pub(crate) async fn nothing_is_claimed_early(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(2), create(1)).await.unwrap();
    let in_ms = i64::from(subject.lease_ms());
    let first_ms = live.now_ms() + in_ms;
    due_in(&*live, 1, in_ms).await;
    let claim = next_claim(subject, (first_ms, live.now_ms() + in_ms)).await;
    assert_eq!(claim.id, id(1));
    set_due(&*live, 1, Some(first_ms)).await;
    assert_eq!(next_claim(subject, (first_ms, first_ms)).await.id, id(1));
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
                    let claims = live.claim_due(LONG_MS, 3).await.unwrap();
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
    let lease_ms = i64::from(subject.lease_ms());
    for _ in 0..3 {
        let first_ms = live.now_ms() + lease_ms;
        assert_eq!(claimed(&*live, lease_ms).await, [id(1)]);
        let claim = next_claim(subject, (first_ms, live.now_ms() + lease_ms)).await;
        assert_eq!(claim.id, id(1));
        set_due(&*live, 1, Some(live.now_ms())).await;
    }
}

pub(crate) async fn a_commit_replaces_the_lease(subject: &impl Subject) {
    let live = subject.live();
    let lease_ms = i64::from(subject.lease_ms());
    for n in [1, 2, 3] {
        due_in(&*live, n, 0).await;
    }
    assert_eq!(claimed(&*live, lease_ms).await.len(), 3);
    // One is due sooner than its lease, one later, one never again.
    let sooner_ms = live.now_ms() + 10;
    let later_ms = live.now_ms() + lease_ms + 10;
    for (n, entries, next_due_ms) in [(1, 1, Some(sooner_ms)), (2, 0, Some(later_ms)), (3, 1, None)]
    {
        let mut next = commit(head(1), entries);
        next.next_due_ms = next_due_ms;
        live.commit(&id(n), next).await.unwrap();
    }
    assert_eq!(next_claim(subject, (sooner_ms, sooner_ms)).await.id, id(1));
    assert_eq!(next_claim(subject, (later_ms, later_ms)).await.id, id(2));
}

pub(crate) async fn a_claim_takes_no_more_than_asked(subject: &impl Subject) {
    let live = subject.live();
    for n in 0..5 {
        due_in(&*live, n, 0).await;
    }
    for expected in [0, 2, 2, 1, 0] {
        let most = expected.min(2);
        let claims = live.claim_due(LONG_MS, most).await.unwrap();
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
    let lease_ms = i64::from(subject.lease_ms());
    due_in(&*live, 1, 2 * LONG_MS).await;
    assert!(pending(subject, live.due_wait()).await);
    due_in(&*live, 2, lease_ms).await;
    let ((), waited) = tokio::join!(subject.pass_ms(subject.lease_ms()), live.due_wait());
    waited.unwrap();
    // It says so as long as nobody claims.
    live.due_wait().await.unwrap();
    assert_eq!(claimed(&*live, lease_ms).await, [id(2)]);
    let ((), waited) = tokio::join!(subject.pass_ms(subject.lease_ms()), live.due_wait());
    waited.unwrap();
    assert_eq!(claimed(&*live, LONG_MS).await, [id(2)]);
    assert!(pending(subject, live.due_wait()).await);
}

pub(crate) async fn waiting_hears_of_an_earlier_instant(subject: &impl Subject) {
    let live = subject.live();
    for later_ms in [None, Some(LONG_MS)] {
        if let Some(later_ms) = later_ms {
            due_in(&*live, 2, later_ms).await;
        }
        let waiter = subject.live();
        let mut wait = pin!(waiter.due_wait());
        assert!(pending(subject, &mut wait).await);
        let n = if later_ms.is_some() { 3 } else { 1 };
        due_in(&*live, n, 0).await;
        wait.await.unwrap();
        assert_eq!(claimed(&*live, LONG_MS).await, [id(n)]);
        set_due(&*live, n, None).await;
    }
}
