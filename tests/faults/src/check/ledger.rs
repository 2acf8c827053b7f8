//! (c) The ledger: two rows a rated game, and each balance the sum of its rows.

use std::collections::BTreeMap;

use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::RatingState;
use tengen_proto::rating::v1::{
    EntryKind, GetPlayerRequest, GetResultRatingRequest, GetResultRatingResponse, LedgerEntry,
    ListLedgerRequest,
};

use super::Wrong;
use super::record::Record;
use crate::story::Begun;
use crate::ways::{PATIENCE_MS, Ways};

pub(super) async fn check(ratings: &Ways, games: &[Begun], records: &[Record], wrong: &mut Wrong) {
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    for (begun, record) in games.iter().zip(records) {
        if !record.game.settings.as_ref().is_some_and(|settings| settings.rated) {
            continue;
        }
        let version = record.game.result.as_ref().map_or(0, |result| result.version);
        let booked = booked(ratings, &begun.id, version).await;
        if let Err(what) = pairs(&booked.entries, begun, version) {
            wrong.push(format!("{}: {what}: {:?}", begun.id, booked.entries));
        }
        for entry in &booked.entries {
            if let Some(player) = begun.players.iter().find(|id| **id == entry.player_id) {
                *rows.entry(player).or_default() += 1;
            }
        }
    }
    for (player_id, rows) in rows {
        if let Err(what) = balanced(ratings, player_id, rows).await {
            wrong.push(format!("{player_id}: {what}"));
        }
    }
}

/// What a game changed, once this version of its result is booked.
pub async fn booked(ratings: &Ways, game_id: &str, version: i32) -> GetResultRatingResponse {
    let time = ratings.time();
    let until_ms = time.now_ms() + PATIENCE_MS;
    loop {
        let request = GetResultRatingRequest { game_id: game_id.to_owned() };
        let answer = ratings.ask(None, &request).await.answer();
        let newest = answer.entries.iter().map(|entry| entry.result_version).max();
        if answer.state() == RatingState::Applied && newest >= Some(version) {
            return answer;
        }
        assert!(time.now_ms() < until_ms, "{game_id}: never booked: {answer:?}");
        time.until(time.now_ms() + 20).await;
    }
}

/// A row for each seat; and for each version that corrects it, a row that takes back the one before
/// and one that books it anew.
fn pairs(entries: &[LedgerEntry], begun: &Begun, version: i32) -> Result<(), &'static str> {
    let mut versions: BTreeMap<(EntryKind, i32), Vec<(Colour, &str)>> = BTreeMap::new();
    for entry in entries {
        let rows = versions.entry((entry.kind(), entry.result_version)).or_default();
        rows.push((entry.seat(), &entry.player_id));
        rows.sort_by_key(|(seat, _)| *seat as i32);
    }
    let [black, white] = begun.players.each_ref().map(String::as_str);
    let seats = [(Colour::Black, black), (Colour::White, white)];
    if versions.values().any(|rows| *rows != seats) {
        return Err("not a row for each seat");
    }
    let of = |kind| -> Vec<i32> {
        versions.keys().filter(|(of, _)| *of == kind).map(|(_, version)| *version).collect()
    };
    let (first, corrected) = (of(EntryKind::Result), of(EntryKind::Correction));
    if first.len() != 1 || of(EntryKind::Compensation) != corrected {
        return Err("not one result, and a compensation for each correction");
    }
    let newest = first.iter().chain(&corrected).max();
    (newest == Some(&version)).then_some(()).ok_or("the newest version is another")
}

/// So many rows, each from where the one before ended, and the balance is what they come to.
async fn balanced(ratings: &Ways, player_id: &str, rows: usize) -> Result<(), String> {
    let mut entries = Vec::new();
    let mut page_token = String::new();
    loop {
        let request =
            ListLedgerRequest { player_id: player_id.to_owned(), page_size: 100, page_token };
        let page = ratings.ask(None, &request).await.answer();
        entries.extend(page.entries);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    entries.reverse();
    if entries.len() != rows {
        return Err(format!("{} rows, {rows} were expected", entries.len()));
    }
    let total = |entry: &LedgerEntry| {
        let totals = [&entry.before, &entry.after].map(|at| at.as_ref().map(|at| at.total));
        totals.map(|total| total.expect("a total"))
    };
    let mut balance = entries.first().map_or(0, |first| total(first)[0]);
    for entry in &entries {
        let [before, after] = total(entry);
        if (before, after) != (balance, balance + entry.applied) {
            return Err(format!("the balance is {balance} before {entry:?}"));
        }
        balance = after;
    }
    let request = GetPlayerRequest { player_id: player_id.to_owned() };
    let shown = ratings.ask(None, &request).await.answer().standing.expect("a standing");
    (shown.total == balance).then_some(()).ok_or(format!("{shown:?}, the rows say {balance}"))
}
