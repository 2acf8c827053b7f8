//! Moves, legal points and area counts a second, against the `goban` crate's Chinese rules on the
//! same games in the same run. Prints one line each; the ratio is ours by the reference's.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub,
    reason = "a program to look at"
)]

#[path = "../tests/rules/common.rs"]
mod common;

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Duration;

use common::Ply;
use cpu_time::ThreadTime;
use goban::pieces::goban::Goban;
use goban::rules::game::Game as Reference;
use goban::rules::{CHINESE, GobanSizes, Move};
use tengen_rules::{Board, Colour, Game, Point, PointSet, Refusal, Size, area};

const ROUNDS: u32 = 5;
/// How often ours repeats a round's work, so that both sides are long enough to be measured.
const REPEATS: u32 = 10;

/// A real game up to its second pass in a row.
struct Record {
    size: Size,
    handicap: Vec<Point>,
    plies: Vec<Ply>,
}

/// Time and work of one side.
#[derive(Default)]
struct Meter {
    time: Duration,
    work: u64,
}

fn main() {
    let records = records();
    let finals: Vec<(Board, Goban)> = records.iter().map(agree).collect();
    let mut meters: [[Meter; 2]; 3] = Default::default();
    for _ in 0..ROUNDS {
        let [moves, lists, areas] = &mut meters;
        let ours = timed(&mut moves[0], REPEATS, || records.iter().map(|r| ours(r, false)).sum());
        let theirs = timed(&mut moves[1], 1, || records.iter().map(|r| theirs(r, false)).sum());
        // Lists are made while the games are replayed; the replay alone is taken off again.
        timed(&mut lists[0], REPEATS, || records.iter().map(|r| self::ours(r, true)).sum());
        timed(&mut lists[1], 1, || records.iter().map(|r| self::theirs(r, true)).sum());
        lists[0].time = lists[0].time.saturating_sub(ours);
        lists[1].time = lists[1].time.saturating_sub(theirs);
        timed(&mut areas[0], REPEATS, || finals.iter().map(|(board, _)| our_area(board)).sum());
        timed(&mut areas[1], 1, || finals.iter().map(|(_, board)| their_area(board)).sum());
    }
    for (name, [ours, reference]) in ["moves", "legal_points", "area"].into_iter().zip(&meters) {
        let [ours, reference] = [ours, reference].map(Meter::per_second);
        let tenths = 10 * ours / reference;
        let ratio = format!("{}.{}", tenths / 10, tenths % 10);
        println!("bench rules_{name} ours={ours} reference={reference} ratio={ratio}");
    }
}

impl Meter {
    fn per_second(&self) -> u128 {
        u128::from(self.work) * 1_000_000_000 / self.time.as_nanos()
    }
}

fn timed(meter: &mut Meter, repeats: u32, work: impl Fn() -> u64) -> Duration {
    let start = ThreadTime::now();
    for _ in 0..repeats {
        meter.work += work();
    }
    let time = start.elapsed();
    meter.time += time;
    time
}

/// The 19×19 games in which the colours alternate: the reference knows no others.
fn records() -> Vec<Record> {
    let cases = common::load("games.jsonl").into_iter();
    let records = cases.filter(|case| common::text(case, "set") == "kgs19").map(|case| {
        let size = common::size(&case);
        let mut plies = common::moves(common::text(&case, "moves"), size);
        let end = plies.windows(2).position(|two| two.iter().all(|ply| ply.1.is_none()));
        plies.truncate(end.unwrap_or(plies.len()));
        Record { size, handicap: common::points(common::text(&case, "black"), size), plies }
    });
    let alternates = |record: &Record| {
        let first = if record.handicap.is_empty() { Colour::Black } else { Colour::White };
        let mut colours = record.plies.iter().map(|ply| ply.0);
        colours.next() == Some(first)
            && record.plies.windows(2).all(|two| two[0].0 == two[1].0.opponent())
    };
    let records: Vec<_> = records.filter(alternates).collect();
    assert!(records.len() > 200, "too few games: {}", records.len());
    records
}

fn our_start(record: &Record) -> Game {
    Game::with_setup(record.size, &record.handicap, &[]).unwrap()
}

fn their_start(record: &Record) -> Reference {
    let mut game = Reference::new(GobanSizes::Nineteen, CHINESE);
    if !record.handicap.is_empty() {
        let points: Vec<_> = record.handicap.iter().map(|p| (p.row, p.column)).collect();
        game.put_handicap(&points);
    }
    game
}

fn ours(record: &Record, lists: bool) -> u64 {
    let mut game = our_start(record);
    for &(colour, point) in &record.plies {
        if lists {
            game.legal_points(colour).iter().for_each(|point| {
                black_box(point);
            });
        }
        match point {
            Some(point) => drop(black_box(game.play(colour, point))),
            None => game.pass(colour),
        }
    }
    record.plies.len() as u64
}

fn theirs(record: &Record, lists: bool) -> u64 {
    let mut game = their_start(record);
    for &(_, point) in &record.plies {
        if lists {
            game.legals().for_each(|point| {
                black_box(point);
            });
        }
        let _ = black_box(game.try_play(their_move(point)));
    }
    record.plies.len() as u64
}

fn their_move(point: Option<Point>) -> Move {
    point.map_or(Move::Pass, |point| Move::Play(point.row, point.column))
}

fn our_area(board: &Board) -> u64 {
    black_box(area(black_box(board), &PointSet::new()));
    1
}

fn their_area(board: &Goban) -> u64 {
    black_box((black_box(board).calculate_territories(), board.number_of_stones()));
    1
}

/// Both sides accept the game, list the same points, and count the same area.
fn agree(record: &Record) -> (Board, Goban) {
    let mut game = our_start(record);
    let mut reference = their_start(record);
    for &(colour, point) in &record.plies {
        let ours: BTreeSet<_> = game.legal_points(colour).iter().collect();
        let theirs = reference.legals().map(|(row, column)| Point { row, column }).collect();
        for &point in ours.symmetric_difference(&theirs) {
            // The reference looks a repetition up only where the move captures.
            let check = game.check(colour, point);
            assert!(matches!(check, Err(Refusal::Superko { .. })), "{point:?} {check:?}");
        }
        match point {
            Some(point) => drop(game.play(colour, point).unwrap()),
            None => game.pass(colour),
        }
        assert!(reference.try_play(their_move(point)).is_ok());
    }
    let board = reference.goban().clone();
    let found = area(game.board(), &PointSet::new());
    let (black, white) = board.calculate_territories();
    let (black_stones, white_stones) = board.number_of_stones();
    let theirs = (black as u32 + black_stones, white as u32 + white_stones);
    assert_eq!((found.black, found.white), theirs);
    (game.board().clone(), board)
}
