//! The leaderboard: pages in order, ranks from counts, and the counts themselves.

use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};
use tengen_kit::sql;

use super::{Place, Store};
use crate::error::StoreError;

const COUNT_ABOVE: &str = include_str!("sql/count_above.sql");
const FOLD_DELTAS: &str = include_str!("sql/fold_deltas.sql");
const FOLDED: &str = "delete from board_deltas";
const FIRST_DELTA: &str = "select 1 from board_deltas limit 1";
const PLACE_OF: &str =
    "select player_id, level, points from standings where player_id = $1 and entries > 0";
// Equals and the rest are read apart: each is a range of the index, however many there are of either.
const EQUALS_AFTER: &str = "select player_id, level, points from standings
    where entries > 0 and level = $1 and points = $2 and player_id > $3
    order by player_id limit $4";
const EQUALS_BEFORE: &str = "select player_id, level, points from standings
    where entries > 0 and level = $1 and points = $2 and player_id < $3
    order by player_id desc limit $4";
const BELOW: &str = "select player_id, level, points from standings
    where entries > 0 and (level, points) < ($1, $2)
    order by level desc, points desc, player_id limit $3";
const ABOVE: &str = "select player_id, level, points from standings
    where entries > 0 and (level, points) > ($1, $2)
    order by level, points, player_id desc limit $3";

/// Where a player stands on the board: what a page goes on behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoardKey {
    pub(crate) level: i64,
    pub(crate) points: i64,
    pub(crate) player_id: String,
}

/// A player with the rank: 1 more than there are players with a higher total.
#[derive(Debug, Clone)]
pub(crate) struct Ranked {
    pub(crate) rank: i64,
    pub(crate) player_id: String,
    pub(crate) place: Place,
}

/// A page of the board, and where the next goes on.
pub(crate) type BoardPage = (Vec<Ranked>, Option<BoardKey>);

impl BoardKey {
    /// Ahead of everybody.
    pub(crate) fn top() -> Self {
        Self { level: i64::MAX, points: 0, player_id: String::new() }
    }

    fn is_equal(&self, other: &Self) -> bool {
        (self.level, self.points) == (other.level, other.points)
    }
}

impl Store {
    /// At most `size` players behind a place, read from one snapshot.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn board(&self, after: &BoardKey, size: i64) -> Result<BoardPage, StoreError> {
        let mut snapshot = sql::begin_snapshot(&self.pool).await?;
        let keys = after_place(&mut snapshot, after, size.saturating_add(1)).await?;
        self.ranked(snapshot, keys, size).await
    }

    /// The page with a player in the middle, read from one snapshot; `None` for one who has not
    /// played a rated game.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn board_around(
        &self,
        player_id: &str,
        size: i64,
    ) -> Result<Option<BoardPage>, StoreError> {
        let mut snapshot = sql::begin_snapshot(&self.pool).await?;
        let row = sqlx::query(PLACE_OF).bind(player_id).fetch_optional(&mut *snapshot).await?;
        let Some(row) = row else { return Ok(None) };
        let own = key(&row)?;
        let mut keys = before_place(&mut snapshot, &own, (size - 1) / 2).await?;
        keys.reverse();
        // One more than the page holds: it says that there are more.
        let left = size.saturating_sub(i64::try_from(keys.len()).unwrap_or(size));
        let after = after_place(&mut snapshot, &own, left).await?;
        keys.push(own);
        keys.extend(after);
        self.ranked(snapshot, keys, size).await.map(Some)
    }

    /// Folds what bookings have moved into the counts; two that do it at once do no harm.
    ///
    /// # Errors
    /// When the database fails, or somebody else was folding.
    pub(crate) async fn fold_board(&self) -> Result<(), StoreError> {
        if sqlx::query(FIRST_DELTA).fetch_optional(&self.pool).await?.is_none() {
            return Ok(());
        }
        // What is counted is what is deleted: both statements see the same rows.
        let mut snapshot = sql::begin_snapshot(&self.pool).await?;
        sqlx::query(FOLD_DELTAS).execute(&mut *snapshot).await?;
        sqlx::query(FOLDED).execute(&mut *snapshot).await?;
        Ok(snapshot.commit().await?)
    }

    /// Cuts a list of places that follow one another to a page, and ranks it: two counts at most.
    async fn ranked(
        &self,
        mut snapshot: Transaction<'static, Any>,
        keys: Vec<BoardKey>,
        size: i64,
    ) -> Result<BoardPage, StoreError> {
        let (keys, next) = super::cut(keys, size, BoardKey::clone);
        let mut page: Vec<Ranked> = Vec::with_capacity(keys.len());
        // The first of the page whose equals are all on it, or after it: its rank is its position.
        let mut known: Option<(usize, i64)> = None;
        for (at, key) in keys.iter().enumerate() {
            let rank = match (at.checked_sub(1), known) {
                (Some(before), _) if keys[before].is_equal(key) => page[before].rank,
                (_, Some((first, rank))) => {
                    rank.saturating_add(i64::try_from(at - first).unwrap_or(i64::MAX))
                }
                (before, None) => {
                    let rank = above(&mut snapshot, key).await?.saturating_add(1);
                    known = before.map(|_| (at, rank));
                    rank
                }
            };
            let standing = self.ladder.standing(key.level, key.points)?;
            let place = Place::of(&self.ladder, standing);
            page.push(Ranked { rank, player_id: key.player_id.clone(), place });
        }
        snapshot.commit().await?;
        Ok((page, next))
    }
}

/// At most `most` players behind a place, in the board's order.
async fn after_place(
    snapshot: &mut Transaction<'static, Any>,
    place: &BoardKey,
    most: i64,
) -> Result<Vec<BoardKey>, sqlx::Error> {
    neighbours(snapshot, [EQUALS_AFTER, BELOW], place, most).await
}

/// At most `most` players ahead of a place, the nearest first.
async fn before_place(
    snapshot: &mut Transaction<'static, Any>,
    place: &BoardKey,
    most: i64,
) -> Result<Vec<BoardKey>, sqlx::Error> {
    neighbours(snapshot, [EQUALS_BEFORE, ABOVE], place, most).await
}

async fn neighbours(
    snapshot: &mut Transaction<'static, Any>,
    [equals, others]: [&'static str; 2],
    place: &BoardKey,
    most: i64,
) -> Result<Vec<BoardKey>, sqlx::Error> {
    let query = sqlx::query(equals).bind(place.level).bind(place.points).bind(&place.player_id);
    let rows = query.bind(most).fetch_all(&mut **snapshot).await?;
    let mut found = rows.iter().map(key).collect::<Result<Vec<_>, _>>()?;
    let left = most.saturating_sub(i64::try_from(found.len()).unwrap_or(most));
    if left > 0 {
        let query = sqlx::query(others).bind(place.level).bind(place.points).bind(left);
        let rows = query.fetch_all(&mut **snapshot).await?;
        found.extend(rows.iter().map(key).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(found)
}

async fn above(
    snapshot: &mut Transaction<'static, Any>,
    key: &BoardKey,
) -> Result<i64, sqlx::Error> {
    let query = sqlx::query(COUNT_ABOVE).bind(key.level).bind(key.points);
    query.fetch_one(&mut **snapshot).await?.try_get("above")
}

fn key(row: &AnyRow) -> Result<BoardKey, sqlx::Error> {
    Ok(BoardKey {
        level: row.try_get("level")?,
        points: row.try_get("points")?,
        player_id: row.try_get("player_id")?,
    })
}
