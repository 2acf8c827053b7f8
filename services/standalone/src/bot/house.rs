//! The sparring bot of `tengen dev`, so that a newcomer has an opponent at once.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1::{Challenge, CreateChallengeRequest, Game, Settings};
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{CreateBotRequest, RegisterRequest};
use tokio::time::{Instant, sleep_until};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use super::engine::Engine;
use super::sparring::Sparring;
use super::table::fresh;
use super::{Bot, Manners};
use crate::accounts::{Account, Sessions};
use crate::error::{ToolError, failed, refused};

const NAME: &str = "sparring";
/// Who owns it.
const KEEPER: &str = "sparring-keeper";
/// Where its password is kept, beside the accounts.
const PASSWORD: &str = "sparring.password";
/// The games it offers: lines a side, and the preset of the clock. With a clock they are rated.
const OFFERS: [(i32, &str); 4] = [(9, "casual"), (9, ""), (13, ""), (19, "")];
/// Games at once.
const GAMES: usize = 8;
/// How long is waited before it signs in again.
const AGAIN: Duration = Duration::from_secs(1);

/// Plays at this address for ever. What keeps it from playing is told in the log, and the services
/// go on without it.
pub(crate) async fn keep(url: Channel, data: &Path) {
    let password = match password(data) {
        Ok(password) => password,
        Err(error) => return tracing::warn!(%error, "no sparring bot"),
    };
    loop {
        match sign_in(&url, &password).await {
            Ok(account) => {
                let bot = Bot::new(url.clone(), url, Arc::new(account), House, GAMES);
                return bot.run().await;
            }
            Err(error) => tracing::debug!(%error, "the sparring bot waits for the services"),
        }
        sleep_until(Instant::now() + AGAIN).await;
    }
}

/// The password it has, or a new one.
fn password(data: &Path) -> Result<String, ToolError> {
    let path = data.join(PASSWORD);
    let kept = |error| failed("the password of the sparring bot", format_args!("{error}"));
    match fs::read_to_string(&path) {
        Ok(password) => Ok(password),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let password = fresh();
            fs::write(&path, &password).map_err(kept)?;
            Ok(password)
        }
        Err(error) => Err(kept(error)),
    }
}

/// Signs the bot in, made the first time.
async fn sign_in(url: &Channel, password: &str) -> Result<Account, ToolError> {
    let sessions = Sessions::new(vec![url.clone()]);
    if let Ok(account) = sessions.clone().sign_in(NAME, password).await {
        return Ok(account);
    }
    let mut client = SessionServiceClient::new(url.clone());
    let keeper =
        RegisterRequest { request_id: fresh(), name: KEEPER.into(), password: password.into() };
    there_is_fine(client.register(Request::new(keeper)).await).map_err(refused("its keeper"))?;
    let keeper = sessions.clone().sign_in(KEEPER, password).await?;
    let bot =
        CreateBotRequest { request_id: fresh(), name: NAME.into(), password: password.into() };
    let made = client.create_bot(keeper.ask(bot).await?).await;
    there_is_fine(made).map_err(refused("the sparring bot"))?;
    sessions.sign_in(NAME, password).await
}

fn there_is_fine<T>(made: Result<T, Status>) -> Result<(), Status> {
    match made {
        Err(status) if status.code() != Code::AlreadyExists => Err(status),
        _ => Ok(()),
    }
}

/// It takes on everybody.
struct House;

#[tonic::async_trait]
impl Manners for House {
    async fn takes(&self, _challenge: &Challenge) -> Result<(), String> {
        Ok(())
    }

    fn offers(&self) -> Vec<CreateChallengeRequest> {
        let offer = |(lines, preset): (i32, &str)| CreateChallengeRequest {
            request_id: fresh(),
            preset: preset.into(),
            settings: Some(Settings {
                size: Some(BoardSize { rows: lines, columns: lines }),
                rated: !preset.is_empty(),
                ..Settings::default()
            }),
            ..CreateChallengeRequest::default()
        };
        OFFERS.map(offer).into()
    }

    fn engine(&self) -> Result<Box<dyn Engine>, ToolError> {
        Ok(Box::new(Sparring::new(rand::random())))
    }

    fn ended(&self, game: &Game) {
        let result = game.result.as_ref().map_or("", |result| &result.text);
        tracing::info!(game_id = game.game_id, result, "the sparring bot has finished a game");
    }
}
