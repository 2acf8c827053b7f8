//! The session service, as this one calls it.

use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_proto::internal::v1::presence_service_client::PresenceServiceClient;
use tengen_proto::internal::v1::{NotifyRequest, PresentRequest, StillGoneRequest};
use tengen_proto::session::v1::GetAccountRequest;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tonic::body::Body;
use tonic::codegen::{Body as HttpBody, Bytes, Service, StdError};
use tonic::{Code, Status};
use tower::ServiceExt as _;
use tower::util::BoxCloneSyncService;

use crate::record::Player;

/// How long an answer about a player's presence is waited for: a part of the lease under which a
/// game that is due is asked about.
pub const ANSWER_MS: i64 = 300;

/// A way to the session service.
pub type SessionChannel = BoxCloneSyncService<http::Request<Body>, http::Response<Body>, Status>;

/// The way to the session service over a transport of gRPC: a channel, or the service itself in
/// this process.
pub fn session_channel<S, B>(transport: S) -> SessionChannel
where
    S: Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
    S::Error: Into<StdError>,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<StdError>,
{
    BoxCloneSyncService::new(
        transport
            .map_response(|answer| answer.map(Body::new))
            .map_err(|error| Status::from_error(error.into())),
    )
}

/// A piece of news for one player; the same key is the same news.
#[derive(Debug, Clone)]
pub struct News(pub NotifyRequest);

/// The session service.
#[derive(Clone)]
pub struct Sessions {
    channel: SessionChannel,
    time: SharedTime,
}

impl Sessions {
    /// The session service at the other end.
    pub fn new(channel: SessionChannel, time: SharedTime) -> Self {
        Self { channel, time }
    }

    /// Whether a player is gone at this moment.
    ///
    /// # Errors
    /// BEHIND_UNAVAILABLE: no answer came in time, or none that says so.
    pub async fn still_gone(&self, player_id: &str) -> Result<bool, Refusal> {
        let request = StillGoneRequest { player_id: player_id.to_owned() };
        let mut presence = PresenceServiceClient::new(self.channel.clone());
        let until_ms = self.time.now_ms().saturating_add(ANSWER_MS);
        let answer = tokio::select! {
            biased;
            answer = presence.still_gone(request) => answer,
            () = self.time.until(until_ms) => Err(Status::deadline_exceeded("no answer in time")),
        };
        match answer {
            Ok(answer) => Ok(answer.into_inner().gone),
            Err(status) => {
                tracing::warn!(player_id, %status, "it is not known whether a player is gone");
                Err(Refusal::behind_unavailable("session"))
            }
        }
    }

    /// Tells who has a stream in this process.
    ///
    /// # Errors
    /// What session answers, or that it does not.
    pub async fn present(&self, told: PresentRequest) -> Result<(), Status> {
        PresenceServiceClient::new(self.channel.clone()).present(told).await.map(drop)
    }

    /// Tells a player a piece of news.
    ///
    /// # Errors
    /// What session answers, or that it does not.
    pub async fn notify(&self, news: &News) -> Result<(), Status> {
        PresenceServiceClient::new(self.channel.clone()).notify(news.0.clone()).await.map(drop)
    }

    /// Who has this account; `None` if nobody.
    ///
    /// # Errors
    /// BEHIND_UNAVAILABLE.
    pub async fn account(&self, player_id: &str) -> Result<Option<Player>, Refusal> {
        let request = GetAccountRequest { player_id: player_id.to_owned() };
        let mut sessions = SessionServiceClient::new(self.channel.clone());
        match sessions.get_account(request).await {
            Ok(answer) => Ok(answer.into_inner().account.map(|account| Player {
                id: account.player_id,
                name: account.name,
                bot: account.bot,
                tier: account.tier,
            })),
            Err(status) if status.code() == Code::NotFound => Ok(None),
            Err(_) => Err(Refusal::behind_unavailable("session")),
        }
    }
}
