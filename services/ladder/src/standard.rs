//! The default ladder of 21 levels (rulebook L1, L3, L5).

use crate::levels::{Ladder, LevelSpec};

/// Index of 1K, where a new player begins (rulebook L2).
const START: u8 = 2;

/// Name, stake and promotion mark of each level. `ladder.json` says the same for operators who
/// want to edit a copy of it; a test keeps the two equal.
const LEVELS: [(&str, i64, i64); 21] = [
    ("3K", 1, 5),
    ("2K", 2, 10),
    ("1K", 4, 20),
    ("1D", 8, 40),
    ("2D", 16, 80),
    ("3D", 32, 160),
    ("4D", 64, 320),
    ("5D", 128, 640),
    ("6D", 256, 1_280),
    ("7D", 512, 2_560),
    ("8D", 1_024, 5_120),
    ("9D", 2_048, 10_240),
    ("1P", 4_096, 20_480),
    ("2P", 8_192, 40_960),
    ("3P", 16_384, 81_920),
    ("4P", 32_768, 163_840),
    ("5P", 65_536, 327_680),
    ("6P", 131_072, 655_360),
    ("7P", 262_144, 1_310_720),
    ("8P", 524_288, 2_621_440),
    ("9P", 1_048_576, 5_242_880),
];

impl Ladder {
    /// The default ladder: 3K 2K 1K, 1D … 9D, 1P … 9P, a new player at 1K (rulebook L1, L2).
    #[must_use]
    pub fn standard() -> Self {
        let spec = |(name, stake, promote_at): (&str, i64, i64)| LevelSpec {
            name: name.to_owned(),
            stake,
            promote_at,
        };
        Self::from_checked(LEVELS.into_iter().map(spec).collect(), START)
    }
}
