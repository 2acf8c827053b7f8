//! What is written: a game as SGF sees it.

use tengen_rules::{Colour, Point, Size};

use crate::Overtime;

/// A game. What is `None` or empty is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The board, up to 25×25 (rulebook G1).
    pub size: Size,
    /// The names of Black and White, as they are.
    pub names: [String; 2],
    /// What the game is called.
    pub name: String,
    /// Where it was played.
    pub place: String,
    /// The program that writes, and its version.
    pub application: [String; 2],
    /// The days on which it was played, as `2026-11-30`, the first one first.
    pub dates: Vec<String>,
    /// Komi in quarter stones; 15 = 3¾ stones = 7.5 points (rulebook C2).
    pub komi_quarters: i32,
    /// Black's stones before the first move, none or at least two.
    pub handicap: Vec<Point>,
    /// Who moves first.
    pub first: Colour,
    /// Main time of each side; `None` if the game is untimed.
    pub main_ms: Option<i64>,
    /// What comes after main time.
    pub overtime: Option<Overtime>,
    /// The result in SGF's form, margins in points; `None` while it runs.
    pub result: Option<String>,
    /// What there is to say about the game.
    pub comment: String,
    /// All turns, the first one first.
    pub turns: Vec<Turn>,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Whose.
    pub colour: Colour,
    /// The stone; `None` where none was played.
    pub point: Option<Point>,
    /// The clock of that side after it.
    pub left: Option<Left>,
    /// What there is to say about it.
    pub comment: Option<String>,
}

/// What is left on a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Of main time, or of the open period.
    pub ms: i64,
    /// Once main time is over: periods left, the open one included; Canadian: stones left in it.
    pub overtime: Option<u32>,
}

impl Record {
    /// An even game by Chinese rules of which nothing is known.
    pub fn new(size: Size) -> Self {
        Self {
            size,
            names: Default::default(),
            name: String::new(),
            place: String::new(),
            application: Default::default(),
            dates: Vec::new(),
            komi_quarters: 15,
            handicap: Vec::new(),
            first: Colour::Black,
            main_ms: None,
            overtime: None,
            result: None,
            comment: String::new(),
            turns: Vec::new(),
        }
    }
}
