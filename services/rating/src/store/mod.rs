//! The ledger and what follows from it. SQL that SQLite and Postgres read alike.

mod board;
mod book;
mod notices;
pub(crate) mod rows;

use std::sync::Arc;

use sqlx::{AnyPool, Row};
use tengen_kit::sql;
use tengen_kit::time::SharedTime;
use tengen_ladder::{Counted, Ladder, Side, Standing, Terms};
use tokio::sync::watch;

pub(crate) use self::board::{BoardKey, BoardPage, Ranked};
use crate::config::{Config, Fees};
use crate::error::StoreError;

const ACCOUNT: &str = "select * from standings where player_id = $1";
const ENTRIES_OF_PLAYER: &str = "select * from ledger where player_id = $1 and entry_id < $2
    order by entry_id desc limit $3";
/// In the order they were booked: kinds and seats are so in the order of their words.
const ENTRIES_OF_GAME: &str =
    "select * from ledger where game_id = $1 order by result_version, kind, seat";
const FEES_OF_PLAYER: &str = include_str!("sql/fees_of_player.sql");
const RATED: &str = "select rated from results where game_id = $1 limit 1";

/// One version of a game's result, as it is booked.
#[derive(Debug, Clone)]
pub(crate) struct GameEnd {
    /// What it is acknowledged by.
    pub(crate) result_id: String,
    pub(crate) game_id: String,
    /// 1 for the first; each correction counts on.
    pub(crate) version: i64,
    /// Black, White.
    pub(crate) players: [String; 2],
    pub(crate) rated: bool,
    /// Why the game ended, by its name in the contract: `RESIGNATION`.
    pub(crate) reason: String,
    /// What that means for Black and for White.
    pub(crate) terms: [Terms; 2],
    /// The tiers of experience that Black and White sat down with (rulebook L10).
    pub(crate) tiers: [i64; 2],
    pub(crate) ended_at_ms: i64,
}

/// A player's row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Account {
    pub(crate) standing: Standing,
    pub(crate) counts: Counts,
    pub(crate) fee_balance: i64,
    /// The number of the player's last ledger row.
    pub(crate) entries: i64,
    /// The number of the player's last fee.
    pub(crate) fees: i64,
}

/// Games counted (rulebook, Ends).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) won: i64,
    pub(crate) lost: i64,
    pub(crate) drawn: i64,
    pub(crate) escaped: i64,
    pub(crate) disconnected: i64,
}

/// Where a player stood, as a ledger row keeps it, whatever the ladder is by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) level: i64,
    pub(crate) points: i64,
    pub(crate) total: i64,
}

/// What kind of change a ledger row is (rulebook L14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The first result of a game.
    Result,
    /// Takes back what the version before applied.
    Compensation,
    /// Books the new version at the level of today.
    Correction,
}

/// A ledger row.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The player's first is 1.
    pub(crate) entry_id: i64,
    pub(crate) player_id: String,
    pub(crate) game_id: String,
    pub(crate) seat: Side,
    pub(crate) kind: Kind,
    pub(crate) result_version: i64,
    pub(crate) reason: String,
    /// What it counted as; of a compensation, what is counted no more.
    pub(crate) counted: Counted,
    pub(crate) stake: i64,
    pub(crate) nominal: i64,
    pub(crate) applied: i64,
    pub(crate) before: Place,
    pub(crate) after: Place,
    pub(crate) opponent_id: String,
    pub(crate) at_ms: i64,
}

/// A game fee paid, or reversed with a negative amount (rulebook L12).
#[derive(Debug, Clone)]
pub(crate) struct Fee {
    pub(crate) fee_id: i64,
    pub(crate) game_id: String,
    pub(crate) amount: i64,
    pub(crate) balance: i64,
    pub(crate) at_ms: i64,
    /// The tier that it was paid by; 0 for the fee that is set (rulebook L10).
    pub(crate) tier: i64,
}

/// What a result changed for a seat.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved {
    pub(crate) seat: Side,
    pub(crate) applied: i64,
    pub(crate) before: Place,
    pub(crate) after: Place,
}

/// Which rows of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    /// So many at most.
    pub(crate) size: i64,
    /// Only rows with a smaller id.
    pub(crate) before: i64,
}

/// The database of the ledger. Clones share it.
#[derive(Clone)]
pub(crate) struct Store {
    pool: AnyPool,
    ladder: Arc<Ladder>,
    fees: Fees,
    /// Rated games of one pair that move points within a day; 0 for any number.
    pair_cap: i64,
    time: SharedTime,
    /// How many bookings this process has made: whoever acts on them waits for a change.
    booked: watch::Sender<u64>,
}

