//! Recorded games, and playing one move by move through two clients.

use serde_json::Value;
use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::{Accepted, ColourChoice, Phase, Settings};

use crate::Player;
use crate::player::board;

/// A recorded game with its right result.
pub struct Recorded {
    pub id: String,
    pub lines: i32,
    pub komi_quarters: i32,
    /// Black first, alternating; `None` is a pass.
    pub moves: Vec<Option<Point>>,
    pub dead: Vec<Point>,
    /// The final board, rows from the top.
    pub board: Vec<String>,
    /// Black's margin.
    pub margin_quarters: i64,
}

impl Recorded {
    /// The recorded even games of a set that alternate and were counted, in the file's order.
    pub fn of_set(set: &str) -> Vec<Self> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/games.jsonl");
        let text = std::fs::read_to_string(path).expect("the recorded games");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines.filter(|game| game["set"] == set).filter_map(|game| Self::read(&game)).collect()
    }

    fn read(game: &Value) -> Option<Self> {
        if game.get("refused").is_some() || game.get("black").is_some() {
            return None;
        }
        let text = |field: &str| game[field].as_str().unwrap_or_default();
        let mut moves = Vec::new();
        for (number, word) in text("moves").split_whitespace().enumerate() {
            let (colour, at) = word.split_at(1);
            if (colour == "B") != (number % 2 == 0) {
                return None;
            }
            moves.push(point(at));
        }
        Some(Self {
            id: text("id").into(),
            lines: i32::try_from(game["size"].as_i64()?).ok()?,
            komi_quarters: i32::try_from(game["komi_quarters"].as_i64()?).ok()?,
            moves,
            dead: text("dead").split_whitespace().filter_map(point).collect(),
            board: serde_json::from_value(game["board"].clone()).ok()?,
            margin_quarters: game["margin_quarters"].as_i64()?,
        })
    }

    /// The settings this game was played with.
    pub fn settings(&self) -> Settings {
        Settings { komi_quarters: Some(self.komi_quarters), ..board(self.lines) }
    }
}

fn point(sgf: &str) -> Option<Point> {
    let mut letters = sgf.bytes().map(|letter| i32::from(letter) - i32::from(b'a'));
    let (column, row) = (letters.next()?, letters.next()?);
    (row >= 0 && column >= 0).then_some(Point { row, column })
}

/// Two players at a board: who is Black is fixed, so that a record can be replayed.
pub struct Pair {
    pub black: Player,
    pub white: Player,
    pub game_id: String,
}

impl Pair {
    /// Black offers, White accepts.
    pub async fn begin(mut black: Player, mut white: Player, settings: Settings) -> Self {
        let challenge_id = black.challenge(settings, ColourChoice::Black).await;
        let game = white.accept(&challenge_id).await.expect("accepts");
        assert_eq!(game.phase(), Phase::Playing);
        assert_eq!(
            (&game.black.unwrap().player_id, &game.white.unwrap().player_id),
            (&black.id, &white.id)
        );
        Self { black, white, game_id: game.game_id }
    }

    /// The player whose turn has this number, in an even game.
    pub fn to_move(&mut self, number: i32) -> &mut Player {
        if number % 2 == 1 { &mut self.black } else { &mut self.white }
    }

    /// Takes these turns, from `number` on; returns the number after them.
    pub async fn take(&mut self, turns: &[Option<Point>], mut number: i32) -> i32 {
        for turn in turns {
            let id = self.game_id.clone();
            let accepted = match turn {
                Some(point) => self.to_move(number).play(&id, number, *point).await,
                None => self.to_move(number).pass(&id, number).await,
            };
            let accepted = accepted.unwrap_or_else(|status| panic!("turn {number}: {status:?}"));
            number += 1;
            assert_eq!(accepted.move_number, number);
        }
        number
    }

    /// Both confirm, the dead stones are marked, and both accept.
    pub async fn count(&mut self, mut number: i32, dead: &[Point]) -> Accepted {
        let id = self.game_id.clone();
        let mut phase = self.black.game(&id).await.phase();
        while phase == Phase::Playing {
            phase = self.to_move(number).confirm(&id, number).await.expect("confirms").phase();
            number += 1;
        }
        let mut marked = Vec::new();
        for point in dead {
            if !marked.contains(point) {
                self.white.mark(&id, *point, true).await.expect("marks");
                marked = self.white.game(&id).await.dead;
            }
        }
        let hash = self.black.game(&id).await.dead_set_hash;
        self.white.accept_count(&id, &hash).await.expect("White accepts");
        self.black.accept_count(&id, &hash).await.expect("Black accepts")
    }
}
