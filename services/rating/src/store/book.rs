//! Booking: one result, one transaction, once.

use sqlx::{Any, Row, Transaction};
use tengen_kit::sql;
use tengen_ladder::{Booking, Change, Counted, Side, Terms};

use super::rows::{self, counted_word, kind_word, seat_word};
use super::{Account, Counts, Entry, GameEnd, Kind, Moved, Place, Store};
use crate::error::StoreError;

const SEATS: [Side; 2] = [Side::Black, Side::White];

const INSERT_RESULT: &str = include_str!("sql/insert_result.sql");
const LOCK_PLAYERS: &str = include_str!("sql/lock_players.sql");
const INSERT_ENTRIES: &str = include_str!("sql/insert_entries.sql");
const INSERT_FEES: &str = include_str!("sql/insert_fees.sql");
const UPDATE_PLAYERS: &str = include_str!("sql/update_players.sql");
const INSERT_TIERS: &str = include_str!("sql/insert_tiers.sql");
const INSERT_NOTICES: &str = include_str!("sql/insert_notices.sql");
const RESULT: &str = "select * from results where game_id = $1 and version = $2";
const ENTRIES_IN_FORCE: &str = "select * from ledger
    where game_id = $1 and result_version = $2 and kind <> 'COMPENSATION' order by seat";
const FEES_PAID: &str = "select player_id, cast(sum(amount) as bigint) as paid from fees
    where game_id = $1 group by player_id";

/// One booking under way.
struct Book<'a> {
    store: &'a Store,
    end: &'a GameEnd,
    /// What the end means, once it is known whether points move.
    terms: [Terms; 2],
    /// What a seat without experience is paid, where it is.
    fee: i64,
    at_ms: i64,
    transaction: Transaction<'static, Any>,
}

/// What came of writing a result down.
enum Inserted {
    /// It was booked before.
    Known,
    /// It is new, and this is the newest other version of it.
    Beside(Option<i64>),
}

/// What the version before left, as Black, White.
struct Previous {
    counted: [Counted; 2],
    /// Its ledger rows, where the game is rated.
    entries: Option<[Entry; 2]>,
    /// Fees that all versions paid so far.
    paid: [i64; 2],
}

impl Store {
    /// Books one version of a result: both seats from one state before, rows of the ledger,
    /// standings, counts and fees, all or nothing. The same version again changes nothing.
    ///
    /// A later version takes back what the one before it applied and books the new end at the
    /// levels of now, for the stake of then (rulebook L14). One that comes after a later one is
    /// only written down. So in any order, and where a version is lost, the newest stands.
    ///
    /// Where the two have played as many games within a day as may move points, a rated game moves
    /// none and pays what a casual one does; it counts.
    ///
    /// Gives what this version changed, where it is rated: now, or when it was booked.
    ///
    /// # Errors
    /// When the database fails; when a version is of another game than the one it corrects.
    pub(crate) async fn book(&self, end: &GameEnd) -> Result<Vec<Moved>, StoreError> {
        let transaction = sql::begin_write(&self.pool).await?;
        let fee = if end.rated { self.fees.rated } else { self.fees.casual };
        let at_ms = self.time.now_ms();
        let mut book = Book { store: self, end, terms: end.terms, fee, at_ms, transaction };
        // Locked first, so that two versions of one game are booked one after the other.
        let mut accounts = book.lock().await?;
        let previous = match book.insert_result().await? {
            Inserted::Known => return book.booked().await,
            Inserted::Beside(Some(newest)) if newest > end.version => {
                book.transaction.commit().await?;
                return Ok(Vec::new());
            }
            Inserted::Beside(Some(before)) => Some(book.previous(before).await?),
            Inserted::Beside(None) => None,
        };
        let mut moved = Vec::new();
        if end.rated {
            let wrong = previous.as_ref().and_then(|previous| previous.entries.as_ref());
            moved = book.levels(&mut accounts, previous.is_some(), wrong).await?;
        }
        for (seat, account) in accounts.iter_mut().enumerate() {
            if let Some(previous) = &previous {
                account.counts.add(previous.counted[seat], -1);
            }
            account.counts.add(end.terms[seat].counted, 1);
        }
        book.fees(&mut accounts, previous.map_or([0; 2], |previous| previous.paid)).await?;
        book.save(&accounts).await?;
        if end.rated {
            book.notices(&accounts).await?;
        }
        book.transaction.commit().await?;
        self.booked.send_modify(|bookings| *bookings = bookings.wrapping_add(1));
        tracing::debug!(end.result_id, "booked");
        Ok(moved)
    }
}

