//! The gRPC services, and GameService itself: parse, decide and commit by the store, render.

pub mod encoded;
pub mod lobby;
pub mod organiser;
pub mod records;
pub mod referee;
pub mod results;
#[cfg(test)]
pub mod stand_in;
pub mod watch;
mod watching;

use std::sync::Arc;

use tengen_kit::auth::caller;
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_link::Here;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_server::GameService;
use tengen_table::Command;
use tonic::{Request, Response, Status};

use crate::convert::command::{CommandRequest, parse};
use crate::convert::event::accepted;
use crate::convert::game::{game, summary};
use crate::convert::settings;
use crate::service::watch::{From, Watches};
use crate::service::watching::Watching;
use crate::store::Games;

/// Games: to play, to count, to watch.
#[derive(Clone)]
pub struct Play {
    /// The games.
    pub games: Arc<Games>,
    /// Who watches them here.
    pub watches: Arc<Watches>,
    /// Whose streams are open here.
    pub here: Here,
}

impl Play {
    async fn command<M: CommandRequest>(
        &self,
        request: Request<M>,
    ) -> Result<Option<wire::Accepted>, Status> {
        let account = caller(&request).account()?.clone();
        let parsed = parse(request.get_ref(), &account.id)?;
        let command = |by| Command { by, request: parsed.request, act: parsed.act.clone() };
        let accepted = self.games.act(&parsed.game_id, &account.id, command, accepted).await?;
        Ok(Some(accepted))
    }

    /// WatchGame; its route is in `encoded.rs`.
    ///
    /// # Errors
    /// INVALID_FIELD, GAME_NOT_FOUND; or the live state fails.
    pub async fn watch(
        &self,
        request: Request<wire::WatchGameRequest>,
    ) -> Result<Watching, Status> {
        let caller = caller(&request).account_id().map(str::to_owned);
        let wire::WatchGameRequest { game_id, after_sequence, head_hash } = request.into_inner();
        let mut fields = Fields::new();
        fields.id("game_id", &game_id);
        fields.range("after_sequence", after_sequence, 0..=i64::MAX);
        let length = if after_sequence == 0 { 0 } else { 32 };
        if head_hash.len() != length || !head_hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let expected = "32 hexadecimal digits, or empty for a fresh watch";
            fields.refuse("head_hash", &head_hash, expected);
        }
        fields.finish()?;
        let stay = caller.as_deref().map(|player_id| self.here.enter(player_id));
        let from = From { sequence: after_sequence, head_hash, caller, stay };
        Ok(self.watches.watch(&game_id, from).await?)
    }
}

/// Checks a game's id by itself.
fn game_id(id: &str) -> Result<(), Refusal> {
    let mut fields = Fields::new();
    fields.id("game_id", id);
    fields.finish()
}

macro_rules! commands {
    ($($method:ident: $request:ident => $response:ident,)*) => {
        #[tonic::async_trait]
        impl GameService for Play {
            async fn get_game(
                &self,
                request: Request<wire::GetGameRequest>,
            ) -> Result<Response<wire::GetGameResponse>, Status> {
                let caller = caller(&request);
                let id = request.into_inner().game_id;
                game_id(&id)?;
                let record = self.games.read(&id).await?;
                let applied = self.games.applied(&record).await;
                let now_ms = self.games.now_ms();
                let game = game(&record, now_ms, caller.account_id(), applied.as_ref());
                Ok(Response::new(wire::GetGameResponse { game: Some(game) }))
            }

            async fn list_my_games(
                &self,
                request: Request<wire::ListMyGamesRequest>,
            ) -> Result<Response<wire::ListMyGamesResponse>, Status> {
                let account = caller(&request).account()?.clone();
                let games = self.games.of_player(&account.id).await?;
                let games = games.iter().map(|record| summary(record, None)).collect();
                Ok(Response::new(wire::ListMyGamesResponse { games }))
            }

            async fn get_ruleset(
                &self,
                request: Request<wire::GetRulesetRequest>,
            ) -> Result<Response<wire::GetRulesetResponse>, Status> {
                let id = request.into_inner().game_id;
                game_id(&id)?;
                let record = self.games.read(&id).await?;
                let ruleset = Some(settings::ruleset(record.table.settings()));
                Ok(Response::new(wire::GetRulesetResponse { ruleset }))
            }

            $(
                async fn $method(
                    &self,
                    request: Request<wire::$request>,
                ) -> Result<Response<wire::$response>, Status> {
                    let accepted = self.command(request).await?;
                    Ok(Response::new(wire::$response { accepted }))
                }
            )*
        }
    };
}

commands! {
    play_move: PlayMoveRequest => PlayMoveResponse,
    pass: PassRequest => PassResponse,
    confirm_end: ConfirmEndRequest => ConfirmEndResponse,
    mark_dead: MarkDeadRequest => MarkDeadResponse,
    accept_count: AcceptCountRequest => AcceptCountResponse,
    dispute_count: DisputeCountRequest => DisputeCountResponse,
    resign: ResignRequest => ResignResponse,
    leave: LeaveRequest => LeaveResponse,
    claim_time: ClaimTimeRequest => ClaimTimeResponse,
    claim_absence: ClaimAbsenceRequest => ClaimAbsenceResponse,
    take_seat: TakeSeatRequest => TakeSeatResponse,
    make_offer: MakeOfferRequest => MakeOfferResponse,
    answer_offer: AnswerOfferRequest => AnswerOfferResponse,
    resume_play: ResumePlayRequest => ResumePlayResponse,
    confirm_restored: ConfirmRestoredRequest => ConfirmRestoredResponse,
}
