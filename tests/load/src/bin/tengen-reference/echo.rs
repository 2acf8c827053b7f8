//! Answers every move, and does nothing.

use tengen_proto::game::v1::game_service_server::GameService;
use tengen_proto::game::v1::{PlayMoveRequest, PlayMoveResponse};
use tonic::{Request, Response, Status};

use crate::answer::accepted;

/// The cost of a call.
pub struct Echo;

#[tonic::async_trait]
impl GameService for Echo {
    async fn play_move(
        &self,
        request: Request<PlayMoveRequest>,
    ) -> Result<Response<PlayMoveResponse>, Status> {
        let accepted = Some(accepted(request.into_inner().move_number));
        Ok(Response::new(PlayMoveResponse { accepted }))
    }
}
