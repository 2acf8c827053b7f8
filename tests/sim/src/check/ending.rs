//! How a game may end, and what its count is (rulebook, Ends).

use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::Phase;
use tengen_proto::internal::v1::StoredEnd;
use tengen_rules::{Area, area};

use super::clock::Clocks;
use super::log::Logged;
use super::walk::{Walk, What, side};

impl Walk {
    /// The points of both and of neither, by the count the game ended with.
    pub fn area(&self) -> Area {
        area(self.board.board(), &self.dead)
    }

    /// By how much Black is ahead, in quarter stones (rulebook G9, C2).
    pub fn margin_quarters(&self) -> i32 {
        let Area { black, white, neutral } = self.area();
        let points = black + white + neutral;
        let black_quarters = 4 * black as i32 + 2 * neutral as i32;
        black_quarters - 2 * points as i32 - self.settings.komi_quarters.unwrap_or(15)
    }

    /// Ends the game, if it may end so.
    pub(super) fn finish(&mut self, end: StoredEnd, event: &Logged) -> What {
        let winner = side(end.winner);
        let loser = side(event.seat);
        let other = |side: Option<usize>| side.map(|side| 1 - side);
        let fits = match end.reason() {
            wire::EndReason::Count => self.counted(&end),
            wire::EndReason::Resignation | wire::EndReason::Leave => {
                loser.is_some() && winner == other(loser)
            }
            wire::EndReason::OutOfTurn => {
                let lost = self.settings.out_of_turn() == wire::OutOfTurn::Loss;
                lost && loser == Some(self.to_move.opponent().index()) && winner == other(loser)
            }
            reason @ (wire::EndReason::Time | wire::EndReason::TimeWhileAway) => {
                let away = reason == wire::EndReason::TimeWhileAway;
                let deadline_ms = self.clocks.as_ref().and_then(Clocks::deadline_ms);
                // The stamp is the instant the time was used up, whenever that was noticed.
                let fell = deadline_ms.is_some_and(|at_ms| event.at_ms == at_ms.max(self.at_ms));
                let running = self.clocks.as_ref().and_then(Clocks::running);
                let right = running.is_some_and(|side| self.gone[side] == away);
                fell && right && winner == other(running)
            }
            wire::EndReason::Disconnected | wire::EndReason::BothGone => {
                self.may_end_by_absence(&end, event)
            }
            wire::EndReason::Draw => self.draw_agreed && winner.is_none(),
            _ => false,
        };
        if !fits {
            return Err(format!("an end that nothing leads to: {end:?}"));
        }
        if let Some(clocks) = &mut self.clocks {
            clocks.finish(event.at_ms);
        }
        self.pauses.clear();
        (self.phase, self.end) = (Phase::Ended, Some(end));
        Ok(())
    }

    fn counted(&self, end: &StoredEnd) -> bool {
        let settled = match end.settlement() {
            wire::Settlement::Agreed => self.phase == Phase::Counting && self.accepted == [true; 2],
            wire::Settlement::AllStand => self.disputes == 2 && self.dead.is_empty(),
            wire::Settlement::Unspecified => false,
        };
        let winner = match self.margin_quarters() {
            0 => None,
            margin => Some(usize::from(margin < 0)),
        };
        settled && side(end.winner) == winner
    }
}
