//! Bots: players of the public API, whatever it is that thinks for them.
//!
//! A bot looks at the lobby and at its own games whenever there is news and every few seconds, and
//! sits down at each of its games. So nothing depends on a notice that it missed.

mod engine;
mod gtp;
mod gtp_command;
mod house;
mod playouts;
mod position;
mod sparring;
mod table;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::lobby_service_client::LobbyServiceClient;
use tengen_proto::game::v1::{
    AcceptChallengeRequest, Challenge, CreateChallengeRequest, DeclineChallengeRequest, Game,
    ListChallengesRequest, ListMyGamesRequest, Settings,
};
use tengen_proto::session::v1::AttachRequest;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tonic::transport::Channel;
use tonic::{Code, Status};

pub use self::engine::{Choice, Engine, Left, Position, Time, Turn};
pub use self::gtp::Gtp;
pub use self::gtp_command::{Arguments, command};
pub use self::sparring::Sparring;

pub(crate) use self::house::keep;
use self::table::{Table, fresh};
use crate::accounts::Account;
use crate::error::{ToolError, failed, refused};

/// How long is waited before the suite is tried again.
const AGAIN: Duration = Duration::from_secs(2);

/// What a bot plays, and with whom.
#[tonic::async_trait]
pub trait Manners: Send + Sync {
    /// Whether it takes a challenge that was made to it; why not, if it does not.
    async fn takes(&self, challenge: &Challenge) -> Result<(), String>;

    /// The games it offers to everybody.
    fn offers(&self) -> Vec<CreateChallengeRequest>;

    /// What thinks in a new game.
    ///
    /// # Errors
    /// The engine does not start.
    fn engine(&self) -> Result<Box<dyn Engine>, ToolError>;

    /// A game is over.
    fn ended(&self, game: &Game);
}

/// A signed-in bot.
pub struct Bot<M> {
    sessions: SessionServiceClient<Channel>,
    lobby: LobbyServiceClient<Channel>,
    games: GameServiceClient<Channel>,
    account: Arc<Account>,
    manners: M,
    /// Games at once.
    most: usize,
    seated: HashSet<String>,
    tables: JoinSet<(String, Result<Game, ToolError>)>,
}

impl<M: Manners> Bot<M> {
    /// A bot that plays at most so many games at once.
    pub fn new(
        session: Channel,
        game: Channel,
        account: Arc<Account>,
        manners: M,
        most: usize,
    ) -> Self {
        Self {
            sessions: SessionServiceClient::new(session),
            lobby: LobbyServiceClient::new(game.clone()),
            games: GameServiceClient::new(game),
            account,
            manners,
            most,
            seated: HashSet::new(),
            tables: JoinSet::new(),
        }
    }

    /// Plays for ever.
    pub async fn run(mut self) {
        loop {
            if let Err(error) = self.attend().await {
                tracing::debug!(%error, "the bot is away");
            }
            sleep_until(Instant::now() + AGAIN).await;
        }
    }

    /// Looks after everything while its stream of notices lasts.
    async fn attend(&mut self) -> Result<(), ToolError> {
        let attach = AttachRequest { device_id: "bot".into(), ..AttachRequest::default() };
        let request = self.account.ask(attach).await?;
        let attached = self.sessions.attach(request).await.map_err(refused("attaching"))?;
        let mut notices = attached.into_inner();
        loop {
            tokio::select! {
                told = notices.message() => {
                    if told.map_err(refused("attending"))?.is_none() {
                        return Ok(());
                    }
                    self.look().await?;
                }
                Some(left) = self.tables.join_next() => {
                    self.leave(left);
                    self.look().await?;
                }
            }
        }
    }

    fn leave(&mut self, left: Result<(String, Result<Game, ToolError>), tokio::task::JoinError>) {
        match left {
            Ok((id, Ok(game))) => {
                self.seated.remove(&id);
                self.manners.ended(&game);
            }
            Ok((id, Err(error))) => {
                self.seated.remove(&id);
                tracing::error!(game_id = id, %error, "a game was given up");
            }
            Err(error) => tracing::error!(%error, "a game was given up"),
        }
    }

