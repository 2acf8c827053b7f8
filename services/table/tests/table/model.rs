//! A long run of random commands by both sides, over every kind of clock and setting; after each
//! command the game is held against what must be true of any game.
//!
//! `TENGEN_MODEL_COMMANDS` sets how many commands, `TENGEN_MODEL_SEED` where the run begins.

use std::collections::BTreeMap;
use std::env;
use std::thread;

use tengen_rules::{Colour, Point, PointSet, Size};
use tengen_table::{
    Act, Command, Decision, Fact, IllegalMove, OutOfTurn, Phase, Rejection, Settings, TwoPasses,
};

use crate::invariants::Invariants;
use crate::kit::{Game, replay, view};
use crate::time::CONTROLS;

const COMMANDS: u64 = 50_000;
const SEED: u64 = 20_260_701;

/// What happened in a run, so that a run in which nothing happened is found out.
type Tally = BTreeMap<String, u64>;

// case: C2, C12, C18, C30, S5, S6; rulebook: C8.1, C10, C12, C14.5, G6, G9
#[test]
fn every_game_keeps_the_invariants() {
    let number = |name, default| env::var(name).map_or(default, |text| text.parse().unwrap());
    let commands = number("TENGEN_MODEL_COMMANDS", COMMANDS);
    let mut seed = number("TENGEN_MODEL_SEED", SEED);
    let mut left = commands;
    let mut tally = Tally::new();
    while left > 0 {
        left = left.saturating_sub(Run::new(seed).play(left, &mut tally));
        seed += 1;
    }
    println!("{tally:#?}");
    for expected in [
        "Count Agreed",
        "Count AllStand",
        "Resignation",
        "Time",
        "OutOfTurn",
        "Leave",
        "disputed",
        "counting expired",
        "move",
        "pass",
        "confirm",
        "forfeit",
        "captured",
        "marked",
        "claimed",
        "Known",
        "RequestReused",
        "Ended",
        "WrongPhase",
        "StaleNumber",
        "NotYourTurn",
        "Forbidden",
        "NoStone",
        "DeadSetChanged",
        "NotDue",
        "longer than 500 turns",
    ] {
        assert!(tally.contains_key(expected), "{expected} never happened");
    }
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn ms(&mut self, below: i64) -> i64 {
        (self.next() % below as u64) as i64
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn of(&mut self, set: &PointSet) -> Option<Point> {
        let n = set.len();
        (n > 0).then(|| set.iter().nth(self.below(n)).unwrap())
    }
}

/// One random game.
struct Run {
    seed: u64,
    dice: Dice,
    game: Game,
    sent: Vec<Command>,
    /// Some players think longer than their clocks allow.
    pace_ms: i64,
    /// Some end a game ten times as willingly as others.
    haste: usize,
    invariants: Invariants,
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let lines = dice.pick(&[2, 3, 5, 5, 7, 7, 9, 9, 13, 19]);
        let mut settings = Settings::even(Size::square(lines).unwrap());
        if lines >= 9 && dice.one_in(4) {
            settings = settings.with_handicap(dice.pick(&[2, 3, 4, 5, 9])).unwrap();
        }
        settings.control = CONTROLS.get(dice.below(CONTROLS.len() + 1)).copied();
        settings.two_passes = dice.pick(&[TwoPasses::Confirm, TwoPasses::Nothing]);
        settings.illegal_move = dice.pick(&[IllegalMove::Refuse, IllegalMove::ForfeitTurn]);
        settings.out_of_turn = dice.pick(&[OutOfTurn::Refuse, OutOfTurn::Refuse, OutOfTurn::Loss]);
        settings.counting_limit_ms = dice.pick(&[10_000, 300_000]);
        settings.komi_quarters = dice.pick(&[0, 15]);
        let pace_ms = dice.pick(&[200, 1_000, 4_000, 20_000]);
        let haste = dice.pick(&[1, 10]);
        Self {
            seed,
            dice,
            game: Game::new(settings),
            sent: Vec::new(),
            pace_ms,
            haste,
            invariants: Invariants::default(),
        }
    }

    /// Plays to the end and a little beyond; the number of commands used.
    fn play(mut self, at_most: u64, tally: &mut Tally) -> u64 {
        let mut beyond = 12;
        let mut used = 0;
        while used < at_most && beyond > 0 {
            self.pass_time();
            let command = self.command();
            let before = view(&self.game);
            let answer = self.send(&command, tally);
            self.invariants.hold(&self.game, &before, &command, &answer);
            self.sent.push(command);
            used += 1;
            beyond -= i32::from(self.game.phase() == Phase::Ended);
        }
        if self.game.turns().len() > 500 {
            count(tally, "longer than 500 turns");
        }
        assert_eq!(view(&replay(&self.game.log)), view(&self.game));
        if let Some(outcome) = self.game.outcome() {
            let settlement = outcome.counted.as_ref().map(|counted| counted.settlement);
            let how = settlement.map(|settlement| format!(" {settlement:?}"));
            count(
                tally,
                format!("{:?}{}", outcome.reason, how.unwrap_or_default()),
            );
        }
        used
    }

    /// A while; sometimes just to the next deadline, or past it.
    fn pass_time(&mut self) {
        self.game.now_ms += self.dice.ms(self.pace_ms);
        if self.dice.one_in(150)
            && let Some(due_ms) = self.game.next_due_ms()
        {
            let near_ms = due_ms + self.dice.pick(&[-1, 0, 1, 700]);
            self.game.now_ms = self.game.now_ms.max(near_ms);
        }
        self.game.lag_ms = if self.dice.one_in(3) {
            self.dice.ms(3_000)
        } else {
            0
        };
    }

    fn command(&mut self) -> Command {
        if !self.sent.is_empty() && self.dice.one_in(40) {
            let mut again = self.dice.pick(&self.sent);
            again.request.digest += u32::from(self.dice.one_in(3));
            return again;
        }
        let flagged = self
            .game
            .next_due_ms()
            .is_some_and(|due_ms| due_ms <= self.game.now_ms);
        let (by, act) = match self.game.phase() {
            Phase::Playing if flagged && self.dice.one_in(4) => {
                (self.game.mover().opponent(), Act::ClaimTime)
            }
            Phase::Playing => self.in_play(),
            Phase::Counting => self.in_counting(),
            Phase::Ended => self.anything(),
        };
        self.game.command(by, act)
    }

    fn in_play(&mut self) -> (Colour, Act) {
        let (by, number) = (self.game.mover(), self.game.next_number());
        let act = match self.dice.below(1_000) {
            0..860 => self.a_move(by, number),
            _ if !self.dice.one_in(self.haste) => self.a_move(by, number),
            860..890 => Act::Pass { number },
            890..950 => Act::Confirm { number },
            950..953 => return (by.opponent(), self.a_move(by, number)),
            _ => return self.anything(),
        };
        (by, act)
    }

    /// A legal move as a rule, else a forbidden one, if there are any of it.
    fn a_move(&mut self, by: Colour, number: u32) -> Act {
        let legal = self.game.game().legal_points(by);
        let forbidden = self.game.game().board().empty_points().difference(&legal);
        let first = if self.dice.one_in(12) {
            forbidden
        } else {
            legal
        };
        let point = self.dice.of(&first).or_else(|| self.dice.of(&legal));
        point.map_or(Act::Confirm { number }, |point| Act::Play { number, point })
    }

    fn in_counting(&mut self) -> (Colour, Act) {
        let by = self.dice.pick(&Colour::BOTH);
        let dead_set = self.game.dead().digest();
        let act = match self.dice.below(100) {
            0..50 => Act::Mark {
                point: self.a_point(),
                dead: !self.dice.one_in(3),
            },
            50..80 => Act::Accept { dead_set },
            80..85 => Act::Accept {
                dead_set: !dead_set,
            },
            85..91 => Act::Dispute,
            _ => return self.anything(),
        };
        (by, act)
    }

    /// Any act by any side, right or wrong.
    fn anything(&mut self) -> (Colour, Act) {
        let number = self
            .game
            .next_number()
            .saturating_add_signed(self.dice.pick(&[-2, -1, -1, 0, 1]));
        let (point, dead) = (self.a_point(), true);
        let act = match self.dice.below(100) {
            0..30 => Act::Play { number, point },
            30..37 => Act::Pass { number },
            37..44 => Act::Confirm { number },
            44..54 => Act::Mark { point, dead },
            54..64 => Act::Accept {
                dead_set: self.dice.next(),
            },
            64..70 => Act::Dispute,
            70..72 => Act::Resign,
            72 => Act::Leave,
            _ => Act::ClaimTime,
        };
        (self.dice.pick(&Colour::BOTH), act)
    }

    /// On the board, or just beside it.
    fn a_point(&mut self) -> Point {
        let size = self.game.settings().size;
        let mut line = |lines: u8| self.dice.below(usize::from(lines) + 1) as u8;
        Point::new(line(size.rows()), line(size.columns()))
    }

    fn send(&mut self, command: &Command, tally: &mut Tally) -> Result<Decision, Rejection> {
        let events = self.game.log.len();
        if self.dice.one_in(4) && self.game.tick() {
            count(tally, "told by the clock");
        }
        let mut answer = self.game.decide(command, self.game.now_ms);
        while let Ok(Decision::Due(due)) = &answer {
            assert!(!due.is_empty());
            self.game.fold(&due.clone());
            answer = self.game.decide(command, self.game.now_ms);
        }
        match &answer {
            Ok(Decision::Accepted(accepted)) => {
                assert!(!accepted.is_empty());
                self.game.fold(accepted);
                let claimed = command.act == Act::ClaimTime;
                count(tally, if claimed { "claimed" } else { "accepted" });
            }
            Ok(_) => count(tally, "Known"),
            Err(rejection) => {
                let name = format!("{rejection:?}");
                let name = name.split([' ', '{']).next().unwrap_or_default();
                count(tally, name);
            }
        }
        for event in &self.game.log[events..] {
            count_fact(tally, &event.fact, event.by);
        }
        if !self.game.game().last_captured().is_empty() {
            count(tally, "captured");
        }
        answer
    }
}

/// A failure names the game that failed.
impl Drop for Run {
    fn drop(&mut self) {
        if thread::panicking() {
            println!("TENGEN_MODEL_SEED={} begins with this game", self.seed);
        }
    }
}

fn count(tally: &mut Tally, what: impl Into<String>) {
    *tally.entry(what.into()).or_default() += 1;
}

fn count_fact(tally: &mut Tally, fact: &Fact, by: Option<Colour>) {
    let what = match fact {
        Fact::Opened(_) => "opened",
        Fact::Move(_) => "move",
        Fact::Pass => "pass",
        Fact::Confirm => "confirm",
        Fact::Forfeit { .. } => "forfeit",
        Fact::CountingOpened => "counting",
        Fact::Marked { .. } => "marked",
        Fact::Accepted => "accepted dead set",
        Fact::Disputed if by.is_none() => "counting expired",
        Fact::Disputed => "disputed",
        Fact::Ended { .. } => "ended",
    };
    count(tally, what);
}
