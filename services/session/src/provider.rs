//! Another identity provider, whose tokens (JWT) are taken.
//!
//! What counts of a token's head is the key it names; how a key signs, its own kind says, so a token
//! cannot choose another algorithm. Keys are read at the first use, again every five minutes, and
//! when a token names one that is not known; but not twice in ten seconds, whatever is sent.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::Uri;
use http_body_util::{BodyExt, Empty, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::{Number, Value};
use tengen_kit::time::SharedTime;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;

/// How long keys are used before they are read again.
const FRESH_MS: i64 = 5 * 60_000;
/// How long nothing is read again, whatever comes.
const PAUSE_MS: i64 = 10_000;
/// How far the provider's clock may be from ours.
const LEEWAY_MS: i64 = 60_000;
/// How long an answer may take, and how large it may be.
const WAIT: Duration = Duration::from_secs(5);
const MOST_BYTES: usize = 512 * 1024;
/// RSA keys shorter than 2048 bits can be broken, and longer ones than 8192 only cost time.
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=1_024;

/// Where the keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A file on this machine, which may change.
    File(String),
    /// An address of HTTP or HTTPS.
    Url(Uri),
}

/// An identity provider.
pub(crate) struct Provider {
    issuer: String,
    audience: String,
    source: KeySource,
    client: Client<HttpsConnector<HttpConnector>, Empty<bytes::Bytes>>,
    time: SharedTime,
    keys: RwLock<Arc<Keys>>,
    /// When keys were asked for last; held by whoever asks.
    asked_ms: Mutex<Option<i64>>,
}

/// Somebody, as the provider knows him.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    pub(crate) issuer: String,
    pub(crate) subject: String,
    /// What he may be called, the best first.
    pub(crate) names: Vec<String>,
}

/// Why a token is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// Not a token at all, or one without what it needs.
    #[error("malformed")]
    Malformed,
    /// Its signature is wrong, or of a kind that is not taken.
    #[error("forged")]
    Forged,
    /// Signed by a key that the provider does not publish.
    #[error("signed by an unknown key")]
    UnknownKey,
    /// Of another issuer, or for another audience.
    #[error("meant for others")]
    NotForUs,
    /// Its time is over, or has not come.
    #[error("expired")]
    Expired,
    /// The keys cannot be read.
    #[error("not checked, as the identity provider's keys cannot be read")]
    NoKeys,
}

#[derive(Default)]
struct Keys {
    by_id: HashMap<String, Key>,
    /// The only key of a set, which may lack an id.
    only: Option<Key>,
    /// None for never.
    read_ms: Option<i64>,
}

#[derive(Clone)]
struct Key {
    algorithm: Algorithm,
    key: DecodingKey,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: Number,
    #[serde(default)]
    nbf: Option<Number>,
    #[serde(default)]
    preferred_username: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

impl FromStr for KeySource {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "expected a file, or an address as https://host/path";
        if text.is_empty() {
            return Err(wrong);
        }
        if !text.contains("://") {
            return Ok(Self::File(text.to_owned()));
        }
        let uri: Uri = text.parse().map_err(|_| wrong)?;
        let known = matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some();
        if known { Ok(Self::Url(uri)) } else { Err(wrong) }
    }
}

impl Provider {
    pub(crate) fn new(
        issuer: String,
        audience: String,
        source: KeySource,
        time: SharedTime,
    ) -> Self {
        let https = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1();
        Self {
            issuer,
            audience,
            source,
            client: Client::builder(TokioExecutor::new()).build(https.build()),
            time,
            keys: RwLock::default(),
            asked_ms: Mutex::default(),
        }
    }

