//! The ladder as data: its levels, what a game is worth between them, and where a player stands.

use std::collections::BTreeSet;
use std::fmt;

/// A level of one ladder, counted from 0 at the bottom; the higher level is the greater.
///
/// Only a [`Ladder`] makes one. A level of a longer ladder is read as the top of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub(crate) u8);

/// What defines one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSpec {
    /// The name players see, such as `1K`; unique in its ladder.
    pub name: String,
    /// Points that a game at this level is worth (rulebook L3).
    pub stake: i64,
    /// Points at which a player leaves for the next level (rulebook L5). At the top level it
    /// leads nowhere (rulebook L9).
    pub promote_at: i64,
}

/// Where a player stands. Greater is better: by level, then by points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Standing {
    /// The player's level.
    pub level: Level,
    /// Points within the level: 0 up to, not including, its promotion mark; unbounded at the top.
    pub points: i64,
}

/// A ladder: its levels from the lowest up, and where a new player begins (rulebook L1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// Never empty: both ways to build a ladder see to it.
    levels: Vec<LevelSpec>,
    /// For each level, the total of a player who stands on it with 0 points.
    floors: Vec<i64>,
    start: Level,
}

/// Why data do not make a ladder, or a stored level and points do not fit one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LadderError {
    /// A ladder has 2 to 255 levels.
    LevelCount {
        /// How many were given.
        found: usize,
    },
    /// The start is not the index of a level.
    Start {
        /// The index given.
        start: usize,
        /// How many levels there are.
        levels: usize,
    },
    /// A level has no name, or only blanks.
    EmptyName {
        /// Index of the level.
        level: usize,
    },
    /// Two levels share a name.
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A stake is not positive.
    Stake {
        /// Name of the level.
        name: String,
        /// The stake given.
        stake: i64,
    },
    /// A promotion mark is not positive.
    PromoteAt {
        /// Name of the level.
        name: String,
        /// The mark given.
        promote_at: i64,
    },
    /// Twice the stake, or the promotion marks up to this level together, exceed 64 bits.
    TooLarge {
        /// Name of the level.
        name: String,
    },
    /// A stored level is not one of this ladder.
    NoSuchLevel {
        /// The level as stored.
        level: i64,
        /// How many levels there are.
        levels: usize,
    },
    /// Stored points are negative, or at the promotion mark of a level below the top.
    Points {
        /// Name of the level.
        name: String,
        /// The points as stored.
        points: i64,
    },
}

impl Level {
    /// Position from the bottom, which is 0.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }
}

impl Ladder {
    /// A ladder of `levels`, lowest first; a new player begins at index `start` (rulebook L2).
    ///
    /// # Errors
    ///
    /// What is wrong with the data: fewer than 2 levels or more than 255, a start that is not a
    /// level, a missing or repeated name, a stake or promotion mark that is not positive, numbers
    /// whose sums exceed 64 bits.
    pub fn new(levels: Vec<LevelSpec>, start: usize) -> Result<Self, LadderError> {
        let found = levels.len();
        if !(2..=usize::from(u8::MAX)).contains(&found) {
            return Err(LadderError::LevelCount { found });
        }
        let start = u8::try_from(start)
            .ok()
            .filter(|index| usize::from(*index) < found)
            .ok_or(LadderError::Start { start, levels: found })?;
        let mut names = BTreeSet::new();
        let mut sum = 0_i64;
        for (index, level) in levels.iter().enumerate() {
            level.check(index)?;
            let name = || level.name.clone();
            if !names.insert(level.name.as_str()) {
                return Err(LadderError::DuplicateName { name: name() });
            }
            sum = sum
                .checked_add(level.promote_at)
                .ok_or_else(|| LadderError::TooLarge { name: name() })?;
        }
        Ok(Self::from_checked(levels, start))
    }

    /// Builds from levels that are known to satisfy [`Ladder::new`].
    pub(crate) fn from_checked(levels: Vec<LevelSpec>, start: u8) -> Self {
        let floors = levels
            .iter()
            .scan(0_i64, |next, level| {
                let floor = *next;
                *next = floor.saturating_add(level.promote_at);
                Some(floor)
            })
            .collect();
        Self { levels, floors, start: Level(start) }
    }

    /// The levels, lowest first.
    #[must_use]
    pub fn levels(&self) -> &[LevelSpec] {
        &self.levels
    }

    /// Where a new player stands (rulebook L2).
    #[must_use]
    pub const fn start(&self) -> Standing {
        Standing { level: self.start, points: 0 }
    }

