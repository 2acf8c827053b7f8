//! LobbyService. A challenge is an entry of one slot; taking it is a compare-and-set, and making
//! the game is an idempotent step after it.

pub mod open;
mod own;

use std::sync::Arc;

use bytes::Bytes;
use prost::Message;
use rand::RngExt;
use tengen_kit::auth::{Account, caller};
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_live::{Live, LiveError, Version};
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::lobby_service_server::LobbyService;
use tengen_proto::internal::v1::StoredChallenge;
use tengen_proto::time::timestamp;
use tonic::{Code, Request, Response, Status};

use crate::config::Config;
use crate::convert::command::{created, digest};
use crate::convert::game::{game, holder, player};
use crate::convert::{news, settings};
use crate::error;
use crate::herald::Herald;
use crate::pages;
use crate::record::{GameRecord, Player};
use crate::service::lobby::open::Open;
use crate::store::Games;

/// The slot that holds every open challenge.
const LOBBY: &str = "lobby";
/// How long a challenge stays open.
const OPEN_FOR_MS: i64 = 60 * 60 * 1_000;
/// How long it can still be looked up after it was closed. Far shorter than the record of a game
/// stays that is over: a look-up never makes its game a second time.
const CLOSED_FOR_MS: i64 = 60 * 60 * 1_000;
/// How long one that was put away is still found among the open ones: no call that looked for it
/// before takes as long.
const LINGERS_MS: i64 = 10_000;
/// Challenges on a page, at most.
const PAGE: u8 = 100;
/// Changes that may race for one challenge before one is given up.
const TRIES: usize = 16;

/// Challenges.
#[derive(Clone)]
pub struct Lobby {
    /// The games that challenges become.
    pub games: Arc<Games>,
    /// Where challenges are kept.
    pub live: Arc<dyn Live>,
    /// Who reads the open ones.
    pub open: Open,
    /// The limits.
    pub config: Config,
    /// Who tells whom a challenge is for.
    pub herald: Herald,
}

/// What a change makes of a challenge; `None` leaves it as it is.
type Change = Result<Option<StoredChallenge>, Refusal>;

impl Lobby {
    /// A challenge, and its version among the open ones if it is there.
    async fn find(&self, id: &str) -> Result<(Option<Version>, StoredChallenge), Refusal> {
        for (slot, open) in [(LOBBY, true), (&*closed(id), false)] {
            let entry = self.live.entry(slot, id).await.map_err(|error| error::live(&error))?;
            if let Some((version, body)) = entry {
                let stored = decode(&body).ok_or_else(|| error::no_challenge(id))?;
                return Ok((open.then_some(version), stored));
            }
        }
        Err(error::no_challenge(id))
    }

    /// Puts a closed challenge where nobody meets it who looks through the open ones. It stays among
    /// them for its time where that fails.
    async fn put_away(&self, stored: &StoredChallenge) {
        let (id, now_ms) = (&shown(stored).challenge_id, self.live.now_ms());
        let body = Some(Bytes::from(stored.encode_to_vec()));
        let away = async {
            let until_ms = Some(now_ms.saturating_add(CLOSED_FOR_MS));
            match self.live.put_entry(&closed(id), id, None, body.clone(), until_ms).await {
                Ok(_) | Err(LiveError::EntryConflict { .. }) => {}
                Err(error) => return Err(error),
            }
            let Some((version, _)) = self.live.entry(LOBBY, id).await? else { return Ok(()) };
            let until_ms = Some(now_ms.saturating_add(LINGERS_MS));
            self.live.put_entry(LOBBY, id, Some(version), body.clone(), until_ms).await.map(drop)
        };
        if let Err(error) = away.await {
            tracing::warn!(%error, %id, "a closed challenge stays among the open ones");
        }
    }

    /// Changes a challenge by compare-and-set, and returns what it is then.
    async fn change(
        &self,
        id: &str,
        change: impl Fn(StoredChallenge) -> Change,
    ) -> Result<StoredChallenge, Refusal> {
        for _ in 0..TRIES {
            let (version, before) = self.find(id).await?;
            let Some(after) = change(before.clone())? else {
                return Ok(before);
            };
            let body = Some(after.encode_to_vec().into());
            let until_ms = Some(self.live.now_ms().saturating_add(CLOSED_FOR_MS));
            match self.live.put_entry(LOBBY, id, version, body, until_ms).await {
                Ok(_) => return Ok(after),
                Err(LiveError::EntryConflict { .. }) => {}
                Err(error) => return Err(error::live(&error)),
            }
        }
        Err(error::contended(TRIES))
    }

