//! The calls: parse, read, render.

use tengen_kit::auth::caller;
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_proto::game::v1::RatingState;
use tengen_proto::rating::v1 as wire;
use tengen_proto::rating::v1::rating_service_server::RatingService;
use tonic::{Request, Response, Status};

use crate::convert;
use crate::error::StoreError;
use crate::store::{Page, Store};

const DEFAULT_PAGE: i64 = 20;
const MOST_PAGE: i64 = 100;

pub(crate) struct Rating {
    pub(crate) store: Store,
}

#[tonic::async_trait]
impl RatingService for Rating {
    async fn get_ladder(
        &self,
        _: Request<wire::GetLadderRequest>,
    ) -> Result<Response<wire::GetLadderResponse>, Status> {
        Ok(Response::new(convert::ladder(self.store.ladder())))
    }

    async fn get_player(
        &self,
        request: Request<wire::GetPlayerRequest>,
    ) -> Result<Response<wire::GetPlayerResponse>, Status> {
        let player_id = request.into_inner().player_id;
        let mut fields = Fields::new();
        fields.id("player_id", &player_id);
        fields.finish()?;
        let account = self.store.account(&player_id).await.map_err(Refusal::from)?;
        Ok(Response::new(convert::player(self.store.ladder(), &account)))
    }

    async fn list_ledger(
        &self,
        request: Request<wire::ListLedgerRequest>,
    ) -> Result<Response<wire::ListLedgerResponse>, Status> {
        let request = request.into_inner();
        let mut fields = Fields::new();
        fields.id("player_id", &request.player_id);
        let page = page(&mut fields, request.page_size, &request.page_token);
        fields.finish()?;
        let (entries, next) =
            self.store.entries(&request.player_id, page).await.map_err(Refusal::from)?;
        let ladder = self.store.ladder();
        Ok(Response::new(wire::ListLedgerResponse {
            entries: entries.iter().map(|entry| convert::entry(ladder, entry)).collect(),
            next_page_token: next.map_or_else(String::new, |id| id.to_string()),
        }))
    }

    async fn list_fees(
        &self,
        request: Request<wire::ListFeesRequest>,
    ) -> Result<Response<wire::ListFeesResponse>, Status> {
        let caller = caller(&request);
        let player_id = &caller.account()?.id;
        let request = request.into_inner();
        let mut fields = Fields::new();
        let page = page(&mut fields, request.page_size, &request.page_token);
        fields.finish()?;
        let (fees, next) = self.store.fees(player_id, page).await.map_err(Refusal::from)?;
        Ok(Response::new(wire::ListFeesResponse {
            fees: fees.iter().map(convert::fee).collect(),
            next_page_token: next.map_or_else(String::new, |id| id.to_string()),
        }))
    }

    async fn list_leaderboard(
        &self,
        request: Request<wire::ListLeaderboardRequest>,
    ) -> Result<Response<wire::ListLeaderboardResponse>, Status> {
        let caller = caller(&request);
        let request = request.into_inner();
        let (around, token) = (&request.around_player_id, &request.page_token);
        let mut fields = Fields::new();
        let size = page_size(&mut fields, request.page_size);
        let after = convert::board_key(&mut fields, token);
        if !around.is_empty() {
            fields.id("around_player_id", around);
            if !token.is_empty() {
                fields.refuse("page_token", token, "none beside around_player_id");
            }
        }
        fields.finish()?;
        let page = if around.is_empty() {
            self.store.board(&after, size).await
        } else {
            let player_id = if around == "me" { &caller.account()?.id } else { around };
            let around = self.store.board_around(player_id, size).await.transpose();
            around.unwrap_or_else(|| Err(StoreError::NotRanked(player_id.clone())))
        };
        let page = page.map_err(Refusal::from)?;
        Ok(Response::new(convert::board(self.store.ladder(), page)))
    }

    async fn get_result_rating(
        &self,
        request: Request<wire::GetResultRatingRequest>,
    ) -> Result<Response<wire::GetResultRatingResponse>, Status> {
        let game_id = request.into_inner().game_id;
        let mut fields = Fields::new();
        fields.id("game_id", &game_id);
        fields.finish()?;
        let booked = self.store.result(&game_id).await.map_err(Refusal::from)?;
        let (state, entries) = match booked {
            None => (RatingState::Pending, Vec::new()),
            Some((false, entries)) => (RatingState::NotRated, entries),
            Some((true, entries)) => (RatingState::Applied, entries),
        };
        let ladder = self.store.ladder();
        Ok(Response::new(wire::GetResultRatingResponse {
            state: state.into(),
            entries: entries.iter().map(|entry| convert::entry(ladder, entry)).collect(),
        }))
    }
}

/// The page that is asked for. A token is the id of the last row that was sent.
fn page(fields: &mut Fields, size: i32, token: &str) -> Page {
    let size = page_size(fields, size);
    let before = match token {
        "" => i64::MAX,
        token => token.parse().ok().filter(|id| *id > 0).unwrap_or_else(|| {
            fields.refuse("page_token", token, "the next_page_token of an answer");
            i64::MAX
        }),
    };
    Page { size, before }
}

fn page_size(fields: &mut Fields, size: i32) -> i64 {
    fields.range("page_size", size.into(), 0..=MOST_PAGE);
    if size == 0 { DEFAULT_PAGE } else { size.into() }
}
