//! A game as a client knows it: a snapshot, and every event after it.

use tengen_proto::common::v1::{Colour as WireColour, Point as WirePoint};
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::event::Event as Told;
use tengen_rules::{Colour, Game, Point, PointSet, Size};

/// What a client knows.
#[derive(Debug, Clone)]
pub struct View {
    /// The last event it has.
    pub sequence: i64,
    /// Its hash.
    pub head_hash: String,
    /// Where the game stands.
    pub phase: wire::Phase,
    /// Whose turn it is.
    pub to_move: i32,
    /// The number the next turn has.
    pub number: i32,
    /// Every turn: a point for a stone, `None` for anything else.
    pub turns: Vec<(Colour, Option<Point>)>,
    /// The board with its history.
    pub board: Game,
    /// The name of the dead set, while counting.
    pub dead_set: String,
    /// What each side offers.
    pub offers: [Option<wire::OfferKind>; 2],
    /// Whether each side is here.
    pub present: [bool; 2],
    /// What was agreed.
    pub settings: wire::Settings,
    size: Size,
}

impl View {
    /// The game as a snapshot shows it.
    pub fn of(game: &wire::Game) -> Self {
        let settings = game.settings.clone().unwrap_or_default();
        let lines = settings.size.unwrap_or_default();
        let size = Size::new(byte(lines.rows), byte(lines.columns)).unwrap();
        let turns = game.turns.iter().map(|turn| {
            let stone = turn.kind() == wire::TurnKind::Move;
            (colour(turn.colour).unwrap(), turn.point.filter(|_| stone).map(point))
        });
        let offer = |seat: &Option<wire::Seat>| {
            let offers = seat.iter().flat_map(|seat| &seat.offers);
            offers.filter_map(|kind| wire::OfferKind::try_from(*kind).ok()).next()
        };
        let mut view = Self {
            sequence: game.sequence,
            head_hash: game.head_hash.clone(),
            phase: game.phase(),
            to_move: game.to_move,
            number: game.move_number,
            turns: turns.collect(),
            board: Game::new(size),
            dead_set: game.dead_set_hash.clone(),
            offers: [offer(&game.black), offer(&game.white)],
            present: [&game.black, &game.white]
                .map(|seat| seat.as_ref().is_none_or(|seat| seat.present)),
            settings,
            size,
        };
        view.set_up();
        view
    }

    /// Takes an event in that follows.
    pub fn event(&mut self, event: &wire::Event) {
        self.sequence = event.sequence;
        self.head_hash.clone_from(&event.head_hash);
        self.phase = event.phase();
        self.to_move = event.to_move;
        self.number = event.move_number;
        match event.event.as_ref() {
            Some(Told::MovePlayed(told)) => self.turn(told.colour, told.point.map(point)),
            Some(Told::Passed(told)) => self.turn(told.colour, None),
            Some(Told::Confirmed(told)) => self.turn(told.colour, None),
            Some(Told::TurnForfeited(told)) => self.turn(told.colour, None),
            Some(Told::MoveAnnulled(_)) => {
                self.turns.pop();
                self.offers = [None; 2];
                self.set_up();
            }
            Some(Told::CountingOpened(_)) => self.dead_set = dead_set(&PointSet::new()),
            Some(Told::DeadMarked(told)) => self.dead_set.clone_from(&told.dead_set_hash),
            Some(Told::OfferMade(told)) => {
                if let Some(colour) = colour(told.colour) {
                    self.offers[colour.index()] = Some(told.kind());
                }
            }
            Some(Told::PresenceChanged(told)) => {
                if let Some(colour) = colour(told.colour) {
                    self.present[colour.index()] = told.present;
                }
            }
            Some(Told::OfferAnswered(told)) => {
                if let Some(colour) = colour(told.colour) {
                    self.offers[colour.opponent().index()] = None;
                }
            }
            _ => {}
        }
    }

    /// Whether the game is over.
    pub fn ended(&self) -> bool {
        self.phase == wire::Phase::Ended
    }

    fn turn(&mut self, by: i32, at: Option<Point>) {
        let Some(colour) = colour(by) else { return };
        self.offers = [None; 2];
        self.turns.push((colour, at));
        play(&mut self.board, colour, at);
    }

    fn set_up(&mut self) {
        self.board = Game::new(self.size);
        for (colour, at) in &self.turns {
            play(&mut self.board, *colour, *at);
        }
    }
}

/// A move that was accepted is legal; one that is not shows in the board.
fn play(board: &mut Game, colour: Colour, at: Option<Point>) {
    match at {
        Some(at) => drop(board.play(colour, at)),
        None => board.pass(colour),
    }
}

/// The name of a dead set.
pub fn dead_set(dead: &PointSet) -> String {
    format!("{:016x}", dead.digest())
}

/// A colour of the wire, if it is one.
pub fn colour(number: i32) -> Option<Colour> {
    match WireColour::try_from(number) {
        Ok(WireColour::Black) => Some(Colour::Black),
        Ok(WireColour::White) => Some(Colour::White),
        _ => None,
    }
}

/// A colour on the wire.
pub fn wire_colour(colour: Colour) -> i32 {
    let colour = match colour {
        Colour::Black => WireColour::Black,
        Colour::White => WireColour::White,
    };
    colour as i32
}

/// A point of the wire.
pub fn point(at: WirePoint) -> Point {
    Point::new(byte(at.row), byte(at.column))
}

/// A point on the wire.
pub fn wire_point(at: Point) -> WirePoint {
    WirePoint { row: at.row.into(), column: at.column.into() }
}

fn byte(number: i32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}
