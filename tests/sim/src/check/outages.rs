//! Outages, reckoned from when the live state was told a beat: a silence of more than a second.

use tengen_live::{OUTAGE_MS, partition};

use crate::book::{Book, Committed};

/// What happened around a game, and when, truly.
pub struct Around {
    /// The outages, from and to.
    pub outages: Vec<(i64, i64)>,
    /// When the event of sequence `n` was committed, at `n - 1`.
    committed_ms: Vec<i64>,
}

impl Around {
    /// What is known of a game.
    pub fn of(book: &Book, game_id: &str, reckoned: bool) -> Self {
        let commits = book.games.get(game_id).map(|page| page.commits.as_slice());
        let times = |Committed { at_ms, commit }: &Committed| {
            std::iter::repeat_n(*at_ms, commit.entries.len()).collect::<Vec<_>>()
        };
        Self {
            outages: if reckoned { outages(book, game_id) } else { Vec::new() },
            committed_ms: commits.unwrap_or_default().iter().flat_map(times).collect(),
        }
    }

    /// When an event was committed.
    pub fn committed_ms(&self, sequence: i64) -> i64 {
        let index = usize::try_from(sequence - 1).unwrap_or(usize::MAX);
        self.committed_ms.get(index).copied().unwrap_or(i64::MAX)
    }
}

/// A beat ends a silence, and so does a commit that comes in it; only a beat begins one anew.
fn outages(book: &Book, game_id: &str) -> Vec<(i64, i64)> {
    let same = |id: &String| partition(id) == partition(game_id);
    let neighbours = book.games.iter().filter(|(id, _)| same(id));
    let looks = neighbours.flat_map(|(_, page)| page.looks.iter().map(|at_ms| (*at_ms, false)));
    let mut signs: Vec<_> = book.beats.iter().map(|at_ms| (*at_ms, true)).chain(looks).collect();
    signs.sort_unstable_by_key(|(at_ms, _)| *at_ms);
    let mut outages = Vec::new();
    let mut last_ms: Option<i64> = None;
    for (at_ms, beat) in signs {
        let silent = last_ms.filter(|last_ms| at_ms - last_ms > OUTAGE_MS);
        outages.extend(silent.map(|from_ms| (from_ms, at_ms)));
        if beat || silent.is_some() {
            last_ms = Some(at_ms);
        }
    }
    outages
}
