//! The rulebook's ladder once more, written from its text alone: what the ledger must hold.

use std::collections::{HashMap, VecDeque};

use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::EndReason;
use tengen_proto::internal::v1::GameResult;
use tengen_proto::time::{duration_ms, timestamp_ms};

use crate::by_version;

const DAY_MS: i64 = 86_400_000;
/// Games of a pair that move points within a day, and what a game pays: the defaults.
const PAIR_CAP: usize = 10;
const FEE: i64 = 1;
/// How many fees a tier of experience is paid; those above are paid as the last.
const MULTIPLES: [i64; 5] = [1, 2, 3, 4, 5];
/// 9P, which nobody leaves.
const TOP: i64 = 20;

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) player: String,
    pub(crate) entry: i64,
    pub(crate) game: String,
    pub(crate) version: i64,
    pub(crate) white: bool,
    pub(crate) kind: String,
    pub(crate) counted: String,
    pub(crate) stake: i64,
    pub(crate) nominal: i64,
    pub(crate) applied: i64,
    pub(crate) level: i64,
    pub(crate) points: i64,
    pub(crate) total: i64,
}

/// A player in the end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Account {
    pub(crate) level: i64,
    pub(crate) points: i64,
    pub(crate) fees: i64,
    pub(crate) counts: HashMap<&'static str, i64>,
}

/// All that should be there.
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) lines: HashMap<(String, i64), Line>,
    pub(crate) accounts: HashMap<String, Account>,
    pub(crate) capped: usize,
    pub(crate) corrected: usize,
    pub(crate) highest: i64,
    entries: HashMap<String, i64>,
    /// For each game: the rows in force, whether they moved points, and fees kept.
    games: HashMap<String, Booked>,
    /// For each pair, games of theirs with the instants at which they ended.
    pairs: HashMap<[String; 2], Vec<(String, i64)>>,
}

#[derive(Debug, Clone)]
struct Booked {
    lines: [Line; 2],
    paid: [i64; 2],
}

/// A game and a version of its result.
type Booking<'a> = (&'a str, i64);

