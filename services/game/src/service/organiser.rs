//! OrganiserService: makes a game for two players. The rest is not built yet.

use std::sync::Arc;

use tengen_kit::auth::caller;
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::organiser_service_server::OrganiserService;
use tonic::{Code, Request, Response, Status};

use crate::client::Sessions;
use crate::convert::command::created;
use crate::convert::game::game;
use crate::convert::settings;
use crate::error;
use crate::record::{GameRecord, Player};
use crate::store::Games;

/// What the organiser asks.
#[derive(Clone)]
pub struct Organiser {
    /// The games.
    pub games: Arc<Games>,
    /// The session service, which knows the players.
    pub sessions: Sessions,
}

impl Organiser {
    /// The account of a seat.
    async fn player(&self, field: &str, id: &str) -> Result<Player, Refusal> {
        let account = self.sessions.account(id).await?;
        account.ok_or_else(|| error::no_player(field, id))
    }

    async fn make(
        &self,
        id: &str,
        request: &wire::CreateGameRequest,
    ) -> Result<GameRecord, Status> {
        let asked = request.settings.clone().unwrap_or_default();
        let settings = settings::parse_organised(&asked, self.games.now_ms())?;
        let black = self.player("black_id", &request.black_id).await?;
        let white = self.player("white_id", &request.white_id).await?;
        Ok(self.games.create(id, [black, white], settings).await?)
    }
}

fn check(request: &wire::CreateGameRequest) -> Result<(), Refusal> {
    let mut fields = Fields::new();
    fields.request_id(&request.request_id);
    fields.id("black_id", &request.black_id);
    fields.id("white_id", &request.white_id);
    if request.black_id == request.white_id {
        fields.refuse("white_id", &request.white_id, "another player than black_id");
    }
    fields.finish()
}

#[tonic::async_trait]
impl OrganiserService for Organiser {
    async fn create_game(
        &self,
        request: Request<wire::CreateGameRequest>,
    ) -> Result<Response<wire::CreateGameResponse>, Status> {
        let organiser = caller(&request).account()?.id.clone();
        let request = request.into_inner();
        check(&request)?;
        let id = created('g', &organiser, &request.request_id);
        let record = match self.games.read(&id).await {
            Err(refusal) if refusal.code() == Code::NotFound => self.make(&id, &request).await?,
            found => found?,
        };
        // The id says who asked and by which request; what was asked must be the same, too.
        let settings = settings::parse_stored(&request.settings.unwrap_or_default())?;
        let [black, white] = &record.players;
        let same = (&black.id, &white.id) == (&request.black_id, &request.white_id)
            && *record.table.settings() == settings;
        if !same {
            return Err(error::request_reused(&request.request_id).into());
        }
        let game = game(&record, self.games.now_ms(), Some(&organiser), None);
        Ok(Response::new(wire::CreateGameResponse { game: Some(game) }))
    }
}
