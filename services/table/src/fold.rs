//! Folding: what each event makes of a game. The only place that changes one.

use std::collections::HashMap;
use std::fmt;

use tengen_rules::{Colour, Game, Point};
use tengen_timing::{Clock, Flag};

use crate::presence::Seated;
use crate::state::{Counting, HeldUp};
use crate::{Event, Fact, Opening, Outcome, Phase, Settings, Table, Turn, TurnKind, seat};

/// An event that cannot follow: the log is not one that this crate decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldError {
    /// The sequence of the event that does not fit.
    pub sequence: i64,
    /// What is wrong with it.
    pub what: String,
}

impl Event {
    /// The first event of a game that begins now.
    pub fn opened(settings: Settings, now_ms: i64) -> Self {
        Self::new(now_ms, Fact::Opened(Box::new(Opening { settings })))
    }
}

impl Table {
    /// A game after its first event.
    ///
    /// # Errors
    /// The event is no opening, or its settings are not valid.
    pub fn open(event: &Event) -> Result<Self, FoldError> {
        let misfit = |what: String| FoldError { sequence: 1, what };
        let Fact::Opened(opening) = &event.fact else {
            return Err(misfit("the first event is no opening".into()));
        };
        let settings = opening.settings.clone();
        settings.validate().map_err(|error| misfit(error.to_string()))?;
        let first = settings.first_to_move();
        let game = Game::with_setup(settings.size, &settings.handicap, &[])
            .map_err(|error| misfit(error.to_string()))?;
        let clock = match settings.control {
            None => None,
            Some(control) => {
                let mut clock = Clock::new(control).map_err(|error| misfit(error.to_string()))?;
                if settings.start_at_ms.is_none() {
                    clock.start(seat(first), event.at_ms);
                }
                Some(clock)
            }
        };
        let scheduled = settings.start_at_ms.is_some();
        Ok(Self {
            settings,
            game,
            clock,
            phase: if scheduled { Phase::Waiting } else { Phase::Playing },
            to_move: first,
            turns: Vec::new(),
            sequence: 1,
            opened_at_ms: event.at_ms,
            last_at_ms: event.at_ms,
            last_confirms: false,
            counting: Counting::default(),
            arrived_ms: [None; 2],
            late_ms: [0; 2],
            held_up: HeldUp::default(),
            restoration: None,
            restorations: 0,
            pauses: Vec::new(),
            agreed_pauses: 0,
            offers: [None; 2],
            last_charge: None,
            lag_ms: [0; 2],
            requests: HashMap::new(),
            seated: [Seated::default(); 2],
            outcome: None,
        })
    }

    /// Folds one more event in.
    ///
    /// # Errors
    /// The event cannot follow; the game is not to be used any more.
    pub fn fold(&mut self, event: &Event) -> Result<(), FoldError> {
        let sequence = self.sequence + 1;
        let misfit = |what: String| FoldError { sequence, what };
        self.follows(event).map_err(misfit)?;
        self.sequence = sequence;
        self.change(event).map_err(misfit)?;
        self.keep_windows(event.at_ms);
        self.last_at_ms = event.at_ms;
        if let Some(request) = event.request {
            self.requests.insert(request.key, (request.digest, sequence));
        }
        Ok(())
    }

    /// What keeps an event from following where the game stands.
    fn follows(&self, event: &Event) -> Result<(), String> {
        let expected = match &event.fact {
            _ if self.outcome.is_some() => return Err("an event after the end".into()),
            _ if event.at_ms < self.last_at_ms => {
                return Err("a stamp before the one before".into());
            }
            Fact::Opened(_) => return Err("a second opening".into()),
            Fact::LagMeasured { .. } | Fact::Ended { .. } => return Ok(()),
            Fact::Gone { .. } | Fact::Back { .. } => return Ok(()),
            Fact::Restored if self.phase != Phase::Waiting => return Ok(()),
            Fact::Credited { .. } if matches!(self.phase, Phase::Waiting | Phase::Counting) => {
                return Ok(());
            }
            Fact::RestorationConfirmed => Phase::Restored,
            Fact::Paused { .. } | Fact::TimeAdded { .. } if self.phase == Phase::Paused => {
                return Ok(());
            }
            Fact::Arrived | Fact::Started => Phase::Waiting,
            Fact::Resumed { .. } => Phase::Paused,
            Fact::Marked { .. } | Fact::Accepted | Fact::Disputed => Phase::Counting,
            _ => Phase::Playing,
        };
        if self.phase != expected {
            return Err(format!("it needs phase {expected}, the game is in {}", self.phase));
        }
        let turn =
            matches!(event.fact, Fact::Move(_) | Fact::Pass | Fact::Confirm | Fact::Forfeit { .. });
        if turn && event.by.is_some_and(|by| by != self.to_move) {
            return Err("a turn of the other side".into());
        }
        Ok(())
    }

