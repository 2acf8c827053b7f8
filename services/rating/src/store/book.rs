//! Booking: one result, one transaction, once.

use sqlx::{Any, Row, Transaction};
use tengen_kit::sql;
use tengen_ladder::{Booking, Change, Counted, Side};

use super::rows::{self, counted_word, kind_word, seat_word};
use super::{Account, Booked, Counts, Entry, GameEnd, Kind, Place, Store};
use crate::error::StoreError;

const SEATS: [Side; 2] = [Side::Black, Side::White];

const INSERT_RESULT: &str = "insert into results
    (game_id, version, black_id, white_id, rated, reason, black_counted, white_counted,
     ended_at_ms, booked_at_ms)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing";
const RESULT: &str = "select * from results where game_id = $1 and version = $2";
const INSERT_STANDING: &str = "insert into standings (player_id, level, points)
    values ($1, $2, $3) on conflict do nothing";
/// An update, because both engines hold its row until the transaction ends.
const LOCK_STANDING: &str =
    "update standings set bookings = bookings + 1 where player_id = $1 returning *";
const UPDATE_STANDING: &str = "update standings set level = $2, points = $3, won = $4, lost = $5,
    drawn = $6, escaped = $7, disconnected = $8, fee_balance = $9 where player_id = $1";
const NEXT_ID: &str = "update ids set last_id = last_id + 1 where name = $1 returning last_id";
const ENTRY_IN_FORCE: &str = "select * from ledger
    where game_id = $1 and seat = $2 and result_version = $3 and kind <> 'COMPENSATION'";
const INSERT_ENTRY: &str = "insert into ledger
    (entry_id, player_id, game_id, seat, kind, result_version, reason, counted, stake, nominal,
     applied, level_before, points_before, total_before, level_after, points_after, total_after,
     opponent_id, at_ms)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
const FEE_PAID: &str = "select cast(coalesce(sum(amount), 0) as bigint) as paid from fees
    where game_id = $1 and player_id = $2";
const INSERT_FEE: &str = "insert into fees
    (fee_id, player_id, game_id, result_version, amount, balance, at_ms)
    values ($1, $2, $3, $4, $5, $6, $7)";

/// One booking under way.
struct Book<'a> {
    store: &'a Store,
    end: &'a GameEnd,
    at_ms: i64,
    transaction: Transaction<'static, Any>,
}

impl Store {
    /// Books one version of a result: both seats from one state before, rows of the ledger,
    /// standings, counts and fees, all or nothing. The same version again changes nothing.
    ///
    /// A later version takes back what the version before applied and books the new end at the
    /// levels of now, for the stake of then (rulebook L14).
    ///
    /// # Errors
    /// When the database fails; when a version is booked before the one it corrects.
    pub(crate) async fn book(&self, end: &GameEnd) -> Result<Booked, StoreError> {
        let transaction = sql::begin_write(&self.pool).await?;
        let mut book = Book { store: self, end, at_ms: self.time.now_ms(), transaction };
        if !book.insert_result().await? {
            return Ok(Booked::Before);
        }
        let previous = book.previous().await?;
        let mut accounts = book.lock().await?;
        if end.rated {
            book.levels(&mut accounts).await?;
        }
        for (seat, account) in accounts.iter_mut().enumerate() {
            if let Some(previous) = previous {
                account.counts.add(previous[seat], -1);
            }
            account.counts.add(end.terms[seat].counted, 1);
            book.fee(seat, account).await?;
            book.save(seat, account).await?;
        }
        book.transaction.commit().await?;
        Ok(Booked::Now)
    }
}