impl Entry {
    /// Whether points would have moved, had the pair not played so many games: a win or a loss
    /// moves some always.
    pub(crate) fn is_pair_capped(&self) -> bool {
        let moves = !matches!(self.counted, Counted::Draw | Counted::Nothing);
        moves && self.nominal == 0 && self.kind != Kind::Compensation
    }
}

impl From<Entry> for Moved {
    fn from(Entry { seat, applied, before, after, .. }: Entry) -> Self {
        Self { seat, applied, before, after }
    }
}

impl Place {
    /// Where a standing is.
    pub(crate) fn of(ladder: &Ladder, standing: Standing) -> Self {
        Self {
            level: standing.level.index().into(),
            points: standing.points,
            total: ladder.total(standing),
        }
    }
}

impl Store {
    pub(crate) fn new(
        pool: AnyPool,
        ladder: Arc<Ladder>,
        config: &Config,
        time: SharedTime,
    ) -> Self {
        let (fees, pair_cap) = (config.fees(), config.pair_cap);
        Self { pool, ladder, fees, pair_cap, time, booked: watch::Sender::new(0) }
    }

    /// Tells of bookings that this process makes.
    pub(crate) fn booked(&self) -> watch::Receiver<u64> {
        self.booked.subscribe()
    }

    /// How many bookings are worth having under way at once.
    pub(crate) fn writers(&self) -> usize {
        sql::writers(&self.pool)
    }

    pub(crate) fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// A player; one who has not played yet stands at the start (rulebook L2).
    pub(crate) async fn account(&self, player_id: &str) -> Result<Account, StoreError> {
        let row = sqlx::query(ACCOUNT).bind(player_id).fetch_optional(&self.pool).await?;
        match row {
            Some(row) => rows::account(&row, &self.ladder),
            None => Ok(Account {
                standing: self.ladder.start(),
                counts: Counts::default(),
                fee_balance: 0,
                entries: 0,
                fees: 0,
            }),
        }
    }

    /// A page of a player's ledger rows, the newest first, and the id to go on before.
    pub(crate) async fn entries(
        &self,
        player_id: &str,
        page: Page,
    ) -> Result<(Vec<Entry>, Option<i64>), StoreError> {
        let query =
            sqlx::query(ENTRIES_OF_PLAYER).bind(player_id).bind(page.before).bind(page.size + 1);
        let rows = query.fetch_all(&self.pool).await?;
        let entries = rows.iter().map(rows::entry).collect::<Result<_, _>>()?;
        Ok(cut(entries, page.size, |entry: &Entry| entry.entry_id))
    }

    /// A page of a player's fees, the newest first, and the id to go on before.
    pub(crate) async fn fees(
        &self,
        player_id: &str,
        page: Page,
    ) -> Result<(Vec<Fee>, Option<i64>), StoreError> {
        let query =
            sqlx::query(FEES_OF_PLAYER).bind(player_id).bind(page.before).bind(page.size + 1);
        let rows = query.fetch_all(&self.pool).await?;
        let fees = rows.iter().map(rows::fee).collect::<Result<_, _>>()?;
        Ok(cut(fees, page.size, |fee: &Fee| fee.fee_id))
    }

    /// Whether a game is rated, and all its ledger rows, the oldest first; `None` until its
    /// result is booked.
    pub(crate) async fn result(
        &self,
        game_id: &str,
    ) -> Result<Option<(bool, Vec<Entry>)>, StoreError> {
        let Some(row) = sqlx::query(RATED).bind(game_id).fetch_optional(&self.pool).await? else {
            return Ok(None);
        };
        let rated: i64 = row.try_get("rated")?;
        let rows = sqlx::query(ENTRIES_OF_GAME).bind(game_id).fetch_all(&self.pool).await?;
        let entries = rows.iter().map(rows::entry).collect::<Result<_, _>>()?;
        Ok(Some((rated != 0, entries)))
    }
}

/// One row more than the page was asked for: it says that there is more, and is not sent.
fn cut<T, K>(mut rows: Vec<T>, size: i64, key: impl Fn(&T) -> K) -> (Vec<T>, Option<K>) {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if rows.len() <= size {
        return (rows, None);
    }
    rows.truncate(size);
    let next = rows.last().map(key);
    (rows, next)
}
