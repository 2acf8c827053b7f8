//! Tokens of another identity provider, exchanged for ours.

use tengen_kit::fields::Fields;
use tengen_kit::id;
use tengen_kit::origin::Origin;
use tengen_kit::status::Refusal;
use tengen_proto::session::v1 as wire;
use tonic::Code;

use super::Sessions;
use crate::error;
use crate::names;
use crate::provider::Foreign;
use crate::store::{Account, Added};

impl Sessions {
    pub(super) async fn exchanges(
        &self,
        origin: &Origin,
        request: wire::ExchangeTokenRequest,
    ) -> Result<wire::ExchangeTokenResponse, Refusal> {
        let wire::ExchangeTokenRequest { request_id, token } = request;
        let mut fields = Fields::new();
        fields.request_id(&request_id);
        fields.secret("token", &token, 16..=8_192);
        fields.finish()?;
        let provider = self.provider.as_ref().ok_or_else(error::no_identity_provider)?;
        self.attempts.admit(origin).await?;
        let foreign = provider.verify(&token).await;
        let foreign = foreign.map_err(|fault| error::foreign_token(&fault));
        if foreign.as_ref().is_err_and(|refusal| refusal.code() == Code::Unauthenticated) {
            self.attempts.refused(origin).await?;
        }
        let account = self.settled(origin, &foreign?).await?;
        let tokens = self.grant(&account).await?;
        Ok(wire::ExchangeTokenResponse {
            account: Some(self.rendered(account)),
            tokens: Some(tokens),
        })
    }

    /// The account of somebody from elsewhere: made now, if this is the first time.
    async fn settled(&self, origin: &Origin, foreign: &Foreign) -> Result<Account, Refusal> {
        let Foreign { issuer, subject, names } = foreign;
        let known = self.store.by_subject(issuer, subject).await;
        if let Some(account) = known.map_err(|error| error::store_failed(&error))? {
            return Ok(account);
        }
        self.attempts.register(origin).await?;
        let player_id = id::derive("player", &["foreign", issuer, subject, ""]);
        for name in names::candidates(names, &player_id) {
            let account = Account::new(
                player_id.clone(),
                name.shown.clone(),
                // No password signs in to it.
                String::new(),
                self.time.now_ms(),
            );
            let added = self.store.add(&account, &name.looks(), 0, Some((issuer, subject))).await;
            match added.map_err(|error| error::store_failed(&error))? {
                Added::New => return Ok(account),
                Added::Known => {
                    let account = self.known(&player_id).await?;
                    return account.ok_or_else(|| Refusal::behind_unavailable("accounts"));
                }
                Added::Taken | Added::Full => {}
            }
        }
        Err(error::name_taken(names.first().map_or("player", |name| name.as_str())))
    }
}
