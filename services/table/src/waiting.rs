//! Before the start: who has come, and what lateness costs (rulebook C14).

use tengen_rules::Colour;
use tengen_timing::Clock;

use crate::decide::{Decided, accepted, by};
use crate::{Command, EndReason, Event, Fact, Phase, Table, seat};

impl Table {
    /// A player comes. The game begins when both are there, and not before its time.
    pub(crate) fn arrive(&self, command: &Command, now_ms: i64) -> Decided {
        self.expect(Phase::Waiting)?;
        let mut events = vec![by(command, now_ms, Fact::Arrived)];
        if self.arrived_ms[command.by.opponent().index()].is_some() && now_ms >= self.start_ms() {
            events.extend(self.begin(Some(command.by), now_ms));
        }
        for event in &mut events {
            event.request = Some(command.request);
        }
        Ok(accepted(events))
    }

    /// When it is seen who has come: at the start if both have by then, else one millisecond after
    /// the limit, as exactly at it is not late.
    pub(crate) fn wait_over_ms(&self) -> i64 {
        if self.arrived_ms.iter().all(Option::is_some) {
            return self.start_ms();
        }
        let start_ms = self.start_ms().saturating_add(self.held_up.ms);
        start_ms.saturating_add(self.late_limit_ms()).saturating_add(1)
    }

    /// The start with both there, or the end with who has not come (rulebook C14.1, C14.2).
    pub(crate) fn wait_over(&self, now_ms: i64) -> Vec<Event> {
        let (reason, winner) = match self.arrived_ms {
            [Some(_), Some(_)] => return self.begin(None, now_ms),
            [Some(_), None] => (EndReason::NoShow, Some(Colour::Black)),
            [None, Some(_)] => (EndReason::NoShow, Some(Colour::White)),
            [None, None] => (EndReason::BothLate, None),
        };
        let mut end = Event::ended(reason, winner, None);
        end.at_ms = now_ms;
        vec![end]
    }

    /// The start; or the end, if lateness has used up a side's time (rulebook C14.3).
    fn begin(&self, arriving: Option<Colour>, now_ms: i64) -> Vec<Event> {
        let late = |colour: Colour| match arriving {
            Some(arriving) if arriving == colour => self.late_at_ms(now_ms),
            _ => self.late_ms(colour),
        };
        let lost = Colour::BOTH.map(|colour| {
            let mut clock = self.clock.clone();
            clock
                .as_mut()
                .is_some_and(|clock| clock.late(seat(colour), late(colour), now_ms).is_err())
        });
        let mut event = match lost {
            [false, false] => Event::new(now_ms, Fact::Started),
            [true, false] => Event::ended(EndReason::Time, Some(Colour::White), None),
            [false, true] => Event::ended(EndReason::Time, Some(Colour::Black), None),
            [true, true] => Event::ended(EndReason::BothLate, None, None),
        };
        event.at_ms = now_ms;
        vec![event]
    }

    pub(crate) fn fold_arrival(&mut self, colour: Colour, at_ms: i64) {
        if self.arrived_ms[colour.index()].is_none() {
            self.arrived_ms[colour.index()] = Some(at_ms);
            self.late_ms[colour.index()] = self.late_at_ms(at_ms);
        }
    }

    /// Both clocks without the lateness, and that of the first to move runs.
    pub(crate) fn fold_start(&mut self, at_ms: i64) -> Result<(), &'static str> {
        if self.arrived_ms.iter().any(Option::is_none) {
            return Err("a start without both players");
        }
        if !self.take_lateness(at_ms) {
            return Err("a start without time left");
        }
        let first = seat(self.to_move);
        if let Some(clock) = &mut self.clock {
            clock.start(first, at_ms);
        }
        self.phase = Phase::Playing;
        Ok(())
    }

    /// Takes lateness off both clocks; whether both sides have time left.
    pub(crate) fn take_lateness(&mut self, at_ms: i64) -> bool {
        let late_ms = Colour::BOTH.map(|colour| (seat(colour), self.late_ms(colour)));
        let Some(clock) = &mut self.clock else {
            return true;
        };
        let left = late_ms.map(|(seat, late_ms)| clock.late(seat, late_ms, at_ms).is_ok());
        left == [true; 2]
    }

    /// How late a side came; 0 if it was there at the start, or has not come yet.
    pub const fn late_ms(&self, colour: Colour) -> i64 {
        self.late_ms[colour.index()]
    }

    /// How late it is for one who comes now; outages of ours are no lateness.
    fn late_at_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(self.start_ms()).saturating_sub(self.held_up.ms).max(0)
    }

    /// Since when waiting counts against who is not there.
    pub(crate) fn waiting_since_ms(&self) -> i64 {
        self.start_ms().max(self.held_up.until_ms)
    }

    fn start_ms(&self) -> i64 {
        self.settings.start_at_ms.unwrap_or(self.opened_at_ms)
    }

    /// The limit of lateness, never above the time limit (rulebook C14.1).
    fn late_limit_ms(&self) -> i64 {
        let total_ms =
            |clock: &Clock| clock.reading(seat(self.to_move), self.opened_at_ms).total_left_ms;
        let most_ms = self.clock.as_ref().map_or(i64::MAX, total_ms);
        self.settings.late_limit_ms.min(most_ms)
    }
}
