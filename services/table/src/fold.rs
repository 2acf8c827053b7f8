//! Folding: what each event makes of a game. The only place that changes one.

use std::collections::HashMap;
use std::fmt;

use tengen_rules::{Colour, Game, Point};
use tengen_timing::{Clock, Flag};

use crate::state::Counting;
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
        settings
            .validate()
            .map_err(|error| misfit(error.to_string()))?;
        let first = settings.first_to_move();
        let game = Game::with_setup(settings.size, &settings.handicap, &[])
            .map_err(|error| misfit(error.to_string()))?;
        let clock = match settings.control {
            None => None,
            Some(control) => {
                let mut clock = Clock::new(control).map_err(|error| misfit(error.to_string()))?;
                clock.start(seat(first), event.at_ms);
                Some(clock)
            }
        };
        Ok(Self {
            settings,
            game,
            clock,
            phase: Phase::Playing,
            to_move: first,
            turns: Vec::new(),
            sequence: 1,
            opened_at_ms: event.at_ms,
            last_at_ms: event.at_ms,
            last_confirms: false,
            counting: Counting::default(),
            lag_ms: [0; 2],
            requests: HashMap::new(),
            outcome: None,
        })
    }

    /// Folds one more event in.
    ///
    /// # Errors
    /// The event cannot follow; the game is not to be used any more.
    pub fn fold(&mut self, event: &Event) -> Result<(), FoldError> {
        let sequence = self.sequence + 1;
        let misfit = |what: &str| FoldError {
            sequence,
            what: what.into(),
        };
        self.follows(event).map_err(misfit)?;
        self.sequence = sequence;
        match &event.fact {
            Fact::Opened(_) => {}
            Fact::Move(point) => self.fold_move(event, *point)?,
            Fact::Pass => self.fold_turn(event, TurnKind::Pass)?,
            Fact::Confirm => self.fold_turn(event, TurnKind::Confirm)?,
            Fact::Forfeit { point, .. } => self.fold_turn(event, TurnKind::Forfeit(*point))?,
            Fact::CountingOpened => self.open_counting(event.at_ms)?,
            Fact::Marked { point, dead } => self.fold_mark(*point, *dead),
            Fact::Accepted => {
                let side = event.by.ok_or_else(|| misfit("an acceptance by nobody"))?;
                self.counting.accepted[side.index()] = Some(sequence);
            }
            Fact::Disputed => self.reopen(event.at_ms),
            Fact::Ended { .. } => self.end(event),
        }
        self.last_at_ms = event.at_ms;
        if let Some(request) = event.request {
            self.requests
                .insert(request.key, (request.digest, sequence));
        }
        Ok(())
    }

    /// What keeps an event from following where the game stands.
    fn follows(&self, event: &Event) -> Result<(), &'static str> {
        if self.outcome.is_some() {
            return Err("an event after the end");
        }
        if event.at_ms < self.last_at_ms {
            return Err("a stamp before the one before");
        }
        let counting = self.phase == Phase::Counting;
        match &event.fact {
            Fact::Opened(_) => Err("a second opening"),
            Fact::Move(_) | Fact::Pass | Fact::Confirm | Fact::Forfeit { .. } if counting => {
                Err("a turn while counting")
            }
            Fact::Move(_) | Fact::Pass | Fact::Confirm | Fact::Forfeit { .. }
                if event.by.is_some_and(|by| by != self.to_move) =>
            {
                Err("a turn of the other side")
            }
            Fact::CountingOpened if counting => Err("counting is open"),
            Fact::Marked { .. } | Fact::Accepted | Fact::Disputed if !counting => {
                Err("counting is not open")
            }
            _ => Ok(()),
        }
    }

    fn fold_move(&mut self, event: &Event, point: Point) -> Result<(), FoldError> {
        self.game
            .play(self.to_move, point)
            .map_err(|refusal| FoldError {
                sequence: self.sequence,
                what: refusal.to_string(),
            })?;
        self.take_turn(event, TurnKind::Move(point))
    }

    fn fold_turn(&mut self, event: &Event, kind: TurnKind) -> Result<(), FoldError> {
        self.game.pass(self.to_move);
        self.take_turn(event, kind)
    }

    /// Charges the turn and hands it to the other side: stone and clock press are one fact.
    fn take_turn(&mut self, event: &Event, kind: TurnKind) -> Result<(), FoldError> {
        let colour = self.to_move;
        if let Some(clock) = &mut self.clock {
            let sequence = self.sequence;
            clock
                .press(event.at_ms, event.lag_ms)
                .map_err(|flag| FoldError::flag(sequence, flag))?;
        }
        self.lag_ms[colour.index()] = event.lag_ms;
        self.last_confirms = self.confirms(&event.fact);
        self.turns.push(Turn {
            colour,
            kind,
            at_ms: event.at_ms,
        });
        self.to_move = colour.opponent();
        Ok(())
    }

    fn open_counting(&mut self, at_ms: i64) -> Result<(), FoldError> {
        self.phase = Phase::Counting;
        self.counting.deadline_ms = Some(at_ms.saturating_add(self.settings.counting_limit_ms));
        if let Some(clock) = &mut self.clock {
            let sequence = self.sequence;
            clock
                .stop(at_ms)
                .map_err(|flag| FoldError::flag(sequence, flag))?;
        }
        Ok(())
    }

    /// Marks work on whole strings; any change clears both acceptances (rulebook C12.4).
    fn fold_mark(&mut self, point: Point, dead: bool) {
        let before = self.counting.dead;
        for stone in self
            .game
            .board()
            .string(point)
            .iter()
            .flat_map(|string| string.iter())
        {
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
        self.counting = Counting {
            disputes: self.counting.disputes + 1,
            ..Counting::default()
        };
        self.phase = Phase::Playing;
        self.last_confirms = false;
        if let Some(clock) = &mut self.clock {
            clock.resume(at_ms);
        }
    }

    fn end(&mut self, event: &Event) {
        let Fact::Ended {
            reason,
            winner,
            settlement,
        } = event.fact
        else {
            return;
        };
        let counted = settlement.map(|settlement| self.counted(settlement));
        if let Some(clock) = &mut self.clock {
            clock.finish(event.at_ms);
        }
        let together_ms = Colour::BOTH
            .iter()
            .map(|colour| self.thought_ms(*colour, event.at_ms))
            .sum();
        self.phase = Phase::Ended;
        self.counting.deadline_ms = None;
        self.outcome = Some(Outcome {
            reason,
            winner,
            counted,
            at_ms: event.at_ms,
            together_ms,
        });
    }
}

impl FoldError {
    fn flag(sequence: i64, flag: Flag) -> Self {
        Self {
            sequence,
            what: format!("the flag fell at {} before it", flag.at_ms),
        }
    }
}

impl fmt::Display for FoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {} does not fit: {}", self.sequence, self.what)
    }
}

impl std::error::Error for FoldError {}
