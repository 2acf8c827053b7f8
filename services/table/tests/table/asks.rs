//! What players and a referee ask of a random game: mostly what fits, sometimes anything.

use tengen_rules::{Colour, Point};
use tengen_table::{
    Act, Command, Decision, Offer, Order, Ordered, Phase, Rejection, Request, Table,
};

use crate::dice::Dice;
use crate::kit::Game;

const OFFERS: [Offer; 3] = [Offer::Draw, Offer::TakeBack, Offer::Pause];
/// The longest pause, and the most time a side may hold.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Whatever a game decides.
#[derive(Clone, Debug)]
pub enum Ask {
    Player(Command),
    Referee(Order),
}

impl Ask {
    pub fn decide(&self, table: &Table, now_ms: i64) -> Result<Decision, Rejection> {
        match self {
            Self::Player(command) => table.decide(command, now_ms),
            Self::Referee(order) => table.order(order, now_ms),
        }
    }

    pub const fn is_claim(&self) -> bool {
        matches!(self, Self::Player(Command { act: Act::ClaimTime, .. }))
    }

    pub const fn request_mut(&mut self) -> &mut Request {
        match self {
            Self::Player(command) => &mut command.request,
            Self::Referee(order) => &mut order.request,
        }
    }
}

/// Chooses what is asked next.
pub struct Asker {
    pub dice: Dice,
    /// Some end a game ten times as willingly as others.
    pub haste: usize,
    /// Some offer something every so many turns, some seldom.
    pub reserve: usize,
    pub sent: Vec<Ask>,
}

impl Asker {
    pub fn ask(&mut self, game: &mut Game) -> Ask {
        let ask = self.choose(game);
        self.sent.push(ask.clone());
        ask
    }

    fn choose(&mut self, game: &mut Game) -> Ask {
        if !self.sent.is_empty() && self.dice.one_in(40) {
            let mut again = self.dice.pick(&self.sent);
            again.request_mut().digest += u32::from(self.dice.one_in(3));
            return again;
        }
        let stands = matches!(game.phase(), Phase::Paused | Phase::Restored);
        let ordered_in = if stands { 8 } else { 300 };
        if self.dice.one_in(ordered_in) {
            let act = self.an_order(game);
            return Ask::Referee(game.order_of(act));
        }
        let flagged = game.next_due_ms().is_some_and(|due_ms| due_ms <= game.now_ms);
        let (by, act) = match game.phase() {
            Phase::Playing if flagged && self.dice.one_in(4) => {
                (game.mover().opponent(), Act::ClaimTime)
            }
            Phase::Playing
                if self.dice.one_in(8) && Colour::BOTH.iter().any(|by| !game.present(*by)) =>
            {
                (self.dice.pick(&Colour::BOTH), Act::ClaimAbsence)
            }
            Phase::Playing => self.in_play(game),
            Phase::Counting => self.in_counting(game),
            Phase::Waiting if self.dice.one_in(3) => (self.dice.pick(&Colour::BOTH), Act::Arrive),
            Phase::Paused if self.dice.one_in(6) => (self.dice.pick(&Colour::BOTH), Act::Resume),
            Phase::Restored if self.dice.one_in(3) => {
                (self.dice.pick(&Colour::BOTH), Act::ConfirmRestored)
            }
            Phase::Waiting | Phase::Paused | Phase::Restored | Phase::Ended => self.anything(game),
        };
        Ask::Player(game.command(by, act))
    }

    fn in_play(&mut self, game: &Game) -> (Colour, Act) {
        let (by, number) = (game.mover(), game.next_number());
        if let Some(talk) = self.talk(game) {
            return talk;
        }
        let act = match self.dice.below(1_000) {
            0..860 => self.a_move(game),
            _ if !self.dice.one_in(self.haste) => self.a_move(game),
            860..890 => Act::Pass { number },
            890..950 => Act::Confirm { number },
            950..953 => return (by.opponent(), self.a_move(game)),
            _ => return self.anything(game),
        };
        (by, act)
    }

