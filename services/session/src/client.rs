//! The game service, as this one calls it.

use tengen_kit::client::ServiceChannel;
use tengen_proto::internal::v1::game_control_service_client::GameControlServiceClient;
use tengen_proto::internal::v1::{PlayerBackRequest, PlayerGoneRequest};
use tonic::Status;

/// The game service. Its clones are the same.
#[derive(Clone)]
pub(crate) struct Games(ServiceChannel);

impl Games {
    pub(crate) fn new(channel: ServiceChannel) -> Self {
        Self(channel)
    }

    /// Tells that a player is gone; gives how many games it is missed in.
    ///
    /// # Errors
    /// What the game service answers.
    pub(crate) async fn gone(&self, player_id: &str, presence_number: i64) -> Result<i32, Status> {
        let request = PlayerGoneRequest { player_id: player_id.to_owned(), presence_number };
        Ok(self.control().player_gone(request).await?.into_inner().games)
    }

    /// Tells that a player is back.
    ///
    /// # Errors
    /// What the game service answers.
    pub(crate) async fn back(&self, player_id: &str, presence_number: i64) -> Result<(), Status> {
        let request = PlayerBackRequest { player_id: player_id.to_owned(), presence_number };
        self.control().player_back(request).await.map(drop)
    }

    fn control(&self) -> GameControlServiceClient<ServiceChannel> {
        GameControlServiceClient::new(self.0.clone())
    }
}
