//! A game as it stands: what the events so far add up to.

use std::collections::HashMap;
use std::fmt;

use tengen_rules::{Area, Colour, Count, Game, Point, PointSet, area};
use tengen_timing::{Charge, Clock, PauseReason};

use crate::presence::Seated;
use crate::restored::Restoration;
use crate::{Counted, Offer, Outcome, Request, Settings, Settlement, seat};

/// Where a game stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Before the start, and until both have come (rulebook C14).
    Waiting,
    /// Clocks stand until every reason is gone (rulebook C5.1).
    Paused,
    /// Play goes on; the clock of the side to move runs.
    Playing,
    /// Both agreed that nothing more is to be played; no clock runs (rulebook C12).
    Counting,
    /// Moves are lost; clocks stand until both have confirmed the board (rulebook C8.4).
    Restored,
    /// Over.
    Ended,
}

/// What a turn was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnKind {
    /// A stone.
    Move(Point),
    /// A pass.
    Pass,
    /// A confirmation.
    Confirm,
    /// Forfeited by a try at this point.
    Forfeit(Point),
}

/// A turn that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Who took it.
    pub colour: Colour,
    /// What it was.
    pub kind: TurnKind,
    /// When.
    pub at_ms: i64,
}

/// One game. Made and changed only by folding events; decides, by itself, nothing.
#[derive(Clone)]
pub struct Table {
    pub(crate) settings: Settings,
    pub(crate) game: Game,
    pub(crate) clock: Option<Clock>,
    pub(crate) phase: Phase,
    pub(crate) to_move: Colour,
    pub(crate) turns: Vec<Turn>,
    pub(crate) sequence: i64,
    pub(crate) opened_at_ms: i64,
    pub(crate) last_at_ms: i64,
    /// Whether the last turn was one that confirms the end; two in a row open counting.
    pub(crate) last_confirms: bool,
    pub(crate) counting: Counting,
    /// When each side came for a scheduled game.
    pub(crate) arrived_ms: [Option<i64>; 2],
    /// How late each side was.
    pub(crate) late_ms: [i64; 2],
    /// Outages since the start was due.
    pub(crate) held_up: HeldUp,
    /// Moves are lost, and both are to confirm the board.
    pub(crate) restoration: Option<Restoration>,
    /// How often moves were lost.
    pub(crate) restorations: u32,
    /// Why the game is paused, and when each reason is gone by itself.
    pub(crate) pauses: Vec<(PauseReason, Option<i64>)>,
    /// Pauses by agreement so far.
    pub(crate) agreed_pauses: u32,
    /// What each side offers the other.
    pub(crate) offers: [Option<Offer>; 2],
    /// What the last turn was charged.
    pub(crate) last_charge: Option<Charge>,
    /// The measured delay of each seat, before any cap.
    pub(crate) lag_ms: [i64; 2],
    /// Accepted requests: the digest of the content and the sequence of the last event.
    pub(crate) requests: HashMap<u64, (u32, i64)>,
    /// Who is here.
    pub(crate) seated: [Seated; 2],
    pub(crate) outcome: Option<Outcome>,
}

/// What outages took of the time to come.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HeldUp {
    /// All of them together, after the start was due.
    pub(crate) ms: i64,
    /// The end of the last one.
    pub(crate) until_ms: i64,
}

/// How far counting has come. The marks are gone when play reopens; the disputes are not.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counting {
    pub(crate) deadline_ms: Option<i64>,
    /// Since when its time runs, outages before apart.
    pub(crate) since_ms: i64,
    pub(crate) dead: PointSet,
    /// The event by which each side accepted the dead set as it stands.
    pub(crate) accepted: [Option<i64>; 2],
    pub(crate) disputes: u32,
}

impl Table {
    /// What was agreed.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The board and its history.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Both clocks; `None` in an untimed game.
    pub const fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// Where the game stands.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whose turn it is; `None` when over.
    pub fn to_move(&self) -> Option<Colour> {
        (self.phase != Phase::Ended).then_some(self.to_move)
    }

    /// The number the next turn has, from 1.
    pub fn next_number(&self) -> u32 {
        u32::try_from(self.turns.len()).map_or(u32::MAX, |taken| taken.saturating_add(1))
    }

