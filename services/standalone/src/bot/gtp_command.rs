//! `tengen gtp`: an engine as a player.

use std::num::NonZero;
use std::process::ExitCode;
use std::str::FromStr;

use tengen_kit::client;
use tengen_ladder::{Ladder, Level};
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::game::v1::{Challenge, CreateChallengeRequest, Game, Settings};
use tengen_proto::rating::v1::GetPlayerRequest;
use tengen_proto::rating::v1::rating_service_client::RatingServiceClient;
use tonic::transport::Channel;

use super::engine::Engine;
use super::gtp::Gtp;
use super::{Bot, Manners};
use crate::accounts::Sessions;
use crate::error::ToolError;

/// What a bad setting ends with (EX_USAGE of sysexits.h).
const BAD_SETTING: u8 = 64;

/// The arguments of `tengen gtp`.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// Where the suite is, as http://host:port: its gateway, or `tengen dev`.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:4700")]
    url: String,
    /// The bot's account, made by its owner (CreateBot).
    #[arg(long)]
    name: String,
    /// Its password.
    #[arg(long, env = "TENGEN_GTP_PASSWORD", hide_env_values = true)]
    password: String,
    /// Games at once; each has an engine of its own.
    #[arg(long, default_value = "1")]
    games: NonZero<usize>,
    /// The boards it accepts, in lines a side.
    #[arg(long, value_delimiter = ',', default_value = "9,13,19")]
    board: Vec<i32>,
    /// The clocks it accepts.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "untimed,absolute,reserved,japanese,canadian,fischer"
    )]
    clock: Vec<Clock>,
    /// The levels of opponents that it accepts, as 3K-9P.
    #[arg(long, default_value = "3K-9P")]
    level: Levels,
    /// The engine and its arguments, as `gnugo --mode gtp --chinese-rules`.
    #[arg(trailing_var_arg = true, required = true, value_name = "ENGINE")]
    engine: Vec<String>,
}

/// A kind of clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Clock {
    /// None: a casual game.
    Untimed,
    /// One limit.
    Absolute,
    /// The code's reserved minutes.
    Reserved,
    /// Periods.
    Japanese,
    /// Stones in periods.
    Canadian,
    /// An increment.
    Fischer,
}

/// Levels from one to another.
#[derive(Debug, Clone, Copy)]
struct Levels {
    from: Level,
    to: Level,
}

