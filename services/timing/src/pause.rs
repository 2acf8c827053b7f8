//! Why a game stands still. Several reasons may hold at once; the clock runs when none does.

/// One reason for a stopped clock (rulebook C5.1, C5.2, C8.4, C12.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PauseReason {
    /// A pause of the event's schedule.
    Schedule,
    /// The referee's order.
    Referee,
    /// Both players' agreement, in casual games.
    Agreement,
    /// The game is adjourned with a sealed move.
    Adjournment,
    /// Dead stones are being counted.
    Counting,
    /// A restored board waits for both players' confirmation.
    Restored,
}

/// A set of reasons, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PauseReasons(u8);

impl PauseReason {
    /// Every reason, in the order of their bits.
    pub const ALL: [Self; 6] = [
        Self::Schedule,
        Self::Referee,
        Self::Agreement,
        Self::Adjournment,
        Self::Counting,
        Self::Restored,
    ];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl PauseReasons {
    /// Adds a reason. True if it is the first: the clock is to be stopped.
    pub const fn insert(&mut self, reason: PauseReason) -> bool {
        let first = self.is_empty();
        self.0 |= reason.bit();
        first
    }

    /// Takes a reason away. True if it was the last: the clock goes on.
    pub const fn remove(&mut self, reason: PauseReason) -> bool {
        let held = self.contains(reason);
        self.0 &= !reason.bit();
        held && self.is_empty()
    }

    /// Whether the reason holds.
    pub const fn contains(self, reason: PauseReason) -> bool {
        self.0 & reason.bit() != 0
    }

    /// Whether nothing holds the clock.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The reasons that hold.
    pub fn iter(self) -> impl Iterator<Item = PauseReason> {
        PauseReason::ALL.into_iter().filter(move |reason| self.contains(*reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rulebook: C5.1: the clock stops with the first reason and goes on with the last.
    #[test]
    fn the_clock_waits_for_every_reason() {
        let mut reasons = PauseReasons::default();
        assert!(reasons.insert(PauseReason::Schedule), "the first stops the clock");
        assert!(!reasons.insert(PauseReason::Referee));
        assert!(!reasons.insert(PauseReason::Referee), "twice is once");
        assert!(!reasons.remove(PauseReason::Agreement), "what does not hold frees nothing");
        assert!(!reasons.remove(PauseReason::Schedule));
        assert!(reasons.iter().eq([PauseReason::Referee]));
        assert!(reasons.remove(PauseReason::Referee), "the last lets it go on");
        assert!(!reasons.remove(PauseReason::Referee));
        assert!(reasons.is_empty());
    }
}
