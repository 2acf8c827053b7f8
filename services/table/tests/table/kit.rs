//! A game in a test: commands by either side, an hour that is set by hand, boards as text.

use std::ops::Deref;

use tengen_rules::text::gtp;
use tengen_rules::{Colour, Point, PointSet, Size};
use tengen_table::{
    Act, Command, Decision, EndReason, Event, IfGone, Offer, Order, Ordered, Outcome, Phase,
    Presence, Rejection, Request, Settings, Table, Turn, Word,
};
use tengen_timing::{Charge, Clock, Control, CreditReason, PauseReason, Reading, Seat};

pub use tengen_rules::Colour::{Black, White};

/// When every game begins: not 0, so that an instant is never taken for a length of time.
pub const START_MS: i64 = 1_000_000;

/// A game with its log, driven as a service would: what is due is folded in before a command is
/// decided, and every event is folded in once it is decided.
pub struct Game {
    table: Table,
    pub log: Vec<Event>,
    pub now_ms: i64,
    /// What is answered of one who is away.
    pub still_gone: bool,
    requests: u64,
}

/// A game can be asked all that a table can.
impl Deref for Game {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

/// All that a table tells; two equal views are the same state.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    settings: Settings,
    stones: [PointSet; 2],
    legal: [PointSet; 2],
    captured: [u32; 2],
    clock: Option<Clock>,
    phase: Phase,
    to_move: Option<Colour>,
    turns: Vec<Turn>,
    sequence: i64,
    stamps_ms: [i64; 2],
    dead: PointSet,
    accepted: [Option<i64>; 2],
    confirmed: [bool; 2],
    disputes: u32,
    due_ms: [Option<i64>; 2],
    arrived_ms: [Option<i64>; 2],
    pauses: Vec<(PauseReason, Option<i64>)>,
    offers: [Option<Offer>; 2],
    last_charge: Option<Charge>,
    lag_ms: [i64; 2],
    present: [bool; 2],
    gone_deadline_ms: [Option<i64>; 2],
    outcome: Option<Outcome>,
}

pub fn view(table: &Table) -> View {
    let game = table.game();
    View {
        settings: table.settings().clone(),
        stones: Colour::BOTH.map(|colour| game.board().stones(colour)),
        legal: Colour::BOTH.map(|colour| game.legal_points(colour)),
        captured: Colour::BOTH.map(|colour| game.captured_by(colour)),
        clock: table.clock().cloned(),
        phase: table.phase(),
        to_move: table.to_move(),
        turns: table.turns().to_vec(),
        sequence: table.sequence(),
        stamps_ms: [table.opened_at_ms(), table.last_at_ms()],
        dead: *table.dead(),
        accepted: Colour::BOTH.map(|colour| table.accepted(colour)),
        confirmed: Colour::BOTH.map(|colour| table.confirmed(colour)),
        disputes: table.disputes(),
        due_ms: [table.counting_deadline_ms(), table.next_due_ms()],
        arrived_ms: Colour::BOTH.map(|colour| table.arrived_ms(colour)),
        pauses: table.pauses().to_vec(),
        offers: Colour::BOTH.map(|colour| table.offer(colour)),
        last_charge: table.last_charge().copied(),
        lag_ms: Colour::BOTH.map(|colour| table.lag_ms(colour)),
        present: Colour::BOTH.map(|colour| table.present(colour)),
        gone_deadline_ms: Colour::BOTH.map(|colour| table.gone_deadline_ms(colour)),
        outcome: table.outcome().cloned(),
    }
}

impl View {
    pub const fn sequence(&self) -> i64 {
        self.sequence
    }

    pub const fn ended(&self) -> bool {
        self.outcome.is_some()
    }
}

/// An even, untimed game on a square board, with the settings that the story needs.
pub fn game(lines: u8, set: impl FnOnce(&mut Settings)) -> Game {
    let mut settings = Settings::even(Size::square(lines).unwrap());
    set(&mut settings);
    Game::new(settings)
}

/// The same, timed.
pub fn timed(lines: u8, control: Control) -> Game {
    game(lines, |settings| settings.control = Some(control))
}

/// A limit and nothing after it.
pub const fn absolute(main_ms: i64) -> Control {
    Control::Absolute { main_ms }
}

/// A timed game that begins so long after it was made.
pub fn scheduled(control: Control, later_ms: i64) -> Game {
    game(9, |settings| {
        settings.control = Some(control);
        settings.start_at_ms = Some(START_MS + later_ms);
    })
}

/// A referee's name and reason.
pub fn word() -> Word {
    Word { referee: "referee".into(), text: "the hall is noisy".into() }
}

/// Folds a log from its beginning.
pub fn replay(log: &[Event]) -> Table {
    let mut table = Table::open(&log[0]).unwrap();
    for event in &log[1..] {
        table.fold(event).unwrap();
    }
    table
}

impl Game {
    pub fn new(settings: Settings) -> Self {
        let opening = Event::opened(settings, START_MS);
        Self {
            table: Table::open(&opening).unwrap(),
            log: vec![opening],
            now_ms: START_MS,
            still_gone: true,
            requests: 0,
        }
    }

