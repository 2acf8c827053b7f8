//! The archive of finished games, read beside the ledger.

use std::pin::Pin;

use futures_util::{Stream, TryStreamExt};
use sqlx::any::AnyRow;
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::game::Game;
use crate::convert::{self, Archived};

const GAMES: &str = "select game_id, black_id, white_id, log from archive order by game_id";

type Rows<'a> = Pin<Box<dyn Stream<Item = Result<AnyRow, sqlx::Error>> + Send + 'a>>;

/// Archived games in the order of their ids' bytes, with the next one at hand.
pub(super) struct Archive<'a> {
    rows: Rows<'a>,
    next: Option<AnyRow>,
    games: i64,
}

impl<'a> Archive<'a> {
    pub(super) async fn open(
        snapshot: &'a mut Transaction<'static, Any>,
        bytewise: &str,
    ) -> Result<Self, sqlx::Error> {
        let text = format!("{GAMES} {bytewise}");
        let rows: Rows<'a> = sqlx::query(AssertSqlSafe(text)).fetch(&mut **snapshot);
        let mut archive = Self { rows, next: None, games: 0 };
        archive.advance().await?;
        Ok(archive)
    }

    /// Whether a game of the ledger is archived; names what differs, and the archived games before
    /// it, which the ledger lacks.
    pub(super) async fn check(
        &mut self,
        game: &Game,
        find: &mut (dyn FnMut(String) + Send),
    ) -> Result<bool, sqlx::Error> {
        while let Some(row) = &self.next {
            let game_id: &str = row.try_get("game_id")?;
            if game_id > game.id.as_str() {
                return Ok(false);
            }
            let found = game_id == game.id;
            if found {
                compare(row, game, find)?;
            } else {
                missing(game_id, find);
            }
            self.advance().await?;
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Names what is left, which the ledger lacks; gives how many games there are in all.
    pub(super) async fn rest(
        &mut self,
        find: &mut (dyn FnMut(String) + Send),
    ) -> Result<i64, sqlx::Error> {
        while let Some(row) = &self.next {
            missing(row.try_get("game_id")?, find);
            self.advance().await?;
        }
        Ok(self.games)
    }

    async fn advance(&mut self) -> Result<(), sqlx::Error> {
        self.next = self.rows.try_next().await?;
        self.games += i64::from(self.next.is_some());
        Ok(())
    }
}

fn missing(game_id: &str, find: &mut (dyn FnMut(String) + Send)) {
    find(format!("archive: game {game_id} is archived, but not booked"));
}

fn compare(
    row: &AnyRow,
    game: &Game,
    find: &mut (dyn FnMut(String) + Send),
) -> Result<(), sqlx::Error> {
    let told: [String; 2] = [row.try_get("black_id")?, row.try_get("white_id")?];
    let log: Vec<u8> = row.try_get("log")?;
    match convert::archived(&log) {
        Ok(Archived { players, tiers, rated }) => {
            if game.who() != Some((&players, rated)) || players != told {
                find(format!("archive: game {} has other players or another rating", game.id));
            }
            if game.tiers() != tiers {
                find(format!("archive: game {} has other tiers of experience", game.id));
            }
        }
        Err(what) => find(format!("archive: game {} cannot be read: {what}", game.id)),
    }
    Ok(())
}
