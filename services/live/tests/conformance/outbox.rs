//! The outbox: order, redelivery, acknowledgement.

use std::collections::BTreeSet;
use std::pin::pin;

use tengen_live::{Live, Outgoing};

use super::{Subject, commit, create, entry, head, id, pending};

fn message(n: u8, number: i64) -> Outgoing {
    Outgoing { id: format!("{}:{number}", id(n)), body: format!("message {number} of {n}").into() }
}

/// Creates record `n`, over, with its first message.
async fn send(live: &dyn Live, n: u8) {
    let mut ended = create(1);
    ended.ended = true;
    ended.outbox = Some(message(n, 1));
    live.commit(&id(n), ended).await.unwrap();
}

pub(crate) async fn messages_leave_oldest_first(subject: &impl Subject) {
    let live = subject.live();
    for n in [9, 3, 7] {
        send(&*live, n).await;
        // So that no backend has to tell what happened within one millisecond.
        subject.pass_ms(1).await;
    }
    let mut correction = commit(head(1), 1);
    correction.outbox = Some(message(3, 2));
    live.commit(&id(3), correction).await.unwrap();
    let expected = [message(9, 1), message(3, 1), message(7, 1), message(3, 2)];
    assert_eq!(live.outbox_take(10).await.unwrap(), expected);
    assert_eq!(live.outbox_take(2).await.unwrap(), expected[..2]);
    assert!(live.outbox_take(0).await.unwrap().is_empty());
}

// fault: F3
pub(crate) async fn messages_stay_until_acknowledged(subject: &impl Subject) {
    let live = subject.live();
    for n in [1, 2, 3] {
        send(&*live, n).await;
        subject.pass_ms(1).await;
    }
    for _ in 0..3 {
        assert_eq!(live.outbox_take(10).await.unwrap().len(), 3);
        subject.pass_ms(subject.keep_ended_ms()).await;
    }
    live.outbox_acknowledge(&[message(2, 1).id]).await.unwrap();
    let left = [message(1, 1), message(3, 1)];
    assert_eq!(live.outbox_take(10).await.unwrap(), left);
}

pub(crate) async fn acknowledging_twice_does_no_harm(subject: &impl Subject) {
    let live = subject.live();
    send(&*live, 1).await;
    send(&*live, 2).await;
    let done = [message(1, 1).id, message(1, 1).id, "no id".to_owned()];
    for _ in 0..2 {
        live.outbox_acknowledge(&done).await.unwrap();
        live.outbox_acknowledge(&[]).await.unwrap();
        assert_eq!(live.outbox_take(10).await.unwrap(), [message(2, 1)]);
    }
}

pub(crate) async fn a_deferred_message_waits_behind_the_others(subject: &impl Subject) {
    let live = subject.live();
    for n in [1, 2, 3] {
        send(&*live, n).await;
        subject.pass_ms(1).await;
    }
    let deferred = [message(1, 1).id, "no id".to_owned(), message(4, 1).id];
    live.outbox_defer(&deferred).await.unwrap();
    let expected = [message(2, 1), message(3, 1), message(1, 1)];
    assert_eq!(live.outbox_take(10).await.unwrap(), expected);
    live.outbox_acknowledge(&deferred).await.unwrap();
    assert_eq!(live.outbox_take(10).await.unwrap(), expected[..2]);
}

/// Whatever order a backend takes them in: deferring what was taken leads through all of them.
pub(crate) async fn no_partition_keeps_another_from_being_taken(subject: &impl Subject) {
    let live = subject.live();
    for n in 0..64 {
        send(&*live, n).await;
        let mut again = commit(head(1), 1);
        again.outbox = Some(message(n, 2));
        live.commit(&id(n), again).await.unwrap();
    }
    let mut seen = BTreeSet::new();
    for _ in 0..128 / 5 + 1 {
        let taken = live.outbox_take(5).await.unwrap();
        let taken: Vec<_> = taken.into_iter().map(|message| message.id).collect();
        assert_eq!(taken.len(), 5);
        live.outbox_defer(&taken).await.unwrap();
        seen.extend(taken);
    }
    assert_eq!(seen.len(), 128);
}

pub(crate) async fn a_waiting_id_is_not_added_again(subject: &impl Subject) {
    let live = subject.live();
    send(&*live, 1).await;
    let mut again = commit(head(1), 1);
    again.ended = true;
    again.outbox = Some(Outgoing { body: entry(2), ..message(1, 1) });
    live.commit(&id(1), again).await.unwrap();
    assert_eq!(live.outbox_take(10).await.unwrap(), [message(1, 1)]);
    // One acknowledgement settles it: the record may go.
    live.outbox_acknowledge(&[message(1, 1).id]).await.unwrap();
    subject.pass_ms(subject.keep_ended_ms()).await;
    assert_eq!(live.head(&id(1)).await.unwrap(), None);
}

pub(crate) async fn waiting_ends_when_a_message_comes(subject: &impl Subject) {
    let live = subject.live();
    let waiter = subject.live();
    let mut wait = pin!(waiter.outbox_wait());
    assert!(pending(subject, &mut wait).await);
    // A record without a message is no reason to wake.
    live.commit(&id(2), create(1)).await.unwrap();
    assert!(pending(subject, &mut wait).await);
    send(&*live, 1).await;
    wait.await.unwrap();
    live.outbox_wait().await.unwrap();
    live.outbox_acknowledge(&[message(1, 1).id]).await.unwrap();
    assert!(pending(subject, live.outbox_wait()).await);
}
