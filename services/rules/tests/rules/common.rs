//! Reading the cases of `tests/data`, and boards as text.

#![allow(dead_code, reason = "every program that includes this uses a part of it")]

use std::fs;

use serde_json::Value;
use tengen_rules::text::sgf;
use tengen_rules::{Colour, Game, Point, PointSet, Size};

/// A move, or a pass.
pub type Ply = (Colour, Option<Point>);

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/");

/// All cases of a file.
pub fn load(name: &str) -> Vec<Value> {
    let text = fs::read_to_string(format!("{DATA}{name}")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or("")
}

pub fn number(value: &Value) -> i32 {
    value.as_i64().unwrap().try_into().unwrap()
}

pub fn numbers<const N: usize>(value: &Value) -> [i32; N] {
    let numbers: Vec<i32> = value.as_array().unwrap().iter().map(number).collect();
    numbers.try_into().unwrap()
}

pub fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|row| row.as_str().unwrap().into()).collect()
}

/// The size of a case that says it, or of the board it starts with.
pub fn size(case: &Value) -> Size {
    match case.get("setup") {
        Some(setup) => size_of(&strings(setup)),
        None => Size::square(number(&case["size"]).try_into().unwrap()).unwrap(),
    }
}

pub fn size_of<S: AsRef<str>>(rows: &[S]) -> Size {
    let columns = rows[0].as_ref().len();
    Size::new(rows.len().try_into().unwrap(), columns.try_into().unwrap()).unwrap()
}

pub fn points(list: &str, size: Size) -> Vec<Point> {
    list.split_whitespace().map(|point| sgf::parse(point, size).unwrap()).collect()
}

pub fn moves(list: &str, size: Size) -> Vec<Ply> {
    list.split_whitespace()
        .map(|ply| {
            let (colour, point) = ply.split_at(1);
            let colour = if colour == "B" { Colour::Black } else { Colour::White };
            (colour, (point != "--").then(|| sgf::parse(point, size).unwrap()))
        })
        .collect()
}

/// The game of a case before its first move.
pub fn start(case: &Value) -> Game {
    match case.get("setup") {
        Some(setup) => diagram(&strings(setup)),
        None => {
            let size = size(case);
            let [black, white] = ["black", "white"].map(|side| points(text(case, side), size));
            Game::with_setup(size, &black, &white).unwrap()
        }
    }
}

/// A game that starts with the board drawn: `X` black, `O` white, anything else empty.
pub fn diagram<S: AsRef<str>>(rows: &[S]) -> Game {
    let [black, white] = ['X', 'O'].map(|symbol| marked(rows, symbol).iter().collect::<Vec<_>>());
    Game::with_setup(size_of(rows), &black, &white).unwrap()
}

/// The points of a drawing with a symbol.
pub fn marked<S: AsRef<str>>(rows: &[S], symbol: char) -> PointSet {
    let row = |(row, text): (u8, &S)| {
        let columns = (0..).zip(text.as_ref().chars());
        let here = columns.filter(|&(_, found)| found == symbol);
        here.map(|(column, _)| Point { row, column }).collect::<Vec<_>>()
    };
    (0..).zip(rows).flat_map(row).collect()
}

/// Plays what must be legal.
pub fn play(game: &mut Game, plies: &[Ply]) {
    for &(colour, point) in plies {
        match point {
            Some(point) => {
                let ply = game.ply() + 1;
                assert_eq!(game.play(colour, point).map(|played| played.ply), Ok(ply));
            }
            None => game.pass(colour),
        }
    }
}

pub fn rows(game: &Game) -> Vec<String> {
    game.board().rows()
}
