//! Wake-ups: after the commit, with what it appended.

use tengen_live::{Committed, Wake, WakeUps};

use super::{Subject, commit, create, entry, head, id};

async fn committed(wake_ups: &mut WakeUps) -> Committed {
    match wake_ups.next().await {
        Some(Wake::Committed(committed)) => committed,
        other => panic!("expected a commit, found {other:?}"),
    }
}

/// Whoever hears of a commit finds it when it reads.
pub(crate) async fn a_wake_up_comes_after_its_commit(subject: &impl Subject) {
    const COMMITS: i64 = 20;
    let live = subject.live();
    let mut wake_ups = live.subscribe(&id(1)).await.unwrap();
    let reader = subject.live();
    let listener = tokio::spawn(async move {
        let mut heard = 0;
        while heard < COMMITS {
            let wake = committed(&mut wake_ups).await;
            assert_eq!(wake.first_sequence, heard + 1);
            let found = reader.head(&id(1)).await.unwrap().unwrap();
            assert!(found.sequence >= wake.head.sequence, "{found:?} {wake:?}");
            heard = wake.head.sequence;
        }
    });
    live.commit(&id(1), create(1)).await.unwrap();
    for sequence in 1..COMMITS {
        live.commit(&id(1), commit(head(sequence), 1)).await.unwrap();
    }
    listener.await.unwrap();
}

pub(crate) async fn wake_ups_carry_what_was_appended(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(1), create(2)).await.unwrap();
    let mut wake_ups = live.subscribe(&id(1)).await.unwrap();
    // Another record, and a commit that is refused: neither is heard.
    live.commit(&id(2), create(1)).await.unwrap();
    live.commit(&id(1), create(1)).await.unwrap_err();
    live.commit(&id(1), commit(head(2), 2)).await.unwrap();
    let heard = committed(&mut wake_ups).await;
    let expected =
        Committed { head: head(4), first_sequence: 3, entries: [entry(3), entry(4)].into() };
    assert_eq!(heard, expected);
}

pub(crate) async fn a_commit_without_entries_wakes_nobody(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(1), create(1)).await.unwrap();
    let mut wake_ups = live.subscribe(&id(1)).await.unwrap();
    live.commit(&id(1), commit(head(1), 0)).await.unwrap();
    live.commit(&id(1), commit(head(1), 1)).await.unwrap();
    assert_eq!(committed(&mut wake_ups).await.first_sequence, 2);
}

pub(crate) async fn a_subscription_may_come_first_and_again(subject: &impl Subject) {
    let live = subject.live();
    let first = live.subscribe(&id(1)).await.unwrap();
    let mut second = live.subscribe(&id(1)).await.unwrap();
    drop(first);
    live.commit(&id(1), create(1)).await.unwrap();
    assert_eq!(committed(&mut second).await.head, head(1));
    drop(second);
    let mut third = live.subscribe(&id(1)).await.unwrap();
    live.commit(&id(1), commit(head(1), 1)).await.unwrap();
    assert_eq!(committed(&mut third).await.head, head(2));
}
