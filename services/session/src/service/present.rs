//! What other services ask and tell.

use tengen_kit::fields::Fields;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tengen_link::Here;
use tengen_proto::internal::v1 as wire;
use tengen_proto::internal::v1::presence_service_server::PresenceService;
use tonic::{Request, Response, Status};

use crate::notices::Notices;
use crate::presence::Presence;
use crate::{convert, error};

/// Answers the services of the suite.
#[derive(Clone)]
pub(crate) struct Present {
    pub(crate) presence: Presence,
    pub(crate) notices: Notices,
}

#[tonic::async_trait]
impl PresenceService for Present {
    async fn still_gone(
        &self,
        request: Request<wire::StillGoneRequest>,
    ) -> Result<Response<wire::StillGoneResponse>, Status> {
        let player_id = request.into_inner().player_id;
        let mut fields = Fields::new();
        fields.id("player_id", &player_id);
        fields.finish()?;
        let gone = self.presence.still_gone(&player_id).await;
        let gone = gone.map_err(|error| error::live_failed(&error))?;
        Ok(Response::new(wire::StillGoneResponse { gone }))
    }

    async fn notify(
        &self,
        request: Request<wire::NotifyRequest>,
    ) -> Result<Response<wire::NotifyResponse>, Status> {
        let wire::NotifyRequest { player_id, key, notice } = request.into_inner();
        let mut fields = Fields::new();
        fields.id("player_id", &player_id);
        fields.text("key", &key, 1..=128);
        let notice = notice.filter(|notice| notice.notice.is_some());
        if notice.is_none() {
            fields.refuse("notice", "", "a notice that says something");
        }
        let notice = convert::stored_notice(fields.complete(notice)?, self.notices.now_ms());
        let added = self.notices.add(&player_id, &key, notice).await;
        added.map_err(|error| error::live_failed(&error))?;
        Ok(Response::new(wire::NotifyResponse {}))
    }

    async fn present(
        &self,
        request: Request<wire::PresentRequest>,
    ) -> Result<Response<wire::PresentResponse>, Status> {
        let told = request.into_inner();
        let mut fields = Fields::new();
        fields.id("holder_id", &told.holder_id);
        fields.range("number", told.number, 1..=i64::MAX);
        for player_id in &told.player_ids {
            fields.id("player_ids", player_id);
        }
        fields.finish()?;
        let held = self.presence.hold(convert::told(told)).await;
        held.map_err(|error| error::live_failed(&error))?;
        Ok(Response::new(wire::PresentResponse {}))
    }
}

/// Tells itself who has a stream in this process, until the process ends. While that fails, others
/// cannot tell either, and their silence says nothing.
pub(crate) async fn hold_own(presence: Presence, here: Here, time: SharedTime, shutdown: Shutdown) {
    let hear = |request| async {
        presence.hold(convert::told(request)).await.map_err(|error| {
            presence.unsteady();
            Status::unavailable(error.to_string())
        })
    };
    here.keep_telling(hear, time, shutdown).await;
}
