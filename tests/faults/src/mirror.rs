//! A player's own board, kept from what the stream tells.

use rand::RngExt as _;
use rand::rngs::StdRng;
use tengen_proto::common::v1::{self as common, BoardSize};
use tengen_proto::game::v1::event::Event as Fact;
use tengen_proto::game::v1::{Event, Game, Phase, TurnKind};
use tengen_rules::{Colour, Point, Size};

use crate::watcher::News;

/// Where a game stands, as its player knows it.
pub struct Mirror {
    game: tengen_rules::Game,
    pub number: i32,
    pub to_move: Option<Colour>,
    pub phase: Phase,
    /// Confirmations in a row: the second opens counting, which is an event of its own.
    pub confirmed: u32,
    /// How often it had to begin from a snapshot.
    pub snapshots: u32,
}

impl Mirror {
    /// The board of these settings, before anything is known.
    pub fn new(size: &BoardSize) -> Self {
        let lines = |count: i32| u8::try_from(count).expect("a board");
        let size = Size::new(lines(size.rows), lines(size.columns)).expect("a board");
        let game = tengen_rules::Game::new(size);
        let phase = Phase::Unspecified;
        Self { game, number: 0, to_move: None, phase, confirmed: 0, snapshots: 0 }
    }

    /// Takes down what was told.
    pub fn take(&mut self, news: &News) {
        match news {
            News::Snapshot(game) => self.begin(game),
            News::Event(event) => self.follow(event),
        }
    }

    /// A point where `colour` may play.
    pub fn draw(&self, colour: Colour, rng: &mut StdRng) -> Option<common::Point> {
        let legal = self.game.legal_points(colour);
        let point = (!legal.is_empty()).then(|| rng.random_range(0..legal.len()))?;
        let point = legal.iter().nth(point)?;
        Some(common::Point { row: point.row.into(), column: point.column.into() })
    }

    fn begin(&mut self, shown: &Game) {
        self.game = tengen_rules::Game::new(self.game.board().size());
        self.snapshots += 1;
        self.confirmed = 0;
        for turn in &shown.turns {
            match turn.kind() {
                TurnKind::Move => self.told(turn.colour(), turn.point.as_ref()),
                TurnKind::Confirm => self.confirm(turn.colour()),
                _ => self.told(turn.colour(), None),
            }
        }
        self.stand(shown.move_number, shown.to_move(), shown.phase());
    }

    fn follow(&mut self, event: &Event) {
        match event.event.as_ref().expect("a fact") {
            Fact::MovePlayed(told) => self.told(told.colour(), told.point.as_ref()),
            Fact::Passed(told) => self.told(told.colour(), None),
            Fact::Confirmed(told) => self.confirm(told.colour()),
            Fact::TurnForfeited(told) => self.told(told.colour(), None),
            _ => {}
        }
        self.stand(event.move_number, event.to_move(), event.phase());
    }

    /// Takes a turn down: a stone, or none.
    pub fn turn(&mut self, who: Colour, stone: Option<&common::Point>) {
        match stone {
            Some(at) => {
                let line = |line: i32| u8::try_from(line).expect("a line");
                let at = Point::new(line(at.row), line(at.column));
                self.game.play(who, at).expect("what is in the record is legal");
            }
            None => self.game.pass(who),
        }
        self.confirmed = 0;
    }

    fn told(&mut self, who: common::Colour, stone: Option<&common::Point>) {
        self.turn(colour(who).expect("whose turn it was"), stone);
    }

    fn confirm(&mut self, who: common::Colour) {
        let before = self.confirmed;
        self.told(who, None);
        self.confirmed = before + 1;
    }

    fn stand(&mut self, number: i32, to_move: common::Colour, phase: Phase) {
        (self.number, self.to_move, self.phase) = (number, colour(to_move), phase);
    }
}

/// A side.
pub fn colour(wire: common::Colour) -> Option<Colour> {
    match wire {
        common::Colour::Black => Some(Colour::Black),
        common::Colour::White => Some(Colour::White),
        common::Colour::Unspecified => None,
    }
}
