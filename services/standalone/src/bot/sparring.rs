//! The sparring bot: a beginner that is always there. It plays by the rules, fills no eye of its own,
//! passes when nothing is left to play for, and calls stones dead that are.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use tengen_rules::{Colour, Count, Game, Point, area};
use tokio::task::spawn_blocking;

use super::engine::{Choice, Engine, Position, Turn};
use super::playouts::{Playouts, is_eye};
use crate::error::{ToolError, failed};

/// A point that one side owns this surely is not worth a move, in percent.
const SETTLED: i64 = 92;
/// With more shared points than a seki has, a border is open, and the count would surprise.
const SHARED: u32 = 6;

/// A beginner.
pub struct Sparring {
    random: SmallRng,
    /// Points and games together: a small board is thought about more.
    effort: u32,
}

impl Sparring {
    /// Thinks a tenth of a second or so about a move.
    pub fn new(seed: u64) -> Self {
        Self::with_effort(seed, 30_000)
    }

    /// Plays so many random games for a move that their boards have `effort` points together.
    pub fn with_effort(seed: u64, effort: u32) -> Self {
        Self { random: SmallRng::seed_from_u64(seed), effort }
    }

    /// Thinks where others need not wait for it.
    async fn think<T: Send + 'static>(
        &mut self,
        position: &Position,
        about: impl FnOnce(&Game, u32, &mut SmallRng) -> T + Send + 'static,
    ) -> Result<T, ToolError> {
        let game = position.game()?;
        let mut random = SmallRng::from_rng(&mut self.random);
        let number = (self.effort / u32::from(position.size.points())).max(16);
        let thought = spawn_blocking(move || about(&game, number, &mut random));
        thought.await.map_err(|error| failed("thinking", error))
    }
}

#[tonic::async_trait]
impl Engine for Sparring {
    async fn choose(&mut self, position: &Position, turn: Turn) -> Result<Choice, ToolError> {
        let komi_quarters = position.komi_quarters;
        let passed = position.turns.last().is_some_and(|(_, point)| point.is_none());
        self.think(position, move |game, number, random| {
            let playouts = Playouts::of(game, turn.colour, number, random);
            let done = passed && !turn.to_the_end;
            if done && has_won(game, &playouts, turn.colour, komi_quarters) {
                return Choice::Pass;
            }
            best(game, &playouts, turn).map_or(Choice::Pass, Choice::Play)
        })
        .await
    }

    async fn dead(&mut self, position: &Position) -> Result<Vec<Point>, ToolError> {
        self.think(position, |game, number, random| {
            let [one, other] =
                Colour::BOTH.map(|colour| Playouts::of(game, colour, number, random).dead(game));
            // Dead whoever is to move.
            one.intersection(&other).iter().collect()
        })
        .await
    }
}

/// The move that does best, if any is left: not in an eye, and not where all is settled.
fn best(game: &Game, playouts: &Playouts, turn: Turn) -> Option<Point> {
    let colour = turn.colour;
    let legal = game.legal_points(colour).iter().filter(|&at| !is_eye(game, colour, at));
    let open = legal.filter(|&at| turn.to_the_end || playouts.owned(colour, at).abs() < SETTLED);
    open.max_by_key(|&at| playouts.worth(colour, at))
}

/// Whether the borders are closed with the dead stones off, and a colour leads.
fn has_won(game: &Game, playouts: &Playouts, colour: Colour, komi_quarters: i32) -> bool {
    let area = area(game.board(), &playouts.dead(game));
    area.neutral <= SHARED && Count::new(area, komi_quarters, 0).winner() == Some(colour)
}

#[cfg(test)]
mod tests {
    use tengen_rules::Size;

    use super::{Choice, Colour, Engine, Point, Position, Sparring, Turn};

    /// What Black does on 9 lines once White has passed: two walls of this many stones stand side by
    /// side, Black's half being the larger.
    async fn after_a_pass(stones: u8) -> Choice {
        let wall =
            |colour, column| (0..stones).map(move |row| (colour, Some(Point { row, column })));
        let turns = wall(Colour::Black, 4).chain(wall(Colour::White, 5));
        let position = Position {
            size: Size::new(9, 9).unwrap(),
            komi_quarters: 0,
            handicap: Vec::new(),
            turns: turns.chain([(Colour::White, None)]).collect(),
            time: None,
        };
        let turn = Turn { colour: Colour::Black, left: None, to_the_end: false };
        Sparring::new(1).choose(&position, turn).await.unwrap()
    }

    // rulebook: G2.4
    #[tokio::test]
    async fn it_passes_after_a_pass_once_it_has_won_and_the_borders_are_closed() {
        assert_eq!(after_a_pass(9).await, Choice::Pass);
        let open = after_a_pass(8).await;
        assert!(matches!(open, Choice::Play(_)), "{open:?}");
    }
}
