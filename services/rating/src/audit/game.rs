//! One game: all versions of its result, held against the rules and its ledger rows.

use sqlx::Row;
use sqlx::any::AnyRow;
use tengen_ladder::{Change, Counted, Ladder, Side, Standing};

use crate::store::{Entry, Kind, Place, rows};

/// What goes wrong is handed on here.
type Find<'a> = &'a mut (dyn FnMut(String) + Send);

/// A game with all that was booked of it.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) id: String,
    /// Fees that Black and White have kept of it.
    paid: [i64; 2],
    /// The tiers of experience that these were paid by.
    tiers: [i64; 2],
    /// The oldest first.
    versions: Vec<Version>,
}

/// One version of its result.
#[derive(Debug)]
struct Version {
    version: i64,
    players: [String; 2],
    rated: bool,
    reason: String,
    counted: [Counted; 2],
    booked_at_ms: i64,
    entries: Vec<Entry>,
}

impl Game {
    /// Adds a row of the query to the game that is open, or opens one with it.
    pub(super) fn add(open: &mut Option<Self>, row: &AnyRow) -> Result<(), sqlx::Error> {
        let game = match open {
            Some(game) => game,
            None => open.insert(Self {
                id: row.try_get("of_game")?,
                paid: [row.try_get("black_paid")?, row.try_get("white_paid")?],
                tiers: [row.try_get("black_tier")?, row.try_get("white_tier")?],
                versions: Vec::new(),
            }),
        };
        let version: i64 = row.try_get("of_version")?;
        if game.versions.last().is_none_or(|last| last.version != version) {
            game.versions.push(Version::read(row, version)?);
        }
        if row.try_get::<Option<i64>, _>("entry_id")?.is_some()
            && let Some(last) = game.versions.last_mut()
        {
            last.entries.push(rows::entry(row)?);
        }
        Ok(())
    }

    /// Black and White, and whether it is rated.
    pub(super) fn who(&self) -> Option<(&[String; 2], bool)> {
        self.versions.last().map(|newest| (&newest.players, newest.rated))
    }

    /// The tiers of experience of Black and White.
    pub(super) fn tiers(&self) -> [i64; 2] {
        self.tiers
    }

    /// When its newest version was booked.
    pub(super) fn booked_at_ms(&self) -> i64 {
        self.versions.iter().map(|version| version.booked_at_ms).max().unwrap_or_default()
    }

    /// Holds its rows against its results and the rules.
    pub(super) fn check(&self, ladder: &Ladder, find: Find<'_>) {
        let mut find = |what: String| find(format!("game {}: {what}", self.id));
        let mut last: Option<[&Entry; 2]> = None;
        for (at, version) in self.versions.iter().enumerate() {
            let newest = at + 1 == self.versions.len();
            if version.players != self.versions[0].players
                || version.rated != self.versions[0].rated
            {
                find(format!("version {} is of other players or another rating", version.version));
            }
            let rows = version.entries.len();
            match (version.rated, rows) {
                (false, 0) => {}
                (false, _) => {
                    find(format!("version {} is casual, with {rows} rows", version.version));
                }
                // It came after a later one.
                (true, 0) if !newest => {}
                (true, _) => last = version.check(last, ladder, &mut find).or(last),
            }
        }
        if let Some(newest) = self.versions.last() {
            newest.check_fees(self.paid, &mut find);
        }
    }
}

impl Version {
    fn read(row: &AnyRow, version: i64) -> Result<Self, sqlx::Error> {
        Ok(Self {
            version,
            players: [row.try_get("of_black")?, row.try_get("of_white")?],
            rated: row.try_get::<i64, _>("of_rated")? != 0,
            reason: row.try_get("of_reason")?,
            counted: [rows::counted(row, "black_counted")?, rows::counted(row, "white_counted")?],
            booked_at_ms: row.try_get("booked_at_ms")?,
            entries: Vec::new(),
        })
    }

