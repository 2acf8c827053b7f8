//! Signing in by name and password.

use tengen_kit::fields::Fields;
use tengen_kit::origin::Origin;
use tengen_kit::status::Refusal;
use tengen_proto::session::v1 as wire;

use super::Sessions;
use crate::store::Account;
use crate::{error, names};

impl Sessions {
    pub(super) async fn signs_in(
        &self,
        origin: &Origin,
        request: wire::SignInRequest,
    ) -> Result<wire::SignInResponse, Refusal> {
        let wire::SignInRequest { name, password } = request;
        let mut fields = Fields::new();
        // Wider than what a new account may have: whoever has one must get in, whatever the rules
        // for names were when it was made.
        fields.text("name", &name, 1..=64);
        fields.secret("password", &password, 1..=128);
        fields.finish()?;

        let look = names::look(&name);
        let account = self.store.by_look(&look).await;
        let account = account.map_err(|error| error::store_failed(&error))?;
        let matches = self.is_password(origin, &look, &password, account.as_ref()).await?;
        let account = account.filter(|_| matches).ok_or_else(error::wrong_credentials)?;
        let tokens = self.grant(&account).await?;
        Ok(wire::SignInResponse { account: Some(self.rendered(account)), tokens: Some(tokens) })
    }

    /// Whether a password is that of the account with this look, if there is one: one more attempt
    /// for the look, and for where it comes from.
    pub(super) async fn is_password(
        &self,
        origin: &Origin,
        look: &str,
        password: &str,
        account: Option<&Account>,
    ) -> Result<bool, Refusal> {
        let attempt = self.attempts.begin(look, origin).await?;
        let stored = account.map(|account| account.password_hash.as_str());
        let matches = self.passwords.matches(password, stored).await;
        let matches = matches.map_err(error::password_failed)?;
        if matches {
            self.attempts.succeeded(&attempt).await?;
        } else {
            self.attempts.failed(&attempt).await?;
        }
        Ok(matches)
    }
}
