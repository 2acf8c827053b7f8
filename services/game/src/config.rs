//! What may be set.

/// More open challenges for each tier.
const TIER_CHALLENGES: [usize; 4] = [4, 8, 16, 24];

/// The settings of the game service.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Config {
    /// Games kept in memory; each takes about 40 kB. More games than this only cost more reading.
    #[arg(long = "game-remembered", env = "TENGEN_GAME_REMEMBERED", default_value_t = 10_000)]
    pub remembered: u64,
    /// Open challenges of one player.
    #[arg(long = "game-open-challenges", env = "TENGEN_GAME_OPEN_CHALLENGES", default_value_t = 8)]
    pub open_challenges: usize,
    /// How many more of them each tier of experience may have, from tier 1 on, separated by commas;
    /// the last holds for every tier above (rulebook L10).
    #[arg(
        long = "game-tier-challenges",
        env = "TENGEN_GAME_TIER_CHALLENGES",
        value_delimiter = ',',
        default_values_t = TIER_CHALLENGES
    )]
    pub tier_challenges: Vec<usize>,
    /// Running games of one player.
    #[arg(long = "game-running-games", env = "TENGEN_GAME_RUNNING_GAMES", default_value_t = 20)]
    pub running_games: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            remembered: 10_000,
            open_challenges: 8,
            tier_challenges: TIER_CHALLENGES.to_vec(),
            running_games: 20,
        }
    }
}

impl Config {
    /// Open challenges that a player of this tier may have.
    pub(crate) fn open_challenges(&self, tier: i32) -> usize {
        let tier = usize::try_from(tier).unwrap_or(0).min(self.tier_challenges.len());
        let more = tier.checked_sub(1).and_then(|at| self.tier_challenges.get(at));
        self.open_challenges.saturating_add(more.copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Config;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        game: Config,
    }

    fn parsed(arguments: &[&str]) -> Config {
        let arguments = ["tengen"].iter().chain(arguments);
        Program::try_parse_from(arguments).unwrap().game
    }

    #[test]
    fn without_settings_the_defaults_hold() {
        assert_eq!(format!("{:?}", parsed(&[])), format!("{:?}", Config::default()));
    }

    // rulebook: L10
    #[test]
    fn who_has_more_experience_may_have_more_open_challenges() {
        let config = parsed(&["--game-open-challenges", "3", "--game-tier-challenges", "2,5"]);
        for (tier, most) in [(-1, 3), (0, 3), (1, 5), (2, 8), (3, 8), (i32::MAX, 8)] {
            assert_eq!(config.open_challenges(tier), most, "{tier}");
        }
    }
}