    /// Whose token it is.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) async fn verify(&self, token: &str) -> Result<Foreign, Fault> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| Fault::Malformed)?;
        let key = self.key(header.kid.as_deref()).await?;
        if header.alg != key.algorithm {
            return Err(Fault::Forged);
        }
        let mut rules = Validation::new(key.algorithm);
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[&self.audience]);
        rules.set_required_spec_claims(&["iss", "aud", "sub", "exp"]);
        // Looked at below, as the library would read the wall clock.
        rules.validate_exp = false;
        let claims = jsonwebtoken::decode::<Claims>(token, &key.key, &rules);
        let claims = claims.map_err(|error| fault(error.kind()))?.claims;
        let now_ms = self.time.now_ms();
        let over = milliseconds(&claims.exp).is_none_or(|exp| exp + LEEWAY_MS <= now_ms);
        let early = claims
            .nbf
            .is_some_and(|nbf| milliseconds(&nbf).is_none_or(|nbf| nbf - LEEWAY_MS > now_ms));
        if over || early {
            return Err(Fault::Expired);
        }
        if claims.sub.is_empty() || claims.sub.len() > 255 {
            return Err(Fault::Malformed);
        }
        let names = [claims.preferred_username, claims.name].into_iter().flatten().collect();
        Ok(Foreign { issuer: self.issuer.clone(), subject: claims.sub, names })
    }

    /// The key that a token names.
    async fn key(&self, id: Option<&str>) -> Result<Key, Fault> {
        let keys = self.keys();
        if let Some(key) = keys.find(id) {
            // Whoever can do with what is there does not wait for somebody who asks already.
            if !keys.are_fresh(self.time.now_ms())
                && let Ok(asked_ms) = self.asked_ms.try_lock()
            {
                self.read(asked_ms).await;
                return self.keys().find(id).ok_or(Fault::UnknownKey);
            }
            return Ok(key);
        }
        self.read(self.asked_ms.lock().await).await;
        let keys = self.keys();
        let missing = if keys.read_ms.is_none() { Fault::NoKeys } else { Fault::UnknownKey };
        keys.find(id).ok_or(missing)
    }

    /// Reads the keys, unless that was tried just now. Those that are there stay if it fails.
    async fn read(&self, mut asked_ms: MutexGuard<'_, Option<i64>>) {
        let now_ms = self.time.now_ms();
        if asked_ms.is_some_and(|asked_ms| now_ms.saturating_sub(asked_ms) < PAUSE_MS) {
            return;
        }
        *asked_ms = Some(now_ms);
        match self.fetch().await.and_then(|text| Keys::parse(&text, now_ms)) {
            Ok(keys) => *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys),
            Err(error) => {
                tracing::warn!(source = %self.source, error, "the identity provider's keys");
            }
        }
    }

    async fn fetch(&self) -> Result<String, String> {
        match &self.source {
            KeySource::File(path) => {
                let path = path.clone();
                let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path));
                read.await.map_err(|_| "not read".to_owned())?.map_err(|error| error.to_string())
            }
            KeySource::Url(uri) => {
                let answer = timeout(WAIT, self.get(uri.clone())).await;
                answer.map_err(|_| "no answer in time".to_owned())?
            }
        }
    }

    async fn get(&self, uri: Uri) -> Result<String, String> {
        let answer = self.client.get(uri).await.map_err(|error| error.to_string())?;
        if !answer.status().is_success() {
            return Err(format!("the answer is {}", answer.status()));
        }
        let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
        let body = body.map_err(|error| error.to_string())?.to_bytes();
        String::from_utf8(body.to_vec()).map_err(|error| error.to_string())
    }

    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Keys {
    /// The usable keys of a JSON Web Key Set; what is none is passed over.
    fn parse(text: &str, now_ms: i64) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Value>,
        }
        let set: Set = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let jwks = set.keys.into_iter().filter_map(|jwk| serde_json::from_value(jwk).ok());
        let keys = jwks.filter_map(|jwk: Jwk| Some((jwk.common.key_id.clone(), Key::new(&jwk)?)));
        let keys: Vec<_> = keys.collect();
        let only = match &keys[..] {
            [] => return Err("there is no usable key in the set".to_owned()),
            [(_, key)] => Some(key.clone()),
            _ => None,
        };
        let by_id = keys.into_iter().filter_map(|(id, key)| Some((id?, key))).collect();
        Ok(Self { by_id, only, read_ms: Some(now_ms) })
    }

    fn find(&self, id: Option<&str>) -> Option<Key> {
        match id {
            Some(id) => self.by_id.get(id).cloned(),
            None => self.only.clone(),
        }
    }

    fn are_fresh(&self, now_ms: i64) -> bool {
        self.read_ms.is_some_and(|read_ms| now_ms.saturating_sub(read_ms) < FRESH_MS)
    }
}

impl Key {
    /// A key for signatures of a kind that is taken.
    fn new(jwk: &Jwk) -> Option<Self> {
        let algorithm = match &jwk.algorithm {
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                Algorithm::EdDSA
            }
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                Algorithm::ES256
            }
            AlgorithmParameters::RSA(key) => {
                let modulus = BASE64_URL_SAFE_NO_PAD.decode(&key.n).ok()?;
                let bytes = modulus.iter().skip_while(|byte| **byte == 0).count();
                if !RSA_BYTES.contains(&bytes) {
                    return None;
                }
                Algorithm::RS256
            }
            _ => return None,
        };
        let common = &jwk.common;
        let signs =
            common.public_key_use.as_ref().is_none_or(|used| *used == PublicKeyUse::Signature);
        let same = common.key_algorithm.is_none_or(|named| named == algorithm.into());
        let key = DecodingKey::from_jwk(jwk).ok()?;
        (signs && same).then_some(Self { algorithm, key })
    }
}

/// Milliseconds since the epoch, of a date as tokens have it.
fn milliseconds(seconds: &Number) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "a part of a second does not count")]
    let whole = seconds.as_i64().or_else(|| seconds.as_f64().map(|seconds| seconds as i64))?;
    // Far from where sums with it would not fit.
    (0..=i64::from(u32::MAX) * 4).contains(&whole).then(|| whole * 1_000)
}

fn fault(kind: &ErrorKind) -> Fault {
    match kind {
        ErrorKind::InvalidSignature | ErrorKind::InvalidAlgorithm => Fault::Forged,
        ErrorKind::InvalidIssuer | ErrorKind::InvalidAudience => Fault::NotForUs,
        _ => Fault::Malformed,
    }
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.write_str(path),
            // Without what may be a secret in the query.
            Self::Url(uri) => write!(f, "{}{}", uri.host().unwrap_or_default(), uri.path()),
        }
    }
}
