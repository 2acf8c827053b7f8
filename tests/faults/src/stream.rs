//! Streams of a signed-in player, opened by hand and dropped by hand.

use tengen_kit::client;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{WatchGameRequest, WatchGameResponse};
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{AttachRequest, AttachResponse};
use tonic::{Request, Status, Streaming};

/// A request with an access token.
pub fn signed<M>(message: M, token: &str) -> Request<M> {
    let mut request = Request::new(message);
    let bearer = format!("Bearer {token}").parse().expect("a token is ASCII");
    request.metadata_mut().insert("authorization", bearer);
    request
}

/// Watches a game as this player, at this replica, on a connection of its own; gives what is told
/// first.
///
/// # Errors
/// What the replica says, or that it is not there.
pub async fn watch(
    url: &str,
    token: &str,
    game_id: &str,
) -> Result<(Message, Streaming<WatchGameResponse>), Status> {
    let channel = client::endpoint(url).expect("an address").connect_lazy();
    let request = WatchGameRequest { game_id: game_id.to_owned(), ..WatchGameRequest::default() };
    let watching = GameServiceClient::new(channel).watch_game(signed(request, token)).await;
    let mut stream = watching?.into_inner();
    let first = stream.message().await?.and_then(|told| told.message);
    Ok((first.ok_or_else(|| Status::unavailable("nothing was told"))?, stream))
}

/// Attaches a device of this player, at this replica; returns once it is told something.
///
/// # Errors
/// What the replica says, or that it is not there.
pub async fn attach(url: &str, token: &str) -> Result<Streaming<AttachResponse>, Status> {
    let channel = client::endpoint(url).expect("an address").connect_lazy();
    let request = AttachRequest { device_id: "phone".to_owned(), after_sequence: 0 };
    let attached = SessionServiceClient::new(channel).attach(signed(request, token)).await;
    let mut stream = attached?.into_inner();
    stream.message().await?;
    Ok(stream)
}
