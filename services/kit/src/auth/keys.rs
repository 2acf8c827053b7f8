//! The keys of access tokens: Ed25519, signing and published.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ed25519_dalek::pkcs8::DecodePrivateKey;
use ed25519_dalek::{SigningKey, VerifyingKey};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::verifier::Claims;

/// What stands before the 32 bytes of the seed in an Ed25519 private key in PKCS #8 (RFC 8410, 7).
const PKCS8_PREFIX: [u8; 16] =
    [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// Signs access tokens.
pub struct Signer {
    kid: String,
    key: SigningKey,
    encoding: EncodingKey,
}

/// What is wrong with a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Not a private Ed25519 key in PKCS #8.
    #[error("the key is no Ed25519 private key in PEM")]
    Pem,
    /// Not a JSON Web Key Set.
    #[error("the key set is no JSON Web Key Set: {0}")]
    Jwks(String),
    /// A key set that would refuse everybody.
    #[error("the key set holds no usable Ed25519 key")]
    NoKey,
    /// A shared secret that can be guessed.
    #[error("the shared secret of services has {0} bytes, at least 32 are needed")]
    ShortSecret(usize),
    /// The token cannot be written.
    #[error("the token cannot be signed: {0}")]
    Sign(String),
}

/// The public keys of these signers as a JSON Web Key Set (RFC 7517, RFC 8037). While keys rotate,
/// the set holds the old and the new one.
#[must_use]
pub fn jwks<'a>(signers: impl IntoIterator<Item = &'a Signer>) -> String {
    let keys: Vec<_> = signers.into_iter().map(Signer::jwk).collect();
    serde_json::json!({ "keys": keys }).to_string()
}

/// The usable keys of a set with their ids; what is no Ed25519 key for signatures is passed over.
pub(super) fn read_jwks(json: &str) -> Result<Vec<(String, [u8; 32])>, KeyError> {
    #[derive(Deserialize)]
    struct Set {
        keys: Vec<serde_json::Value>,
    }
    let set: Set = serde_json::from_str(json).map_err(|error| KeyError::Jwks(error.to_string()))?;
    let keys: Vec<_> = set.keys.iter().filter_map(read_jwk).collect();
    if keys.is_empty() { Err(KeyError::NoKey) } else { Ok(keys) }
}

fn read_jwk(jwk: &serde_json::Value) -> Option<(String, [u8; 32])> {
    let text = |name| jwk.get(name).and_then(serde_json::Value::as_str);
    if text("kty") != Some("OKP") || text("crv") != Some("Ed25519") {
        return None;
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text("x")?).ok()?;
    let key = VerifyingKey::from_bytes(&bytes.try_into().ok()?).ok()?;
    // With a weak key, signatures exist that fit every message.
    (!key.is_weak()).then_some((text("kid")?.to_owned(), key.to_bytes()))
}

impl Signer {
    /// A new key.
    #[must_use]
    pub fn generate() -> Self {
        Self::from_seed(&rand::random())
    }

    /// The key with this seed.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self::from_key(SigningKey::from_bytes(seed))
    }

    /// The key of a PEM file (`openssl genpkey -algorithm ed25519`).
    ///
    /// # Errors
    /// [`KeyError::Pem`].
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        SigningKey::from_pkcs8_pem(pem).map(Self::from_key).map_err(|_| KeyError::Pem)
    }

    /// What the key is made from: whoever holds it signs as we do.
    #[must_use]
    pub fn seed(&self) -> [u8; 32] {
        self.key.to_bytes()
    }

    /// The key's id: the thumbprint of its public half (RFC 7638).
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// A token with these claims.
    ///
    /// # Errors
    /// [`KeyError::Sign`], which is not known to happen.
    pub fn sign(&self, claims: &Claims) -> Result<String, KeyError> {
        let header = Header { kid: Some(self.kid.clone()), ..Header::new(Algorithm::EdDSA) };
        jsonwebtoken::encode(&header, claims, &self.encoding)
            .map_err(|error| KeyError::Sign(error.to_string()))
    }

    /// The public key as a JSON Web Key Set.
    #[must_use]
    pub fn jwks(&self) -> String {
        jwks([self])
    }

    fn from_key(key: SigningKey) -> Self {
        let der = [PKCS8_PREFIX.as_slice(), key.as_bytes()].concat();
        let x = BASE64_URL_SAFE_NO_PAD.encode(key.verifying_key().as_bytes());
        let thumbprint = Sha256::digest(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#));
        Self {
            kid: BASE64_URL_SAFE_NO_PAD.encode(thumbprint),
            key,
            encoding: EncodingKey::from_ed_der(&der),
        }
    }

    fn jwk(&self) -> serde_json::Value {
        let x = BASE64_URL_SAFE_NO_PAD.encode(self.key.verifying_key().as_bytes());
        serde_json::json!({
            "kty": "OKP", "crv": "Ed25519", "x": x, "kid": self.kid, "alg": "EdDSA", "use": "sig",
        })
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("kid", &self.kid).finish_non_exhaustive()
    }
}
