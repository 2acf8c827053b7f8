//! Who was signed out: told to the services that check tokens.

use tengen_kit::time::SharedTime;
use tengen_proto::internal::v1 as wire;
use tengen_proto::internal::v1::revocation_service_server::RevocationService;
use tengen_proto::time::{timestamp, timestamp_ms};
use tonic::{Request, Response, Status};

use crate::error;
use crate::store::Store;
use crate::upkeep::KEPT_MS;

/// How much of what was told is told again: a replica's clock may be behind, and a transaction may
/// end later than one that began after it.
const OVERLAP_MS: i64 = 15_000;

/// Answers who was signed out.
#[derive(Clone)]
pub(crate) struct Revocations {
    pub(crate) store: Store,
    pub(crate) time: SharedTime,
}

#[tonic::async_trait]
impl RevocationService for Revocations {
    async fn list_revocations(
        &self,
        request: Request<wire::ListRevocationsRequest>,
    ) -> Result<Response<wire::ListRevocationsResponse>, Status> {
        let after = request.into_inner().after.as_ref().and_then(timestamp_ms);
        let now_ms = self.time.now_ms();
        let oldest_ms = now_ms.saturating_sub(KEPT_MS);
        let after_ms = after.unwrap_or_default().saturating_sub(OVERLAP_MS).max(oldest_ms);
        let revocations = self.store.revocations(after_ms).await;
        let revocations = revocations.map_err(|error| error::store_failed(&error))?;
        let revocations = revocations.into_iter().map(|revocation| wire::Revocation {
            player_id: revocation.account_id,
            generation: revocation.generation,
        });
        Ok(Response::new(wire::ListRevocationsResponse {
            revocations: revocations.collect(),
            as_of: Some(timestamp(now_ms)),
        }))
    }
}
