//! What a player may ask, and what comes of it.

use std::fmt;

use tengen_rules::{Colour, Point, Refusal};
use tengen_timing::PauseReason;

use crate::{EndReason, Event, IfGone, Offer, Phase, Word};

/// Makes a request known again: two hashes that the caller computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    /// Of the player and the request id.
    pub key: u64,
    /// Of the content.
    pub digest: u32,
}

/// A player's request to a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The seat the player holds.
    pub by: Colour,
    /// Its identity.
    pub request: Request,
    /// What is asked.
    pub act: Act,
}

/// What is asked. `number` is the number the player believes the turn has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// To play a stone.
    Play {
        /// The turn's number.
        number: u32,
        /// Where.
        point: Point,
    },
    /// To pass (rulebook G2.4).
    Pass {
        /// The turn's number.
        number: u32,
    },
    /// To confirm that nothing more is to be played (rulebook C12.1).
    Confirm {
        /// The turn's number.
        number: u32,
    },
    /// To mark a string dead or living.
    Mark {
        /// A stone of the string.
        point: Point,
        /// Whether it is dead.
        dead: bool,
    },
    /// To accept the dead set with this digest (rulebook C12.4).
    Accept {
        /// [`tengen_rules::PointSet::digest`] of the set the player saw.
        dead_set: u64,
    },
    /// To dispute the count (rulebook C12.3).
    Dispute,
    /// To resign (rulebook G7.2).
    Resign,
    /// To leave on purpose: escape (rulebook L7).
    Leave,
    /// To claim that the opponent's time is used up (rulebook C14.5).
    ClaimTime,
    /// To claim the game, as the opponent stays away beyond the limit (rulebook L11).
    ClaimAbsence,
    /// To take the seat of a scheduled game: the player has come (rulebook C14).
    Arrive,
    /// To offer the opponent something.
    Offer(Offer),
    /// To answer the opponent's offer.
    Answer {
        /// What was offered.
        offer: Offer,
        /// Whether it is accepted.
        accept: bool,
    },
    /// To end a pause that both agreed on.
    Resume,
    /// To go on from the restored board (rulebook C8.4).
    ConfirmRestored,
}

/// A referee's order, or the organiser's. Whoever plays in the game gives none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Its identity.
    pub request: Request,
    /// Who orders, and why.
    pub word: Word,
    /// What is ordered.
    pub act: Ordered,
}

/// What is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ordered {
    /// To stop the clocks (rulebook C5.1).
    Pause {
        /// When they go on by themselves; `None`: after the longest pause.
        until_ms: Option<i64>,
    },
    /// To let them run again; also from a restored board that the players do not agree about.
    Resume,
    /// To give a side time.
    AddTime {
        /// The side.
        side: Colour,
        /// How much.
        ms: i64,
    },
}

/// What a command comes to, if it is not refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The request was accepted before; its last event had this sequence. Answer the same again.
    Known {
        /// The sequence.
        sequence: i64,
    },
    /// Something fell due before this command: commit these events, then decide again.
    Due(Vec<Event>),
    /// Accepted: commit these events, all or none.
    Accepted(Vec<Event>),
    /// Accepted, if the absent side is still gone.
    IfGone(IfGone),
}

/// Why a command was refused. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// The request id was used before with other content.
    RequestReused,
    /// The game is over.
    Ended {
        /// Why it ended.
        reason: EndReason,
    },
    /// Not in this phase.
    WrongPhase {
        /// Where the game stands.
        phase: Phase,
        /// Where it would have to stand.
        expected: Phase,
    },
    /// The number is not the next turn's.
    StaleNumber {
        /// What was given.
        given: u32,
        /// The next turn's.
        next: u32,
    },
    /// It is the other side's turn.
    NotYourTurn {
        /// Whose it is.
        to_move: Colour,
    },
    /// The rules forbid the move.
    Forbidden {
        /// Where.
        point: Point,
        /// Why.
        refusal: Refusal,
    },
    /// There is no stone to mark.
    NoStone {
        /// Where.
        point: Point,
    },
    /// The dead set is another by now.
    DeadSetChanged {
        /// What was given.
        given: u64,
        /// The digest of the set as it stands.
        current: u64,
    },
    /// Only casual games have this (rulebook C8.2, C5.1).
    Rated,
    /// There is no such offer of the opponent's, or nothing to offer it about.
    NoOffer {
        /// What was answered or offered.
        offer: Offer,
    },
    /// The game is paused for other reasons: whoever made a pause ends it.
    OtherPause {
        /// The reason that does not hold.
        reason: PauseReason,
    },
    /// No more pauses by agreement in this game.
    NoPauseLeft {
        /// The most a game has.
        most: u32,
    },
    /// An instant or a length that a pause or added time cannot have.
    BadTime {
        /// The field as the API names it.
        field: &'static str,
        /// What was given.
        value: i64,
        /// What was expected.
        expected: &'static str,
    },
    /// The opponent's time is not used up, or a move of the side to move may still be in flight
    /// after its deadline: no claim yet, and no pause.
    NotDue {
        /// When the flag may be called; `None` if the opponent's clock does not run.
        due_ms: Option<i64>,
    },
    /// The opponent is away, and may still return in time (rulebook L11).
    MayReturn {
        /// The last instant of it.
        until_ms: i64,
    },
    /// The opponent is here.
    OpponentBack,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RequestReused => {
                f.write_str("request_id was used before with other content; expected a new one")
            }
            Self::Ended { .. } => f.write_str("the game is over"),
            Self::WrongPhase { phase, expected } => {
                write!(f, "the game is in phase {phase}, expected {expected}")
            }
            Self::StaleNumber { given, next } => {
                write!(f, "move_number is {given}, expected {next}")
            }
            Self::NotYourTurn { to_move } => write!(f, "it is {to_move}'s turn"),
            Self::Forbidden { point, refusal } => {
                write!(f, "row {}, column {}: {refusal}", point.row, point.column)
            }
            Self::NoStone { point } => {
                write!(f, "row {}, column {}: expected a stone", point.row, point.column)
            }
            Self::DeadSetChanged { given, current } => {
                write!(f, "dead_set_hash is {given:016x}, expected {current:016x}")
            }
            Self::Rated => f.write_str("this is for casual games; the game is rated"),
            Self::NoOffer { offer } => write!(f, "{offer:?}: there is no such offer to speak of"),
            Self::OtherPause { reason } => {
                write!(f, "the game is paused, but not for the reason {reason:?}")
            }
            Self::NoPauseLeft { most } => write!(f, "a game has {most} pauses by agreement"),
            Self::BadTime { field, value, expected } => {
                write!(f, "{field} is {value}, expected {expected}")
            }
            Self::NotDue { due_ms: Some(at_ms) } => {
                write!(f, "the flag is called at {at_ms}, not yet")
            }
            Self::MayReturn { until_ms } => {
                write!(f, "the opponent may return until {until_ms}")
            }
            Self::OpponentBack => f.write_str("the opponent is here"),
            Self::NotDue { due_ms: None } => f.write_str("the opponent's clock does not run"),
        }
    }
}

impl std::error::Error for Rejection {}