    /// A game in which the stones drawn were played in turn, from the top; who has none left
    /// passes, and Black is to move.
    pub fn drawn(rows: &[&str], set: impl FnOnce(&mut Settings)) -> Self {
        let lines = |n: usize| u8::try_from(n).unwrap();
        let mut settings =
            Settings::even(Size::new(lines(rows.len()), lines(rows[0].len())).unwrap());
        set(&mut settings);
        let mut game = Self::new(settings);
        let mut stones =
            ['X', 'O'].map(|symbol| marked(rows, symbol).iter().collect::<Vec<_>>().into_iter());
        while stones.iter().any(|left| left.len() > 0) {
            for left in &mut stones {
                let number = game.next_number();
                let act = match left.next() {
                    Some(point) => Act::Play { number, point },
                    None => Act::Pass { number },
                };
                game.act(game.mover(), act).unwrap();
            }
        }
        game.shows(rows);
        game
    }

    /// The side to move.
    pub fn mover(&self) -> Colour {
        self.to_move().unwrap()
    }

    pub fn point(&self, text: &str) -> Point {
        gtp::parse(text, self.settings().size).unwrap()
    }

    /// Asks, under a new request id; the sequence of the last event if it was accepted.
    pub fn act(&mut self, by: Colour, act: Act) -> Result<i64, Rejection> {
        let command = self.command(by, act);
        self.send(&command)
    }

    /// A command under a new request id.
    pub fn command(&mut self, by: Colour, act: Act) -> Command {
        let request = self.new_request();
        Command { by, request, act }
    }

    /// A referee's order under a new request id.
    pub fn order_of(&mut self, act: Ordered) -> Order {
        let request = self.new_request();
        Order { request, word: word(), act }
    }

    fn new_request(&mut self) -> Request {
        self.requests += 1;
        Request { key: self.requests, digest: 7 }
    }

    /// Sends a command: what is due comes first, then what it makes happen.
    pub fn send(&mut self, command: &Command) -> Result<i64, Rejection> {
        self.settle(|table, now_ms| table.decide(command, now_ms))
    }

    /// Sends a referee's order, in the same way.
    pub fn send_order(&mut self, order: &Order) -> Result<i64, Rejection> {
        self.settle(|table, now_ms| table.order(order, now_ms))
    }

    fn settle(
        &mut self,
        decide: impl Fn(&Table, i64) -> Result<Decision, Rejection>,
    ) -> Result<i64, Rejection> {
        loop {
            match decide(&self.table, self.now_ms)? {
                Decision::Known { sequence } => return Ok(sequence),
                Decision::Due(events) => {
                    assert!(!events.is_empty(), "something is due");
                    self.fold(&events);
                }
                Decision::Accepted(events) => {
                    self.fold(&events);
                    return Ok(self.sequence());
                }
                Decision::IfGone(if_gone) => {
                    if self.answer_for(&if_gone) {
                        return Ok(self.sequence());
                    }
                }
            }
        }
    }

    pub fn fold(&mut self, events: &[Event]) {
        for event in events {
            self.table.fold(event).unwrap();
            self.log.push(event.clone());
        }
    }

    /// Folds in what has fallen due; whether anything had.
    pub fn tick(&mut self) -> bool {
        let events = self.due(self.now_ms);
        self.fold(&events);
        !events.is_empty()
    }

    /// Asks for whoever stays away beyond the limit, if that decides anything; who was asked for.
    pub fn judge(&mut self) -> Vec<Colour> {
        let Some(if_gone) = self.absence_over(self.now_ms) else { return Vec::new() };
        self.answer_for(&if_gone);
        if_gone.sides
    }

    /// Whether whoever is asked for is still gone; what comes of that is folded in.
    pub fn answer_for(&mut self, if_gone: &IfGone) -> bool {
        if self.still_gone {
            self.fold(&if_gone.events);
        } else {
            for side in &if_gone.sides {
                self.fold(&self.presence(*side, Presence::Here, self.now_ms));
            }
        }
        self.still_gone
    }

    /// Word of a side's presence, with what was due before it; whether it changed anything.
    pub fn told(&mut self, side: Colour, word: Presence) -> bool {
        let before = self.sequence();
        loop {
            let events = self.presence(side, word, self.now_ms);
            if events.is_empty() {
                return self.sequence() > before;
            }
            self.fold(&events);
        }
    }

    pub fn gone(&mut self, side: Colour, number: i64) -> bool {
        self.told(side, Presence::Gone { number })
    }

    pub fn back(&mut self, side: Colour, number: i64) -> bool {
        self.told(side, Presence::Back { number })
    }

    pub fn wait(&mut self, ms: i64) -> &mut Self {
        self.now_ms += ms;
        self
    }

    pub fn play(&mut self, point: &str) -> Result<i64, Rejection> {
        self.play_as(self.mover(), self.next_number(), point)
    }

    pub fn play_as(&mut self, by: Colour, number: u32, point: &str) -> Result<i64, Rejection> {
        let point = self.point(point);
        self.act(by, Act::Play { number, point })
    }

