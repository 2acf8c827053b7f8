//! What each end of a rated game means for its two seats: the rulebook's table of ends.

use std::fmt;

use crate::change::Change;
use crate::levels::{Ladder, Standing};

/// A leaver's opponent gains only when both together have thought longer than this (rulebook L7).
const LEAVE_GAIN_OVER_MS: i64 = 300_000;

/// A seat; also the order of the pairs that this crate returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Index 0 of a pair.
    Black,
    /// Index 1 of a pair.
    White,
}

/// How a game ended, as far as the ladder tells ends apart (rulebook, Ends).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Won on the count.
    Count,
    /// Resigned.
    Resignation,
    /// Lost on time while connected.
    Time,
    /// Lost by a second warning (rulebook C16.2).
    SecondWarning,
    /// Lost by a referee's ruling.
    RefereeLoss,
    /// Lost by two moves in a row, where the settings say so (rulebook C8.1).
    OutOfTurn,
    /// Left a running game for good: an escape (rulebook L7).
    Leave {
        /// Thinking time of both sides together, in milliseconds.
        together_ms: i64,
    },
    /// Did not come back in time (rulebook L11).
    Disconnected,
    /// Lost on time while disconnected (rulebook L11).
    FlagWhileAway,
    /// Came too late or never (rulebook C14.1).
    NoShow,
    /// Both came too late (rulebook C14.2).
    BothLate,
    /// Neither came back in time (rulebook L11).
    BothGone,
    /// Drawn, on the count, by agreement or by ruling (rulebook L8).
    Draw,
    /// To be played again.
    Replay,
    /// Never counted as a game.
    Void,
    /// Struck out afterwards.
    Annulled,
}

/// The counter of a player that a game raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counted {
    /// A win.
    Win,
    /// A loss.
    Loss,
    /// A draw.
    Draw,
    /// An escape.
    Escape,
    /// A loss by disconnection.
    DisconnectLoss,
    /// No counter.
    Nothing,
}

/// What an end means for one seat, before any level is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How many times the stake the seat gains; negative for a loss, −2 for an escape.
    pub stakes: i64,
    /// The counter it raises.
    pub counted: Counted,
    /// Whether the seat is paid the game fee (rulebook L12).
    pub fee: bool,
}

/// One seat's settlement of one game: what a ledger row says (rulebook L14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booking {
    /// Points that were at stake (rulebook L4).
    pub stake: i64,
    /// The movement on the ladder.
    pub change: Change,
    /// The counter it raises.
    pub counted: Counted,
    /// Whether the seat is paid the game fee (rulebook L12).
    pub fee: bool,
}

/// Why a result cannot be settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettleError {
    /// The end has a loser, but no winner was named.
    WinnerMissing {
        /// The end.
        end: End,
    },
    /// A winner was named for an end that treats both seats alike.
    WinnerGiven {
        /// The end.
        end: End,
    },
}

/// A row of the table of ends.
enum Row {
    /// One seat lost; the other may have gained.
    Lost { loser: Terms, other: Terms },
    /// The same for both seats.
    Alike(Terms),
}

impl End {
    /// What this end means for Black and for White. The winner is the seat that did not lose,
    /// also where it gains nothing; ends without a loser have none.
    ///
    /// # Errors
    ///
    /// When `winner` is missing though one seat lost, or given though none or both did.
    pub fn terms(&self, winner: Option<Side>) -> Result<[Terms; 2], SettleError> {
        match (self.row(), winner) {
            (Row::Lost { loser, other }, Some(Side::Black)) => Ok([other, loser]),
            (Row::Lost { loser, other }, Some(Side::White)) => Ok([loser, other]),
            (Row::Alike(both), None) => Ok([both, both]),
            (Row::Lost { .. }, None) => Err(SettleError::WinnerMissing { end: *self }),
            (Row::Alike(_), Some(_)) => Err(SettleError::WinnerGiven { end: *self }),
        }
    }

    const fn row(&self) -> Row {
        const WIN: Terms = terms(1, Counted::Win, true);
        match self {
            Self::Count | Self::Resignation | Self::Time => {
                Row::Lost { loser: terms(-1, Counted::Loss, true), other: WIN }
            }
            Self::SecondWarning | Self::RefereeLoss | Self::OutOfTurn | Self::NoShow => {
                Row::Lost { loser: terms(-1, Counted::Loss, false), other: WIN }
            }
            Self::Leave { together_ms } => Row::Lost {
                loser: terms(-2, Counted::Escape, false),
                other: if *together_ms > LEAVE_GAIN_OVER_MS {
                    WIN
                } else {
                    terms(0, Counted::Nothing, true)
                },
            },
            Self::Disconnected | Self::FlagWhileAway => {
                Row::Lost { loser: terms(-1, Counted::DisconnectLoss, false), other: WIN }
            }
            Self::BothLate | Self::BothGone => Row::Alike(terms(-1, Counted::Loss, false)),
            Self::Draw => Row::Alike(terms(0, Counted::Draw, true)),
            Self::Replay | Self::Void | Self::Annulled => {
                Row::Alike(terms(0, Counted::Nothing, false))
            }
        }
    }
}

const fn terms(stakes: i64, counted: Counted, fee: bool) -> Terms {
    Terms { stakes, counted, fee }
}

impl Ladder {
    /// Settles one rated game for both seats, Black first. Stake and both changes come from the
    /// standings before the game, so neither seat sees what the other gained.
    ///
    /// # Errors
    ///
    /// When `winner` does not fit `end`, as [`End::terms`] says.
    pub fn settle(
        &self,
        end: &End,
        winner: Option<Side>,
        black: Standing,
        white: Standing,
    ) -> Result<[Booking; 2], SettleError> {
        let stake = self.stake(black.level, white.level);
        let [for_black, for_white] = end.terms(winner)?;
        Ok([self.book(for_black, stake, black), self.book(for_white, stake, white)])
    }

    /// Books one seat for a known stake. A correction uses it with the stake of the row that it
    /// replaces, after [`Ladder::compensate`].
    #[must_use]
    pub fn book(&self, terms: Terms, stake: i64, standing: Standing) -> Booking {
        let change = self.apply(standing, terms.stakes.saturating_mul(stake));
        Booking { stake, change, counted: terms.counted, fee: terms.fee }
    }
}

impl fmt::Display for SettleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WinnerMissing { end } => {
                write!(f, "winner: none given, expected black or white for the end {end:?}")
            }
            Self::WinnerGiven { end } => {
                write!(f, "winner: given, expected none for the end {end:?}")
            }
        }
    }
}

impl std::error::Error for SettleError {}
