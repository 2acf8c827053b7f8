//! The clocks of a game reckoned again, in the plainest way: what each side has left, from the
//! stamps in the record alone (rulebook C3).

use tengen_proto::clock::v1 as wire;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::time::{duration_ms, timestamp_ms};

/// Network delay that one move is given back at most, and one side in a game.
const LAG_MOVE_MS: i64 = 1_000;
const LAG_GAME_MS: i64 = 30_000;
/// No increment lifts a side above this.
const MOST_MS: i64 = 24 * 60 * 60 * 1_000;

/// Both clocks. Sides are 0 for Black and 1 for White.
#[derive(Debug, Clone)]
pub struct Clocks {
    kind: Kind,
    /// Length of a period; 0 where there are none.
    period_ms: i64,
    sides: [Side; 2],
    turn: usize,
    /// Since when the clock of the turn runs, if it does.
    since_ms: Option<i64>,
    /// How long it had run before that, in this turn.
    spent_ms: i64,
}

/// What a side has at the beginning of its turn, and its sums.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Side {
    main_ms: i64,
    /// Periods, the open one included.
    periods: i64,
    /// What is left of the open one.
    period_ms: i64,
    stones: i64,
    thought_ms: i64,
    lag_ms: i64,
    outage_ms: i64,
}

impl Clocks {
    /// The clocks of this control, standing.
    pub fn new(control: &wire::TimeControl) -> Option<Self> {
        let kind = control.kind?;
        let ms = |length: &Option<_>| length.as_ref().and_then(duration_ms).unwrap_or(0);
        let side = |main_ms, periods: i32, period_ms, stones: i32| Side {
            main_ms,
            periods: periods.into(),
            period_ms,
            stones: stones.into(),
            ..Side::default()
        };
        let side = match &kind {
            Kind::Absolute(control) => side(ms(&control.main), 0, 0, 0),
            Kind::Fischer(control) => side(ms(&control.main), 0, 0, 0),
            Kind::Japanese(control) => {
                side(ms(&control.main), control.periods, ms(&control.period), 0)
            }
            Kind::Canadian(control) => {
                side(ms(&control.main), 1, ms(&control.period), control.stones)
            }
            Kind::Reserved(control) => {
                let minutes = control.reserved_minutes;
                side(ms(&control.limit) - 60_000 * i64::from(minutes), minutes, 60_000, 0)
            }
        };
        let period_ms = side.period_ms;
        Some(Self { kind, period_ms, sides: [side; 2], turn: 0, since_ms: None, spent_ms: 0 })
    }

    /// A turn of this side begins; one that is called off costs nothing.
    pub fn begin(&mut self, turn: usize, at_ms: i64) {
        let called_off_ms = self.used_ms(at_ms).min(self.all_ms());
        self.sides[self.turn].thought_ms += called_off_ms;
        (self.turn, self.since_ms, self.spent_ms) = (turn, Some(at_ms), 0);
    }

    /// The turn is taken at this instant.
    ///
    /// # Errors
    /// It came after the flag.
    pub fn press(&mut self, at_ms: i64, lag_ms: i64) -> Result<(), String> {
        if let Some(due_ms) = self.due_ms(lag_ms)
            && at_ms >= due_ms
        {
            return Err(format!("a turn at {at_ms}, and the flag was due at {due_ms}"));
        }
        let used_ms = self.used_ms(at_ms);
        let credit_ms = self.lag_credit_ms(lag_ms).min(used_ms);
        let mut side = self.spend(used_ms - credit_ms);
        side.thought_ms += used_ms;
        side.lag_ms += credit_ms;
        match &self.kind {
            Kind::Absolute(_) => {}
            Kind::Fischer(control) => {
                let cap = control.cap.as_ref().and_then(duration_ms);
                let most_ms = cap.filter(|ms| *ms > 0).unwrap_or(MOST_MS).max(side.main_ms);
                let increment_ms = control.increment.as_ref().and_then(duration_ms).unwrap_or(0);
                side.main_ms = most_ms.min(side.main_ms + increment_ms);
            }
            // A broken minute or period is whole again: what was used of it was free.
            Kind::Japanese(_) | Kind::Reserved(_) => side.period_ms = self.period_ms,
            Kind::Canadian(control) if side.main_ms == 0 => {
                side.stones -= 1;
                if side.stones == 0 {
                    (side.stones, side.period_ms) = (control.stones.into(), self.period_ms);
                }
            }
            Kind::Canadian(_) => {}
        }
        self.sides[self.turn] = side;
        self.turn = 1 - self.turn;
        (self.since_ms, self.spent_ms) = (self.since_ms.map(|_| at_ms), 0);
        Ok(())
    }

    /// The clock is stopped in mid-turn.
    ///
    /// # Errors
    /// The time was used up.
    pub fn stop(&mut self, at_ms: i64) -> Result<(), String> {
        if self.deadline_ms().is_some_and(|deadline_ms| at_ms >= deadline_ms) {
            return Err(format!("stopped at {at_ms}, after the time was used up"));
        }
        (self.spent_ms, self.since_ms) = (self.used_ms(at_ms), None);
        Ok(())
    }

