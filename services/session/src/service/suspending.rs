//! Suspensions, by organisers.

use tengen_kit::auth::Account as Caller;
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_proto::session::v1 as wire;
use tengen_proto::time::timestamp_ms;

use super::Sessions;
use crate::store::Change;

/// What is expected of the end of a suspension.
const UNTIL: &str = "an instant to come, in whole milliseconds, or none";

impl Sessions {
    pub(super) async fn suspends(
        &self,
        caller: &Caller,
        request: wire::SuspendAccountRequest,
    ) -> Result<wire::SuspendAccountResponse, Refusal> {
        let wire::SuspendAccountRequest { request_id, player_id, until, reason } = request;
        let mut fields = Fields::new();
        fields.request_id(&request_id);
        fields.id("player_id", &player_id);
        fields.text("reason", &reason, 1..=500);
        let until_ms = until.as_ref().map_or(Some(i64::MAX), timestamp_ms);
        if until_ms.is_none() {
            fields.refuse("until", "", UNTIL);
        }
        let until_ms = fields.complete(until_ms)?;
        let change = Change::Suspension { until_ms, reason };
        let audit = self.audit(&change, &caller.id, &player_id, &request_id);
        // The same request may come again when its time is over.
        if until_ms <= self.time.now_ms() && !self.was_done(&audit).await? {
            let mut fields = Fields::new();
            fields.refuse("until", until_ms, UNTIL);
            fields.finish()?;
        }
        self.done(&change, None, &audit).await?;
        Ok(wire::SuspendAccountResponse {})
    }

    pub(super) async fn lifts(
        &self,
        caller: &Caller,
        request: wire::LiftSuspensionRequest,
    ) -> Result<wire::LiftSuspensionResponse, Refusal> {
        let wire::LiftSuspensionRequest { request_id, player_id } = request;
        let mut fields = Fields::new();
        fields.request_id(&request_id);
        fields.id("player_id", &player_id);
        fields.finish()?;
        let audit = self.audit(&Change::Lift, &caller.id, &player_id, &request_id);
        self.done(&Change::Lift, None, &audit).await?;
        Ok(wire::LiftSuspensionResponse {})
    }
}
