//! A long run of random commands by both sides and a referee, over every kind of clock and setting;
//! after each the game is held against what must be true of any game.
//!
//! `TENGEN_MODEL_COMMANDS` sets how many commands, `TENGEN_MODEL_SEED` where the run begins.

use std::collections::BTreeMap;
use std::env;
use std::thread;

use tengen_rules::{Colour, Size};
use tengen_table::{
    Absence, Decision, Event, Fact, IllegalMove, OutOfTurn, Phase, Presence, Rejection, Settings,
    TwoPasses,
};
use tengen_timing::{CreditReason, PauseReason};

use crate::asks::{Ask, Asker};
use crate::dice::Dice;
use crate::invariants::Invariants;
use crate::kit::{Game, START_MS, replay, view};
use crate::time::CONTROLS;

const COMMANDS: u64 = 1_000_000;
const SEED: u64 = 20_260_701;

/// What happened in a run, so that a run in which nothing happened is found out.
type Tally = BTreeMap<String, u64>;

/// What has to happen in a run.
const EXPECTED: &[&str] = &[
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
    "NoShow",
    "BothLate",
    "Draw",
    "arrived",
    "started late",
    "started in time",
    "paused by agreement",
    "paused by order",
    "resumed by order",
    "resumed by itself",
    "resumed by a player",
    "time added",
    "outage credited",
    "outage credited in COUNTING",
    "outage credited in WAITING",
    "restored",
    "restoration confirmed",
    "restoration ruled",
    "shift credited",
    "lag measured",
    "offer accepted",
    "offer declined",
    "taken back",
    "Rated",
    "NoOffer",
    "NoPauseLeft",
    "BadTime",
    "gone",
    "back",
    "back by a command",
    "back when asked for",
    "older word",
    "no answer",
    "claimed absence",
    "MayReturn",
    "OpponentBack",
    "Disconnected",
    "BothGone",
    "TimeWhileAway",
    "outage credited to a window",
];

// case: C2, C12, C14, C18, C20, C30, S5, S6
// rulebook: C5.1, C8.1, C8.2, C10, C12, C14, G6, G9, L7, L11
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
    for expected in EXPECTED {
        assert!(tally.contains_key(*expected), "{expected} never happened");
    }
}

