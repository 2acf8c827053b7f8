//! What everybody asked, was answered and saw, and when: what the record is held against at the end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::Accepted;
use tonic::Status;

use crate::ways::Failed;

/// Everything that happened to the clients of a test.
#[derive(Debug, Default)]
pub struct Story(Mutex<Told>);

/// The same, to be read.
#[derive(Debug, Default)]
pub struct Told {
    pub games: Vec<Begun>,
    pub commands: Vec<Asked>,
    pub watched: Vec<Watched>,
}

/// A game that was made.
#[derive(Debug, Clone)]
pub struct Begun {
    pub id: String,
    /// Black and White.
    pub players: [String; 2],
    /// The chain hash of its first event.
    pub hash: String,
}

/// A command.
#[derive(Debug)]
pub struct Asked {
    pub game_id: String,
    pub what: What,
    pub outcome: Result<Accepted, Status>,
    pub asked_ms: i64,
    pub answered_ms: i64,
    pub failed: Vec<Failed>,
}

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum What {
    Move(i32, Point),
    Pass(i32),
    Confirm(i32),
    AcceptCount,
    Resign,
    ConfirmRestored,
}

/// What a watcher saw.
#[derive(Debug)]
pub struct Watched {
    pub game_id: String,
    /// Snapshots and events, in the order they came.
    pub seen: Vec<Seen>,
    /// How often it went on elsewhere.
    pub resumed: usize,
    /// Whatever no watcher should see.
    pub wrong: Vec<String>,
}

/// A snapshot or an event that was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    pub sequence: i64,
    /// Its chain hash.
    pub hash: u128,
    pub at_ms: i64,
    pub kind: SeenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenKind {
    /// The game as the watch began.
    Snapshot,
    /// The game as it stands without what was lost.
    Rewound,
    Event,
}

impl Story {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    pub fn begun(&self, game: Begun) {
        self.tell(|told| told.games.push(game));
    }

    pub fn asked(&self, asked: Asked) {
        self.tell(|told| told.commands.push(asked));
    }

    pub fn watched(&self, watched: Watched) {
        self.tell(|told| told.watched.push(watched));
    }

    /// The first game.
    pub fn first(&self) -> Begun {
        self.tell(|told| told.games[0].clone())
    }

    /// How many moves were acknowledged so far.
    pub fn moves(&self) -> usize {
        self.tell(|told| told.moves().count())
    }

    /// All of it; nothing is left.
    pub fn take(&self) -> Told {
        self.tell(std::mem::take)
    }

    /// Looks at it, or writes in it.
    fn tell<T>(&self, look: impl FnOnce(&mut Told) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Told {
    /// The moves that were acknowledged.
    pub fn moves(&self) -> impl Iterator<Item = &Asked> {
        self.commands
            .iter()
            .filter(|asked| matches!(asked.what, What::Move(..)) && asked.outcome.is_ok())
    }

    /// For each instant and each game that was under way then, how long it took until the next
    /// command was acknowledged in it.
    pub fn gaps_ms(&self, instants: &[i64]) -> Vec<i64> {
        let mut games: HashMap<&str, Vec<i64>> = HashMap::new();
        for asked in self.commands.iter().filter(|asked| asked.outcome.is_ok()) {
            games.entry(&asked.game_id).or_default().push(asked.answered_ms);
        }
        games.values_mut().for_each(|answered| answered.sort_unstable());
        let gap = |answered: &Vec<i64>, at_ms: i64| {
            let next = answered.partition_point(|ms| *ms < at_ms);
            (next > 0).then_some(answered.get(next)? - at_ms)
        };
        let all = instants
            .iter()
            .flat_map(|at_ms| games.values().filter_map(move |answered| gap(answered, *at_ms)));
        all.collect()
    }
}

impl Watched {
    /// One who has seen nothing yet of this game.
    pub fn of(game_id: &str) -> Self {
        let game_id = game_id.to_owned();
        Self { game_id, seen: Vec::new(), resumed: 0, wrong: Vec::new() }
    }
}

/// A chain hash as a number.
pub fn hash(hex: &str) -> u128 {
    u128::from_str_radix(hex, 16).unwrap_or_else(|_| panic!("{hex:?} is no chain hash"))
}