    fn change(&mut self, event: &Event) -> Result<(), String> {
        let at_ms = event.at_ms;
        match &event.fact {
            Fact::Opened(_) => {}
            Fact::Move(point) => {
                let played = self.game.play(self.to_move, *point);
                played.map_err(|refusal| refusal.to_string())?;
                self.take_turn(event, TurnKind::Move(*point))?;
            }
            Fact::Pass => self.give_up_turn(event, TurnKind::Pass)?,
            Fact::Confirm => self.give_up_turn(event, TurnKind::Confirm)?,
            Fact::Forfeit { point, .. } => self.give_up_turn(event, TurnKind::Forfeit(*point))?,
            Fact::CountingOpened => self.open_counting(at_ms)?,
            Fact::Marked { point, dead } => self.fold_mark(*point, *dead),
            Fact::Accepted => {
                self.counting.accepted[side(event)?.index()] = Some(self.sequence);
            }
            Fact::Disputed => self.reopen(at_ms),
            Fact::Arrived => self.fold_arrival(side(event)?, at_ms),
            Fact::Started => self.fold_start(at_ms)?,
            Fact::Paused { reason, until_ms } => self.fold_pause(*reason, *until_ms, at_ms)?,
            Fact::Resumed { reason } => self.fold_resume(*reason, at_ms),
            Fact::TimeAdded { side, ms } => {
                if let Some(clock) = &mut self.clock {
                    clock.add_time(seat(*side), *ms).map_err(|error| error.to_string())?;
                }
            }
            Fact::Restored => self.fold_restored(at_ms)?,
            Fact::RestorationConfirmed => self.fold_confirmation(event),
            Fact::Credited { reason, from_ms, to_ms } => {
                self.fold_credit(*reason, *from_ms, *to_ms);
            }
            Fact::LagMeasured { ms } => self.lag_ms[side(event)?.index()] = *ms,
            Fact::Gone { number } => self.fold_presence(side(event)?, (true, *number))?,
            Fact::Back { number } => self.fold_presence(side(event)?, (false, *number))?,
            Fact::Offered(offer) => self.offers[side(event)?.index()] = Some(*offer),
            Fact::Answered { .. } => self.offers[side(event)?.opponent().index()] = None,
            Fact::TakenBack => self.fold_take_back(at_ms)?,
            Fact::Ended { .. } => self.end(event),
        }
        Ok(())
    }

    fn give_up_turn(&mut self, event: &Event, kind: TurnKind) -> Result<(), String> {
        self.game.pass(self.to_move);
        self.take_turn(event, kind)
    }

    /// Charges the turn and hands it to the other side: stone and clock press are one fact. What
    /// was offered before it lapses.
    fn take_turn(&mut self, event: &Event, kind: TurnKind) -> Result<(), String> {
        let colour = self.to_move;
        if let Some(clock) = &mut self.clock {
            let charge = clock.press(event.at_ms, self.lag_ms[colour.index()]);
            self.last_charge = Some(charge.map_err(fallen)?);
        }
        self.last_confirms = self.confirms(&event.fact);
        self.offers = [None; 2];
        self.turns.push(Turn { colour, kind, at_ms: event.at_ms });
        self.to_move = colour.opponent();
        Ok(())
    }

    fn open_counting(&mut self, at_ms: i64) -> Result<(), String> {
        self.phase = Phase::Counting;
        self.counting_from(at_ms);
        match &mut self.clock {
            Some(clock) => clock.stop(at_ms).map_err(fallen),
            None => Ok(()),
        }
    }

    /// Counting has all of its time from now on.
    pub(crate) fn counting_from(&mut self, at_ms: i64) {
        self.counting.since_ms = at_ms;
        self.counting.deadline_ms = Some(at_ms.saturating_add(self.settings.counting_limit_ms));
    }

    /// Marks work on whole strings; any change clears both acceptances (rulebook C12.4).
    fn fold_mark(&mut self, point: Point, dead: bool) {
        let before = self.counting.dead;
        for stone in self.game.board().string(point).iter().flat_map(|string| string.iter()) {
            if dead {
                self.counting.dead.insert(stone);
            } else {
                self.counting.dead.remove(stone);
            }
        }
        if self.counting.dead != before {
            self.counting.accepted = [None; 2];
        }
    }

    /// Play reopens with the side next to move; the marks are gone, the history stays in force
    /// (rulebook C12.3).
    fn reopen(&mut self, at_ms: i64) {
        self.counting = Counting { disputes: self.counting.disputes + 1, ..Counting::default() };
        self.phase = Phase::Playing;
        self.last_confirms = false;
        if let Some(clock) = &mut self.clock {
            clock.resume(at_ms);
        }
    }

    fn end(&mut self, event: &Event) {
        let Fact::Ended { reason, winner, settlement } = event.fact else {
            return;
        };
        let counted = settlement.map(|settlement| self.counted(settlement));
        if self.phase == Phase::Waiting {
            self.take_lateness(event.at_ms);
        }
        if let Some(clock) = &mut self.clock {
            clock.finish(event.at_ms);
        }
        let together_ms =
            Colour::BOTH.iter().map(|colour| self.thought_ms(*colour, event.at_ms)).sum();
        self.phase = Phase::Ended;
        self.offers = [None; 2];
        self.pauses.clear();
        self.restoration = None;
        self.counting.deadline_ms = None;
        self.outcome = Some(Outcome { reason, winner, counted, at_ms: event.at_ms, together_ms });
    }
}

fn side(event: &Event) -> Result<Colour, &'static str> {
    event.by.ok_or("nobody's, where it must be a side's")
}

fn fallen(flag: Flag) -> String {
    format!("the flag fell at {} before it", flag.at_ms)
}

impl fmt::Display for FoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {} does not fit: {}", self.sequence, self.what)
    }
}

impl std::error::Error for FoldError {}