impl Book<'_> {
    /// Writes the result down. Where the pair has had its games of the day, takes the points out of
    /// the terms: both players are locked, so no other game of theirs is booked meanwhile. Games are
    /// counted by the day back and ahead, as they may come in any order.
    async fn insert_result(&mut self) -> Result<Inserted, StoreError> {
        let [black, white] = &self.end.terms;
        let cap = self.store.pair_cap;
        let moves = self.end.rated && (black.stakes, white.stakes) != (0, 0);
        let row = sqlx::query(INSERT_RESULT)
            .bind(&self.end.game_id)
            .bind(self.end.version)
            .bind(&self.end.players[0])
            .bind(&self.end.players[1])
            .bind(i64::from(self.end.rated))
            .bind(&self.end.reason)
            .bind(counted_word(black.counted))
            .bind(counted_word(white.counted))
            .bind(self.end.ended_at_ms)
            .bind(self.at_ms)
            .bind(i64::from(moves && cap > 0))
            .fetch_optional(&mut *self.transaction)
            .await?;
        let Some(row) = row else { return Ok(Inserted::Known) };
        if moves && cap > 0 && row.try_get::<i64, _>("moving_games")? >= cap {
            self.terms = self.terms.map(|terms| Terms { stakes: 0, ..terms });
            self.fee = self.store.fees.casual;
        }
        Ok(Inserted::Beside(row.try_get("newest_other")?))
    }

    /// What this version changed when it was booked; nothing where it was only written down.
    async fn booked(&mut self) -> Result<Vec<Moved>, StoreError> {
        let rows = self.in_force(self.end.version).await?;
        Ok(rows.into_iter().map(Moved::from).collect())
    }

    /// The rows of a version, Black's first.
    async fn in_force(&mut self, version: i64) -> Result<Vec<Entry>, StoreError> {
        let query = sqlx::query(ENTRIES_IN_FORCE).bind(&self.end.game_id).bind(version);
        let rows = query.fetch_all(&mut *self.transaction).await?;
        Ok(rows.iter().map(rows::entry).collect::<Result<_, _>>()?)
    }

    async fn previous(&mut self, before: i64) -> Result<Previous, StoreError> {
        let GameEnd { game_id, version, players, rated, .. } = self.end;
        let query = sqlx::query(RESULT).bind(game_id).bind(before);
        let row = query.fetch_one(&mut *self.transaction).await?;
        let same: [String; 2] = [row.try_get("black_id")?, row.try_get("white_id")?];
        if same != *players || row.try_get::<i64, _>("rated")? != i64::from(*rated) {
            return Err(StoreError::OtherGame { version: *version });
        }
        let counted =
            [rows::counted(&row, "black_counted")?, rows::counted(&row, "white_counted")?];
        let entries = match <[Entry; 2]>::try_from(self.in_force(before).await?) {
            Ok(both) => Some(both),
            Err(none) if none.is_empty() && !rated => None,
            Err(_) => return Err(sqlx::Error::RowNotFound.into()),
        };
        let query = sqlx::query(FEES_PAID).bind(game_id);
        let mut paid = [0; 2];
        for row in query.fetch_all(&mut *self.transaction).await? {
            let player_id: String = row.try_get("player_id")?;
            paid[usize::from(player_id == players[1])] = row.try_get("paid")?;
        }
        Ok(Previous { counted, entries, paid })
    }

    /// Locks the rows of both players, in the order of their ids, so that no two bookings wait for
    /// each other; gives them as Black, White.
    async fn lock(&mut self) -> Result<[Account; 2], StoreError> {
        let ladder = &self.store.ladder;
        let [black, white] = &self.end.players;
        let rows = sqlx::query(LOCK_PLAYERS)
            .bind(black.min(white))
            .bind(black.max(white))
            .bind(i64::from(ladder.start().level.index()))
            .bind(ladder.start().points)
            .fetch_all(&mut *self.transaction)
            .await?;
        let mut found = [None; 2];
        for row in &rows {
            let player_id: String = row.try_get("player_id")?;
            found[usize::from(player_id == *white)] = Some(rows::account(row, ladder)?);
        }
        match found {
            [Some(black), Some(white)] => Ok([black, white]),
            _ => Err(sqlx::Error::RowNotFound.into()),
        }
    }

    /// Moves both standings. Each change is computed before any is made, so neither seat sees
    /// what the other gained.
    async fn levels(
        &mut self,
        accounts: &mut [Account; 2],
        corrects: bool,
        wrong: Option<&[Entry; 2]>,
    ) -> Result<Vec<Moved>, StoreError> {
        let ladder = &self.store.ladder;
        let mut stake = ladder.stake(accounts[0].standing.level, accounts[1].standing.level);
        if let Some([black, white]) = wrong {
            stake = black.stake;
            let taken_back = |wrong: &Entry, account: &Account| Booking {
                stake,
                change: ladder.compensate(account.standing, wrong.applied),
                counted: wrong.counted,
                fee: false,
            };
            let bookings = [taken_back(black, &accounts[0]), taken_back(white, &accounts[1])];
            self.insert_entries(accounts, Kind::Compensation, &black.reason, bookings).await?;
        }
        let kind = if corrects { Kind::Correction } else { Kind::Result };
        let book = |seat: usize| ladder.book(self.terms[seat], stake, accounts[seat].standing);
        let bookings = [book(0), book(1)];
        self.insert_entries(accounts, kind, &self.end.reason, bookings).await
    }

    /// Adds a row for each seat and moves its standing.
    async fn insert_entries(
        &mut self,
        accounts: &mut [Account; 2],
        kind: Kind,
        reason: &str,
        bookings: [Booking; 2],
    ) -> Result<Vec<Moved>, StoreError> {
        let mut query = sqlx::query(INSERT_ENTRIES);
        let mut moved = Vec::with_capacity(2);
        for (seat, (account, booking)) in accounts.iter_mut().zip(bookings).enumerate() {
            let Change { nominal, applied, before, after } = booking.change;
            account.standing = after;
            account.entries += 1;
            let [before, after] = [before, after].map(|at| Place::of(&self.store.ladder, at));
            moved.push(Moved { seat: SEATS[seat], applied, before, after });
            query = query
                .bind(&self.end.players[seat])
                .bind(account.entries)
                .bind(&self.end.game_id)
                .bind(seat_word(SEATS[seat]))
                .bind(kind_word(kind))
                .bind(self.end.version)
                .bind(reason)
                .bind(counted_word(booking.counted))
                .bind(booking.stake)
                .bind(nominal)
                .bind(applied)
                .bind(before.level)
                .bind(before.points)
                .bind(before.total)
                .bind(after.level)
                .bind(after.points)
                .bind(after.total)
                .bind(&self.end.players[1 - seat])
                .bind(self.at_ms);
        }
        query.execute(&mut *self.transaction).await?;
        Ok(moved)
    }

    /// Pays the game fee, or takes back one that a correction does not leave (rulebook L12). A
    /// fee once paid stays what it was, whatever the setting is by now.
    async fn fees(
        &mut self,
        accounts: &mut [Account; 2],
        paid: [i64; 2],
    ) -> Result<(), StoreError> {
        let fee = |seat: usize| self.store.fees.of_tier(self.fee, self.end.tiers[seat]);
        let amount = |seat: usize| match (self.terms[seat].fee, paid[seat]) {
            (true, 0) => fee(seat),
            (true, _) => 0,
            (false, paid) => -paid,
        };
        let amounts = [amount(0), amount(1)];
        self.tiers().await?;
        if amounts == [0; 2] {
            return Ok(());
        }
        let mut query = sqlx::query(INSERT_FEES);
        for (seat, (account, amount)) in accounts.iter_mut().zip(amounts).enumerate() {
            account.fees += i64::from(amount != 0);
            account.fee_balance += amount;
            query = query
                .bind(&self.end.players[seat])
                .bind(account.fees)
                .bind(&self.end.game_id)
                .bind(self.end.version)
                .bind(amount)
                .bind(account.fee_balance)
                .bind(self.at_ms);
        }
        query.execute(&mut *self.transaction).await?;
        Ok(())
    }

    /// Keeps the tiers by which fees are paid, of whoever has one.
    async fn tiers(&mut self) -> Result<(), StoreError> {
        let GameEnd { game_id, players, tiers, .. } = self.end;
        if *tiers == [0; 2] {
            return Ok(());
        }
        let mut query = sqlx::query(INSERT_TIERS);
        for (player_id, tier) in players.iter().zip(tiers) {
            query = query.bind(game_id).bind(player_id).bind(*tier);
        }
        query.execute(&mut *self.transaction).await?;
        Ok(())
    }

    /// The session service is to be told of each player's newest row.
    async fn notices(&mut self, accounts: &[Account; 2]) -> Result<(), StoreError> {
        let mut query = sqlx::query(INSERT_NOTICES);
        for (player_id, account) in self.end.players.iter().zip(accounts) {
            query = query.bind(player_id).bind(account.entries);
        }
        query.bind(self.at_ms).execute(&mut *self.transaction).await?;
        Ok(())
    }

    async fn save(&mut self, accounts: &[Account; 2]) -> Result<(), StoreError> {
        let mut query = sqlx::query(UPDATE_PLAYERS);
        for (player_id, account) in self.end.players.iter().zip(accounts) {
            let Account { standing, counts, fee_balance, entries, fees } = account;
            query = query
                .bind(player_id)
                .bind(i64::from(standing.level.index()))
                .bind(standing.points)
                .bind(counts.won)
                .bind(counts.lost)
                .bind(counts.drawn)
                .bind(counts.escaped)
                .bind(counts.disconnected)
                .bind(*fee_balance)
                .bind(*entries)
                .bind(*fees);
        }
        query.execute(&mut *self.transaction).await?;
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, counted: Counted, games: i64) {
        let count = match counted {
            Counted::Win => &mut self.won,
            Counted::Loss => &mut self.lost,
            Counted::Draw => &mut self.drawn,
            Counted::Escape => &mut self.escaped,
            Counted::DisconnectLoss => &mut self.disconnected,
            Counted::Nothing => return,
        };
        *count += games;
    }
}
