//! Slots: entries compared and set one at a time, and their expiry.

use bytes::Bytes;
use tengen_live::{LiveError, Version};

use super::Subject;

const SLOT: &str = "offers";

fn value(text: &'static str) -> Option<Bytes> {
    Some(Bytes::from_static(text.as_bytes()))
}

pub(crate) async fn entries_are_compared_and_set(subject: &impl Subject) {
    let live = subject.live();
    let put = |expected, value| live.put_entry(SLOT, "a", expected, value, None);
    let first = put(None, value("1")).await.unwrap();
    let found = live.entry(SLOT, "a").await.unwrap();
    assert_eq!(found, Some((first, Bytes::from_static(b"1"))));
    let second = put(Some(first), value("2")).await.unwrap();
    for expected in [None, Some(first)] {
        for value in [value("3"), None] {
            assert_eq!(
                put(expected, value).await,
                Err(LiveError::EntryConflict { version: Some(second) })
            );
        }
    }
    // The same key of another slot is another entry.
    assert_eq!(live.entry("others", "a").await.unwrap(), None);
    put(Some(second), None).await.unwrap();
    assert_eq!(live.entry(SLOT, "a").await.unwrap(), None);
    assert_eq!(
        put(Some(second), value("4")).await,
        Err(LiveError::EntryConflict { version: None })
    );
    put(None, None).await.unwrap();
}

pub(crate) async fn of_two_racing_puts_one_wins(subject: &impl Subject) {
    let live = subject.live();
    let first = live.put_entry(SLOT, "a", None, value("1"), None);
    let first = first.await.unwrap();
    let racers: Vec<_> = (0..8)
        .map(|_| {
            let live = subject.live();
            tokio::spawn(
                async move { live.put_entry(SLOT, "a", Some(first), None, None).await.is_ok() },
            )
        })
        .collect();
    let mut won = 0;
    for racer in racers {
        won += u32::from(racer.await.unwrap());
    }
    assert_eq!(won, 1);
}

/// An entry that was removed and made again is not the one that somebody read before.
pub(crate) async fn a_version_is_never_used_twice(subject: &impl Subject) {
    let live = subject.live();
    let mut seen = Vec::<Version>::new();
    for _ in 0..3 {
        let made = live.put_entry(SLOT, "a", None, value("1"), None);
        let made = made.await.unwrap();
        assert!(!seen.contains(&made), "{made:?} in {seen:?}");
        seen.push(made);
        let removed = live.put_entry(SLOT, "a", Some(made), None, None);
        removed.await.unwrap();
    }
}

pub(crate) async fn entries_come_in_order_of_their_keys(subject: &impl Subject) {
    let live = subject.live();
    assert!(live.entries(SLOT).await.unwrap().is_empty());
    for key in ["b", "c", "a"] {
        let put = live.put_entry(SLOT, key, None, value("1"), None);
        put.await.unwrap();
    }
    let put = live.put_entry("others", "d", None, value("1"), None);
    put.await.unwrap();
    let found = live.entries(SLOT).await.unwrap();
    let keys: Vec<_> = found.iter().map(|(key, _, _)| key.as_str()).collect();
    assert_eq!(keys, ["a", "b", "c"]);
}

pub(crate) async fn entries_expire(subject: &impl Subject) {
    let live = subject.live();
    let put =
        |key, expected, expires_ms| live.put_entry(SLOT, key, expected, value("1"), expires_ms);
    let lease_ms = i64::from(subject.lease_ms());
    let expires_ms = live.now_ms() + lease_ms;
    let gone = put("gone", None, Some(expires_ms)).await.unwrap();
    put("ever", None, None).await.unwrap();
    let kept = put("kept", None, Some(expires_ms + 1_000_000)).await.unwrap();
    put("kept", Some(kept), None).await.unwrap();
    let keys = |entries: Vec<(String, Version, Bytes)>| -> Vec<String> {
        entries.into_iter().map(|(key, _, _)| key).collect()
    };
    loop {
        let before_ms = live.now_ms();
        let found = keys(live.entries(SLOT).await.unwrap());
        if found == ["ever", "kept"] {
            assert!(live.now_ms() >= expires_ms, "gone too early");
            break;
        }
        assert_eq!(found, ["ever", "gone", "kept"]);
        assert!(before_ms < expires_ms, "there too long");
        subject.pass_ms(1).await;
    }
    assert_eq!(live.entry(SLOT, "gone").await.unwrap(), None);
    assert_eq!(
        put("gone", Some(gone), None).await,
        Err(LiveError::EntryConflict { version: None })
    );
    put("gone", None, None).await.unwrap();
    subject.pass_ms(subject.lease_ms()).await;
    let found = live.entries(SLOT).await.unwrap();
    assert_eq!(keys(found), ["ever", "gone", "kept"]);
}

pub(crate) async fn an_expired_entry_makes_room(subject: &impl Subject) {
    let live = subject.live();
    let most = subject.entries_per_slot();
    let expires_ms = Some(live.now_ms() + i64::from(subject.lease_ms()));
    for n in 0..most {
        let key = format!("short {n}");
        live.put_entry(SLOT, &key, None, value("1"), expires_ms).await.unwrap();
    }
    subject.pass_ms(subject.lease_ms()).await;
    for n in 0..most {
        let key = format!("long {n}");
        live.put_entry(SLOT, &key, None, value("1"), None).await.unwrap();
    }
    let refused = live.put_entry(SLOT, "more", None, value("1"), None).await;
    assert_eq!(refused, Err(LiveError::Full("entries in this slot")));
    assert_eq!(live.entries(SLOT).await.unwrap().len(), most);
}
