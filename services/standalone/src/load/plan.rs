//! What is to be done.

use std::num::NonZero;
use std::str::FromStr;

use clap::Parser;
use tonic::transport::Endpoint;

use crate::error::ToolError;

/// The arguments of `tengen load`.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Plan {
    /// The replicas of the game service, as http://host:port, several separated by commas. The two
    /// players of a game go to different ones.
    #[arg(long, value_name = "URLS", value_delimiter = ',', required = true)]
    pub(super) game: Vec<String>,
    /// The replicas of the session service.
    #[arg(long, value_name = "URLS", value_delimiter = ',', required = true)]
    pub(super) session: Vec<String>,
    /// Games at once.
    #[arg(long, default_value = "64")]
    pub(super) games: NonZero<usize>,
    /// Watchers of each game.
    #[arg(long, default_value_t = 0)]
    pub(super) watchers: usize,
    /// How long each contender is measured, in seconds.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) seconds: u64,
    /// What a player waits for before the next move.
    #[arg(long, value_enum, default_value_t = By::Watch)]
    pub(super) by: By,
    /// Connections to each replica, which the players share; one a player if it is not given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) connections: Option<u16>,
    /// The name of an account with the role of an organiser, who makes the games; without one the
    /// players make them by challenges.
    #[arg(long, value_name = "NAME", requires = "organiser_password")]
    pub(super) organiser: Option<String>,
    /// Its password.
    #[arg(long, env = "TENGEN_LOAD_ORGANISER_PASSWORD", hide_env_values = true)]
    pub(super) organiser_password: Option<String>,
    /// A process of this machine whose CPU is told by the move; several may be given. Those of the
    /// game service have names that begin with "game", that of a reference has the reference's.
    #[arg(long = "pid", value_name = "NAME=PID")]
    pub(super) pids: Vec<Named<u32>>,
    /// The Redis server of the suite, as redis://host:port, to see what a game takes in it.
    #[arg(long, value_name = "URL")]
    pub(super) redis: Option<String>,
    /// Something the suite is compared with, in turns: http://host:port for one that answers
    /// PlayMove, ws://host:port for one that speaks socket.io; several may be given.
    #[arg(long = "reference", value_name = "NAME=URL")]
    pub(super) references: Vec<Named<String>>,
}

/// What a player waits for before the next move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// The answer to the opponent's: no player has a stream.
    Ack,
    /// The opponent's, on a stream of the player's own.
    Watch,
}

/// Something with a name: `game=123`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<T> {
    pub(super) name: String,
    pub(super) value: T,
}

impl Plan {
    /// The plan that these arguments of `tengen load` make.
    ///
    /// # Errors
    /// [`ToolError::Setting`], in the words of the command line.
    pub fn of<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Self, ToolError> {
        #[derive(Parser)]
        struct Program {
            #[command(flatten)]
            plan: Plan,
        }
        let arguments = std::iter::once("load").chain(arguments);
        let parsed = Program::try_parse_from(arguments);
        parsed.map(|program| program.plan).map_err(|error| ToolError::Setting(error.to_string()))
    }

    /// Organiser and password, if games are made by one.
    pub(super) fn organised(&self) -> Option<(&str, &str)> {
        self.organiser.as_deref().zip(self.organiser_password.as_deref())
    }
}

impl<T: FromStr> FromStr for Named<T> {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let split = text.split_once('=').filter(|(name, _)| is_name(name));
        let named = split.and_then(|(name, value)| {
            Some(Self { name: name.to_owned(), value: value.parse().ok()? })
        });
        named.ok_or("expected a name of letters and digits, =, and a value")
    }
}

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

/// The endpoints of URLs that an argument gave.
pub(super) fn endpoints(argument: &str, urls: &[String]) -> Result<Vec<Endpoint>, ToolError> {
    let endpoint = |url: &String| {
        let endpoint = tengen_kit::client::endpoint(url).ok();
        endpoint.filter(|endpoint| endpoint.uri().scheme_str() == Some("http")).ok_or_else(|| {
            ToolError::Setting(format!("--{argument} is {url}, expected http://host:port"))
        })
    };
    urls.iter().map(endpoint).collect()
}

#[cfg(test)]
mod tests {
    use super::{By, Named, Plan};

    const LEAST: [&str; 4] = ["--game", "http://a:1,http://b:1", "--session", "http://c:1"];

    #[test]
    fn a_plan_is_what_the_arguments_say() {
        let plan = Plan::of(LEAST).unwrap();
        assert_eq!((plan.game.len(), plan.games.get(), plan.by), (2, 64, By::Watch));
        let more = ["--by", "ack", "--pid", "game=12", "--reference", "script=http://d:1"];
        let plan = Plan::of(LEAST.into_iter().chain(more)).unwrap();
        assert_eq!(plan.pids, [Named { name: "game".to_owned(), value: 12 }]);
        assert_eq!((plan.by, plan.references[0].name.as_str()), (By::Ack, "script"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (more, named) in [
            (["--pid", "12"], "--pid"),
            (["--pid", "=12"], "--pid"),
            (["--pid", "game=x"], "--pid"),
            (["--reference", "a b=http://d:1"], "--reference"),
            (["--games", "0"], "--games"),
            (["--seconds", "0"], "--seconds"),
            (["--by", "luck"], "--by"),
            (["--organiser", "aki"], "--organiser-password"),
        ] {
            let error = Plan::of(LEAST.into_iter().chain(more)).unwrap_err();
            assert!(error.is_setting() && error.to_string().contains(named), "{more:?}: {error}");
        }
    }
}
