//! The clock of one game: whose turn it is, since when, and what each side holds.
//!
//! Every operation is a deterministic function of the clock and its arguments, so a clock is
//! rebuilt by folding the same operations over a new one. Instants are the caller's milliseconds;
//! none may lie before the one given last.

use crate::Seat;
use crate::bank::{Bank, Refill};
use crate::control::{Control, ControlError, MAX_HOLD_MS, check};
use crate::credit::{CreditReason, Credits, LagPolicy};

mod show;

/// The clock of one game. A turn is always somebody's; its clock runs, or it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    control: Control,
    lag: LagPolicy,
    sides: [Side; 2],
    turn: Turn,
}

/// A turn that ended in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charge {
    /// Whose turn it was.
    pub seat: Seat,
    /// How long its clock ran, without outages.
    pub used_ms: i64,
    /// How much of that was given back for lag.
    pub lag_credit_ms: i64,
    /// What was charged: the difference.
    pub charged_ms: i64,
    /// Reserved minutes or periods that the turn took.
    pub periods_taken: u32,
    /// What the seat starts its next turn with.
    pub left: Bank,
}

/// A seat used up its time (rulebook C3.1, C14.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flag {
    /// The seat that has lost.
    pub seat: Seat,
    /// The instant at which its time was used up, whenever that was noticed.
    pub at_ms: i64,
}

/// One seat's time and the sums that account for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Side {
    /// What the seat held at the start of its turn.
    bank: Bank,
    granted_ms: i64,
    consumed_ms: i64,
    discarded_ms: i64,
    late_ms: i64,
    credits: Credits,
}

/// The turn in progress. It is charged as a whole when it ends, against the bank it began with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    seat: Seat,
    /// When the clock was last set going; `None` while it stands.
    since_ms: Option<i64>,
    /// How long it had run before that.
    spent_ms: i64,
}

impl Clock {
    /// Both sides' clocks, standing; Black to move.
    ///
    /// # Errors
    /// A control that [`Control::validate`] refuses.
    pub fn new(control: Control) -> Result<Self, ControlError> {
        control.validate()?;
        let bank = Bank::opening(&control);
        let side = Side {
            bank,
            granted_ms: bank.total_ms(&control),
            consumed_ms: 0,
            discarded_ms: 0,
            late_ms: 0,
            credits: Credits::default(),
        };
        Ok(Self {
            control,
            lag: LagPolicy::default(),
            sides: [side; 2],
            turn: Turn::new(Seat::Black, None),
        })
    }

    /// The same clock with another lag policy.
    ///
    /// # Errors
    /// A policy that [`LagPolicy::validate`] refuses.
    pub fn with_lag(self, lag: LagPolicy) -> Result<Self, ControlError> {
        lag.validate()?;
        Ok(Self { lag, ..self })
    }

    /// The control both sides play with.
    pub const fn control(&self) -> &Control {
        &self.control
    }

    /// Whose turn it is, whether its clock runs or stands.
    pub const fn to_move(&self) -> Seat {
        self.turn.seat
    }

    /// The seat whose clock runs.
    pub fn running(&self) -> Option<Seat> {
        self.turn.since_ms.map(|_| self.turn.seat)
    }

    /// The game begins: the seat's turn, and its clock runs.
    pub fn start(&mut self, seat: Seat, now_ms: i64) {
        self.begin_turn(seat, now_ms);
    }

    /// A turn begins without a press: at the start, after a refused count, an undo, a ruling.
    /// A turn in progress is called off and costs its seat nothing.
    pub fn begin_turn(&mut self, seat: Seat, now_ms: i64) {
        let used_ms = self.used_ms(now_ms);
        let side = self.side_mut(self.turn.seat);
        side.consumed_ms = side.consumed_ms.saturating_add(used_ms);
        side.credits.waived_ms += used_ms;
        let refill = self.side(seat).bank.whole_period(&self.control);
        self.side_mut(seat).refill(refill);
        self.turn = Turn::new(seat, Some(now_ms));
    }

    /// The turn ends: it is charged, and the other seat's begins at once. If the clock stood, it
    /// goes on standing. `lag_ms` is the lag measured for this seat; what is given back for it is
    /// capped by the [`LagPolicy`].
    ///
    /// # Errors
    /// The stamp is at or after the deadline, lag credit included; the clock is unchanged.
    pub fn press(&mut self, now_ms: i64, lag_ms: i64) -> Result<Charge, Flag> {
        let seat = self.turn.seat;
        if let Some(flag) = self.flag_with_lag(now_ms, lag_ms) {
            return Err(flag);
        }
        let lag_ms = self.lag_credit_ms(lag_ms);
        let used_ms = self.turn.used_ms(now_ms);
        let lag_credit_ms = lag_ms.min(used_ms);
        let before = self.side(seat).bank;
        self.charge(used_ms, lag_credit_ms);
        let refill = self.side(seat).bank.turn_ended(&self.control);
        self.side_mut(seat).refill(refill);
        self.turn = Turn::new(seat.other(), self.turn.since_ms.map(|_| now_ms));
        Ok(Charge {
            seat,
            used_ms,
            lag_credit_ms,
            charged_ms: used_ms - lag_credit_ms,
            periods_taken: before.periods_left.saturating_sub(refill.bank.periods_left),
            left: refill.bank,
        })
    }

