//! Records: compare-and-set, the log, how long it stays.

use tengen_live::{Commit, Head, LiveError, Outgoing, Record, Relabel};

use super::{Subject, commit, create, entry, head, id};

// fault: F3
pub(crate) async fn creating_twice_conflicts(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(1), create(2)).await.unwrap();
    let refused = live.commit(&id(1), create(1)).await;
    let there = Some(head(2));
    assert_eq!(refused, Err(LiveError::Conflict { head: there }));
    assert_eq!(live.head(&id(1)).await.unwrap(), there);
}

pub(crate) async fn of_two_racing_commits_one_wins(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(1), create(1)).await.unwrap();
    let racers: Vec<_> = (0..8)
        .map(|_| {
            let live = subject.live();
            tokio::spawn(async move { live.commit(&id(1), commit(head(1), 1)).await })
        })
        .collect();
    let mut won = 0;
    for racer in racers {
        match racer.await.unwrap() {
            Ok(()) => won += 1,
            Err(refused) => assert_eq!(refused, LiveError::Conflict { head: Some(head(2)) }),
        }
    }
    assert_eq!(won, 1);
    assert_eq!(live.log_after(&id(1), 0).await.unwrap(), [entry(1), entry(2)]);
}

pub(crate) async fn entries_are_numbered(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(1), create(2)).await.unwrap();
    live.commit(&id(1), commit(head(2), 3)).await.unwrap();
    let expected = Record { head: head(5), log: (1..=5).map(entry).collect() };
    assert_eq!(live.load(&id(1)).await.unwrap(), Some(expected));
    for (after, first) in [(-1, 1), (0, 1), (1, 2), (4, 5), (5, 6), (i64::MAX, 6)] {
        let expected: Vec<_> = (first..=5).map(entry).collect();
        let found = live.log_after(&id(1), after).await.unwrap();
        assert_eq!(found, expected, "after {after}");
    }
}

pub(crate) async fn what_was_never_made_is_not_there(subject: &impl Subject) {
    let live = subject.live();
    for missing in [id(1), "no id".to_owned()] {
        assert_eq!(live.load(&missing).await.unwrap(), None);
        assert_eq!(live.head(&missing).await.unwrap(), None);
        assert!(live.log_after(&missing, 0).await.unwrap().is_empty());
    }
    let refused = live.commit(&id(1), commit(head(1), 1)).await;
    assert_eq!(refused, Err(LiveError::Conflict { head: None }));
    let not_an_id = LiveError::NotAnId("no id".to_owned());
    assert_eq!(live.commit("no id", create(1)).await, Err(not_an_id.clone()));
    assert_eq!(live.subscribe("no id").await.err(), Some(not_an_id));
}

pub(crate) async fn a_contradictory_commit_is_refused(subject: &impl Subject) {
    let live = subject.live();
    let mut skips = create(1);
    skips.head = head(2);
    let mut moves_without_entry = commit(head(1), 1);
    moves_without_entry.entries.clear();
    let mut creates_nothing = create(1);
    creates_nothing.entries.clear();
    let mut sends_for_another = create(1);
    sends_for_another.outbox = Some(Outgoing { id: id(2), body: entry(1) });
    for bad in [skips, moves_without_entry, creates_nothing, sends_for_another] {
        let refused = live.commit(&id(1), bad.clone()).await;
        assert!(matches!(refused, Err(LiveError::BadCommit(_))), "{bad:?}: {refused:?}");
    }
    assert_eq!(live.head(&id(1)).await.unwrap(), None);
}

/// A rewind leaves the same number with another hash: nobody goes on from the lost history.
// fault: F5
pub(crate) async fn a_head_of_another_history_conflicts(subject: &impl Subject) {
    let live = subject.live();
    live.commit(&id(1), create(3)).await.unwrap();
    let lost = Head { sequence: 3, hash: [0xff; 16] };
    let refused = live.commit(&id(1), commit(lost, 1)).await;
    let there = Some(head(3));
    assert_eq!(refused, Err(LiveError::Conflict { head: there }));
}

