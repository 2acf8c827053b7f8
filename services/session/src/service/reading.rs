//! Accounts as everybody may see them.

use tengen_kit::auth::Caller;
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_proto::session::v1 as wire;

use super::Sessions;
use crate::error;

impl Sessions {
    pub(super) async fn shows(
        &self,
        caller: &Caller,
        request: wire::GetAccountRequest,
    ) -> Result<wire::GetAccountResponse, Refusal> {
        let mut player_id = request.player_id;
        let mut fields = Fields::new();
        fields.id("player_id", &player_id);
        fields.finish()?;

        if player_id == "me" {
            player_id.clone_from(&caller.account()?.id);
        }
        let account = self.known(&player_id).await?;
        let account = account.ok_or_else(|| error::player_not_found(&player_id))?;
        let mut account = self.rendered(account);
        if caller.account_id() != Some(account.player_id.as_str()) {
            // How long somebody is present is nobody else's business.
            account.experience_minutes = 0;
        }
        Ok(wire::GetAccountResponse { account: Some(account) })
    }
}
