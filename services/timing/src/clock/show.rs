//! What a clock shows, says and accounts for. Nothing here changes it.

use super::{Clock, Turn};
use crate::Seat;
use crate::call::{Announcement, calls};
use crate::credit::{Account, Credits};
use crate::reading::{Phase, Reading};

impl Clock {
    /// What a seat's clock shows.
    pub fn reading(&self, seat: Seat, now_ms: i64) -> Reading {
        let bank = self.left(seat, now_ms);
        let total_left_ms = bank.total_ms(&self.control);
        let phase = match bank.periods_left {
            _ if total_left_ms == 0 => Phase::TimeUp,
            _ if bank.main_left_ms > 0 => Phase::Main,
            1 if self.control.takes_whole_periods() => Phase::LastPeriod,
            _ => Phase::ByoYomi,
        };
        Reading {
            seat,
            phase,
            main_left_ms: bank.main_left_ms,
            periods_left: bank.periods_left,
            period_left_ms: bank.period_left_ms,
            stones_left: bank.stones_left,
            total_left_ms,
            deadline_ms: self.deadline_ms().filter(|_| self.turn.seat == seat),
        }
    }

    /// Real time the seat has thought: its clock running, byo-yomi included; lateness, pauses and
    /// outages are not in it (rulebook L7).
    pub fn thought_ms(&self, seat: Seat, now_ms: i64) -> i64 {
        let side = self.side(seat);
        let aside_ms = side.late_ms.saturating_add(side.credits.outage_ms);
        side.consumed_ms.saturating_add(self.used_in_turn_ms(seat, now_ms)).saturating_sub(aside_ms)
    }

    /// What a seat was given back so far.
    pub const fn credits(&self, seat: Seat) -> Credits {
        self.side(seat).credits
    }

    /// Where a seat's time came from and went to.
    pub fn account(&self, seat: Seat, now_ms: i64) -> Account {
        let side = self.side(seat);
        Account {
            granted_ms: side.granted_ms,
            credited_ms: side.credits.uncharged_ms(),
            consumed_ms: side.consumed_ms.saturating_add(self.used_in_turn_ms(seat, now_ms)),
            remaining_ms: self.left(seat, now_ms).total_ms(&self.control),
            discarded_ms: side.discarded_ms,
        }
    }

    /// The calls of the running turn that are due after `after_ms` and up to `until_ms`, if nobody
    /// moves (rulebook C3.2a). None comes after the deadline, none while the clock stands.
    pub fn announcements(
        &self,
        after_ms: i64,
        until_ms: i64,
    ) -> impl Iterator<Item = Announcement> + use<> {
        let Turn { seat, since_ms, .. } = self.turn;
        // What was due before the clock was last set going has been said.
        let after_ms = after_ms.max(since_ms.unwrap_or(i64::MIN));
        let (bank, control) = (self.side(seat).bank, self.control);
        self.turn
            .origin_ms()
            .into_iter()
            .flat_map(move |origin_ms| {
                calls(bank, control)
                    .map(move |(used_ms, call)| (origin_ms.saturating_add(used_ms), call))
            })
            .filter(move |(at_ms, _)| *at_ms > after_ms && *at_ms <= until_ms)
            .map(move |(at_ms, call)| Announcement { at_ms, seat, call })
    }
}
