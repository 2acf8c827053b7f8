//! Reconnect tokens, exchanged for a new pair.

use tengen_kit::fields::Fields;
use tengen_kit::id;
use tengen_kit::origin::Origin;
use tengen_kit::status::Refusal;
use tengen_live::LiveError;
use tengen_proto::session::v1 as wire;
use tonic::Code;

use super::Sessions;
use crate::families::{Found, TOKEN_CHARACTERS, Token, Use};
use crate::store::{Account, Audit};
use crate::{convert, error};

/// How often a race for a family may be lost.
const TRIES: u32 = 8;

impl Sessions {
    pub(super) async fn reconnects(
        &self,
        origin: &Origin,
        request: wire::ReconnectRequest,
    ) -> Result<wire::ReconnectResponse, Refusal> {
        self.attempts.admit(origin).await?;
        let answer = self.exchanged(request).await;
        if answer.as_ref().is_err_and(|refusal| refusal.code() == Code::Unauthenticated) {
            self.attempts.refused(origin).await?;
        }
        answer
    }

    async fn exchanged(
        &self,
        request: wire::ReconnectRequest,
    ) -> Result<wire::ReconnectResponse, Refusal> {
        let wire::ReconnectRequest { request_id, reconnect_token } = request;
        let mut fields = Fields::new();
        fields.request_id(&request_id);
        let token = Token::parse(&reconnect_token);
        if token.is_none() {
            let expected = format!("{TOKEN_CHARACTERS} characters, as a sign-in gave them");
            fields.refuse("reconnect_token", "(hidden)", &expected);
        }
        let token = fields.complete(token)?;
        for _ in 0..TRIES {
            let found = self.families.find(&token).await;
            let found = found.map_err(|error| error::live_failed(&error))?;
            let found = found.ok_or_else(error::reconnect_token_unknown)?;
            let given = match self.families.judge(&found, &token, &request_id) {
                Use::Reused => self.revoked(&found, &token).await?,
                Use::Again(successor) => Some((self.holder(&found).await?, successor)),
                Use::First(successor) => {
                    let account = self.holder(&found).await?;
                    let exchanged = self.families.exchange(found, &successor, &request_id).await;
                    unless_raced(exchanged)?.map(|()| (account, successor))
                }
            };
            if let Some((account, successor)) = given {
                let issued = self.tokens.issue(&account)?;
                let tokens = Some(convert::tokens(issued, successor.text()));
                return Ok(wire::ReconnectResponse { tokens });
            }
        }
        Err(error::contended(TRIES))
    }

    /// Whose family it is, if all of its tokens are still good.
    async fn holder(&self, found: &Found) -> Result<Account, Refusal> {
        let account = self.known(&found.family.player_id).await?;
        match account {
            Some(account) if account.generation == found.family.generation => Ok(account),
            Some(account) if account.suspended_until_ms > self.time.now_ms() => {
                Err(error::suspended(&account))
            }
            _ => {
                // Signed out since. Nobody comes for the family again.
                if let Err(error) = self.families.end(found).await {
                    tracing::debug!(%error, "left to expire");
                }
                Err(error::reconnect_token_unknown())
            }
        }
    }

    /// Ends a family of which a token was used twice (fault F15): never `Some`.
    async fn revoked<T>(&self, found: &Found, token: &Token) -> Result<Option<T>, Refusal> {
        if unless_raced(self.families.end(found).await)?.is_none() {
            return Ok(None);
        }
        let player_id = found.family.player_id.clone();
        let family = token.family();
        tracing::warn!(target: "audit", player_id, family, "a reconnect token was used twice");
        let audit = Audit {
            id: id::derive("audit", &["reconnect_token_reused", &family]),
            at_ms: self.time.now_ms(),
            event: "reconnect_token_reused",
            actor_id: String::new(),
            player_id,
            detail: format!("family {family}"),
            request_id: String::new(),
        };
        // The log has it; the family is gone, whatever becomes of the row.
        if let Err(error) = self.store.note(&audit).await {
            tracing::error!(%error, "a row of the audit is missing");
        }
        Err(error::reconnect_token_reused())
    }
}

/// `None` if somebody was faster.
fn unless_raced(changed: Result<(), LiveError>) -> Result<Option<()>, Refusal> {
    match changed {
        Ok(()) => Ok(Some(())),
        Err(LiveError::EntryConflict { .. }) => Ok(None),
        Err(error) => Err(error::live_failed(&error)),
    }
}
