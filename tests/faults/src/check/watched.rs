//! (b) No sequence was skipped or repeated to a watcher, and each saw what is in the record.

use super::record::Record;
use super::{Expected, Wrong};
use crate::story::{Seen, SeenKind, Watched};

pub(super) fn check(record: &Record, watched: &Watched, expected: &Expected, wrong: &mut Wrong) {
    let id = &record.game.game_id;
    wrong.extend(watched.wrong.iter().map(|what| format!("{id}: a watcher saw {what}")));
    let loss = !expected.losses.is_empty();
    let mut last: Option<Seen> = None;
    for seen in &watched.seen {
        let next = match (last, seen.kind) {
            (None, SeenKind::Snapshot) => true,
            (Some(_), SeenKind::Rewound) => loss,
            (Some(last), SeenKind::Event) => seen.sequence == last.sequence + 1,
            _ => false,
        };
        if !next {
            wrong.push(format!("{id}: a watcher saw {seen:?} after {last:?}"));
        }
        last = Some(*seen);
    }
    // What was seen before the last rewind may be lost; nothing after it.
    let rewound = watched.seen.iter().rposition(|seen| seen.kind == SeenKind::Rewound);
    for seen in &watched.seen[rewound.unwrap_or(0)..] {
        let at = usize::try_from(seen.sequence - 1).expect("from 1 on");
        if record.hashes.get(at) != Some(&seen.hash) {
            wrong.push(format!("{id}: a watcher saw another event {}", seen.sequence));
        }
    }
    if last.is_none_or(|last| last.sequence != record.game.sequence) {
        wrong.push(format!("{id}: a watcher saw {last:?} last, not {}", record.game.sequence));
    }
}