    /// The game of an accepted challenge; made now if whoever accepted it did not come to it.
    async fn game_of(&self, stored: &StoredChallenge) -> Result<GameRecord, Refusal> {
        let challenge = shown(stored);
        let seats = [&stored.black, &stored.white];
        let players = seats.map(|seat| holder(&seat.clone().unwrap_or_default()));
        let settings = settings::parse_stored(&challenge.settings.clone().unwrap_or_default())?;
        self.games.create(&challenge.game_id, players, settings).await
    }

    async fn create(
        &self,
        account: &Account,
        request: wire::CreateChallengeRequest,
    ) -> Result<wire::Challenge, Refusal> {
        let mut content = request.clone();
        content.request_id.clear();
        let request_digest = digest("CreateChallengeRequest", &content.encode_to_vec());
        let colour = check_create(account, &request)?;
        let settings = settings::parse(&with_preset(&request)?)?;
        let id = created('c', &account.id, &request.request_id);
        let challenge = wire::Challenge {
            challenge_id: id.clone(),
            challenger_id: account.id.clone(),
            challenger_name: account.name.clone(),
            opponent_id: request.opponent_id,
            colour: colour as i32,
            settings: Some(settings::render(&settings)),
            state: wire::ChallengeState::Open as i32,
            game_id: String::new(),
            created_at: Some(timestamp(self.live.now_ms())),
            challenger_bot: account.bot,
        };
        let stored = StoredChallenge {
            challenge: Some(challenge.clone()),
            request_digest,
            challenger_bot: account.bot,
            challenger_tier: account.tier,
            ..StoredChallenge::default()
        };
        if let Ok((_, before)) = self.find(&id).await {
            return same(before, &stored, &request.request_id);
        }
        self.count(account, &id).await?;
        let body = Some(stored.encode_to_vec().into());
        let until_ms = Some(self.live.now_ms().saturating_add(OPEN_FOR_MS));
        match self.live.put_entry(LOBBY, &id, None, body, until_ms).await {
            Ok(_) => {
                self.herald.challenged(news::challenged(&challenge, account));
                Ok(challenge)
            }
            Err(LiveError::EntryConflict { .. }) => {
                same(self.find(&id).await?.1, &stored, &request.request_id)
            }
            Err(error) => Err(error::live(&error)),
        }
    }

    async fn accept(
        &self,
        account: &Account,
        request: &wire::AcceptChallengeRequest,
    ) -> Result<GameRecord, Refusal> {
        let running = self.games.running(&account.id, self.config.running_games).await?;
        let stored = self
            .change(&request.challenge_id, |stored| self.accepted(stored, account, running))
            .await?;
        let game = self.game_of(&stored).await?;
        self.put_away(&stored).await;
        Ok(game)
    }

    /// A challenge after this account has taken it; none changed if it had before.
    fn accepted(&self, stored: StoredChallenge, account: &Account, running: usize) -> Change {
        let mut challenge = shown(&stored);
        let id = &challenge.challenge_id;
        if challenge.challenger_id == account.id {
            let message = "a challenge is for somebody else to accept";
            let refusal = Refusal::new(Code::FailedPrecondition, "OWN_CHALLENGE", message);
            return Err(refusal.meta("challenge_id", id));
        }
        if !may_see(&challenge, Some(&account.id)) {
            return Err(error::no_challenge(id));
        }
        if challenge.state() == wire::ChallengeState::Accepted && stored.accepted_by == account.id {
            return Ok(None);
        }
        if !is_open(&challenge) {
            return Err(taken(id));
        }
        if running >= self.config.running_games {
            return Err(error::limit("running games", self.config.running_games));
        }
        challenge.game_id = created('g', &account.id, id);
        challenge.state = wire::ChallengeState::Accepted as i32;
        let challenger = player(&Player {
            id: challenge.challenger_id.clone(),
            name: challenge.challenger_name.clone(),
            bot: stored.challenger_bot,
            tier: stored.challenger_tier,
        });
        let accepter = player(&Player {
            id: account.id.clone(),
            name: account.name.clone(),
            bot: account.bot,
            tier: account.tier,
        });
        let challenger_is_black = match challenge.colour() {
            wire::ColourChoice::Black => true,
            wire::ColourChoice::White => false,
            wire::ColourChoice::Unspecified | wire::ColourChoice::Random => {
                rand::rng().random_bool(0.5)
            }
        };
        let (black, white) =
            if challenger_is_black { (challenger, accepter) } else { (accepter, challenger) };
        Ok(Some(StoredChallenge {
            challenge: Some(challenge),
            black: Some(black),
            white: Some(white),
            accepted_by: account.id.clone(),
            ..stored
        }))
    }