impl Book<'_> {
    /// Whether it was not booked before.
    async fn insert_result(&mut self) -> Result<bool, StoreError> {
        let [black, white] = &self.end.terms;
        let done = sqlx::query(INSERT_RESULT)
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
            .execute(&mut *self.transaction)
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// What both seats of the version before counted as; `None` for the first version.
    async fn previous(&mut self) -> Result<Option<[Counted; 2]>, StoreError> {
        let version = self.end.version;
        if version == 1 {
            return Ok(None);
        }
        let query = sqlx::query(RESULT).bind(&self.end.game_id).bind(version - 1);
        let row = query.fetch_optional(&mut *self.transaction).await?;
        let row = row.ok_or(StoreError::Gap { version })?;
        let players: [String; 2] = [row.try_get("black_id")?, row.try_get("white_id")?];
        let rated: i64 = row.try_get("rated")?;
        if players != self.end.players || rated != i64::from(self.end.rated) {
            return Err(StoreError::OtherGame { version });
        }
        Ok(Some([rows::counted(&row, "black_counted")?, rows::counted(&row, "white_counted")?]))
    }

    /// Locks the rows of both players, the lower id first, so that no two bookings wait for each
    /// other; gives them as Black, White.
    async fn lock(&mut self) -> Result<[Account; 2], StoreError> {
        let [black, white] = &self.end.players;
        if black <= white {
            let first = self.lock_one(black).await?;
            Ok([first, self.lock_one(white).await?])
        } else {
            let first = self.lock_one(white).await?;
            Ok([self.lock_one(black).await?, first])
        }
    }

    async fn lock_one(&mut self, player_id: &str) -> Result<Account, StoreError> {
        let start = self.store.ladder.start();
        sqlx::query(INSERT_STANDING)
            .bind(player_id)
            .bind(i64::from(start.level.index()))
            .bind(start.points)
            .execute(&mut *self.transaction)
            .await?;
        let locked = sqlx::query(LOCK_STANDING).bind(player_id);
        let row = locked.fetch_one(&mut *self.transaction).await?;
        rows::account(&row, &self.store.ladder)
    }

    /// Moves both standings. Each change is computed before any is made, so neither seat sees
    /// what the other gained.
    async fn levels(&mut self, accounts: &mut [Account; 2]) -> Result<(), StoreError> {
        let ladder = &self.store.ladder;
        let mut stake = ladder.stake(accounts[0].standing.level, accounts[1].standing.level);
        let mut entries = Vec::new();
        for (seat, account) in accounts.iter_mut().enumerate() {
            if let Some(wrong) = self.in_force(seat).await? {
                stake = wrong.stake;
                let change = ladder.compensate(account.standing, wrong.applied);
                account.standing = change.after;
                entries.push(self.entry(
                    seat,
                    Kind::Compensation,
                    &wrong.reason,
                    Booking { stake, change, counted: wrong.counted, fee: false },
                ));
            }
        }
        let kind = if self.end.version == 1 { Kind::Result } else { Kind::Correction };
        for (seat, account) in accounts.iter_mut().enumerate() {
            let booking = ladder.book(self.end.terms[seat], stake, account.standing);
            account.standing = booking.change.after;
            entries.push(self.entry(seat, kind, &self.end.reason, booking));
        }
        for entry in entries {
            self.insert_entry(entry).await?;
        }
        Ok(())
    }

    /// The row that the version before left for a seat.
    async fn in_force(&mut self, seat: usize) -> Result<Option<Entry>, StoreError> {
        let version = self.end.version;
        if version == 1 {
            return Ok(None);
        }
        let row = sqlx::query(ENTRY_IN_FORCE)
            .bind(&self.end.game_id)
            .bind(seat_word(SEATS[seat]))
            .bind(version - 1)
            .fetch_one(&mut *self.transaction)
            .await?;
        Ok(Some(rows::entry(&row)?))
    }

    fn entry(&self, seat: usize, kind: Kind, reason: &str, booking: Booking) -> Entry {
        let Change { nominal, applied, before, after } = booking.change;
        Entry {
            entry_id: 0,
            player_id: self.end.players[seat].clone(),
            game_id: self.end.game_id.clone(),
            seat: SEATS[seat],
            kind,
            result_version: self.end.version,
            reason: reason.to_owned(),
            counted: booking.counted,
            stake: booking.stake,
            nominal,
            applied,
            before: Place::of(&self.store.ladder, before),
            after: Place::of(&self.store.ladder, after),
            opponent_id: self.end.players[1 - seat].clone(),
            at_ms: self.at_ms,
        }
    }

    async fn insert_entry(&mut self, entry: Entry) -> Result<(), StoreError> {
        let entry_id = self.next_id("ledger").await?;
        sqlx::query(INSERT_ENTRY)
            .bind(entry_id)
            .bind(entry.player_id)
            .bind(entry.game_id)
            .bind(seat_word(entry.seat))
            .bind(kind_word(entry.kind))
            .bind(entry.result_version)
            .bind(entry.reason)
            .bind(counted_word(entry.counted))
            .bind(entry.stake)
            .bind(entry.nominal)
            .bind(entry.applied)
            .bind(entry.before.level)
            .bind(entry.before.points)
            .bind(entry.before.total)
            .bind(entry.after.level)
            .bind(entry.after.points)
            .bind(entry.after.total)
            .bind(entry.opponent_id)
            .bind(entry.at_ms)
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }

    /// Pays the game fee, or takes back one that a correction does not leave (rulebook L12). A
    /// fee once paid stays what it was, whatever the setting is by now.
    async fn fee(&mut self, seat: usize, account: &mut Account) -> Result<(), StoreError> {
        let player_id = &self.end.players[seat];
        let fees = self.store.fees;
        let fee = if self.end.rated { fees.rated } else { fees.casual };
        let query = sqlx::query(FEE_PAID).bind(&self.end.game_id).bind(player_id);
        let paid: i64 = query.fetch_one(&mut *self.transaction).await?.try_get("paid")?;
        let amount = match (self.end.terms[seat].fee, paid) {
            (true, 0) => fee,
            (true, _) => 0,
            (false, paid) => -paid,
        };
        if amount == 0 {
            return Ok(());
        }
        account.fee_balance += amount;
        let fee_id = self.next_id("fees").await?;
        sqlx::query(INSERT_FEE)
            .bind(fee_id)
            .bind(player_id)
            .bind(&self.end.game_id)
            .bind(self.end.version)
            .bind(amount)
            .bind(account.fee_balance)
            .bind(self.at_ms)
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }

    async fn save(&mut self, seat: usize, account: &Account) -> Result<(), StoreError> {
        let Account { standing, counts, fee_balance } = account;
        sqlx::query(UPDATE_STANDING)
            .bind(&self.end.players[seat])
            .bind(i64::from(standing.level.index()))
            .bind(standing.points)
            .bind(counts.won)
            .bind(counts.lost)
            .bind(counts.drawn)
            .bind(counts.escaped)
            .bind(counts.disconnected)
            .bind(*fee_balance)
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }

    async fn next_id(&mut self, name: &'static str) -> Result<i64, StoreError> {
        let row = sqlx::query(NEXT_ID).bind(name).fetch_one(&mut *self.transaction).await?;
        Ok(row.try_get("last_id")?)
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