/// One random game.
struct Run {
    seed: u64,
    game: Game,
    asker: Asker,
    /// Some players think longer than their clocks allow.
    pace_ms: i64,
    /// The number of the last word of each side's presence.
    words: [i64; 2],
    /// One in so many times somebody goes or comes.
    wander: usize,
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
        settings.rated = settings.control.is_some() && dice.one_in(4);
        if !settings.rated {
            settings.absence = dice.pick(&[Absence::Forfeit, Absence::OpponentDecides]);
            settings.reconnect_window_ms = dice.pick(&[5_000, 20_000, 300_000]);
        }
        if dice.one_in(4) {
            settings.start_at_ms = Some(START_MS + dice.pick(&[0, 1, 5_000, 60_000]));
            settings.late_limit_ms = dice.pick(&[0, 10_000, 900_000]);
        }
        let pace_ms = dice.pick(&[200, 1_000, 4_000, 20_000]);
        let wander = dice.pick(&[8, 60, 2_000]);
        let haste = dice.pick(&[1, 10]);
        let reserve = dice.pick(&[6, 60]);
        let asker = Asker { dice, haste, reserve, sent: Vec::new() };
        let invariants = Invariants::default();
        Self { seed, game: Game::new(settings), asker, pace_ms, words: [0; 2], wander, invariants }
    }

    /// Plays to the end and a little beyond; the number of commands used.
    fn play(mut self, at_most: u64, tally: &mut Tally) -> u64 {
        let mut beyond = 12;
        let mut used = 0;
        while used < at_most && beyond > 0 {
            self.pass_time();
            let events = self.game.log.len();
            self.measure(tally);
            self.come_and_go(tally);
            let ask = self.asker.ask(&mut self.game);
            let before = view(&self.game);
            let answer = self.send(&ask, tally);
            self.invariants.hold(&self.game, &before, &ask, &answer);
            for event in &self.game.log[events..] {
                count_fact(tally, event);
            }
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
            count(tally, format!("{:?}{}", outcome.reason, how.unwrap_or_default()));
        }
        used
    }

    /// A while; sometimes just to the next deadline, or past it.
    fn pass_time(&mut self) {
        let dice = &mut self.asker.dice;
        self.game.now_ms += dice.ms(self.pace_ms);
        let away = Colour::BOTH.iter().filter(|side| !self.game.present(**side)).count();
        let jumps = match (self.game.phase(), away) {
            (Phase::Playing, 2) => 3,
            (Phase::Playing, 1) | (Phase::Waiting, _) => 20,
            _ => 150,
        };
        if dice.one_in(jumps)
            && let Some(due_ms) = self.game.next_due_ms()
        {
            let near_ms = due_ms + dice.pick(&[-500, -1, 0, 1, 700]);
            self.game.now_ms = self.game.now_ms.max(near_ms);
        }
    }

    /// What is told of the players, in order or not, and what is answered of who stays away.
    fn come_and_go(&mut self, tally: &mut Tally) {
        let (dice, wander) = (&mut self.asker.dice, self.wander);
        self.game.still_gone = !dice.one_in(4);
        if dice.one_in(wander) {
            let side = dice.pick(&Colour::BOTH);
            let last = &mut self.words[side.index()];
            let number = if dice.one_in(5) { *last - dice.ms(3) } else { *last + 1 + dice.ms(9) };
            let stale = number <= *last;
            *last = number.max(*last);
            let before = self.game.sequence();
            let word =
                if dice.one_in(3) { Presence::Back { number } } else { Presence::Gone { number } };
            self.game.told(side, word);
            if stale && self.game.sequence() == before {
                count(tally, "older word");
            }
        }
        let Some(if_gone) = self.game.absence_over(self.game.now_ms) else { return };
        for side in &if_gone.sides {
            let deadline_ms = self.game.gone_deadline_ms(*side).unwrap();
            assert!(self.game.now_ms > deadline_ms && !self.game.present(*side));
        }
        if self.asker.dice.one_in(3) {
            return count(tally, "no answer");
        }
        let expected = self.game.phase();
        self.game.judge();
        if self.game.still_gone {
            assert_eq!(self.game.phase(), Phase::Ended);
        } else {
            count(tally, "back when asked for");
            assert_eq!(self.game.phase(), expected);
        }
    }

    /// What the service itself tells: delays, and after an outage or a shift what they cost.
    fn measure(&mut self, tally: &mut Tally) {
        let dice = &mut self.asker.dice;
        if dice.one_in(4) {
            let (side, ms) = (dice.pick(&Colour::BOTH), dice.ms(3_000) - 5);
            self.game.lag(side, ms);
        }
        if dice.one_in(2_000) {
            self.game.restore();
        }
        let dice = &mut self.asker.dice;
        if dice.one_in(60) {
            let reason = dice.pick(&[CreditReason::Outage, CreditReason::Shift]);
            let to_ms = self.game.now_ms - dice.ms(2_000);
            let ms = dice.pick(&[1, 2_000, 20_000, -300]);
            let phase = self.game.phase();
            let away = Colour::BOTH.map(|side| self.game.gone_deadline_ms(side));
            if self.game.credit(reason, to_ms - ms, to_ms) && phase != Phase::Playing {
                count(tally, format!("outage credited in {phase}"));
            }
            if away != Colour::BOTH.map(|side| self.game.gone_deadline_ms(side)) {
                count(tally, "outage credited to a window");
            }
            self.game.tick();
        }
    }

    fn send(&mut self, ask: &Ask, tally: &mut Tally) -> Result<Decision, Rejection> {
        if self.asker.dice.one_in(4) && self.game.tick() {
            count(tally, "told by the clock");
        }
        let mut answer = ask.decide(&self.game, self.game.now_ms);
        loop {
            match &answer {
                Ok(Decision::Due(due)) => {
                    assert!(!due.is_empty());
                    self.game.fold(&due.clone());
                }
                Ok(Decision::IfGone(if_gone)) if self.game.still_gone => {
                    count(tally, "claimed absence");
                    answer = Ok(Decision::Accepted(if_gone.events.clone()));
                    break;
                }
                Ok(Decision::IfGone(if_gone)) => {
                    assert!(!self.game.answer_for(&if_gone.clone()));
                }
                _ => break,
            }
            answer = ask.decide(&self.game, self.game.now_ms);
        }
        match &answer {
            Ok(Decision::Accepted(accepted)) => {
                assert!(!accepted.is_empty());
                self.game.fold(accepted);
                if matches!(accepted[0].fact, Fact::Back { .. }) {
                    count(tally, "back by a command");
                }
                let claimed = ask.is_claim();
                count(tally, if claimed { "claimed" } else { "accepted" });
            }
            Ok(_) => count(tally, "Known"),
            Err(rejection) => {
                let name = format!("{rejection:?}");
                let name = name.split([' ', '{']).next().unwrap_or_default();
                count(tally, name);
            }
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

fn count_fact(tally: &mut Tally, event: &Event) {
    let itself = event.by.is_none();
    let what = match &event.fact {
        Fact::Opened(_) => "opened",
        Fact::Move(_) => "move",
        Fact::Pass => "pass",
        Fact::Confirm => "confirm",
        Fact::Forfeit { .. } => "forfeit",
        Fact::CountingOpened => "counting",
        Fact::Marked { .. } => "marked",
        Fact::Accepted => "accepted dead set",
        Fact::Disputed if itself => "counting expired",
        Fact::Disputed => "disputed",
        Fact::Arrived => "arrived",
        Fact::Started if event.request.is_some() => "started late",
        Fact::Started => "started in time",
        Fact::Paused { reason: PauseReason::Agreement, .. } => "paused by agreement",
        Fact::Paused { .. } => "paused by order",
        Fact::Resumed { .. } if event.word.is_some() => "resumed by order",
        Fact::Resumed { .. } if itself => "resumed by itself",
        Fact::Resumed { .. } => "resumed by a player",
        Fact::TimeAdded { .. } => "time added",
        Fact::Credited { reason: CreditReason::Outage, .. } => "outage credited",
        Fact::Credited { .. } => "shift credited",
        Fact::LagMeasured { .. } => "lag measured",
        Fact::Gone { .. } => "gone",
        Fact::Back { .. } => "back",
        Fact::Offered(_) => "offered",
        Fact::Answered { accept: true, .. } => "offer accepted",
        Fact::Answered { .. } => "offer declined",
        Fact::Restored => "restored",
        Fact::RestorationConfirmed if itself => "restoration ruled",
        Fact::RestorationConfirmed => "restoration confirmed",
        Fact::TakenBack => "taken back",
        Fact::Ended { .. } => "ended",
    };
    count(tally, what);
}
