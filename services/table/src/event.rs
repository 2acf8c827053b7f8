//! What has happened in a game: facts only. Boards, captures and clocks are derived by folding.

use tengen_rules::{Colour, Point, Refusal};
use tengen_timing::{CreditReason, PauseReason};

use crate::{EndReason, Request, Settings, Settlement};

/// One fact, stamped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When, in milliseconds of the live state's clock; never before the event before.
    pub at_ms: i64,
    /// Whose command it was; `None` if nobody's.
    pub by: Option<Colour>,
    /// The request that caused it, to be known again.
    pub request: Option<Request>,
    /// The referee who ordered it, and why.
    pub word: Option<Box<Word>>,
    /// What happened.
    pub fact: Fact,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The game was made, and began.
    Opened(Box<Opening>),
    /// A stone was played.
    Move(Point),
    /// A pass (rulebook G2.4).
    Pass,
    /// A confirmation, also a pass (rulebook C12.1).
    Confirm,
    /// A turn was forfeited (rulebook C10, C11.1).
    Forfeit {
        /// The point that was tried.
        point: Point,
        /// Why it is forbidden.
        why: ForbiddenWhy,
    },
    /// Counting was opened (rulebook C12).
    CountingOpened,
    /// The string on this point was marked dead, or living again.
    Marked {
        /// A stone of the string.
        point: Point,
        /// Whether it is dead now.
        dead: bool,
    },
    /// The dead set was accepted.
    Accepted,
    /// The count was disputed, or its time ran out: play reopens unless the game ends.
    Disputed,
    /// A player came for a scheduled game (rulebook C14).
    Arrived,
    /// A scheduled game began; lateness is off the clocks (rulebook C14.3).
    Started,
    /// Clocks were stopped, or stand for one reason more (rulebook C5.1).
    Paused {
        /// Why.
        reason: PauseReason,
        /// When this reason is gone by itself; `None` if only by order.
        until_ms: Option<i64>,
    },
    /// A reason to stand is gone; play goes on when none is left.
    Resumed {
        /// Which.
        reason: PauseReason,
    },
    /// A side was given time.
    TimeAdded {
        /// Who was given it.
        side: Colour,
        /// How much.
        ms: i64,
    },
    /// Moves that were acknowledged are lost: the game stands at the last one that is left
    /// (rulebook C8.4).
    Restored,
    /// A side confirmed the restored board; nobody's: the referee did for both.
    RestorationConfirmed,
    /// Time the server cost the side to move, both or whoever is to come was given back (rulebook
    /// C8.4).
    Credited {
        /// Why.
        reason: CreditReason,
        /// The interval that does not count.
        from_ms: i64,
        /// Its end.
        to_ms: i64,
    },
    /// The network delay of a side was measured anew.
    LagMeasured {
        /// The delay, before any cap.
        ms: i64,
    },
    /// A player went away (rulebook L11).
    Gone {
        /// The number of the word of it.
        number: i64,
    },
    /// A player is here again, or was here all the time.
    Back {
        /// The number of the word of it, or of the one before.
        number: i64,
    },
    /// Something was offered.
    Offered(Offer),
    /// The opponent's offer was answered.
    Answered {
        /// What was offered.
        offer: Offer,
        /// Whether it is accepted.
        accept: bool,
    },
    /// The last move was taken back by consent (rulebook C8.2).
    TakenBack,
    /// The game ended.
    Ended {
        /// Why.
        reason: EndReason,
        /// Who won.
        winner: Option<Colour>,
        /// How a count was settled.
        settlement: Option<Settlement>,
    },
}

/// A referee's order, told with what it did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Who ordered.
    pub referee: String,
    /// Why.
    pub text: String,
}

/// What a player may offer the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Offer {
    /// A draw.
    Draw,
    /// To take back the last move; casual games (rulebook C8.2).
    TakeBack,
    /// To pause; casual games (rulebook C5.1).
    Pause,
}

/// What a game begins with. Who the players are is for the caller to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// What was agreed.
    pub settings: Settings,
}

/// Why a point was forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenWhy {
    /// Suicide (rulebook G5).
    Suicide,
    /// It would recreate an earlier board (rulebook G6).
    Superko {
        /// The move after which that board stood; 0 is the start.
        repeats_move: u32,
    },
}

impl ForbiddenWhy {
    /// The refusals that may cost a turn; a point that is occupied or off the board never does.
    pub const fn of(refusal: Refusal) -> Option<Self> {
        match refusal {
            Refusal::Suicide => Some(Self::Suicide),
            Refusal::Superko { repeats_move } => Some(Self::Superko { repeats_move }),
            Refusal::OffBoard { .. } | Refusal::Occupied => None,
        }
    }
}
