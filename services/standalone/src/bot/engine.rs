//! What plays: given a position it names a move, and in the end the dead stones.

use std::time::Duration;

use tengen_rules::{Colour, Game, Point, Size};

use crate::error::{ToolError, failed};

/// A game as an engine needs it. Two positions of a game share their settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The board.
    pub size: Size,
    /// What White is given, the compensation for a handicap included: quarter stones.
    pub komi_quarters: i32,
    /// Black's stones before the first move.
    pub handicap: Vec<Point>,
    /// Every turn so far; `None` where no stone was played.
    pub turns: Vec<(Colour, Option<Point>)>,
    /// How time is limited; `None` in an untimed game.
    pub time: Option<Time>,
}

/// A time control as engines know them: main time, then periods with a number of stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    /// Before byo-yomi.
    pub main: Duration,
    /// Of a period; zero where there is none.
    pub period: Duration,
    /// To be played in a period.
    pub stones: u32,
}

/// What is left to the side that is to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Of main time or of the period.
    pub time: Duration,
    /// To be played in the period; 0 in main time.
    pub stones: u32,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Whose turn it is.
    pub colour: Colour,
    /// What is left to it; `None` in an untimed game.
    pub left: Option<Left>,
    /// Whether a count was disputed: what is dead is to be taken off the board by playing on.
    pub to_the_end: bool,
}

/// What an engine does with its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// A stone.
    Play(Point),
    /// Nothing more is to be played.
    Pass,
    /// The game is given up.
    Resign,
}

/// Something that plays one game.
#[tonic::async_trait]
pub trait Engine: Send + Sync {
    /// The move for the side to move.
    ///
    /// # Errors
    /// The engine failed; it is not to be used any more.
    async fn choose(&mut self, position: &Position, turn: Turn) -> Result<Choice, ToolError>;

    /// Every dead stone of the final position.
    ///
    /// # Errors
    /// As [`Engine::choose`].
    async fn dead(&mut self, position: &Position) -> Result<Vec<Point>, ToolError>;
}

impl Position {
    /// The board with its history.
    ///
    /// # Errors
    /// Turns that the rules do not allow: no game has them.
    pub fn game(&self) -> Result<Game, ToolError> {
        let impossible = |why: String| failed("reading a game", why);
        let game = Game::with_setup(self.size, &self.handicap, &[]);
        let mut game = game.map_err(|error| impossible(error.to_string()))?;
        for &(colour, point) in &self.turns {
            match point {
                Some(point) => {
                    game.play(colour, point).map_err(|refusal| impossible(refusal.to_string()))?;
                }
                None => game.pass(colour),
            }
        }
        Ok(game)
    }
}
