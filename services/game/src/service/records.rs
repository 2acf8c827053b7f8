//! RecordService: games as files, and finished games of a player. The rest is not built yet.

use std::sync::Arc;

use tengen_kit::fields::Fields;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::record_service_server::RecordService;
use tonic::{Request, Response, Status};

use crate::archive::Cursor;
use crate::convert::game::summary;
use crate::convert::sgf;
use crate::error;
use crate::store::Games;

/// Games on a page that asks for none.
const PAGE: i32 = 20;

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
        fields.range("page_size", page_size.into(), 0..=100);
        let before = cursor(&page_token);
        if before.is_none() && !page_token.is_empty() {
            fields.refuse("page_token", &page_token, "one that a page before gave");
        }
        fields.finish()?;
        let most = i64::from(if page_size == 0 { PAGE } else { page_size });
        let found = self.games.finished(&player_id, before.as_ref(), most).await?;
        let next = found.last().filter(|_| i64::try_from(found.len()) == Ok(most));
        let next_page_token = next.map(|(cursor, ..)| token(cursor)).unwrap_or_default();
        let games = found.iter().map(|(_, record, changes)| summary(record, Some(changes)));
        let games = games.collect();
        Ok(Response::new(wire::ListPlayerGamesResponse { games, next_page_token }))
    }
}

fn token(cursor: &Cursor) -> String {
    format!("{}.{}", cursor.ended_at_ms, cursor.game_id)
}

fn cursor(token: &str) -> Option<Cursor> {
    let (ended_at_ms, game_id) = token.split_once('.')?;
    tengen_live::partition(game_id).filter(|_| game_id.len() <= 64)?;
    Some(Cursor { ended_at_ms: ended_at_ms.parse().ok()?, game_id: game_id.to_owned() })
}