    /// The standing of a stored level and points.
    ///
    /// # Errors
    ///
    /// When this ladder has no such level, or its level cannot hold so many points.
    pub fn standing(&self, level: i64, points: i64) -> Result<Standing, LadderError> {
        let found = u8::try_from(level).ok().map(Level);
        let found = found.filter(|found| usize::from(found.0) < self.levels.len());
        let Some(found) = found else {
            return Err(LadderError::NoSuchLevel { level, levels: self.levels.len() });
        };
        let spec = self.spec(found);
        if points < 0 || (points >= spec.promote_at && self.above(found).is_some()) {
            return Err(LadderError::Points { name: spec.name.clone(), points });
        }
        Ok(Standing { level: found, points })
    }

    /// The level of that name, if the ladder has it.
    #[must_use]
    pub fn level_named(&self, name: &str) -> Option<Level> {
        (0..=u8::MAX).zip(&self.levels).find(|(_, spec)| spec.name == name).map(|(i, _)| Level(i))
    }

    /// The name players see.
    #[must_use]
    pub fn level_name(&self, level: Level) -> &str {
        &self.spec(level).name
    }

    /// Points at stake between two levels: the lower one's stake, for both (rulebook L3, L4).
    #[must_use]
    pub fn stake(&self, a: Level, b: Level) -> i64 {
        self.spec(a.min(b)).stake
    }

    /// All points from the bottom of the ladder up to `standing` (rulebook L14): the promotion
    /// marks below its level and the points in it. On the default ladder 5·(2^k − 1) + points.
    #[must_use]
    pub fn total(&self, standing: Standing) -> i64 {
        self.floors[self.position(standing.level)].saturating_add(standing.points)
    }

    /// The one standing with that total; a negative total is the bottom.
    pub(crate) fn at_total(&self, total: i64) -> Standing {
        let total = total.max(0);
        (0..=u8::MAX).zip(&self.floors).take_while(|(_, floor)| **floor <= total).last().map_or(
            Standing { level: Level(0), points: total },
            |(index, floor)| Standing { level: Level(index), points: total.saturating_sub(*floor) },
        )
    }

    pub(crate) fn spec(&self, level: Level) -> &LevelSpec {
        &self.levels[self.position(level)]
    }

    pub(crate) fn above(&self, level: Level) -> Option<Level> {
        let next = level.0.checked_add(1)?;
        (usize::from(next) < self.levels.len()).then_some(Level(next))
    }

    /// The top for a level of a longer ladder, so that no lookup can fail.
    fn position(&self, level: Level) -> usize {
        usize::from(level.0).min(self.levels.len() - 1)
    }
}

impl LevelSpec {
    fn check(&self, index: usize) -> Result<(), LadderError> {
        let (name, stake, promote_at) = (|| self.name.clone(), self.stake, self.promote_at);
        if self.name.trim().is_empty() {
            return Err(LadderError::EmptyName { level: index });
        }
        if stake <= 0 {
            return Err(LadderError::Stake { name: name(), stake });
        }
        if promote_at <= 0 {
            return Err(LadderError::PromoteAt { name: name(), promote_at });
        }
        // An escape costs twice the stake (rulebook L7).
        stake.checked_mul(2).map(|_| ()).ok_or_else(|| LadderError::TooLarge { name: name() })
    }
}

impl fmt::Display for LadderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LevelCount { found } => {
                write!(f, "levels: {found} given, a ladder has 2 to 255")
            }
            Self::Start { start, levels } => {
                write!(f, "start: {start} given, expected 0 to {}", levels.saturating_sub(1))
            }
            Self::EmptyName { level } => {
                write!(f, "levels[{level}].name: empty, expected a name such as 1K")
            }
            Self::DuplicateName { name } => {
                write!(f, "name: {name:?} given twice, expected each name once")
            }
            Self::Stake { name, stake } => {
                write!(f, "stake of {name}: {stake} given, expected more than 0")
            }
            Self::PromoteAt { name, promote_at } => {
                write!(f, "promote_at of {name}: {promote_at} given, expected more than 0")
            }
            Self::TooLarge { name } => write!(
                f,
                "stake or promote_at of {name}: too large, expected twice the stake and the sum \
                 of all promote_at so far to fit 64 bits"
            ),
            Self::NoSuchLevel { level, levels } => {
                write!(f, "level: {level} given, expected 0 to {}", levels.saturating_sub(1))
            }
            Self::Points { name, points } => write!(
                f,
                "points at {name}: {points} given, expected 0 or more and, below the top level, \
                 less than its promote_at"
            ),
        }
    }
}

impl std::error::Error for LadderError {}
