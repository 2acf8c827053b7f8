//! Feeds: numbered messages, once a key, of which the newest are kept.

use bytes::Bytes;
use tengen_live::{FEED_KEPT, LiveError, Message, Wake};

use super::{Subject, id};

fn body(n: usize) -> Bytes {
    format!("message {n}").into()
}

pub(crate) async fn messages_are_numbered_without_a_gap(subject: &impl Subject) {
    let live = subject.live();
    assert_eq!(live.feed_after(&id(1), 0).await.unwrap(), []);
    for n in 1..=3 {
        let sequence = live.feed_append(&id(1), &format!("key {n}"), body(n)).await;
        assert_eq!(sequence, Ok(i64::try_from(n).unwrap()));
    }
    // Another feed has numbers of its own.
    assert_eq!(live.feed_append(&id(2), "key 1", body(1)).await, Ok(1));
    let message = |n: usize| Message { sequence: i64::try_from(n).unwrap(), body: body(n) };
    for (after, expected) in [
        (0, vec![message(1), message(2), message(3)]),
        (2, vec![message(3)]),
        (3, vec![]),
        // Of a feed that is gone.
        (4, vec![message(1), message(2), message(3)]),
    ] {
        assert_eq!(live.feed_after(&id(1), after).await.unwrap(), expected, "after {after}");
    }
    let refused = live.feed_append("feed", "key", body(1)).await;
    assert_eq!(refused, Err(LiveError::NotAnId("feed".to_owned())));
}

pub(crate) async fn a_key_is_told_once(subject: &impl Subject) {
    let appended = (0..8).map(|_| {
        let live = subject.live();
        tokio::spawn(async move { live.feed_append(&id(1), "key", body(1)).await })
    });
    for appended in appended.collect::<Vec<_>>() {
        assert_eq!(appended.await.unwrap(), Ok(1));
    }
    let live = subject.live();
    // A key that begins like another is another.
    assert_eq!(live.feed_append(&id(1), "ke", body(2)).await, Ok(2));
    assert_eq!(live.feed_append(&id(1), "key", body(3)).await, Ok(1));
    assert_eq!(live.feed_after(&id(1), 0).await.unwrap().len(), 2);
}

pub(crate) async fn the_newest_are_kept(subject: &impl Subject) {
    let live = subject.live();
    for n in 1..=FEED_KEPT + 2 {
        live.feed_append(&id(1), &n.to_string(), body(n)).await.unwrap();
    }
    let kept = live.feed_after(&id(1), 0).await.unwrap();
    assert_eq!(kept.len(), FEED_KEPT);
    assert_eq!((kept[0].sequence, kept[0].body.clone()), (3, body(3)));
    assert_eq!(kept.last().unwrap().body, body(FEED_KEPT + 2));
}

pub(crate) async fn a_message_wakes(subject: &impl Subject) {
    let live = subject.live();
    live.feed_append(&id(1), "a", body(1)).await.unwrap();
    let mut wake_ups = live.subscribe(&id(1)).await.unwrap();
    // What was told already wakes nobody.
    live.feed_append(&id(1), "a", body(1)).await.unwrap();
    live.feed_append(&id(1), "b", body(2)).await.unwrap();
    let Some(Wake::Committed(heard)) = wake_ups.next().await else {
        panic!("expected a wake-up");
    };
    assert_eq!(
        (heard.first_sequence, heard.head.sequence, &*heard.entries),
        (2, 2, &[body(2)][..])
    );
}