    /// Closes an open challenge, if this account may.
    async fn close(
        &self,
        account: &Account,
        challenge_id: &str,
        request_id: &str,
        state: wire::ChallengeState,
    ) -> Result<wire::Challenge, Refusal> {
        let mut fields = Fields::new();
        fields.id("challenge_id", challenge_id);
        fields.request_id(request_id);
        fields.finish()?;
        let stored = self.change(challenge_id, |stored| {
            let mut challenge = shown(&stored);
            let whose = match state {
                wire::ChallengeState::Declined => &challenge.opponent_id,
                _ => &challenge.challenger_id,
            };
            if *whose != account.id {
                return Err(error::no_challenge(challenge_id));
            }
            if challenge.state() == state {
                return Ok(None);
            }
            if !is_open(&challenge) {
                return Err(taken(challenge_id));
            }
            challenge.state = state as i32;
            Ok(Some(StoredChallenge { challenge: Some(challenge), ..stored }))
        });
        let stored = stored.await?;
        self.put_away(&stored).await;
        Ok(shown(&stored))
    }
}

/// The slot of a challenge that was closed and put away.
fn closed(id: &str) -> String {
    format!("closed:{id}")
}

fn check_create(
    account: &Account,
    request: &wire::CreateChallengeRequest,
) -> Result<wire::ColourChoice, Refusal> {
    let mut fields = Fields::new();
    fields.request_id(&request.request_id);
    if !request.opponent_id.is_empty() {
        fields.id("opponent_id", &request.opponent_id);
    }
    if request.opponent_id == account.id {
        fields.refuse("opponent_id", &request.opponent_id, "somebody else's id, or none");
    }
    let colour = wire::ColourChoice::try_from(request.colour).unwrap_or_else(|_| {
        fields.refuse("colour", request.colour, "a value of the enum");
        wire::ColourChoice::Unspecified
    });
    fields.finish()?;
    Ok(match colour {
        wire::ColourChoice::Unspecified => wire::ColourChoice::Random,
        colour => colour,
    })
}

/// The settings asked for, with the time control of the preset, if one is named.
fn with_preset(request: &wire::CreateChallengeRequest) -> Result<wire::Settings, Refusal> {
    let mut settings = request.settings.clone().unwrap_or_default();
    if request.preset.is_empty() {
        return Ok(settings);
    }
    let mut fields = Fields::new();
    match tengen_timing::preset(&request.preset) {
        None => fields.refuse("preset", &request.preset, "blitz, casual, local or national"),
        Some(_) if settings.time.is_some() => {
            fields.refuse("preset", &request.preset, "to be empty where settings.time is set");
        }
        Some(control) => settings.time = Some(settings::render_control(&control)),
    }
    fields.finish()?;
    Ok(settings)
}

fn same(
    before: StoredChallenge,
    asked: &StoredChallenge,
    request_id: &str,
) -> Result<wire::Challenge, Refusal> {
    if before.request_digest != asked.request_digest {
        return Err(error::request_reused(request_id));
    }
    Ok(shown(&before))
}

fn decode(body: &[u8]) -> Option<StoredChallenge> {
    StoredChallenge::decode(body)
        .inspect_err(|error| tracing::error!(%error, "a challenge cannot be read"))
        .ok()
}

fn shown(stored: &StoredChallenge) -> wire::Challenge {
    stored.challenge.clone().unwrap_or_default()
}

fn is_open(challenge: &wire::Challenge) -> bool {
    challenge.state() == wire::ChallengeState::Open
}