    /// Sits down at every game of its own, answers challenges, and sees that its offers stand.
    async fn look(&mut self) -> Result<(), ToolError> {
        let request = self.account.ask(ListMyGamesRequest {}).await?;
        let games = self.games.list_my_games(request).await.map_err(refused("the own games"))?;
        for game in games.into_inner().games {
            self.sit(game.game_id)?;
        }
        let open = self.open_challenges().await?;
        let me = Arc::clone(&self.account);
        for challenge in open.iter().filter(|open| open.opponent_id == me.id) {
            self.answer(challenge).await?;
        }
        let own = open.iter().filter(|open| open.challenger_id == me.id);
        let standing: Vec<_> = own.filter_map(|own| kind(own.settings.as_ref())).collect();
        if self.seated.len() < self.most {
            for offer in self.manners.offers() {
                if kind(offer.settings.as_ref()).is_some_and(|kind| !standing.contains(&kind)) {
                    self.offer(offer).await?;
                }
            }
        }
        Ok(())
    }

    async fn open_challenges(&mut self) -> Result<Vec<Challenge>, ToolError> {
        let (mut open, mut page_token) = (Vec::new(), String::new());
        loop {
            let list = ListChallengesRequest { page_token, ..ListChallengesRequest::default() };
            let request = self.account.ask(list).await?;
            let page = self.lobby.list_challenges(request).await.map_err(refused("the lobby"))?;
            let page = page.into_inner();
            open.extend(page.challenges);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(open);
            }
        }
    }

    fn sit(&mut self, game_id: String) -> Result<(), ToolError> {
        if !self.seated.insert(game_id.clone()) {
            return Ok(());
        }
        let table = Table {
            games: self.games.clone(),
            account: Arc::clone(&self.account),
            game_id: game_id.clone(),
            engine: self.manners.engine()?,
            view: None,
        };
        self.tables.spawn(async move { (game_id, table.play().await) });
        Ok(())
    }

    async fn answer(&mut self, challenge: &Challenge) -> Result<(), ToolError> {
        let challenge_id = challenge.challenge_id.clone();
        if self.seated.len() >= self.most {
            // Later, if it still stands then.
            return Ok(());
        }
        let answered = match self.manners.takes(challenge).await {
            Ok(()) => {
                let accept = AcceptChallengeRequest { challenge_id, request_id: fresh() };
                let request = self.account.ask(accept).await?;
                self.lobby.accept_challenge(request).await.map(drop)
            }
            Err(why) => {
                tracing::info!(challenge_id, why, "a challenge is declined");
                let decline = DeclineChallengeRequest { challenge_id, request_id: fresh() };
                let request = self.account.ask(decline).await?;
                self.lobby.decline_challenge(request).await.map(drop)
            }
        };
        gone_is_fine(answered).map_err(refused("answering a challenge"))
    }

    async fn offer(&mut self, offer: CreateChallengeRequest) -> Result<(), ToolError> {
        let request = self.account.ask(offer).await?;
        let offered = self.lobby.create_challenge(request).await.map_err(refused("an offer"))?;
        offered.into_inner().challenge.map(drop).ok_or_else(|| failed("an offer", "no challenge"))
    }
}

/// What tells one offer of a bot from another: the board, and whether it is rated.
fn kind(settings: Option<&Settings>) -> Option<(BoardSize, bool)> {
    settings.and_then(|settings| Some((settings.size?, settings.rated)))
}

/// What was withdrawn or taken meanwhile needs no answer.
fn gone_is_fine(answered: Result<(), Status>) -> Result<(), Status> {
    match answered {
        Err(status) if matches!(status.code(), Code::NotFound | Code::FailedPrecondition) => Ok(()),
        answered => answered,
    }
}
