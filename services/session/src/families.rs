//! Reconnect tokens: families in live state, one for each sign-in.
//!
//! A token is a family's id and 256 bits of its own; only hashes are stored. Exchanged, it gives its
//! successor: a keyed hash (HMAC) of the token and the request, whose key is the family's secret. So
//! the same request makes the same successor again, on any replica, without anybody having kept it;
//! and neither what is stored nor a token alone is enough to make it.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use tengen_live::{Live, LiveError, Version};

use crate::convert;

/// How long a token may lie unused.
const LIFE_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// How long the same request gets the same successor.
const AGAIN_MS: i64 = 60_000;
const FAMILY_BYTES: usize = 16;
const SECRET_BYTES: usize = 32;
/// A family's slot has this one entry.
const KEY: &str = "family";

/// The length of a token as it is sent.
pub(crate) const TOKEN_CHARACTERS: usize = (FAMILY_BYTES + SECRET_BYTES) * 4 / 3;

/// The families of reconnect tokens.
#[derive(Clone)]
pub(crate) struct Families(Arc<dyn Live>);

/// A token as it was sent.
pub(crate) struct Token {
    family: [u8; FAMILY_BYTES],
    secret: [u8; SECRET_BYTES],
}

/// The tokens that came of one sign-in, each the successor of the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Family {
    pub(crate) player_id: String,
    /// The generation of the account's tokens.
    pub(crate) generation: i64,
    /// With it and a token, the token's successor is made.
    pub(crate) secret: Vec<u8>,
    /// The hash of the token that is good.
    pub(crate) current: Vec<u8>,
    /// The hash of the token before; empty for the first.
    pub(crate) previous: Vec<u8>,
    /// The hash of the request that exchanged it.
    pub(crate) request: Vec<u8>,
    pub(crate) exchanged_at_ms: i64,
}

/// A family as it was found.
pub(crate) struct Found {
    slot: String,
    version: Version,
    pub(crate) family: Family,
}

/// What a token is good for.
pub(crate) enum Use {
    /// For its successor.
    First(Token),
    /// For the same successor again: the answer was lost.
    Again(Token),
    /// For nothing: it was used before.
    Reused,
}

impl Families {
    pub(crate) fn new(live: Arc<dyn Live>) -> Self {
        Self(live)
    }

    /// Begins a family; gives its first token.
    pub(crate) async fn begin(
        &self,
        player_id: &str,
        generation: i64,
    ) -> Result<String, LiveError> {
        let token = Token { family: rand::random(), secret: rand::random() };
        let family = Family {
            player_id: player_id.to_owned(),
            generation,
            secret: rand::random::<[u8; SECRET_BYTES]>().to_vec(),
            current: token.hash(),
            ..Family::default()
        };
        self.put(&token.slot(), None, Some(&family)).await?;
        Ok(token.text())
    }

    /// The family that a token belongs to.
    pub(crate) async fn find(&self, token: &Token) -> Result<Option<Found>, LiveError> {
        let slot = token.slot();
        let Some((version, stored)) = self.0.entry(&slot, KEY).await? else {
            return Ok(None);
        };
        let broken = || LiveError::Unavailable("a family of reconnect tokens is broken".to_owned());
        let family = convert::family(stored).ok_or_else(broken)?;
        Ok(Some(Found { slot, version, family }))
    }

    /// What a token of this family is good for, when this request brings it.
    pub(crate) fn judge(&self, found: &Found, token: &Token, request_id: &str) -> Use {
        let family = &found.family;
        let (hash, successor) = (token.hash(), token.successor(&family.secret, request_id));
        if hash == family.current {
            return Use::First(successor);
        }
        let late = self.0.now_ms().saturating_sub(family.exchanged_at_ms) >= AGAIN_MS;
        let same = hash == family.previous
            && digest(request_id.as_bytes()) == family.request
            && successor.hash() == family.current;
        if same && !late { Use::Again(successor) } else { Use::Reused }
    }

    /// Puts the successor in the token's place.
    ///
    /// # Errors
    /// [`LiveError::EntryConflict`] if the family was changed since it was found.
    pub(crate) async fn exchange(
        &self,
        found: Found,
        successor: &Token,
        request_id: &str,
    ) -> Result<(), LiveError> {
        let Found { slot, version, mut family } = found;
        family.previous = std::mem::replace(&mut family.current, successor.hash());
        family.request = digest(request_id.as_bytes());
        family.exchanged_at_ms = self.0.now_ms();
        self.put(&slot, Some(version), Some(&family)).await
    }

    /// Revokes the family.
    ///
    /// # Errors
    /// [`LiveError::EntryConflict`] if the family was changed since it was found.
    pub(crate) async fn end(&self, found: &Found) -> Result<(), LiveError> {
        self.put(&found.slot, Some(found.version), None).await
    }

    async fn put(
        &self,
        slot: &str,
        expected: Option<Version>,
        family: Option<&Family>,
    ) -> Result<(), LiveError> {
        let value = family.map(convert::stored_family);
        let expires_ms = self.0.now_ms().saturating_add(LIFE_MS);
        self.0.put_entry(slot, KEY, expected, value, Some(expires_ms)).await.map(drop)
    }
}

impl Token {
    /// The token that a text is, if it is one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let (family, secret) = bytes.split_at_checked(FAMILY_BYTES)?;
        Some(Self { family: family.try_into().ok()?, secret: secret.try_into().ok()? })
    }

    /// As it is sent.
    pub(crate) fn text(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode([&self.family[..], &self.secret[..]].concat())
    }

    /// Names its family in the audit. It tells nothing of the token.
    pub(crate) fn family(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(&digest(&self.family)[..12])
    }

    fn slot(&self) -> String {
        // Hashed: whoever reads the names of slots shall not be able to end families.
        format!("session:{}", self.family())
    }

    fn hash(&self) -> Vec<u8> {
        digest(&self.secret)
    }

    fn successor(&self, key: &[u8], request_id: &str) -> Self {
        let mut mac = keyed(key);
        mac.update(&self.family);
        mac.update(&self.secret);
        mac.update(request_id.as_bytes());
        Self { family: self.family, secret: mac.finalize().into_bytes().into() }
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("a key of any length")
}

fn digest(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}
