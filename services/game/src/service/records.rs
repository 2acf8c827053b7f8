//! RecordService: games as files, and finished games of a player. The rest is not built yet.

use std::sync::Arc;

use tengen_kit::fields::Fields;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::record_service_server::RecordService;
use tonic::{Request, Response, Status};

use crate::convert::game::summary;
use crate::convert::sgf;
use crate::error;
use crate::pages;
use crate::store::Games;

/// Games on a page that asks for none.
const PAGE: u8 = 20;
/// Games on a page at most.
const MOST_PAGE: u8 = 100;

/// Finished games.
#[derive(Clone)]
pub struct Records {
    /// The games.
    pub games: Arc<Games>,
}

#[tonic::async_trait]
impl RecordService for Records {
    async fn export_sgf(
        &self,
        request: Request<wire::ExportSgfRequest>,
    ) -> Result<Response<wire::ExportSgfResponse>, Status> {
        let wire::ExportSgfRequest { game_id } = request.into_inner();
        let mut fields = Fields::new();
        fields.id("game_id", &game_id);
        fields.finish()?;
        let log = self.games.load(&game_id).await?.log;
        let record = sgf::record(&game_id, &log).map_err(|error| error::broken(&error))?;
        Ok(Response::new(wire::ExportSgfResponse { sgf: tengen_sgf::write(&record) }))
    }

    async fn list_player_games(
        &self,
        request: Request<wire::ListPlayerGamesRequest>,
    ) -> Result<Response<wire::ListPlayerGamesResponse>, Status> {
        let wire::ListPlayerGamesRequest { player_id, page_size, page_token } =
            request.into_inner();
        let mut fields = Fields::new();
        fields.id("player_id", &player_id);
        let size = pages::size(&mut fields, page_size, PAGE, MOST_PAGE);
        let before = pages::cursor(&mut fields, &page_token);
        fields.finish()?;
        let found = self.games.finished(&player_id, before.as_ref(), size).await?;
        let next = found.last().filter(|_| found.len() == size);
        let next_page_token = next.map(|(cursor, ..)| cursor.token()).unwrap_or_default();
        let games = found.iter().map(|(_, record, changes)| summary(record, Some(changes)));
        let games = games.collect();
        Ok(Response::new(wire::ListPlayerGamesResponse { games, next_page_token }))
    }
}