    /// The clock stops in mid-turn: pause, adjournment, counting. Nothing is charged; what was
    /// spent is kept, so that a paused minute goes on where it stood (rulebook C5.1).
    ///
    /// # Errors
    /// The stamp is at or after the deadline; the clock is unchanged. Lag is a matter of a press
    /// alone.
    pub fn stop(&mut self, now_ms: i64) -> Result<(), Flag> {
        match self.flag(now_ms) {
            Some(flag) => Err(flag),
            None => {
                self.turn.spent_ms = self.turn.used_ms(now_ms);
                self.turn.since_ms = None;
                Ok(())
            }
        }
    }

    /// The turn that was stopped goes on. Nothing changes if its clock runs.
    pub fn resume(&mut self, now_ms: i64) {
        self.turn.since_ms.get_or_insert(now_ms);
    }

    /// The game is over: what was used is charged, and nothing runs. After a flag, everything was.
    pub fn finish(&mut self, now_ms: i64) {
        let used_ms = self.used_ms(now_ms);
        self.charge(used_ms, 0);
        self.turn = Turn::new(self.turn.seat, None);
    }

    /// The instant at which the running flag falls (rulebook C3.1).
    pub fn deadline_ms(&self) -> Option<i64> {
        let origin_ms = self.turn.origin_ms()?;
        Some(origin_ms.saturating_add(self.budget_ms()))
    }

    /// When the flag is to be called: the deadline and what may still be credited for lag, so that
    /// a move in flight counts.
    pub fn due_ms(&self, lag_ms: i64) -> Option<i64> {
        Some(self.deadline_ms()?.saturating_add(self.lag_credit_ms(lag_ms)))
    }

    /// The flag, if it has fallen.
    pub fn flag(&self, now_ms: i64) -> Option<Flag> {
        self.flag_with_lag(now_ms, 0)
    }

    /// The flag, if it is to be called: `now` is at or after [`Clock::due_ms`].
    pub fn flag_with_lag(&self, now_ms: i64, lag_ms: i64) -> Option<Flag> {
        let at_ms = self.deadline_ms()?;
        (now_ms >= self.due_ms(lag_ms)?).then_some(Flag { seat: self.turn.seat, at_ms })
    }

    /// Takes `from..to` out of the running turn, as far as its clock ran in it; returns what was
    /// taken, for the event that tells it (rulebook C8.4).
    ///
    /// An outage is a pause of the turn that is known afterwards. Outages come in order; what
    /// overlaps an earlier one is taken once.
    ///
    /// A shift is the jump of the server's clock from one instant to another, `to < from` when it
    /// jumped back; it is to be applied before any operation stamped after it. A jump back is
    /// no credit: it adds to the turn what its stamps do not show.
    pub fn credit(&mut self, reason: CreditReason, from_ms: i64, to_ms: i64) -> i64 {
        let Some(since_ms) = self.turn.since_ms else {
            return 0;
        };
        let ran_until_ms = from_ms.max(since_ms);
        let ahead_ms = to_ms.saturating_sub(ran_until_ms).max(0);
        let back_ms = to_ms.saturating_sub(from_ms).min(0);
        let side = &mut self.sides[self.turn.seat.index()];
        let sums = &mut side.credits;
        match reason {
            CreditReason::Outage if ahead_ms > 0 => {
                let ran_ms = ran_until_ms.saturating_sub(since_ms);
                self.turn.spent_ms = self.turn.spent_ms.saturating_add(ran_ms);
                self.turn.since_ms = Some(to_ms);
                side.consumed_ms = side.consumed_ms.saturating_add(ahead_ms);
                sums.outage_ms = sums.outage_ms.saturating_add(ahead_ms);
                ahead_ms
            }
            CreditReason::Outage => 0,
            CreditReason::Shift => {
                let shift_ms = if since_ms <= from_ms { ahead_ms + back_ms } else { ahead_ms };
                // The turn began when the new clock would have said so.
                self.turn.since_ms = Some(since_ms.saturating_add(shift_ms));
                sums.shift_ms = sums.shift_ms.saturating_add(shift_ms);
                shift_ms
            }
        }
    }

    /// Grants a seat main time. If its clock runs, the deadline moves by exactly that. The turn in
    /// progress is charged against it too, as it is charged as a whole.
    ///
    /// # Errors
    /// Less than 1 ms, or more than leaves the seat with 24 h.
    pub fn add_time(&mut self, seat: Seat, ms: i64) -> Result<(), ControlError> {
        let held_ms = self.side(seat).bank.total_ms(&self.control);
        let fits = ms > 0 && ms <= MAX_HOLD_MS - held_ms;
        check("ms", ms, fits, "at least 1, and no more than leaves the side with 24 hours")?;
        let side = self.side_mut(seat);
        side.bank.main_left_ms += ms;
        side.granted_ms += ms;
        Ok(())
    }