/// What an end does to a seat: stakes, what it counts as, whether the fee is paid.
type Seat = (i64, &'static str, bool);

/// Plays the ledger again, in its order, out of the results.
pub(crate) fn replay(results: &[GameResult], lines: &[Line]) -> Books {
    let results = by_version(results);
    let mut books = Books::default();
    for key in order(lines) {
        books.book(results[&(key.0.as_str(), key.1)]);
    }
    let mut newest: HashMap<&str, &GameResult> = HashMap::new();
    for ((game, _), result) in &results {
        let held = newest.entry(game).or_insert(result);
        if held.version < result.version {
            *held = result;
        }
    }
    for result in newest.values() {
        let version = books.games.get(&result.game_id).map(|game| game.lines[0].version);
        assert_eq!(version, result.rated.then_some(i64::from(result.version)));
        for (player, (_, counted, _)) in players(result).into_iter().zip(seats(result)) {
            let account = books.account(player);
            if let Some(count) = account.counts.get_mut(counted) {
                *count += 1;
            }
        }
    }
    books
}

/// The bookings that made rows, in an order that is that of both players' rows.
fn order(lines: &[Line]) -> Vec<(String, i64)> {
    let mut rows: HashMap<&str, Vec<(i64, Booking<'_>)>> = HashMap::new();
    for line in lines.iter().filter(|line| line.kind != "COMPENSATION") {
        let own = rows.entry(&line.player).or_default();
        own.push((line.entry, (&line.game, line.version)));
    }
    let mut players: HashMap<&str, VecDeque<Booking<'_>>> = HashMap::new();
    for (player, mut own) in rows {
        own.sort_unstable();
        players.insert(player, own.into_iter().map(|(_, booking)| booking).collect());
    }
    // A booking comes once it is next for both.
    let mut waiting: HashMap<Booking<'_>, &str> = HashMap::new();
    let mut ready: Vec<&str> = players.keys().copied().collect();
    let mut order = Vec::new();
    while let Some(player) = ready.pop() {
        let Some(next) = players[player].front().copied() else { continue };
        match waiting.remove(&next) {
            Some(other) if other != player => {
                for player in [player, other] {
                    players.get_mut(player).unwrap().pop_front();
                    ready.push(player);
                }
                order.push((next.0.to_owned(), next.1));
            }
            _ => {
                waiting.insert(next, player);
            }
        }
    }
    assert!(players.values().all(VecDeque::is_empty), "the rows of two players contradict");
    order
}

fn players(result: &GameResult) -> [&str; 2] {
    [&result.black_id, &result.white_id]
}

/// The table of ends, Black first.
fn seats(result: &GameResult) -> [Seat; 2] {
    use EndReason::*;
    let together_ms = result.together.as_ref().and_then(duration_ms).unwrap();
    let won = (1, "WIN", true);
    let nothing = (0, "NOTHING", false);
    let (loser, other) = match result.reason() {
        Count if result.winner() == Colour::Unspecified => return [(0, "DRAW", true); 2],
        Draw => return [(0, "DRAW", true); 2],
        Replay | Void | Annulled => return [nothing; 2],
        BothLate | BothGone => return [(-1, "LOSS", false); 2],
        Count | Resignation | Time => ((-1, "LOSS", true), won),
        SecondWarning | Ruling | OutOfTurn | NoShow => ((-1, "LOSS", false), won),
        Leave if together_ms > 300_000 => ((-2, "ESCAPE", false), won),
        Leave => ((-2, "ESCAPE", false), (0, "NOTHING", true)),
        Disconnected | TimeWhileAway => ((-1, "DISCONNECT_LOSS", false), won),
        Unspecified => panic!("no reason"),
    };
    if result.winner() == Colour::Black { [other, loser] } else { [loser, other] }
}

/// All points below a level (L9), and in it.
fn total(level: i64, points: i64) -> i64 {
    5 * ((1 << level) - 1) + points
}

/// Gain or loss by L5 and L6.
fn moved(level: i64, points: i64, nominal: i64) -> (i64, i64) {
    let sum = points + nominal;
    if sum < 0 && level == 0 {
        (0, 0)
    } else if sum < 0 {
        (level - 1, (5 * (1 << (level - 1)) + nominal).max(0))
    } else if sum >= 5 * (1 << level) && level < TOP {
        (level + 1, 0)
    } else {
        (level, sum)
    }
}

/// The place with that total.
fn place(total_points: i64) -> (i64, i64) {
    let total_points = total_points.max(0);
    let level = (0..=TOP).rev().find(|level| total(*level, 0) <= total_points).unwrap();
    (level, total_points - total(level, 0))
}

impl Books {
    fn account(&mut self, player: &str) -> &mut Account {
        let kinds = ["WIN", "LOSS", "DRAW", "ESCAPE", "DISCONNECT_LOSS"];
        self.accounts.entry(player.to_owned()).or_insert_with(|| Account {
            level: 2,
            points: 0,
            fees: 0,
            counts: kinds.map(|kind| (kind, 0)).into(),
        })
    }

    /// Books a version: takes back what the one before applied, then both seats from one state.
    fn book(&mut self, result: &GameResult) {
        let names = players(result).map(str::to_owned);
        let before = self.games.get(&result.game_id).cloned();
        let levels = [0, 1].map(|seat| self.account(&names[seat]).level);
        let mut stake = 1 << levels[0].min(levels[1]);
        if let Some(before) = &before {
            self.corrected += 1;
            stake = before.lines[0].stake;
            for line in &before.lines {
                let account = self.account(&line.player);
                let from = total(account.level, account.points);
                let to = place(from - line.applied);
                let kept = Line { kind: "COMPENSATION".to_owned(), ..line.clone() };
                self.line(result, kept, -line.applied, to);
            }
        }
        let mut seats = seats(result);
        let capped = self.is_capped(result, &names, &seats);
        if capped {
            self.capped += 1;
            seats.iter_mut().for_each(|seat| seat.0 = 0);
        }
        let kind = if before.is_some() { "CORRECTION" } else { "RESULT" };
        let tiers = [result.black_tier, result.white_tier];
        let mut paid = before.map_or([0; 2], |before| before.paid);
        let lines = [0, 1].map(|seat| {
            let (stakes, counted, fee) = seats[seat];
            let account = self.account(&names[seat]);
            let due = match (fee, paid[seat]) {
                (true, 0) if capped => 0,
                (true, 0) => FEE * multiple(tiers[seat]),
                (true, kept) => kept,
                (false, _) => 0,
            };
            account.fees += due - paid[seat];
            paid[seat] = due;
            let to = moved(account.level, account.points, stakes * stake);
            let line = Line {
                player: names[seat].clone(),
                white: seat == 1,
                kind: kind.to_owned(),
                counted: counted.to_owned(),
                stake,
                ..blank()
            };
            self.line(result, line, stakes * stake, to)
        });
        self.games.insert(result.game_id.clone(), Booked { lines, paid });
    }

    /// Adds a row to a player's and moves the player.
    fn line(&mut self, result: &GameResult, line: Line, nominal: i64, to: (i64, i64)) -> Line {
        let account = self.account(&line.player);
        let from = total(account.level, account.points);
        (account.level, account.points) = to;
        self.highest = self.highest.max(to.0);
        let entry = self.entries.entry(line.player.clone()).or_default();
        *entry += 1;
        let line = Line {
            entry: *entry,
            game: result.game_id.clone(),
            version: i64::from(result.version),
            nominal,
            applied: total(to.0, to.1) - from,
            level: to.0,
            points: to.1,
            total: total(to.0, to.1),
            ..line
        };
        self.lines.insert((line.player.clone(), line.entry), line.clone());
        line
    }

    /// Whether the two have had their games of the day.
    fn is_capped(&mut self, result: &GameResult, names: &[String; 2], seats: &[Seat; 2]) -> bool {
        let at_ms = result.at.as_ref().and_then(timestamp_ms).unwrap();
        let mut pair = names.clone();
        pair.sort();
        let games = self.pairs.entry(pair).or_default();
        let near =
            |other: &&(String, i64)| other.0 != result.game_id && (other.1 - at_ms).abs() < DAY_MS;
        let moves = |other: &&(String, i64)| {
            self.games[&other.0].lines.iter().any(|line| line.nominal != 0)
        };
        let others = games.iter().filter(near).filter(moves).count();
        if games.iter().all(|(game, _)| *game != result.game_id) {
            games.push((result.game_id.clone(), at_ms));
        }
        others >= PAIR_CAP && seats.iter().any(|seat| seat.0 != 0)
    }
}

/// Fees that a player of this tier is paid where others are paid one (rulebook L10).
fn multiple(tier: i32) -> i64 {
    MULTIPLES[usize::try_from(tier).unwrap().min(MULTIPLES.len() - 1)]
}

fn blank() -> Line {
    Line {
        player: String::new(),
        entry: 0,
        game: String::new(),
        version: 0,
        white: false,
        kind: String::new(),
        counted: String::new(),
        stake: 0,
        nominal: 0,
        applied: 0,
        level: 0,
        points: 0,
        total: 0,
    }
}
