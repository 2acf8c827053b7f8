//! Who was away, against the record: what game was told is in it, and nobody lost by absence but on
//! an answer that he was still gone, given after his time was over.

use tengen_proto::game::v1::EndReason;

use super::stand::Story;
use super::walk::side;
use crate::book::Book;

/// Checks a game; what is wrong goes to `find`.
// rulebook: L11
// fault: F11 F14
pub fn check(book: &Book, game_id: &str, story: &Story, find: &mut dyn FnMut(String)) {
    let walk = &story.end;
    // A word that comes while a game is being made is told again by session.
    let made = book.games.get(game_id).and_then(|page| page.commits.first());
    let opened_ms = made.map_or(i64::MAX, |commit| commit.at_ms);
    for told in &book.presence.told {
        let seat = walk.players.iter().position(|id| *id == told.player_id);
        let Some(seat) = seat.filter(|_| opened_ms < told.sent_ms) else { continue };
        let over = walk.end.is_some() && walk.at_ms <= told.at_ms;
        if !over && walk.numbers[seat] < told.number {
            find(format!("{told:?} was heard, and the last word is {}", walk.numbers[seat]));
        }
    }
    let Some(end) = &walk.end else { return };
    let losers = match end.reason() {
        EndReason::Disconnected => side(end.winner).map(|winner| 1 - winner).into_iter().collect(),
        EndReason::BothGone => vec![0, 1],
        _ => return,
    };
    let committed_ms = book
        .games
        .get(game_id)
        .and_then(|page| page.commits.iter().rfind(|c| c.commit.ended))
        .map(|c| c.at_ms);
    let before = story.stands.iter().rev().nth(1);
    for loser in losers {
        let (deadline_ms, last_ms) =
            (before.and_then(|stand| stand.deadlines_ms[loser]), committed_ms);
        let (Some(deadline_ms), Some(last_ms)) = (deadline_ms, last_ms) else {
            find(format!("{loser} lost by absence without having been away"));
            continue;
        };
        let fresh = |(id, at_ms): &&(String, i64)| {
            *id == walk.players[loser] && *at_ms > deadline_ms && *at_ms <= last_ms
        };
        if !book.presence.still_gone.iter().any(|answer| fresh(&answer)) {
            find(format!("nobody said after {deadline_ms} that {loser} was still gone"));
        }
    }
}
