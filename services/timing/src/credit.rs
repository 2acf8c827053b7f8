//! Time given back, and the account that shows where every millisecond went.

use crate::control::{ControlError, not_negative};

/// How much measured lag may be given back, the same for people and bots. One second a move and
/// 30 s a game unless set otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LagPolicy {
    /// The most for one turn.
    pub per_move_ms: i64,
    /// The most for one seat in one game.
    pub per_game_ms: i64,
}

/// Why time of ours is taken out of a running turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CreditReason {
    /// The service was away: force majeure (rulebook C8.4).
    Outage,
    /// The server's clock jumped, so that stamps before and after it do not measure real time.
    Shift,
}

/// Sums of what one seat was given back, as shown in the record of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Credits {
    /// Network lag, at most [`LagPolicy::per_game_ms`].
    pub lag_ms: i64,
    /// Outages of ours during the seat's turns.
    pub outage_ms: i64,
    /// Jumps of the server's clock during the seat's turns: positive when it jumped ahead.
    pub shift_ms: i64,
    /// Turns that were begun and called off without charge.
    pub waived_ms: i64,
}

/// Where one seat's time came from and went to. Always, to the millisecond:
///
/// `granted + credited = consumed + remaining + discarded`, and none is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Account {
    /// The opening bank, increments, added time, and each whole period that replaced a broken one.
    pub granted_ms: i64,
    /// Consumed time that was not charged: lag, outages, waived turns.
    pub credited_ms: i64,
    /// Real time the seat's clock ran, outages included, and lateness. (A jump of the server's
    /// clock is no real time.)
    pub consumed_ms: i64,
    /// All that the seat holds now.
    pub remaining_ms: i64,
    /// What was left of a broken period when a whole one replaced it, and increments over the cap.
    pub discarded_ms: i64,
}

impl LagPolicy {
    /// Checks both caps.
    ///
    /// # Errors
    /// The first that is negative or above 24 h.
    pub fn validate(&self) -> Result<(), ControlError> {
        not_negative("per_move_ms", self.per_move_ms)?;
        not_negative("per_game_ms", self.per_game_ms)
    }
}

impl Default for LagPolicy {
    fn default() -> Self {
        Self { per_move_ms: 1_000, per_game_ms: 30_000 }
    }
}

impl Credits {
    pub(crate) const fn uncharged_ms(&self) -> i64 {
        self.outage_ms.saturating_add(self.lag_ms).saturating_add(self.waived_ms)
    }
}
