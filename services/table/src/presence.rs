//! Who is here. A disconnected player may come back within a window, and no game ends without him
//! but on a fresh answer that he is still gone (rulebook L11).

use tengen_rules::Colour;
use tengen_timing::CreditReason;

use crate::credit::held_up_ms;
use crate::decide::{Decided, by};
use crate::{Absence, Command, Decision, EndReason, Event, Fact, Phase, Rejection, Table};

/// Word of where a player is. The words about a player are numbered: of two, the higher is the
/// later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The last stream of the player ended.
    Gone {
        /// The number of the word; positive.
        number: i64,
    },
    /// The player has a stream again.
    Back {
        /// The number of the word; positive.
        number: i64,
    },
    /// The player was asked for, and is here.
    Here,
}

/// What happens if sides that stay away are still gone. Whoever is told asks for each at that
/// moment, and commits the events only if all are; for one who is here the record is told
/// [`Presence::Here`], and without an answer nothing happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfGone {
    /// Whom to ask for.
    pub sides: Vec<Colour>,
    /// What happens then, all or none.
    pub events: Vec<Event>,
}

/// What is known of one player's presence.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seated {
    gone: bool,
    /// Of the last word.
    number: i64,
    /// Runs exactly while the player is gone and play goes on.
    window: Option<Window>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    /// Since when it runs, outages before apart.
    since_ms: i64,
    /// The last instant to return in.
    deadline_ms: i64,
}

impl Table {
    /// What word of a side's presence comes to: what is due before it, then the change. Empty once
    /// the record holds it, or a later word, and when the game is over.
    pub fn presence(&self, side: Colour, word: Presence, now_ms: i64) -> Vec<Event> {
        let now_ms = now_ms.max(self.last_at_ms);
        let Seated { gone, number: known, .. } = self.seated[side.index()];
        let fact = match word {
            Presence::Gone { number } if number > known => Fact::Gone { number },
            Presence::Back { number } if number > known => Fact::Back { number },
            Presence::Here if gone => Fact::Back { number: known },
            _ => return Vec::new(),
        };
        if self.phase == Phase::Ended {
            return Vec::new();
        }
        let due = self.due(now_ms);
        if due.is_empty() { vec![of(side, now_ms, fact)] } else { due }
    }

    /// Whether a side is here, as far as the record was told.
    pub const fn present(&self, side: Colour) -> bool {
        !self.seated[side.index()].gone
    }

    /// The last instant at which an absent side returns in time; `None` unless it is away and play
    /// goes on.
    pub fn gone_deadline_ms(&self, side: Colour) -> Option<i64> {
        self.seated[side.index()].window.map(|window| window.deadline_ms)
    }

    /// The end that absence brings by now, if it does: of one side that stayed away beyond its
    /// limit, or of both. Where the other is away too, its own limit is waited for; and a flag
    /// that has fallen comes first.
    pub fn absence_over(&self, now_ms: i64) -> Option<IfGone> {
        let now_ms = now_ms.max(self.last_at_ms);
        if now_ms < self.absence_due_ms()? || !self.due(now_ms).is_empty() {
            return None;
        }
        let away = |side: &Colour| self.seated[side.index()].window.is_some();
        let sides: Vec<_> = Colour::BOTH.into_iter().filter(away).collect();
        let mut end = match sides.as_slice() {
            [side] => Event::ended(EndReason::Disconnected, Some(side.opponent()), None),
            _ => Event::ended(EndReason::BothGone, None, None),
        };
        end.at_ms = now_ms;
        Some(IfGone { sides, events: vec![end] })
    }

    /// When absence may end the game by itself: one millisecond after the limit, as exactly at it
    /// is still in time; of two, the later. Where the opponent decides, never.
    pub(crate) fn absence_due_ms(&self) -> Option<i64> {
        let deadlines = Colour::BOTH.into_iter().filter_map(|side| self.gone_deadline_ms(side));
        let last_ms = deadlines.max().filter(|_| self.settings.absence == Absence::Forfeit)?;
        Some(last_ms.saturating_add(1))
    }

    /// A claim of the game against an opponent who stays away beyond the limit.
    pub(crate) fn claim_absence(&self, command: &Command, now_ms: i64) -> Decided {
        self.expect(Phase::Playing)?;
        let side = command.by.opponent();
        let until_ms = self.gone_deadline_ms(side).ok_or(Rejection::OpponentBack)?;
        if now_ms <= until_ms {
            return Err(Rejection::MayReturn { until_ms });
        }
        let (reason, winner) = (EndReason::Disconnected, Some(command.by));
        let end = by(command, now_ms, Fact::Ended { reason, winner, settlement: None });
        Ok(Decision::IfGone(IfGone { sides: vec![side], events: vec![end] }))
    }

    /// Whoever commands is here: that comes before what the command does.
    pub(crate) fn seen_by(&self, command: &Command, mut decision: Decision) -> Decision {
        let Seated { gone, number, .. } = self.seated[command.by.index()];
        if let Decision::Accepted(events) | Decision::IfGone(IfGone { events, .. }) = &mut decision
            && let Some(first) = events.first().filter(|_| gone)
        {
            events.insert(0, of(command.by, first.at_ms, Fact::Back { number }));
        }
        decision
    }

    pub(crate) fn fold_presence(
        &mut self,
        side: Colour,
        (gone, number): (bool, i64),
    ) -> Result<(), &'static str> {
        let seated = &mut self.seated[side.index()];
        if number < seated.number {
            return Err("an older word of presence");
        }
        *seated = Seated { gone, number, window: None };
        Ok(())
    }

    /// A window runs in play only: it is gone where play stops, and whoever is away where play
    /// begins or goes on has a whole one from then.
    pub(crate) fn keep_windows(&mut self, at_ms: i64) {
        let deadline_ms = at_ms.saturating_add(self.settings.reconnect_window_ms);
        for seated in &mut self.seated {
            if self.phase == Phase::Playing && seated.gone {
                seated.window.get_or_insert(Window { since_ms: at_ms, deadline_ms });
            } else {
                seated.window = None;
            }
        }
    }

    /// The most that an outage took of a window.
    pub(crate) fn windows_held_up_ms(&self, from_ms: i64, to_ms: i64) -> i64 {
        let windows = self.seated.iter().filter_map(|seated| seated.window);
        let reason = CreditReason::Outage;
        let held_up = windows.map(|window| held_up_ms(reason, from_ms, to_ms, window.since_ms));
        held_up.max().unwrap_or(0)
    }

    pub(crate) fn credit_windows(&mut self, reason: CreditReason, from_ms: i64, to_ms: i64) {
        for window in self.seated.iter_mut().filter_map(|seated| seated.window.as_mut()) {
            let ms = held_up_ms(reason, from_ms, to_ms, window.since_ms);
            if ms > 0 {
                window.deadline_ms = window.deadline_ms.saturating_add(ms);
                window.since_ms = to_ms;
            }
        }
    }
}

fn of(side: Colour, at_ms: i64, fact: Fact) -> Event {
    Event { by: Some(side), ..Event::new(at_ms, fact) }
}
