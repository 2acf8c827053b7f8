//! Verifies tokens, and remembers those it has verified.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tonic::Code;

use super::caller::{Account, Caller};
use super::keys::{KeyError, read_jwks};
use super::revoked::{Revocation, Revocations};
use super::services::{SUITE, ServiceSecret};
use crate::status::Refusal;
use crate::time::SharedTime;

/// A token longer than this is not even read.
const MOST_TOKEN_BYTES: usize = 4 * 1024;
/// How long a key is kept that is no longer published: as long as a token signed by it may live,
/// and a minute.
const KEPT_MS: i64 = 11 * 60 * 1_000;
/// The cache holds at most twice as many tokens: this many new ones, and the generation before.
const GENERATION: usize = 32 * 1024;

/// What a token says. Service tokens have no name and no roles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// Who issued it.
    pub iss: String,
    /// Whom it is for.
    pub aud: String,
    /// Whose it is: the id of an account, or the name of a service.
    pub sub: String,
    /// When it was issued, in seconds since the Unix epoch.
    pub iat: i64,
    /// From when on it is no longer good, in seconds since the Unix epoch.
    pub exp: i64,
    /// The account's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The names of the account's roles: `PLAYER`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// Whether the account is a bot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// How often all tokens of the account had been revoked before this one was issued.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub generation: i64,
    /// The account's tier of experience.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tier: i32,
}

/// What is wrong with a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// Not a token at all.
    #[error("malformed")]
    Malformed,
    /// Its signature is wrong, or of a kind that is not taken.
    #[error("forged")]
    Forged,
    /// Signed by a key that is not, or no longer, in the key set.
    #[error("signed by an unknown key")]
    UnknownKey,
    /// Of another issuer, or for somebody else.
    #[error("not for this suite")]
    Foreign,
    /// No longer good.
    #[error("expired")]
    Expired,
    /// Its account was signed out since.
    #[error("revoked")]
    Revoked,
}

/// Verifies access tokens (EdDSA) and service tokens (HS256).
pub struct Verifier {
    account_rules: Validation,
    service_rules: Validation,
    service_key: Option<DecodingKey>,
    time: SharedTime,
    state: Mutex<State>,
    revocations: Revocations,
}

/// The keys, and what was verified by them.
#[derive(Default)]
struct State {
    keys: Arc<HashMap<String, DecodingKey>>,
    /// The same keys as they were published.
    published: BTreeMap<String, Published>,
    cache: Cache,
}

/// A key, and when it was last published.
#[derive(Clone, Copy)]
struct Published {
    key: [u8; 32],
    last_ms: i64,
}

type Fingerprint = [u8; 32];

/// Two generations: what is asked for moves to the young one; when that is full the old one goes.
#[derive(Default)]
struct Cache {
    young: HashMap<Fingerprint, Verified>,
    old: HashMap<Fingerprint, Verified>,
}

#[derive(Clone)]
struct Verified {
    caller: Caller,
    expires_at_ms: i64,
}

impl Verifier {
    /// A verifier of access tokens that `issuer` issues for `audience`. It knows no key yet.
    #[must_use]
    pub fn new(issuer: &str, audience: &str, time: SharedTime) -> Self {
        Self {
            account_rules: rules(Algorithm::EdDSA, issuer, audience),
            service_rules: rules(Algorithm::HS256, SUITE, SUITE),
            service_key: None,
            time,
            state: Mutex::default(),
            revocations: Revocations::default(),
        }
    }

    /// Takes service tokens from this secret, too.
    ///
    /// # Errors
    /// [`KeyError::Sign`], which is not known to happen.
    pub fn with_services(mut self, secret: &ServiceSecret) -> Result<Self, KeyError> {
        self.service_key = Some(secret.decoding_key()?);
        Ok(self)
    }