    /// An offer, or an answer to one that stands. A draw is seldom accepted.
    fn talk(&mut self, game: &Game) -> Option<(Colour, Act)> {
        for by in Colour::BOTH {
            if let Some(offer) = game.offer(by.opponent())
                && self.dice.one_in(2)
            {
                let likely = if offer == Offer::Draw { 20 } else { 2 };
                let accept = self.dice.one_in(likely);
                return Some((by, Act::Answer { offer, accept }));
            }
        }
        let offer = self.dice.pick(&OFFERS);
        self.dice.one_in(self.reserve).then(|| (self.dice.pick(&Colour::BOTH), Act::Offer(offer)))
    }

    fn an_order(&mut self, game: &Game) -> Ordered {
        let later_ms = self.dice.pick(&[1, 500, 20_000, DAY_MS, 0, DAY_MS + 1]);
        let until_ms = Some(game.now_ms + later_ms).filter(|_| !self.dice.one_in(9));
        let ms = self.dice.pick(&[1, 700, 30_000, 30_000, 0, DAY_MS]);
        match self.dice.below(7) {
            0..2 => Ordered::AddTime { side: self.dice.pick(&Colour::BOTH), ms },
            2..4 => Ordered::Resume,
            _ => Ordered::Pause { until_ms },
        }
    }

    /// A legal move as a rule, else a forbidden one, if there are any of it.
    fn a_move(&mut self, game: &Game) -> Act {
        let (by, number) = (game.mover(), game.next_number());
        let legal = game.game().legal_points(by);
        let forbidden = game.game().board().empty_points().difference(&legal);
        let first = if self.dice.one_in(12) { forbidden } else { legal };
        let point = self.dice.of(&first).or_else(|| self.dice.of(&legal));
        point.map_or(Act::Confirm { number }, |point| Act::Play { number, point })
    }

    fn in_counting(&mut self, game: &Game) -> (Colour, Act) {
        let by = self.dice.pick(&Colour::BOTH);
        let dead_set = game.dead().digest();
        let act = match self.dice.below(100) {
            0..50 => Act::Mark { point: self.a_point(game), dead: !self.dice.one_in(3) },
            50..80 => Act::Accept { dead_set },
            80..85 => Act::Accept { dead_set: !dead_set },
            85..91 => Act::Dispute,
            _ => return self.anything(game),
        };
        (by, act)
    }

    /// Any act by any side, right or wrong.
    fn anything(&mut self, game: &Game) -> (Colour, Act) {
        let number = game.next_number().saturating_add_signed(self.dice.pick(&[-2, -1, -1, 0, 1]));
        let (point, dead) = (self.a_point(game), true);
        let act = match self.dice.below(100) {
            0..30 => Act::Play { number, point },
            30..37 => Act::Pass { number },
            37..44 => Act::Confirm { number },
            44..54 => Act::Mark { point, dead },
            54..64 => Act::Accept { dead_set: self.dice.next() },
            64..70 => Act::Dispute,
            70..72 => Act::Resign,
            72 => Act::Leave,
            85..90 => Act::ClaimAbsence,
            73..76 => Act::Arrive,
            76..79 => Act::Resume,
            79..82 => Act::Offer(self.dice.pick(&OFFERS)),
            82..85 => Act::Answer { offer: self.dice.pick(&OFFERS), accept: self.dice.one_in(2) },
            _ => Act::ClaimTime,
        };
        (self.dice.pick(&Colour::BOTH), act)
    }

    /// On the board, or just beside it.
    fn a_point(&mut self, game: &Game) -> Point {
        let size = game.settings().size;
        let mut line = |lines: u8| self.dice.below(usize::from(lines) + 1) as u8;
        Point::new(line(size.rows()), line(size.columns()))
    }
}