pub(crate) async fn a_refused_commit_changes_nothing(subject: &impl Subject) {
    let live = subject.live();
    let mut first = create(2);
    first.next_due_ms = Some(live.now_ms());
    live.commit(&id(1), first).await.unwrap();
    let mut late = commit(head(1), 1);
    late.next_due_ms = None;
    late.ended = true;
    late.outbox = Some(Outgoing { id: format!("{}:1", id(1)), body: entry(1) });
    live.commit(&id(1), late).await.unwrap_err();
    let record = live.load(&id(1)).await.unwrap().unwrap();
    assert_eq!(record.log, [entry(1), entry(2)]);
    assert!(live.outbox_take(1).await.unwrap().is_empty());
    assert_eq!(live.claim_due(1_000, 1).await.unwrap().len(), 1);
}

/// Late retries find their answer for a while after the result was taken.
pub(crate) async fn ended_records_stay_and_then_go(subject: &impl Subject) {
    let live = subject.live();
    let message = format!("{}:1", id(1));
    live.commit(&id(1), create(1)).await.unwrap();
    let mut last = commit(head(1), 1);
    last.ended = true;
    last.next_due_ms = Some(live.now_ms() + 1);
    last.outbox = Some(Outgoing { id: message.clone(), body: entry(2) });
    live.commit(&id(1), last).await.unwrap();

    // Nothing was acknowledged for long: the record is still there.
    subject.pass_ms(2 * subject.keep_ended_ms()).await;
    assert_eq!(live.head(&id(1)).await.unwrap(), Some(head(2)));
    let keep_ms = i64::from(subject.keep_ended_ms());
    let until_ms = live.now_ms() + keep_ms;
    live.outbox_acknowledge(&[message]).await.unwrap();
    // The clock may be a little behind what a store goes by.
    let late_ms = live.now_ms() + keep_ms + 10;
    loop {
        let before_ms = live.now_ms();
        let Some(record) = live.load(&id(1)).await.unwrap() else { break };
        assert_eq!(record.head, head(2));
        assert!(before_ms < late_ms, "there too long");
        subject.pass_ms(subject.keep_ended_ms() / 10).await;
    }
    assert!(live.now_ms() >= until_ms, "gone too early");
    subject.pass_ms(1).await;

    // It has taken along what was due.
    assert_eq!(live.claim_due(1_000, 1).await.unwrap(), []);
}

pub(crate) async fn a_record_that_goes_on_after_its_end_stays(subject: &impl Subject) {
    let live = subject.live();
    let mut ended = create(1);
    ended.ended = true;
    live.commit(&id(1), ended).await.unwrap();
    live.commit(&id(1), commit(head(1), 1)).await.unwrap();
    subject.pass_ms(2 * subject.keep_ended_ms()).await;
    assert_eq!(live.head(&id(1)).await.unwrap(), Some(head(2)));
}

pub(crate) async fn records_are_counted_by_label(subject: &impl Subject) {
    let live = subject.live();
    let labels = async || -> Vec<(String, i64)> {
        let labels = live.labels().await.unwrap().into_iter();
        labels.filter(|(_, records)| *records != 0).collect()
    };
    let counted = |labels: &[(&str, i64)]| -> Vec<(String, i64)> {
        labels.iter().map(|(label, records)| ((*label).to_owned(), *records)).collect()
    };
    assert_eq!(labels().await, []);
    // In three partitions.
    for n in 1..4 {
        let relabel = Relabel { from: "", to: "open" };
        live.commit(&id(n), Commit { relabel, ..create(1) }).await.unwrap();
    }
    assert_eq!(labels().await, counted(&[("open", 3)]));
    live.commit(&id(1), commit(head(1), 1)).await.unwrap();
    let relabel = Relabel { from: "open", to: "held" };
    live.commit(&id(2), Commit { relabel, ..commit(head(1), 1) }).await.unwrap();
    let outbox = Some(Outgoing { id: id(3), body: "over".into() });
    let relabel = Relabel { from: "open", to: "" };
    let end = Commit { relabel, outbox, ended: true, ..commit(head(1), 1) };
    live.commit(&id(3), end.clone()).await.unwrap();
    // What is refused counts nothing.
    assert!(live.commit(&id(3), end).await.is_err());
    assert_eq!(labels().await, counted(&[("held", 1), ("open", 1)]));
}