    /// Checks both seats, after the rows of the version before; gives the rows that are in force.
    fn check<'a>(
        &'a self,
        last: Option<[&Entry; 2]>,
        ladder: &Ladder,
        find: Find<'_>,
    ) -> Option<[&'a Entry; 2]> {
        let mut find = |what: String| find(format!("version {}: {what}", self.version));
        let compensation = |entry: &&Entry| entry.kind == Kind::Compensation;
        let (back, own): (Vec<_>, Vec<_>) = self.entries.iter().partition(compensation);
        let Some(own) = pair(&own) else {
            find(format!("{} rows of the result, expected one for each seat", own.len()));
            return None;
        };
        match (last, pair(&back)) {
            (None, _) if back.is_empty() => {}
            (Some(wrong), Some(back)) => {
                for (wrong, back) in wrong.into_iter().zip(back) {
                    self.check_row(back, wrong.counted, wrong.stake, ladder, &mut find);
                    if back.nominal.saturating_neg() != wrong.applied {
                        let (found, expected) = (back.nominal.saturating_neg(), wrong.applied);
                        find(format!("{} takes back {found}, expected {expected}", name(back)));
                    }
                }
            }
            (last, _) => {
                let expected = if last.is_some() { "one for each seat" } else { "none" };
                find(format!("{} rows of compensation, expected {expected}", back.len()));
            }
        }
        let kind = if last.is_some() { Kind::Correction } else { Kind::Result };
        let stake = last.map_or_else(|| stake(own, ladder), |[black, _]| Some(black.stake));
        let capped = own.iter().all(|entry| entry.nominal == 0);
        for (seat, entry) in own.into_iter().enumerate() {
            let stake = stake.unwrap_or(entry.stake);
            self.check_row(entry, self.counted[seat], stake, ladder, &mut find);
            if entry.kind != kind || entry.reason != self.reason {
                let (found, why) = (entry.kind, &entry.reason);
                let expected = &self.reason;
                find(format!(
                    "{} is {found:?} of {why}, expected {kind:?} of {expected}",
                    name(entry)
                ));
            }
            let due = stakes(entry.counted).saturating_mul(stake);
            if entry.nominal != due && !capped {
                find(format!("{} has nominal {}, expected {due}", name(entry), entry.nominal));
            }
        }
        Some(own)
    }

    /// What is so for every row: who, for what, and that the ladder leads from before to after.
    fn check_row(
        &self,
        entry: &Entry,
        counted: Counted,
        stake: i64,
        ladder: &Ladder,
        find: Find<'_>,
    ) {
        let seat = usize::from(entry.seat == Side::White);
        if entry.player_id != self.players[seat] || entry.opponent_id != self.players[1 - seat] {
            find(format!("{} against {} holds no such seat", name(entry), entry.opponent_id));
        }
        if entry.counted != counted || entry.stake != stake {
            let (found, of) = (entry.counted, entry.stake);
            find(format!(
                "{} counts {found:?} for {of}, expected {counted:?} for {stake}",
                name(entry)
            ));
        }
        let Ok(before) = ladder.standing(entry.before.level, entry.before.points) else {
            return find(format!("{} begins at no place of the ladder", name(entry)));
        };
        if entry.entry_id == 1 && before != ladder.start() {
            find(format!("{} does not begin at the start", name(entry)));
        }
        let moved = change(ladder, entry, before);
        let places = [before, moved.after].map(|standing| Place::of(ladder, standing));
        if places != [entry.before, entry.after] || moved.applied != entry.applied {
            let Place { level, points, total } = places[1];
            find(format!(
                "{} ends at level {} points {} total {}, the rules say level {level} points {points} \
                 total {total}",
                name(entry),
                entry.after.level,
                entry.after.points,
                entry.after.total,
            ));
        }
    }

    /// Fees that nobody should have kept, or lost.
    fn check_fees(&self, paid: [i64; 2], find: Find<'_>) {
        for ((player_id, counted), paid) in self.players.iter().zip(self.counted).zip(paid) {
            if paid < 0 || (paid > 0 && !self.pays(counted)) {
                find(format!("{player_id} was paid {paid}, which the result does not pay"));
            }
        }
    }

    /// Whether the end pays a seat that counts so (rulebook, Ends).
    fn pays(&self, counted: Counted) -> bool {
        match counted {
            Counted::Win | Counted::Draw => true,
            Counted::Loss => matches!(self.reason.as_str(), "COUNT" | "RESIGNATION" | "TIME"),
            Counted::Nothing => self.reason == "LEAVE",
            Counted::Escape | Counted::DisconnectLoss => false,
        }
    }
}

fn change(ladder: &Ladder, entry: &Entry, before: Standing) -> Change {
    match entry.kind {
        Kind::Compensation => ladder.compensate(before, entry.nominal.saturating_neg()),
        Kind::Result | Kind::Correction => ladder.apply(before, entry.nominal),
    }
}

/// The stake of two who stand where they did before (rulebook L4); `None` off the ladder.
fn stake(own: [&Entry; 2], ladder: &Ladder) -> Option<i64> {
    let level = |entry: &Entry| ladder.standing(entry.before.level, entry.before.points).ok();
    Some(ladder.stake(level(own[0])?.level, level(own[1])?.level))
}

/// How many stakes a seat moves that counts so (rulebook, Ends).
fn stakes(counted: Counted) -> i64 {
    match counted {
        Counted::Win => 1,
        Counted::Loss | Counted::DisconnectLoss => -1,
        Counted::Escape => -2,
        Counted::Draw | Counted::Nothing => 0,
    }
}

/// Rows of Black and of White, if they are just that.
fn pair<'a>(rows: &[&'a Entry]) -> Option<[&'a Entry; 2]> {
    match rows {
        [black, white] if black.seat == Side::Black && white.seat == Side::White => {
            Some([black, white])
        }
        _ => None,
    }
}

fn name(entry: &Entry) -> String {
    format!("{} row {}", entry.player_id, entry.entry_id)
}
