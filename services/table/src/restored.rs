//! A game of which moves that were acknowledged are lost: it stands until both have confirmed the
//! board (rulebook C8.4).

use tengen_rules::Colour;

use crate::decide::{Decided, accepted, by};
use crate::{Command, EndReason, Event, Fact, Phase, Table, limits};

/// What waits for both sides' confirmation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Restoration {
    /// Where the game goes on.
    pub(crate) from: Phase,
    /// When it is to be played again instead.
    pub(crate) until_ms: i64,
    pub(crate) confirmed: [bool; 2],
}

impl Table {
    /// The event that tells both that moves are lost. `None` where nothing could be lost, as before
    /// the start and after the end.
    pub fn restored(&self, now_ms: i64) -> Option<Event> {
        let at_ms = now_ms.max(self.last_at_ms);
        let goes_on = !matches!(self.phase, Phase::Waiting | Phase::Ended);
        goes_on.then(|| Event::new(at_ms, Fact::Restored))
    }

    /// How often moves were lost.
    pub const fn restorations(&self) -> u32 {
        self.restorations
    }

    /// Until when both may confirm the restored board; `None` outside [`Phase::Restored`].
    pub fn restoration_deadline_ms(&self) -> Option<i64> {
        self.restoration.map(|restoration| restoration.until_ms)
    }

    /// Whether a side has confirmed the restored board.
    pub fn restoration_confirmed(&self, colour: Colour) -> bool {
        self.restoration.is_some_and(|restoration| restoration.confirmed[colour.index()])
    }

    pub(crate) fn confirm_restored(&self, command: &Command, now_ms: i64) -> Decided {
        self.expect(Phase::Restored)?;
        Ok(accepted(vec![by(command, now_ms, Fact::RestorationConfirmed)]))
    }

    /// Where nobody agrees and no referee comes, the game is played again: never a loss.
    pub(crate) fn not_confirmed(&self, now_ms: i64) -> Vec<Event> {
        let mut end = Event::ended(EndReason::Replay, None, None);
        end.at_ms = now_ms;
        vec![end]
    }

    /// The clocks stand as they stood after the last event that is left: what came after it is
    /// nobody's.
    pub(crate) fn fold_restored(&mut self, at_ms: i64) -> Result<(), &'static str> {
        if let Some(clock) = &mut self.clock {
            // Not even a flag that fell meanwhile counts.
            let unfallen_ms = clock.deadline_ms().map_or(i64::MAX, |at_ms| at_ms - 1);
            let stopped = clock.stop(self.last_at_ms.min(unfallen_ms));
            stopped.map_err(|_| "a clock that cannot be stopped")?;
        }
        self.restorations += 1;
        self.counting.accepted = [None; 2];
        self.offers = [None; 2];
        let from = self.restoration.map_or(self.phase, |restoration| restoration.from);
        let until_ms = at_ms.saturating_add(limits::RESTORED_MS);
        self.restoration = Some(Restoration { from, until_ms, confirmed: [false; 2] });
        self.phase = Phase::Restored;
        Ok(())
    }

    /// A side's word, or nobody's for both: the referee's.
    pub(crate) fn fold_confirmation(&mut self, event: &Event) {
        let Some(restoration) = &mut self.restoration else { return };
        match event.by {
            Some(side) => restoration.confirmed[side.index()] = true,
            None => restoration.confirmed = [true; 2],
        }
        if restoration.confirmed != [true; 2] {
            return;
        }
        self.phase = restoration.from;
        self.restoration = None;
        // A pause that was to end meanwhile has ended.
        self.pauses.retain(|(_, until_ms)| until_ms.is_none_or(|until_ms| until_ms > event.at_ms));
        if self.phase == Phase::Paused && self.pauses.is_empty() {
            self.phase = Phase::Playing;
        }
        match self.phase {
            Phase::Counting => self.counting_from(event.at_ms),
            Phase::Playing => {
                if let Some(clock) = &mut self.clock {
                    clock.resume(event.at_ms);
                }
            }
            _ => {}
        }
    }
}
