//! Rows as the domain has them, and the words that the columns hold.

use sqlx::Row;
use sqlx::any::AnyRow;
use tengen_ladder::{Counted, Ladder, Side};

use super::{Account, Counts, Entry, Fee, Kind, Place};
use crate::error::StoreError;

const COUNTED: [(Counted, &str); 6] = [
    (Counted::Win, "WIN"),
    (Counted::Loss, "LOSS"),
    (Counted::Draw, "DRAW"),
    (Counted::Escape, "ESCAPE"),
    (Counted::DisconnectLoss, "DISCONNECT_LOSS"),
    (Counted::Nothing, "NOTHING"),
];
const KINDS: [(Kind, &str); 3] = [
    (Kind::Result, "RESULT"),
    (Kind::Compensation, "COMPENSATION"),
    (Kind::Correction, "CORRECTION"),
];
const SEATS: [(Side, &str); 2] = [(Side::Black, "BLACK"), (Side::White, "WHITE")];

pub(super) fn counted_word(counted: Counted) -> &'static str {
    word(&COUNTED, counted)
}

pub(super) fn kind_word(kind: Kind) -> &'static str {
    word(&KINDS, kind)
}

pub(super) fn seat_word(seat: Side) -> &'static str {
    word(&SEATS, seat)
}

/// What one seat of a booked result counted as.
pub(crate) fn counted(row: &AnyRow, column: &str) -> Result<Counted, sqlx::Error> {
    meaning(&COUNTED, row, column)
}

pub(super) fn account(row: &AnyRow, ladder: &Ladder) -> Result<Account, StoreError> {
    let standing = ladder.standing(row.try_get("level")?, row.try_get("points")?)?;
    let counts = Counts {
        won: row.try_get("won")?,
        lost: row.try_get("lost")?,
        drawn: row.try_get("drawn")?,
        escaped: row.try_get("escaped")?,
        disconnected: row.try_get("disconnected")?,
    };
    Ok(Account {
        standing,
        counts,
        fee_balance: row.try_get("fee_balance")?,
        entries: row.try_get("entries")?,
        fees: row.try_get("fees")?,
    })
}

pub(crate) fn entry(row: &AnyRow) -> Result<Entry, sqlx::Error> {
    let place = |level, points, total| {
        Ok::<_, sqlx::Error>(Place {
            level: row.try_get(level)?,
            points: row.try_get(points)?,
            total: row.try_get(total)?,
        })
    };
    Ok(Entry {
        entry_id: row.try_get("entry_id")?,
        player_id: row.try_get("player_id")?,
        game_id: row.try_get("game_id")?,
        seat: meaning(&SEATS, row, "seat")?,
        kind: meaning(&KINDS, row, "kind")?,
        result_version: row.try_get("result_version")?,
        reason: row.try_get("reason")?,
        counted: counted(row, "counted")?,
        stake: row.try_get("stake")?,
        nominal: row.try_get("nominal")?,
        applied: row.try_get("applied")?,
        before: place("level_before", "points_before", "total_before")?,
        after: place("level_after", "points_after", "total_after")?,
        opponent_id: row.try_get("opponent_id")?,
        at_ms: row.try_get("at_ms")?,
    })
}

pub(super) fn fee(row: &AnyRow) -> Result<Fee, sqlx::Error> {
    Ok(Fee {
        fee_id: row.try_get("fee_id")?,
        game_id: row.try_get("game_id")?,
        amount: row.try_get("amount")?,
        balance: row.try_get("balance")?,
        at_ms: row.try_get("at_ms")?,
        tier: row.try_get("tier")?,
    })
}

fn word<T: PartialEq>(words: &[(T, &'static str)], meaning: T) -> &'static str {
    words.iter().find(|(value, _)| *value == meaning).map_or("", |(_, word)| word)
}

fn meaning<T: Copy>(
    words: &[(T, &'static str)],
    row: &AnyRow,
    column: &str,
) -> Result<T, sqlx::Error> {
    let found: String = row.try_get(column)?;
    let known = words.iter().find(|(_, word)| *word == found);
    known
        .map(|(value, _)| *value)
        .ok_or_else(|| sqlx::Error::Decode(format!("{column}: {found:?} is no word of it").into()))
}
