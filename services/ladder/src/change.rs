//! How a gain or a loss moves a player: promotion, demotion, and taking a change back.

use crate::levels::{Ladder, Level, Standing};

/// One movement of one player, as a ledger row keeps it (rulebook L14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What the rules award, in points: the stake, twice it, or 0; negative for a loss.
    pub nominal: i64,
    /// What became of it: the difference of the totals before and after. A dropped surplus, the
    /// bottom of the ladder and a demotion make it differ from `nominal`.
    pub applied: i64,
    /// Where the player stood.
    pub before: Standing,
    /// Where the player stands now.
    pub after: Standing,
}

impl Change {
    /// Whether the player rose to a higher level.
    #[must_use]
    pub fn promoted(&self) -> bool {
        self.after.level > self.before.level
    }

    /// Whether the player fell to a lower level.
    #[must_use]
    pub fn demoted(&self) -> bool {
        self.after.level < self.before.level
    }
}

impl Ladder {
    /// Books `nominal` points on a standing, never past a neighbouring level.
    ///
    /// At the promotion mark the player rises and starts from 0, any surplus dropped; the top
    /// level has no end (rulebook L5, L6). Below 0 the player falls to the lower level with that
    /// level's mark less the whole loss, or stops at 0 on the lowest (rulebook L6).
    #[must_use]
    pub fn apply(&self, before: Standing, nominal: i64) -> Change {
        let Standing { level, points } = before;
        let points = points.saturating_add(nominal);
        let after = if points < 0 {
            self.fallen(level, nominal)
        } else if points >= self.spec(level).promote_at
            && let Some(higher) = self.above(level)
        {
            Standing { level: higher, points: 0 }
        } else {
            Standing { level, points }
        };
        self.change(nominal, before, after)
    }

    /// Takes back an earlier change by its `applied` points, wherever the player stands by now
    /// (rulebook L14).
    ///
    /// The total moves by exactly that much, across any number of levels, but not below the
    /// bottom of the ladder. The new result is then booked on [`Change::after`].
    #[must_use]
    pub fn compensate(&self, before: Standing, applied: i64) -> Change {
        let after = self.at_total(self.total(before).saturating_sub(applied));
        self.change(applied.saturating_neg(), before, after)
    }

    /// A loss from another time may exceed what the lower level holds: then nothing is left of it.
    fn fallen(&self, level: Level, loss: i64) -> Standing {
        level.0.checked_sub(1).map(Level).map_or(Standing { level, points: 0 }, |lower| Standing {
            level: lower,
            points: self.spec(lower).promote_at.saturating_add(loss).max(0),
        })
    }

    fn change(&self, nominal: i64, before: Standing, after: Standing) -> Change {
        let applied = self.total(after).saturating_sub(self.total(before));
        Change { nominal, applied, before, after }
    }
}
