//! Tokens by which services of the suite know each other: short-lived, from a shared secret.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

use super::keys::KeyError;
use super::verifier::Claims;
use crate::status::Refusal;
use crate::time::SharedTime;

/// Who issues service tokens, and whom they are for.
pub(super) const SUITE: &str = "tengen-services";

const LIFE_SECONDS: i64 = 60;
const RENEWED_AFTER_SECONDS: i64 = 30;
const LEAST_BYTES: usize = 32;

/// The secret that all services of a suite share.
#[derive(Clone)]
pub struct ServiceSecret(Arc<[u8]>);

/// Puts a service token on each outgoing request. Its clones share one token, renewed in time.
#[derive(Clone)]
pub struct ServiceTokens(Arc<Inner>);

struct Inner {
    name: String,
    key: EncodingKey,
    time: SharedTime,
    last: Mutex<Option<Token>>,
}

struct Token {
    header: MetadataValue<Ascii>,
    renew_at_ms: i64,
}

impl ServiceSecret {
    /// The secret as configured.
    ///
    /// # Errors
    /// [`KeyError::ShortSecret`] below 32 bytes.
    pub fn new(secret: &str) -> Result<Self, KeyError> {
        if secret.len() < LEAST_BYTES {
            return Err(KeyError::ShortSecret(secret.len()));
        }
        Ok(Self(secret.as_bytes().into()))
    }

    /// A new secret, for services that live in one process.
    #[must_use]
    pub fn generate() -> Self {
        Self(Arc::new(rand::random::<[u8; LEAST_BYTES]>()))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn decoding_key(&self) -> Result<DecodingKey, KeyError> {
        DecodingKey::from_secret(&self.0).map_err(|error| KeyError::Sign(error.to_string()))
    }
}

impl ServiceTokens {
    /// Tokens of the service `name`.
    ///
    /// # Errors
    /// [`KeyError::Sign`], which is not known to happen.
    pub fn new(name: &str, secret: &ServiceSecret, time: SharedTime) -> Result<Self, KeyError> {
        let key = EncodingKey::from_secret(&secret.0)
            .map_err(|error| KeyError::Sign(error.to_string()))?;
        Ok(Self(Arc::new(Inner { name: name.to_owned(), key, time, last: Mutex::default() })))
    }

    /// The value of the authorization header: `Bearer …`.
    ///
    /// # Errors
    /// [`KeyError::Sign`], which is not known to happen.
    pub fn header(&self) -> Result<MetadataValue<Ascii>, KeyError> {
        let now_ms = self.0.time.now_ms();
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = last.as_ref().filter(|token| now_ms < token.renew_at_ms) {
            return Ok(token.header.clone());
        }
        let header = self.sign(now_ms)?;
        let renew_at_ms = now_ms.saturating_add(RENEWED_AFTER_SECONDS * 1_000);
        *last = Some(Token { header: header.clone(), renew_at_ms });
        Ok(header)
    }

    /// What the tokens are dated by.
    pub(crate) fn time(&self) -> SharedTime {
        Arc::clone(&self.0.time)
    }

    fn sign(&self, now_ms: i64) -> Result<MetadataValue<Ascii>, KeyError> {
        let claims = Claims {
            iss: SUITE.to_owned(),
            aud: SUITE.to_owned(),
            sub: self.0.name.clone(),
            iat: now_ms / 1_000,
            exp: now_ms / 1_000 + LIFE_SECONDS,
            ..Claims::default()
        };
        let token = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.0.key)
            .map_err(|error| KeyError::Sign(error.to_string()))?;
        let mut header = MetadataValue::try_from(format!("Bearer {token}"))
            .map_err(|error| KeyError::Sign(error.to_string()))?;
        header.set_sensitive(true);
        Ok(header)
    }
}

impl Interceptor for ServiceTokens {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let header = self.header().map_err(|error| {
            tracing::error!(%error, "no service token");
            Refusal::behind_unavailable("service token")
        })?;
        request.metadata_mut().insert("authorization", header);
        Ok(request)
    }
}

impl fmt::Debug for ServiceSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceSecret(hidden)")
    }
}

impl fmt::Debug for ServiceTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServiceTokens").field(&self.0.name).finish()
    }
}
