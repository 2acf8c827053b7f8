//! Who is away, and until when he may return (rulebook L11).

use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::Phase;
use tengen_proto::internal::v1::StoredEnd;
use tengen_proto::time::duration_ms;

use super::log::Logged;
use super::walk::{Walk, What, side};

impl Walk {
    /// The last instant for each side to return in.
    pub fn deadlines_ms(&self) -> [Option<i64>; 2] {
        self.windows_ms.map(|window| window.map(|(_, until_ms)| until_ms))
    }

    /// When absence may end the game by itself: past the limit, and past the other's if it is away.
    pub fn absence_due_ms(&self) -> Option<i64> {
        let last_ms = self.deadlines_ms().into_iter().flatten().max()?;
        let decides = self.settings.absence() == wire::Absence::OpponentDecides;
        (!decides).then_some(last_ms + 1)
    }

    /// Word of a side.
    pub(super) fn word(&mut self, side: Option<usize>, number: i64, gone: bool) -> What {
        let side = side.ok_or("nobody's presence")?;
        let known = self.numbers[side];
        // A command, or an answer, says nothing newer.
        let seen = !gone && self.gone[side] && number == known;
        if number <= known && !seen {
            return Err(format!("word {number} after {known}"));
        }
        self.numbers[side] = number;
        self.gone[side] = gone;
        self.windows_ms[side] = None;
        Ok(())
    }

    /// Windows run in play, from its beginning or from the going away.
    pub(super) fn keep_windows(&mut self, at_ms: i64) {
        let window = self.settings.reconnect_window.as_ref().and_then(duration_ms);
        let until_ms = at_ms + window.unwrap_or(300_000);
        for side in 0..2 {
            let runs = self.gone[side] && self.phase == Phase::Playing;
            let window = self.windows_ms[side].unwrap_or((at_ms, until_ms));
            self.windows_ms[side] = runs.then_some(window);
        }
    }

    /// An outage moves them.
    pub(super) fn move_windows(&mut self, from_ms: i64, to_ms: i64) {
        for (since_ms, until_ms) in self.windows_ms.iter_mut().flatten() {
            *until_ms += (to_ms - from_ms.max(*since_ms)).max(0);
            *since_ms = to_ms.max(*since_ms);
        }
    }

    /// Whether the game may end by absence: a flag that fell would have come first.
    pub(super) fn may_end_by_absence(&self, end: &StoredEnd, event: &Logged) -> bool {
        let at_ms = event.at_ms;
        let over =
            |side: usize| self.windows_ms[side].is_some_and(|(_, until_ms)| at_ms > until_ms);
        let itself = self.absence_due_ms().is_some_and(|due_ms| at_ms >= due_ms);
        let flag = self.next_due_ms().is_some_and(|due_ms| at_ms >= due_ms);
        let fits = match (end.reason(), side(end.winner)) {
            (wire::EndReason::BothGone, None) => itself && over(0) && over(1),
            (wire::EndReason::Disconnected, Some(winner)) => {
                let claimed = event.request_key != 0 && side(event.seat) == Some(winner);
                over(1 - winner) && !self.gone[winner] && (claimed || itself)
            }
            _ => false,
        };
        fits && !flag
    }
}