    /// Every turn so far.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The number of events folded in.
    pub const fn sequence(&self) -> i64 {
        self.sequence
    }

    /// The stamp of the first event.
    pub const fn opened_at_ms(&self) -> i64 {
        self.opened_at_ms
    }

    /// The stamp of the last event; the next one's is not before it.
    pub const fn last_at_ms(&self) -> i64 {
        self.last_at_ms
    }

    /// Stones marked dead.
    pub const fn dead(&self) -> &PointSet {
        &self.counting.dead
    }

    /// The event by which a side accepted the dead set as it stands.
    pub const fn accepted(&self, colour: Colour) -> Option<i64> {
        self.counting.accepted[colour.index()]
    }

    /// Until when counting may take; `None` outside counting (rulebook C12.4).
    pub const fn counting_deadline_ms(&self) -> Option<i64> {
        self.counting.deadline_ms
    }

    /// Disputes so far (rulebook C12.3).
    pub const fn disputes(&self) -> u32 {
        self.counting.disputes
    }

    /// Whether a side has confirmed that nothing more is to be played, and the other has not
    /// played on since (rulebook C12.1).
    pub fn confirmed(&self, colour: Colour) -> bool {
        match self.phase {
            Phase::Playing | Phase::Paused => self.last_confirms && self.to_move != colour,
            Phase::Counting => true,
            Phase::Restored => self.restoration.is_some_and(|restoration| match restoration.from {
                Phase::Counting => true,
                _ => self.last_confirms && self.to_move != colour,
            }),
            Phase::Waiting | Phase::Ended => false,
        }
    }

    /// When a side came for a scheduled game; `None` if it has not, or the game is none.
    pub const fn arrived_ms(&self, colour: Colour) -> Option<i64> {
        self.arrived_ms[colour.index()]
    }

    /// Why the game is paused, and when each reason is gone by itself.
    pub fn pauses(&self) -> &[(PauseReason, Option<i64>)] {
        &self.pauses
    }

    /// What a side offers the other.
    pub const fn offer(&self, colour: Colour) -> Option<Offer> {
        self.offers[colour.index()]
    }

    /// What the last turn was charged; `None` before the first, after one was taken back, and in an
    /// untimed game.
    pub const fn last_charge(&self) -> Option<&Charge> {
        self.last_charge.as_ref()
    }

    /// The measured delay of a side, before any cap.
    pub const fn lag_ms(&self, colour: Colour) -> i64 {
        self.lag_ms[colour.index()]
    }

    /// How it ended.
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Real thinking time of a side (rulebook L7).
    pub fn thought_ms(&self, colour: Colour, now_ms: i64) -> i64 {
        self.clock.as_ref().map_or(0, |clock| clock.thought_ms(seat(colour), now_ms))
    }

    /// The count with these stones taken off (rulebook G9). Pure: the same board and the same
    /// stones give the same count.
    pub fn count(&self, dead: &PointSet) -> (Area, Count) {
        let area = area(self.game.board(), dead);
        let Settings { komi_quarters, compensation_quarters, .. } = self.settings;
        (area, Count::new(area, komi_quarters, compensation_quarters))
    }

    /// What the count would be with the dead set as it stands: advice only.
    pub fn preview(&self) -> Counted {
        self.counted(Settlement::Agreed)
    }

    pub(crate) fn counted(&self, settlement: Settlement) -> Counted {
        let (dead, accepted) = match settlement {
            Settlement::Agreed => (self.counting.dead, self.counting.accepted),
            Settlement::AllStand => (PointSet::new(), [None; 2]),
        };
        let (area, count) = self.count(&dead);
        Counted { settlement, dead, area, count, accepted }
    }

    /// Whether a request is known, with the digest of its content and its sequence.
    pub(crate) fn known(&self, request: Request) -> Option<(u32, i64)> {
        self.requests.get(&request.key).copied()
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Waiting => "WAITING",
            Self::Paused => "PAUSED",
            Self::Playing => "PLAYING",
            Self::Counting => "COUNTING",
            Self::Restored => "RESTORED",
            Self::Ended => "ENDED",
        })
    }
}
