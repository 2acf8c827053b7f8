//! The result of a count, exact in quarter stones (rulebook G9, C2).

use std::fmt;

use crate::{Area, Colour};

/// A count in quarter stones: both sides' areas, and what Black gives.
///
/// Its `Display` is the result in points as SGF writes it: `B+1.5`, `W+0.5`, and `0` for a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Black's area and half of the neutral points: quarter stones, 736 = 184.
    pub black_quarters: i32,
    /// White's area and half of the neutral points: quarter stones.
    pub white_quarters: i32,
    /// What Black gives for moving first: quarter stones, 15 = 3¾ (rulebook C2).
    pub komi_quarters: i32,
    /// What Black gives for handicap stones: quarter stones (rulebook C2).
    pub compensation_quarters: i32,
    /// By how much Black is above half the board and what it gives: quarter stones, negative when
    /// White wins, 0 for a draw.
    pub margin_quarters: i32,
}

/// Quarter stones as people write them: `184¼`, `-¼`, `0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quarters(
    /// The number of quarter stones.
    pub i32,
);

impl Count {
    /// Counts an area: above half the board and what it gives, Black wins (rulebook G9).
    pub fn new(area: Area, komi_quarters: i32, compensation_quarters: i32) -> Self {
        let [black, white, neutral] = [area.black, area.white, area.neutral].map(|n| n as i32);
        let black_quarters = 4 * black + 2 * neutral;
        let white_quarters = 4 * white + 2 * neutral;
        let base_quarters = 2 * (black + white + neutral);
        Self {
            black_quarters,
            white_quarters,
            komi_quarters,
            compensation_quarters,
            margin_quarters: black_quarters
                .saturating_sub(base_quarters)
                .saturating_sub(komi_quarters)
                .saturating_sub(compensation_quarters),
        }
    }

    /// Who wins; `None` is a draw (rulebook G9).
    pub fn winner(&self) -> Option<Colour> {
        match self.margin_quarters {
            0 => None,
            1.. => Some(Colour::Black),
            _ => Some(Colour::White),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.winner() {
            None => return f.write_str("0"),
            Some(Colour::Black) => 'B',
            Some(Colour::White) => 'W',
        };
        // A stone more is two points of difference, so a quarter stone is half a point.
        let half_points = self.margin_quarters.unsigned_abs();
        write!(f, "{side}+{}", half_points / 2)?;
        f.write_str(if half_points % 2 == 1 { ".5" } else { "" })
    }
}

impl fmt::Display for Quarters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.0.unsigned_abs() / 4;
        let fraction = ["", "¼", "½", "¾"][(self.0.unsigned_abs() % 4) as usize];
        if self.0 < 0 {
            f.write_str("-")?;
        }
        if whole > 0 || fraction.is_empty() {
            write!(f, "{whole}")?;
        }
        f.write_str(fraction)
    }
}