    /// Takes lateness off: main time first, then whole minutes of the reserve (rulebook C14.3);
    /// for Canadian, off the open period. It is no thinking time. `now_ms` is when the seat came.
    ///
    /// # Errors
    /// Nothing is left: the seat has lost at the instant when the lateness had used up all.
    pub fn late(&mut self, seat: Seat, late_ms: i64, now_ms: i64) -> Result<(), Flag> {
        let late_ms = late_ms.max(0);
        let used_ms = self.used_in_turn_ms(seat, now_ms);
        let held = self.left(seat, now_ms);
        let period_ms = self.control.period_ms();
        let whole_minutes = self.control.takes_whole_periods();
        let fatal_ms = held.main_left_ms
            + if whole_minutes {
                i64::from(held.periods_left) * period_ms
            } else {
                held.period_left_ms
            };
        let total_ms = held.total_ms(&self.control);
        let side = self.side_mut(seat);
        if late_ms >= fatal_ms {
            // Just what the turn in progress has used already, so that nothing is left of it.
            side.bank = Bank { main_left_ms: used_ms, ..Bank::default() };
            side.take_late(total_ms);
            return Err(Flag { seat, at_ms: now_ms.saturating_sub(late_ms - fatal_ms) });
        }
        let from_main_ms = late_ms.min(held.main_left_ms);
        let rest_ms = late_ms - from_main_ms;
        side.bank.main_left_ms -= from_main_ms;
        side.take_late(late_ms);
        if !whole_minutes {
            side.bank.period_left_ms -= rest_ms;
        } else if rest_ms > 0 {
            let minutes = u32::try_from(rest_ms / period_ms).unwrap_or(u32::MAX);
            side.bank.periods_left = side.bank.periods_left.saturating_sub(minutes);
            let free_ms = rest_ms % period_ms;
            if free_ms > 0 {
                side.granted_ms += period_ms;
                side.discarded_ms += period_ms - free_ms;
            }
        }
        Ok(())
    }

    const fn side(&self, seat: Seat) -> &Side {
        &self.sides[seat.index()]
    }

    const fn side_mut(&mut self, seat: Seat) -> &mut Side {
        &mut self.sides[seat.index()]
    }

    /// All that the turn in progress may use.
    fn budget_ms(&self) -> i64 {
        self.side(self.turn.seat).bank.total_ms(&self.control)
    }

    /// What the turn in progress has used: never more than there is.
    fn used_ms(&self, now_ms: i64) -> i64 {
        self.turn.used_ms(now_ms).min(self.budget_ms())
    }

    /// What the seat has used of the turn in progress, 0 if it is the other's.
    fn used_in_turn_ms(&self, seat: Seat, now_ms: i64) -> i64 {
        if seat == self.turn.seat { self.used_ms(now_ms) } else { 0 }
    }

    /// What the seat holds at this instant.
    fn left(&self, seat: Seat, now_ms: i64) -> Bank {
        self.side(seat).bank.after(self.used_in_turn_ms(seat, now_ms), &self.control)
    }

    fn lag_credit_ms(&self, lag_ms: i64) -> i64 {
        let quota_ms = self.lag.per_game_ms - self.side(self.turn.seat).credits.lag_ms;
        lag_ms.min(self.lag.per_move_ms).min(quota_ms).max(0)
    }

    fn charge(&mut self, used_ms: i64, lag_credit_ms: i64) {
        let control = self.control;
        let side = self.side_mut(self.turn.seat);
        side.bank = side.bank.after(used_ms - lag_credit_ms, &control);
        side.consumed_ms = side.consumed_ms.saturating_add(used_ms);
        side.credits.lag_ms += lag_credit_ms;
    }
}

impl Side {
    const fn take_late(&mut self, ms: i64) {
        self.late_ms += ms;
        self.consumed_ms = self.consumed_ms.saturating_add(ms);
    }

    const fn refill(&mut self, refill: Refill) {
        self.bank = refill.bank;
        self.granted_ms += refill.granted_ms;
        self.discarded_ms += refill.discarded_ms;
    }
}

impl Turn {
    const fn new(seat: Seat, since_ms: Option<i64>) -> Self {
        Self { seat, since_ms, spent_ms: 0 }
    }

    /// How long the clock ran. A stamp before it was set going adds nothing.
    fn used_ms(&self, now_ms: i64) -> i64 {
        let running_ms = self.since_ms.map_or(0, |since_ms| now_ms.saturating_sub(since_ms).max(0));
        self.spent_ms.saturating_add(running_ms)
    }

    /// When the turn would have begun had its clock run all the time; `None` while it stands.
    fn origin_ms(&self) -> Option<i64> {
        Some(self.since_ms?.saturating_sub(self.spent_ms))
    }
}