/// A challenge to one player is seen by the two alone.
fn may_see(challenge: &wire::Challenge, caller: Option<&str>) -> bool {
    challenge.opponent_id.is_empty()
        || caller.is_some_and(|id| id == challenge.opponent_id || id == challenge.challenger_id)
}

fn taken(challenge_id: &str) -> Refusal {
    let message = "the challenge is not open any more";
    Refusal::new(Code::FailedPrecondition, "ALREADY_TAKEN", message)
        .meta("challenge_id", challenge_id)
}

#[tonic::async_trait]
impl LobbyService for Lobby {
    async fn create_challenge(
        &self,
        request: Request<wire::CreateChallengeRequest>,
    ) -> Result<Response<wire::CreateChallengeResponse>, Status> {
        let account = caller(&request).account()?.clone();
        let challenge = Some(self.create(&account, request.into_inner()).await?);
        Ok(Response::new(wire::CreateChallengeResponse { challenge }))
    }

    async fn list_challenges(
        &self,
        request: Request<wire::ListChallengesRequest>,
    ) -> Result<Response<wire::ListChallengesResponse>, Status> {
        let caller = caller(&request);
        let wire::ListChallengesRequest { page_size, page_token } = request.into_inner();
        let mut fields = Fields::new();
        let size = pages::size(&mut fields, page_size, PAGE, PAGE);
        let after = pages::cursor(&mut fields, &page_token);
        fields.finish()?;
        let (challenges, last) = self.open.page(caller.account_id(), after.as_ref(), size).await?;
        let next_page_token = last.map(|last| last.token()).unwrap_or_default();
        Ok(Response::new(wire::ListChallengesResponse { challenges, next_page_token }))
    }

    async fn get_challenge(
        &self,
        request: Request<wire::GetChallengeRequest>,
    ) -> Result<Response<wire::GetChallengeResponse>, Status> {
        let caller = caller(&request);
        let id = request.into_inner().challenge_id;
        let mut fields = Fields::new();
        fields.id("challenge_id", &id);
        fields.finish()?;
        let (_, stored) = self.find(&id).await?;
        let challenge = shown(&stored);
        if !may_see(&challenge, caller.account_id()) {
            return Err(error::no_challenge(&id).into());
        }
        if challenge.state() == wire::ChallengeState::Accepted {
            self.game_of(&stored).await?;
        }
        Ok(Response::new(wire::GetChallengeResponse { challenge: Some(challenge) }))
    }

    async fn accept_challenge(
        &self,
        request: Request<wire::AcceptChallengeRequest>,
    ) -> Result<Response<wire::AcceptChallengeResponse>, Status> {
        let account = caller(&request).account()?.clone();
        let request = request.into_inner();
        let mut fields = Fields::new();
        fields.id("challenge_id", &request.challenge_id);
        fields.request_id(&request.request_id);
        fields.finish()?;
        let record = self.accept(&account, &request).await?;
        let game = game(&record, self.games.now_ms(), Some(&account.id), None);
        Ok(Response::new(wire::AcceptChallengeResponse { game: Some(game) }))
    }

    async fn decline_challenge(
        &self,
        request: Request<wire::DeclineChallengeRequest>,
    ) -> Result<Response<wire::DeclineChallengeResponse>, Status> {
        let account = caller(&request).account()?.clone();
        let wire::DeclineChallengeRequest { challenge_id, request_id } = request.into_inner();
        let state = wire::ChallengeState::Declined;
        let challenge = self.close(&account, &challenge_id, &request_id, state).await?;
        Ok(Response::new(wire::DeclineChallengeResponse { challenge: Some(challenge) }))
    }

    async fn withdraw_challenge(
        &self,
        request: Request<wire::WithdrawChallengeRequest>,
    ) -> Result<Response<wire::WithdrawChallengeResponse>, Status> {
        let account = caller(&request).account()?.clone();
        let wire::WithdrawChallengeRequest { challenge_id, request_id } = request.into_inner();
        let state = wire::ChallengeState::Withdrawn;
        let challenge = self.close(&account, &challenge_id, &request_id, state).await?;
        Ok(Response::new(wire::WithdrawChallengeResponse { challenge: Some(challenge) }))
    }
}

#[cfg(test)]
#[path = "lobby_tests.rs"]
mod tests;