/// Signs in and plays until the process is told to end.
#[expect(clippy::print_stderr, reason = "what the operator reads")]
pub async fn command(arguments: Arguments) -> ExitCode {
    tengen_kit::telemetry::init("tengen-gtp");
    match bot(arguments).await {
        Ok(bot) => {
            tokio::select! {
                () = bot.run() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("tengen gtp: {error}");
            ExitCode::from(if error.is_setting() { BAD_SETTING } else { 1 })
        }
    }
}

async fn bot(arguments: Arguments) -> Result<Bot<Accepts>, ToolError> {
    let wrong = || format!("--url is {}, expected http://host:port", arguments.url);
    let endpoint = client::endpoint(&arguments.url).map_err(|_| ToolError::Setting(wrong()))?;
    let channel = endpoint.connect_lazy();
    // It is the engine that fails, if it does, before anybody sits down with it.
    drop(Gtp::start(&arguments.engine)?);
    let sessions = Sessions::new(vec![channel.clone()]);
    let account = sessions.sign_in(&arguments.name, &arguments.password).await?;
    let most = arguments.games.get();
    let accepts = Accepts { arguments, ratings: RatingServiceClient::new(channel.clone()) };
    Ok(Bot::new(channel.clone(), channel, account.into(), accepts, most))
}

/// What an operator lets an engine play.
struct Accepts {
    arguments: Arguments,
    ratings: RatingServiceClient<Channel>,
}

#[tonic::async_trait]
impl Manners for Accepts {
    async fn takes(&self, challenge: &Challenge) -> Result<(), String> {
        let settings = challenge.settings.clone().unwrap_or_default();
        self.arguments.fits(&settings)?;
        let player = GetPlayerRequest { player_id: challenge.challenger_id.clone() };
        let answer = self.ratings.clone().get_player(player).await;
        let answer = answer.map_err(|status| format!("the level is not known: {status}"))?;
        let standing = answer.into_inner().standing.unwrap_or_default();
        if self.arguments.level.hold(standing.level) {
            Ok(())
        } else {
            Err(format!("level {}", standing.level_name))
        }
    }

    fn offers(&self) -> Vec<CreateChallengeRequest> {
        Vec::new()
    }

    fn engine(&self) -> Result<Box<dyn Engine>, ToolError> {
        Ok(Box::new(Gtp::start(&self.arguments.engine)?))
    }

    fn ended(&self, game: &Game) {
        let result = game.result.as_ref().map_or("", |result| &result.text);
        tracing::info!(game_id = game.game_id, result, "a game is over");
    }
}

impl Arguments {
    fn fits(&self, settings: &Settings) -> Result<(), String> {
        let size = settings.size.unwrap_or_default();
        if size.rows != size.columns || !self.board.contains(&size.rows) {
            return Err(format!("board {}×{}", size.rows, size.columns));
        }
        let clock = match settings.time.as_ref().and_then(|time| time.kind.as_ref()) {
            None => Clock::Untimed,
            Some(Kind::Absolute(_)) => Clock::Absolute,
            Some(Kind::Reserved(_)) => Clock::Reserved,
            Some(Kind::Japanese(_)) => Clock::Japanese,
            Some(Kind::Canadian(_)) => Clock::Canadian,
            Some(Kind::Fischer(_)) => Clock::Fischer,
        };
        if self.clock.contains(&clock) { Ok(()) } else { Err(format!("clock {clock:?}")) }
    }
}

impl Levels {
    fn hold(self, level: i32) -> bool {
        (i32::from(self.from.index())..=i32::from(self.to.index())).contains(&level)
    }
}

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ladder = Ladder::standard();
        let levels = text.split_once('-').and_then(|(from, to)| {
            Some(Self { from: ladder.level_named(from)?, to: ladder.level_named(to)? })
        });
        let in_order = levels.filter(|levels| levels.from <= levels.to);
        in_order.ok_or_else(|| "expected two levels in order, as 3K-9P".into())
    }
}

#[cfg(test)]
mod tests {
    use tengen_proto::clock::v1::{Absolute, TimeControl};
    use tengen_proto::common::v1::BoardSize;

    use super::*;

    #[test]
    fn levels_are_two_in_order() {
        let levels: Levels = "2K-1D".parse().expect("levels");
        let ladder = Ladder::standard();
        let held = |name| levels.hold(ladder.level_named(name).expect("a level").index().into());
        assert_eq!(["3K", "2K", "1K", "1D", "2D"].map(held), [false, true, true, true, false]);
        for wrong in ["", "2K", "1D-2K", "0K-9P", "2K-"] {
            assert!(wrong.parse::<Levels>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn boards_and_clocks_that_are_not_played_are_named() {
        #[derive(clap::Parser)]
        struct Whole {
            #[command(flatten)]
            arguments: Arguments,
        }
        let line = [
            "gtp",
            "--name",
            "b",
            "--password",
            "p",
            "--board",
            "9",
            "--clock",
            "absolute",
            "engine",
        ];
        let Whole { arguments } = clap::Parser::try_parse_from(line).expect("arguments");
        let absolute = TimeControl { kind: Some(Kind::Absolute(Absolute::default())) };
        let board = |lines| Settings {
            size: Some(BoardSize { rows: lines, columns: lines }),
            time: Some(absolute),
            ..Settings::default()
        };
        assert_eq!(arguments.fits(&board(9)), Ok(()));
        assert_eq!(arguments.fits(&board(19)), Err("board 19×19".into()));
        let untimed = Settings { time: None, ..board(9) };
        assert_eq!(arguments.fits(&untimed), Err("clock Untimed".into()));
    }
}
