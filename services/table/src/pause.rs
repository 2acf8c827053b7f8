//! Pauses and time that is given, by order of the referee or by agreement (rulebook C5.1).

use tengen_rules::Colour;
use tengen_timing::PauseReason;

use crate::decide::{Decided, accepted, by};
use crate::{Command, Event, Fact, Order, Ordered, Phase, Rejection, Table, limits, seat};

impl Table {
    /// Decides a referee's order, like a command.
    ///
    /// # Errors
    /// Why the order is refused; nothing has changed.
    pub fn order(&self, order: &Order, now_ms: i64) -> Decided {
        if let Some(known) = self.repeated(order.request) {
            return known;
        }
        let now_ms = now_ms.max(self.last_at_ms);
        let due = self.due(now_ms);
        if !due.is_empty() {
            return Ok(crate::Decision::Due(due));
        }
        if let Some(outcome) = &self.outcome {
            return Err(Rejection::Ended { reason: outcome.reason });
        }
        let fact = match order.act {
            Ordered::Pause { until_ms } => self.ordered_pause(until_ms, now_ms)?,
            // Where the players do not agree, the referee decides (rulebook C8.4).
            Ordered::Resume if self.phase == Phase::Restored => Fact::RestorationConfirmed,
            Ordered::Resume => self.resumed(PauseReason::Referee)?,
            Ordered::AddTime { side, ms } => self.time_added(side, ms)?,
        };
        let word = Some(Box::new(order.word.clone()));
        let request = Some(order.request);
        Ok(accepted(vec![Event { word, request, ..Event::new(now_ms, fact) }]))
    }

    fn ordered_pause(&self, until_ms: Option<i64>, now_ms: i64) -> Result<Fact, Rejection> {
        if self.phase != Phase::Paused {
            self.expect(Phase::Playing)?;
        }
        let last_ms = now_ms.saturating_add(limits::ORDERED_PAUSE_MS);
        let until_ms = until_ms.unwrap_or(last_ms);
        self.no_flag_is_falling(now_ms)?;
        if until_ms <= now_ms || until_ms > last_ms {
            let expected = "an instant within the next 24 hours";
            return Err(Rejection::BadTime { field: "until", value: until_ms, expected });
        }
        Ok(Fact::Paused { reason: PauseReason::Referee, until_ms: Some(until_ms) })
    }

    /// A clock whose time is used up cannot be stopped, though a move in flight may still count: the
    /// flag comes first.
    pub(crate) fn no_flag_is_falling(&self, now_ms: i64) -> Result<(), Rejection> {
        let fallen = self.clock.as_ref().and_then(|clock| clock.flag(now_ms));
        match fallen {
            Some(_) => Err(Rejection::NotDue { due_ms: self.flag_due_ms() }),
            None => Ok(()),
        }
    }

    fn time_added(&self, side: Colour, ms: i64) -> Result<Fact, Rejection> {
        if self.phase != Phase::Paused {
            self.expect(Phase::Playing)?;
        }
        let Some(mut clock) = self.clock.clone() else {
            let expected = "a game with a clock";
            return Err(Rejection::BadTime { field: "time", value: ms, expected });
        };
        clock.add_time(seat(side), ms).map_err(|error| Rejection::BadTime {
            field: "time",
            value: error.value,
            expected: error.expected,
        })?;
        Ok(Fact::TimeAdded { side, ms })
    }

    fn resumed(&self, reason: PauseReason) -> Result<Fact, Rejection> {
        self.expect(Phase::Paused)?;
        if self.pauses.iter().all(|(held, _)| *held != reason) {
            return Err(Rejection::OtherPause { reason });
        }
        Ok(Fact::Resumed { reason })
    }

    /// Either player ends the pause that both agreed on.
    pub(crate) fn resume_agreed(&self, command: &Command, now_ms: i64) -> Decided {
        let fact = self.resumed(PauseReason::Agreement)?;
        Ok(accepted(vec![by(command, now_ms, fact)]))
    }

    /// The reasons that are gone by now, stamped when that is noticed: until then no clock runs, so
    /// that nobody pays for the time it took.
    pub(crate) fn pauses_over(&self, now_ms: i64) -> Vec<Event> {
        let mut over: Vec<_> = self
            .pauses
            .iter()
            .filter_map(|(reason, until_ms)| Some((until_ms.filter(|at| *at <= now_ms)?, *reason)))
            .collect();
        over.sort_unstable_by_key(|(until_ms, _)| *until_ms);
        over.into_iter().map(|(_, reason)| Event::new(now_ms, Fact::Resumed { reason })).collect()
    }

    /// The same reason again takes the place of the one before.
    pub(crate) fn fold_pause(
        &mut self,
        reason: PauseReason,
        until_ms: Option<i64>,
        at_ms: i64,
    ) -> Result<(), &'static str> {
        self.pauses.retain(|(held, _)| *held != reason);
        self.pauses.push((reason, until_ms));
        if reason == PauseReason::Agreement {
            self.agreed_pauses += 1;
        }
        self.phase = Phase::Paused;
        match &mut self.clock {
            Some(clock) => clock.stop(at_ms).map_err(|_| "a pause after the flag fell"),
            None => Ok(()),
        }
    }

    pub(crate) fn fold_resume(&mut self, reason: PauseReason, at_ms: i64) {
        self.pauses.retain(|(held, _)| *held != reason);
        if !self.pauses.is_empty() {
            return;
        }
        self.phase = Phase::Playing;
        if let Some(clock) = &mut self.clock {
            clock.resume(at_ms);
        }
    }
}