    /// It goes on.
    pub fn resume(&mut self, at_ms: i64) {
        self.since_ms.get_or_insert(at_ms);
    }

    /// The game is over: what was used is charged.
    pub fn finish(&mut self, at_ms: i64) {
        let used_ms = self.used_ms(at_ms).min(self.all_ms());
        self.sides[self.turn] = self.spend(used_ms);
        self.sides[self.turn].thought_ms += used_ms;
        (self.since_ms, self.spent_ms) = (None, 0);
    }

    /// A side is given time.
    pub fn add(&mut self, side: usize, ms: i64) {
        self.sides[side].main_ms += ms;
    }

    /// The server was out: the running turn does not pay for it.
    pub fn outage(&mut self, from_ms: i64, to_ms: i64) {
        if let Some(since_ms) = self.since_ms
            && to_ms > from_ms.max(since_ms)
        {
            let from_ms = from_ms.max(since_ms);
            self.spent_ms += from_ms - since_ms;
            self.since_ms = Some(to_ms);
            self.sides[self.turn].outage_ms += to_ms - from_ms;
        }
    }

    /// Since when the clock runs, if it does.
    pub fn since_ms(&self) -> Option<i64> {
        self.since_ms
    }

    /// Whose clock runs.
    pub fn running(&self) -> Option<usize> {
        self.since_ms.map(|_| self.turn)
    }

    /// When the running side has used up its time.
    pub fn deadline_ms(&self) -> Option<i64> {
        self.since_ms.map(|since_ms| since_ms - self.spent_ms + self.all_ms())
    }

    /// When its flag is to be called.
    pub fn due_ms(&self, lag_ms: i64) -> Option<i64> {
        self.deadline_ms().map(|deadline_ms| deadline_ms + self.lag_credit_ms(lag_ms))
    }

    /// How long both have thought.
    pub fn together_ms(&self) -> i64 {
        self.sides.iter().map(|side| side.thought_ms).sum()
    }

    /// What is wrong with a clock that was shown; it says at which instant.
    pub fn differs(&self, shown: &wire::Clock) -> Option<String> {
        let at_ms = shown.server_now.as_ref().and_then(timestamp_ms)?;
        let running = self.running().map_or(0, |side| side as i32 + 1);
        let deadline_ms = shown.deadline.as_ref().and_then(timestamp_ms);
        if (shown.running, deadline_ms) != (running, self.deadline_ms()) {
            let expected_ms = self.deadline_ms();
            let runs = shown.running;
            return Some(format!(
                "the clock of {runs} runs to {deadline_ms:?}, expected {running} to {expected_ms:?}"
            ));
        }
        let shown = [&shown.black, &shown.white].map(|seat| seat.as_ref().map(read));
        let expected = [0, 1].map(|side| Some(self.reading(side, at_ms)));
        (shown != expected).then(|| format!("clocks {shown:?}, expected {expected:?} at {at_ms}"))
    }

    fn reading(&self, side: usize, at_ms: i64) -> Side {
        if side != self.turn {
            return self.sides[side];
        }
        let used_ms = self.used_ms(at_ms).min(self.all_ms());
        let mut reading = self.spend(used_ms);
        reading.thought_ms += used_ms;
        reading
    }

    /// All that the turn may use.
    fn all_ms(&self) -> i64 {
        let Side { main_ms, periods, period_ms, .. } = self.sides[self.turn];
        main_ms + period_ms + (periods - 1).max(0) * self.period_ms
    }

    fn used_ms(&self, at_ms: i64) -> i64 {
        self.spent_ms + self.since_ms.map_or(0, |since_ms| (at_ms - since_ms).max(0))
    }

    fn lag_credit_ms(&self, lag_ms: i64) -> i64 {
        let left_ms = LAG_GAME_MS - self.sides[self.turn].lag_ms;
        lag_ms.min(LAG_MOVE_MS).min(left_ms).max(0)
    }

    /// The side of the turn with so much less.
    fn spend(&self, ms: i64) -> Side {
        let mut side = self.sides[self.turn];
        let from_main_ms = ms.min(side.main_ms);
        side.main_ms -= from_main_ms;
        let mut rest_ms = ms - from_main_ms;
        while side.periods > 0 && rest_ms >= side.period_ms {
            rest_ms -= side.period_ms;
            side.periods -= 1;
            side.period_ms = if side.periods > 0 { self.period_ms } else { 0 };
            if side.periods == 0 {
                side.stones = 0;
            }
        }
        if side.periods > 0 {
            side.period_ms -= rest_ms;
        }
        side
    }
}

fn read(seat: &wire::SeatClock) -> Side {
    let ms = |length: &Option<_>| length.as_ref().and_then(duration_ms).unwrap_or(-1);
    Side {
        main_ms: ms(&seat.main_left),
        periods: seat.periods_left.into(),
        period_ms: ms(&seat.period_left),
        stones: seat.stones_left.into(),
        thought_ms: ms(&seat.thought),
        lag_ms: ms(&seat.lag_credited),
        outage_ms: ms(&seat.outage_credited),
    }
}

#[cfg(test)]
mod tests;
