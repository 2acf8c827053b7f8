//! What may be set.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use tengen_ladder::{Ladder, LadderError, LevelSpec};

/// The fee of each tier in percent.
const TIER_FEES: [i64; 4] = [200, 300, 400, 500];

/// The settings of the rating service.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Config {
    /// File of another ladder, as JSON: `{"start": "1K", "levels": [{"name": "3K", "stake": 1,
    /// "promote_at": 5}, …]}`, lowest first (rulebook L1). The standard ladder if absent.
    #[arg(long = "rating-ladder", env = "TENGEN_RATING_LADDER")]
    pub ladder: Option<PathBuf>,
    /// Game fee that a properly finished rated game pays each player (rulebook L12); 0 for none.
    #[arg(long = "rating-fee", env = "TENGEN_RATING_FEE", default_value_t = 1,
        value_parser = clap::value_parser!(i64).range(0..=1_000_000_000))]
    pub fee: i64,
    /// What each tier of experience is paid of it in percent, from tier 1 on, separated by commas,
    /// rounded down; the last holds for every tier above (rulebook L10).
    #[arg(long = "rating-tier-fees", env = "TENGEN_RATING_TIER_FEES", value_delimiter = ',',
        default_values_t = TIER_FEES, value_parser = clap::value_parser!(i64).range(0..=10_000))]
    pub tier_fees: Vec<i64>,
    /// Whether casual games pay the game fee, too.
    #[arg(long = "rating-casual-fee", env = "TENGEN_RATING_CASUAL_FEE")]
    pub casual_fee: bool,
    /// Rated games between the same two players that move points within any 24 hours; 0 for any
    /// number. Further ones count, but move nothing and pay what casual games do.
    #[arg(long = "rating-pair-cap", env = "TENGEN_RATING_PAIR_CAP", default_value_t = 10,
        value_parser = clap::value_parser!(i64).range(0..=1_000_000))]
    pub pair_cap: i64,
}

/// Why a ladder file is no ladder.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("TENGEN_RATING_LADDER: {0} cannot be read: {1}")]
    Read(PathBuf, std::io::Error),
    /// It is not of the form that [`field@Config::ladder`] tells.
    #[error("TENGEN_RATING_LADDER: {0} is no ladder: {1}")]
    Json(PathBuf, serde_json::Error),
    /// It starts at a level that it does not have.
    #[error("TENGEN_RATING_LADDER: {0}: start: {1:?} given, expected the name of a level")]
    Start(PathBuf, String),
    /// Its levels do not make a ladder.
    #[error("TENGEN_RATING_LADDER: {0}: {1}")]
    Levels(PathBuf, LadderError),
}

/// What a game pays.
#[derive(Debug, Clone)]
pub(crate) struct Fees {
    /// For a rated game.
    pub(crate) rated: i64,
    /// For a casual one.
    pub(crate) casual: i64,
    /// To each tier of experience, from tier 1 on.
    percents: Arc<[i64]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LadderFile {
    start: String,
    levels: Vec<LevelEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelEntry {
    name: String,
    stake: i64,
    promote_at: i64,
}

impl Default for Config {
    fn default() -> Self {
        let tier_fees = TIER_FEES.to_vec();
        Self { ladder: None, fee: 1, tier_fees, casual_fee: false, pair_cap: 10 }
    }
}

impl Config {
    /// The ladder that is set, or the standard one.
    pub(crate) fn ladder(&self) -> Result<Ladder, ConfigError> {
        self.ladder.as_deref().map_or_else(|| Ok(Ladder::standard()), read)
    }

    /// What games pay.
    pub(crate) fn fees(&self) -> Fees {
        let casual = if self.casual_fee { self.fee } else { 0 };
        Fees { rated: self.fee, casual, percents: self.tier_fees.as_slice().into() }
    }
}

impl Fees {
    /// What a player of this tier is paid where others are paid `fee` (rulebook L10).
    pub(crate) fn of_tier(&self, fee: i64, tier: i64) -> i64 {
        let tier = usize::try_from(tier).unwrap_or(0).min(self.percents.len());
        let percent = tier.checked_sub(1).and_then(|at| self.percents.get(at));
        fee.saturating_mul(percent.copied().unwrap_or(100)) / 100
    }
}

fn read(path: &Path) -> Result<Ladder, ConfigError> {
    let name = || path.to_owned();
    let text = std::fs::read(path).map_err(|error| ConfigError::Read(name(), error))?;
    let file: LadderFile =
        serde_json::from_slice(&text).map_err(|error| ConfigError::Json(name(), error))?;
    let start = file.levels.iter().position(|level| level.name == file.start);
    let start = start.ok_or_else(|| ConfigError::Start(name(), file.start))?;
    let levels = file.levels.into_iter().map(|level| LevelSpec {
        name: level.name,
        stake: level.stake,
        promote_at: level.promote_at,
    });
    Ladder::new(levels.collect(), start).map_err(|error| ConfigError::Levels(name(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(text: &str) -> Result<Ladder, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.json");
        std::fs::write(&path, text).unwrap();
        Config { ladder: Some(path), ..Config::default() }.ladder()
    }

    // rulebook: L1
    #[test]
    fn a_ladder_is_data() {
        assert_eq!(Config::default().ladder().unwrap(), Ladder::standard());
        let own = ladder(
            r#"{"start": "B", "levels": [
                {"name": "A", "stake": 3, "promote_at": 9},
                {"name": "B", "stake": 5, "promote_at": 11}]}"#,
        );
        let own = own.unwrap();
        assert_eq!(own.level_name(own.start().level), "B");
        assert_eq!(own.levels()[0].promote_at, 9);
    }

    // rulebook: L10, L12
    #[test]
    fn who_has_more_experience_is_paid_a_multiple() {
        let fees = Config { fee: 3, tier_fees: vec![150, 250], ..Config::default() }.fees();
        for (fee, tier, paid) in
            [(3, 0, 3), (3, 1, 4), (3, 2, 7), (3, 9, 7), (0, 2, 0), (1, -1, 1), (1, 1, 1)]
        {
            assert_eq!(fees.of_tier(fee, tier), paid, "{fee} {tier}");
        }
        let plain = Config { tier_fees: Vec::new(), ..Config::default() }.fees();
        assert_eq!(plain.of_tier(1, 4), 1);
    }

    #[test]
    fn a_bad_ladder_is_refused_with_the_field_that_is_wrong() {
        for (text, expected) in [
            ("{", "is no ladder: EOF"),
            (r#"{"start": "A", "levels": [], "end": 1}"#, "unknown field `end`"),
            (r#"{"start": "A", "levels": []}"#, "start: \"A\" given"),
            (
                r#"{"start": "A", "levels": [{"name": "A", "stake": 1, "promote_at": 1}]}"#,
                "levels: 1 given",
            ),
            (
                r#"{"start": "A", "levels": [{"name": "A", "stake": 0, "promote_at": 1},
                    {"name": "B", "stake": 1, "promote_at": 1}]}"#,
                "stake of A: 0 given",
            ),
        ] {
            let found = ladder(text).unwrap_err().to_string();
            assert!(found.starts_with("TENGEN_RATING_LADDER: "), "{found}");
            assert!(found.contains(expected), "{found}");
        }
        let missing = Config { ladder: Some("no/such/file".into()), ..Config::default() };
        let found = missing.ladder().unwrap_err().to_string();
        assert!(found.contains("no/such/file cannot be read"), "{found}");
    }
}
