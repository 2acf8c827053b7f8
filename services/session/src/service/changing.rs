//! What a player changes of his own account: the password, or that there is one.

use tengen_kit::auth::{Account as Caller, TokenFault};
use tengen_kit::fields::Fields;
use tengen_kit::id;
use tengen_kit::origin::Origin;
use tengen_kit::status::Refusal;
use tengen_proto::session::v1 as wire;

use super::Sessions;
use crate::store::{Account, Audit, Change, Changed};
use crate::{error, names};

impl Sessions {
    pub(super) async fn changes_password(
        &self,
        caller: &Caller,
        origin: &Origin,
        request: wire::ChangePasswordRequest,
    ) -> Result<wire::ChangePasswordResponse, Refusal> {
        let wire::ChangePasswordRequest { request_id, old_password, new_password } = request;
        let mut fields = Fields::new();
        fields.request_id(&request_id);
        fields.secret("old_password", &old_password, 1..=128);
        fields.secret("new_password", &new_password, 8..=128);
        fields.finish()?;
        let audit =
            self.audit(&Change::Password(String::new()), &caller.id, &caller.id, &request_id);
        if !self.was_done(&audit).await? {
            let account = self.shown(caller, origin, &old_password).await?;
            let hash = self.passwords.hash(&new_password).await.map_err(error::password_failed)?;
            let change = Change::Password(hash);
            if self.done(&change, Some(account.generation), &audit).await? {
                return Ok(wire::ChangePasswordResponse {});
            }
        }
        // By the same request, before: with the same new password?
        let account = self.known(&caller.id).await?;
        let stored = account.as_ref().map(|account| account.password_hash.as_str());
        let same = self.passwords.matches(&new_password, stored).await;
        if same.map_err(error::password_failed)? {
            Ok(wire::ChangePasswordResponse {})
        } else {
            Err(error::request_id_reused(&request_id))
        }
    }

    pub(super) async fn deletes(
        &self,
        caller: &Caller,
        origin: &Origin,
        request: wire::DeleteAccountRequest,
    ) -> Result<wire::DeleteAccountResponse, Refusal> {
        let wire::DeleteAccountRequest { request_id, password } = request;
        let mut fields = Fields::new();
        fields.request_id(&request_id);
        fields.secret("password", &password, 1..=128);
        fields.finish()?;
        let audit = self.audit(&Change::Deletion, &caller.id, &caller.id, &request_id);
        if !self.was_done(&audit).await? {
            let account = self.shown(caller, origin, &password).await?;
            self.done(&Change::Deletion, Some(account.generation), &audit).await?;
        }
        Ok(wire::DeleteAccountResponse {})
    }

    /// The caller's account, if he shows its password and his token is good still.
    async fn shown(
        &self,
        caller: &Caller,
        origin: &Origin,
        password: &str,
    ) -> Result<Account, Refusal> {
        let account = self.known(&caller.id).await?;
        let good = account.filter(|account| account.generation == caller.generation);
        let account = good.ok_or(TokenFault::Revoked)?;
        let look = names::look(&account.name);
        if self.is_password(origin, &look, password, Some(&account)).await? {
            Ok(account)
        } else {
            Err(error::wrong_credentials())
        }
    }

    /// The row of the audit for a change by a request.
    pub(super) fn audit(
        &self,
        change: &Change,
        actor_id: &str,
        player_id: &str,
        request_id: &str,
    ) -> Audit {
        Audit {
            id: id::derive("audit", &[actor_id, request_id]),
            at_ms: self.time.now_ms(),
            event: change.event(),
            actor_id: actor_id.to_owned(),
            player_id: player_id.to_owned(),
            detail: change.detail(),
            request_id: request_id.to_owned(),
        }
    }

    /// Whether the same request has done it before.
    pub(super) async fn was_done(&self, audit: &Audit) -> Result<bool, Refusal> {
        let recorded = self.store.recorded(audit).await;
        match recorded.map_err(|error| error::store_failed(&error))? {
            Some(false) => Err(error::request_id_reused(&audit.request_id)),
            same => Ok(same.is_some()),
        }
    }

    /// Changes an account and ends what has to end; `false` if the same request did before.
    pub(super) async fn done(
        &self,
        change: &Change,
        generation: Option<i64>,
        audit: &Audit,
    ) -> Result<bool, Refusal> {
        let changed = self.store.change(change, generation, audit).await;
        match changed.map_err(|error| error::store_failed(&error))? {
            Changed::Done(revocations) => {
                self.verifier.revoke(revocations);
                Ok(true)
            }
            Changed::Known => Ok(false),
            Changed::Reused => Err(error::request_id_reused(&audit.request_id)),
            Changed::Stale if generation.is_some() => Err(TokenFault::Revoked.into()),
            Changed::Stale => Err(error::player_not_found(&audit.player_id)),
        }
    }
}
