//! What may be set.

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
    /// Running games of one player.
    #[arg(long = "game-running-games", env = "TENGEN_GAME_RUNNING_GAMES", default_value_t = 20)]
    pub running_games: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { remembered: 10_000, open_challenges: 8, running_games: 20 }
    }
}
