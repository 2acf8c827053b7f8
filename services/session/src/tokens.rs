//! Access tokens.

use std::sync::Arc;

use tengen_kit::auth::Claims;
use tengen_kit::config::Issuer;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_proto::common::v1::Role;

use crate::config::{Config, Grants};
use crate::experience::Tiers;
use crate::keys::Keys;
use crate::store::Account;

/// How long an access token is good.
pub(crate) const LIFE_SECONDS: i64 = 600;

/// Issues access tokens.
#[derive(Clone)]
pub(crate) struct Tokens {
    issuer: Issuer,
    grants: Arc<Grants>,
    tiers: Tiers,
    keys: Arc<Keys>,
    time: SharedTime,
}

/// A token, and what it says.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) token: String,
    pub(crate) expires_at_ms: i64,
    pub(crate) roles: Vec<Role>,
}

impl Tokens {
    pub(crate) fn new(issuer: Issuer, config: &Config, keys: Arc<Keys>, time: SharedTime) -> Self {
        Self { issuer, grants: Arc::new(config.grants()), tiers: config.tiers(), keys, time }
    }

    /// A token for an account, from now on.
    ///
    /// # Errors
    /// UNAVAILABLE if it cannot be signed, which is not known to happen.
    pub(crate) fn issue(&self, account: &Account) -> Result<Issued, Refusal> {
        let roles = self.grants.roles(&account.player_id);
        let issued_at = self.time.now_ms() / 1_000;
        let claims = Claims {
            iss: self.issuer.name.clone(),
            aud: self.issuer.audience.clone(),
            sub: account.player_id.clone(),
            iat: issued_at,
            exp: issued_at + LIFE_SECONDS,
            name: account.name.clone(),
            roles: roles.iter().map(|role| name_of(*role).to_owned()).collect(),
            bot: account.bot != 0,
            generation: account.generation,
            tier: self.tiers.of(account.minutes),
        };
        let token = self.keys.sign(&claims).map_err(|error| {
            tracing::error!(%error, "no access token");
            Refusal::behind_unavailable("signing key")
        })?;
        Ok(Issued { token, expires_at_ms: claims.exp * 1_000, roles })
    }
}

/// A role as it stands in a token and in a rule of the gate: `PLAYER`.
fn name_of(role: Role) -> &'static str {
    let name = role.as_str_name();
    name.strip_prefix("ROLE_").unwrap_or(name)
}