    /// Moves in turn, each legal; `pass`, `confirm` too.
    pub fn plays(&mut self, turns: &str) -> &mut Self {
        for turn in turns.split_whitespace() {
            match turn {
                "pass" => self.pass(),
                "confirm" => self.confirm(),
                point => self.play(point),
            }
            .unwrap_or_else(|error| panic!("{turn}: {error}"));
        }
        self
    }

    pub fn pass(&mut self) -> Result<i64, Rejection> {
        let number = self.next_number();
        self.act(self.mover(), Act::Pass { number })
    }

    pub fn confirm(&mut self) -> Result<i64, Rejection> {
        let number = self.next_number();
        self.act(self.mover(), Act::Confirm { number })
    }

    pub fn mark(&mut self, by: Colour, point: &str, dead: bool) -> Result<i64, Rejection> {
        let point = self.point(point);
        self.act(by, Act::Mark { point, dead })
    }

    /// Accepts the dead set as it stands.
    pub fn accept(&mut self, by: Colour) -> Result<i64, Rejection> {
        let dead_set = self.dead().digest();
        self.act(by, Act::Accept { dead_set })
    }

    pub fn dispute(&mut self, by: Colour) -> Result<i64, Rejection> {
        self.act(by, Act::Dispute)
    }

    pub fn resign(&mut self, by: Colour) -> Result<i64, Rejection> {
        self.act(by, Act::Resign)
    }

    pub fn claim(&mut self, by: Colour) -> Result<i64, Rejection> {
        self.act(by, Act::ClaimTime)
    }

    pub fn arrive(&mut self, by: Colour) -> Result<i64, Rejection> {
        self.act(by, Act::Arrive)
    }

    pub fn offer_by(&mut self, by: Colour, offer: Offer) -> Result<i64, Rejection> {
        self.act(by, Act::Offer(offer))
    }

    pub fn answer(&mut self, by: Colour, offer: Offer, accept: bool) -> Result<i64, Rejection> {
        self.act(by, Act::Answer { offer, accept })
    }

    /// One side offers, the other accepts.
    pub fn agree(&mut self, by: Colour, offer: Offer) -> Result<i64, Rejection> {
        self.offer_by(by, offer)?;
        self.answer(by.opponent(), offer, true)
    }

    pub fn resume(&mut self, by: Colour) -> Result<i64, Rejection> {
        self.act(by, Act::Resume)
    }

    pub fn order(&mut self, act: Ordered) -> Result<i64, Rejection> {
        let order = self.order_of(act);
        self.send_order(&order)
    }

    /// The referee's pause, until so many milliseconds from now.
    pub fn halt(&mut self, ms: i64) -> Result<i64, Rejection> {
        let until_ms = Some(self.now_ms + ms);
        self.order(Ordered::Pause { until_ms })
    }

    /// A delay is measured; whether that was news.
    pub fn lag(&mut self, side: Colour, ms: i64) -> bool {
        let event = self.table.lag_measured(side, ms, self.now_ms);
        self.fold(event.as_slice());
        event.is_some()
    }

    /// The server gives back an interval; whether it cost anybody anything.
    pub fn credit(&mut self, reason: CreditReason, from_ms: i64, to_ms: i64) -> bool {
        let event = self.table.credit(reason, from_ms, to_ms, self.now_ms);
        self.fold(event.as_slice());
        event.is_some()
    }

    /// Moves are lost; whether the game was one that can lose any.
    pub fn restore(&mut self) -> bool {
        let event = self.table.restored(self.now_ms);
        self.fold(event.as_slice());
        event.is_some()
    }

    pub fn reading(&self, seat: Seat) -> Reading {
        self.clock().unwrap().reading(seat, self.now_ms)
    }

    /// The seat whose clock runs.
    pub fn running(&self) -> Option<Seat> {
        self.clock().and_then(Clock::running)
    }

    pub fn shows(&self, rows: &[&str]) {
        assert_eq!(self.game().board().rows(), rows);
    }

    /// The game ended so, and its log says so once, at its end.
    pub fn ended(&self, reason: EndReason, text: &str) -> &Outcome {
        let outcome = self.outcome().expect("the game is over");
        assert_eq!((outcome.reason, outcome.text().as_str()), (reason, text));
        assert_eq!(self.phase(), Phase::Ended);
        assert_eq!((self.running(), self.next_due_ms()), (None, None));
        assert_eq!(self.counting_deadline_ms(), None);
        let end = self.log.last().unwrap();
        assert!(end.ends(), "{end:?}");
        assert_eq!(self.log.iter().filter(|event| event.ends()).count(), 1);
        outcome
    }
}

/// Whether an event is an end.
pub trait Ends {
    fn ends(&self) -> bool;
}

impl Ends for Event {
    fn ends(&self) -> bool {
        matches!(self.fact, tengen_table::Fact::Ended { .. })
    }
}

/// The points of a drawing with a symbol.
pub fn marked(rows: &[&str], symbol: char) -> PointSet {
    let mut points = PointSet::new();
    for (row, text) in (0..).zip(rows) {
        for (column, found) in (0..).zip(text.chars()) {
            if found == symbol {
                points.insert(Point::new(row, column));
            }
        }
    }
    points
}