    /// Takes the access tokens of these keys, and of no others. Calls that run meanwhile see the
    /// old set or the new one; a token whose key is gone is refused at once.
    ///
    /// # Errors
    /// [`KeyError::Jwks`] or [`KeyError::NoKey`]; the old keys stay.
    pub fn set_jwks(&self, json: &str) -> Result<(), KeyError> {
        let keys = read_jwks(json)?;
        self.state().publish(BTreeMap::new(), keys, self.time.now_ms());
        Ok(())
    }

    /// Takes the access tokens of these keys, and for 11 minutes more of those that were published
    /// before: so long their tokens may be good.
    ///
    /// # Errors
    /// [`KeyError::Jwks`] or [`KeyError::NoKey`]; the old keys stay.
    pub fn renew_jwks(&self, json: &str) -> Result<(), KeyError> {
        let keys = read_jwks(json)?;
        let now_ms = self.time.now_ms();
        let mut state = self.state();
        let mut kept = state.published.clone();
        kept.retain(|_, key| now_ms.saturating_sub(key.last_ms) < KEPT_MS);
        state.publish(kept, keys, now_ms);
        Ok(())
    }

    /// Refuses what these revocations name from now on, and ends its streams. To be told within
    /// the ten minutes that a token lives; told again, a revocation changes nothing.
    pub fn revoke(&self, revocations: impl IntoIterator<Item = Revocation>) {
        self.revocations.add(revocations, self.time.now_ms());
    }

    /// Ends once the token by which this account called is revoked.
    pub(super) fn revoked(
        &self,
        account: Arc<Account>,
    ) -> impl Future<Output = ()> + Send + 'static {
        self.revocations.of(account)
    }

    /// Whose token it is.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn verify(&self, token: &str) -> Result<Caller, TokenFault> {
        self.verify_after(token, || Ok(()))
    }

    /// The same, where `admit` may refuse a token that was not verified before, ahead of the work
    /// that takes, and one that is no longer good.
    pub(super) fn verify_after<E: From<TokenFault>>(
        &self,
        token: &str,
        admit: impl FnOnce() -> Result<(), E>,
    ) -> Result<Caller, E> {
        if token.len() > MOST_TOKEN_BYTES {
            return admit().and(Err(TokenFault::Malformed.into()));
        }
        let fingerprint = Sha256::digest(token).into();
        let (known, keys) = {
            let mut state = self.state();
            (state.cache.get(&fingerprint), Arc::clone(&state.keys))
        };
        if let Some(known) = known {
            return self.holding(known).or_else(|fault| admit().and(Err(fault.into())));
        }
        admit()?;
        let verified = self.check(token, &keys)?;
        let mut state = self.state();
        // A set that came meanwhile may lack the key.
        if Arc::ptr_eq(&keys, &state.keys) {
            state.cache.insert(fingerprint, verified.clone());
        }
        drop(state);
        Ok(self.holding(verified)?)
    }

    /// Whose token it is that was verified, if it still holds.
    fn holding(&self, verified: Verified) -> Result<Caller, TokenFault> {
        if self.time.now_ms() >= verified.expires_at_ms {
            return Err(TokenFault::Expired);
        }
        if let Caller::Account(account) = &verified.caller
            && self.revocations.hold(account)
        {
            return Err(TokenFault::Revoked);
        }
        Ok(verified.caller)
    }

    fn check(
        &self,
        token: &str,
        keys: &HashMap<String, DecodingKey>,
    ) -> Result<Verified, TokenFault> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| TokenFault::Malformed)?;
        let (key, rules) = match header.alg {
            Algorithm::EdDSA => {
                let kid = header.kid.ok_or(TokenFault::UnknownKey)?;
                (keys.get(&kid).ok_or(TokenFault::UnknownKey)?, &self.account_rules)
            }
            Algorithm::HS256 => {
                (self.service_key.as_ref().ok_or(TokenFault::UnknownKey)?, &self.service_rules)
            }
            _ => return Err(TokenFault::Forged),
        };
        let claims = jsonwebtoken::decode::<Claims>(token, key, rules)
            .map_err(|error| fault(error.kind()))?
            .claims;
        let expires_at_ms = claims.exp.saturating_mul(1_000);
        let caller = match header.alg {
            Algorithm::HS256 => Caller::Service(claims.sub.into()),
            _ => Caller::Account(Arc::new(Account {
                id: claims.sub,
                name: claims.name,
                bot: claims.bot,
                roles: claims.roles,
                generation: claims.generation,
                tier: claims.tier,
            })),
        };
        Ok(Verified { caller, expires_at_ms })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes new keys beside those that are kept. If that makes another set, what was verified by
    /// the old one is forgotten.
    fn publish(
        &mut self,
        kept: BTreeMap<String, Published>,
        new: Vec<(String, [u8; 32])>,
        now_ms: i64,
    ) {
        let mut published = kept;
        published
            .extend(new.into_iter().map(|(kid, key)| (kid, Published { key, last_ms: now_ms })));
        let set = |keys: &BTreeMap<String, Published>| -> Vec<_> {
            keys.iter().map(|(kid, published)| (kid.clone(), published.key)).collect()
        };
        let (before, after) = (set(&self.published), set(&published));
        if before != after {
            // Raw bytes: `read_jwks` lets through nothing but good keys of 32 bytes.
            let decoding = |(kid, key): (String, [u8; 32])| (kid, DecodingKey::from_ed_der(&key));
            self.keys = Arc::new(after.into_iter().map(decoding).collect());
            self.cache = Cache::default();
        }
        self.published = published;
    }
}

