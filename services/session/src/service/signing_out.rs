//! Signing out everywhere.

use tengen_kit::auth::{Caller, Revocation};
use tengen_kit::fields::Fields;
use tengen_kit::id;
use tengen_kit::status::Refusal;
use tengen_proto::session::v1 as wire;

use super::Sessions;
use crate::error;
use crate::store::Audit;

impl Sessions {
    pub(super) async fn signs_out(
        &self,
        caller: &Caller,
        request: wire::SignOutRequest,
    ) -> Result<wire::SignOutResponse, Refusal> {
        let account = caller.account()?;
        let mut fields = Fields::new();
        fields.request_id(&request.request_id);
        fields.finish()?;
        let audit = Audit {
            id: id::derive("audit", &[&account.id, &request.request_id]),
            at_ms: self.time.now_ms(),
            event: "sign_out",
            actor_id: account.id.clone(),
            player_id: account.id.clone(),
            detail: String::new(),
            request_id: request.request_id,
        };
        let generation = self.store.sign_out(account.generation, &audit).await;
        let generation = generation.map_err(|error| error::store_failed(&error))?;
        self.verifier.revoke([Revocation { account_id: account.id.clone(), generation }]);
        Ok(wire::SignOutResponse {})
    }
}