impl Cache {
    fn get(&mut self, fingerprint: &Fingerprint) -> Option<Verified> {
        if let Some(verified) = self.young.get(fingerprint) {
            return Some(verified.clone());
        }
        let verified = self.old.remove(fingerprint)?;
        self.insert(*fingerprint, verified.clone());
        Some(verified)
    }

    fn insert(&mut self, fingerprint: Fingerprint, verified: Verified) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(fingerprint, verified);
    }
}

impl From<TokenFault> for Refusal {
    fn from(fault: TokenFault) -> Self {
        let message = format!("the token is {fault}");
        Self::new(Code::Unauthenticated, "INVALID_TOKEN", message).meta("token", fault)
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Verifier")
            .field("keys", &state.keys.keys())
            .field("cached", &(state.cache.young.len() + state.cache.old.len()))
            .finish_non_exhaustive()
    }
}

/// Expiry is not checked here, as the library would read the wall clock.
fn rules(algorithm: Algorithm, issuer: &str, audience: &str) -> Validation {
    let mut rules = Validation::new(algorithm);
    rules.set_issuer(&[issuer]);
    rules.set_audience(&[audience]);
    rules.set_required_spec_claims(&["iss", "aud", "sub", "exp"]);
    rules.validate_exp = false;
    rules
}

/// As serde asks it.
fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

fn fault(kind: &ErrorKind) -> TokenFault {
    match kind {
        ErrorKind::InvalidSignature | ErrorKind::InvalidAlgorithm => TokenFault::Forged,
        ErrorKind::InvalidIssuer | ErrorKind::InvalidAudience => TokenFault::Foreign,
        _ => TokenFault::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, Caller, Fingerprint, GENERATION, Verified};

    fn fingerprint(index: usize) -> Fingerprint {
        let mut fingerprint = [0; 32];
        fingerprint[..8].copy_from_slice(&index.to_be_bytes());
        fingerprint
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        let mut cache = Cache::default();
        let verified = Verified { caller: Caller::Guest, expires_at_ms: 1 };
        for index in 0..5 * GENERATION / 2 {
            cache.insert(fingerprint(index), verified.clone());
            assert!(cache.get(&fingerprint(0)).is_some(), "{index}");
        }
        assert!((GENERATION..=2 * GENERATION).contains(&(cache.young.len() + cache.old.len())));
        assert!(cache.get(&fingerprint(1)).is_none());
    }
}
