//! Another identity provider: its keys and its tokens.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

pub(crate) const ISSUER: &str = "https://id.example";
pub(crate) const AUDIENCE: &str = "tengen-at-example";

/// A key that signs nothing but these tests' tokens.
pub(crate) struct Key {
    id: &'static str,
    algorithm: Algorithm,
    key: EncodingKey,
}

impl Key {
    /// Another one for another seed.
    pub(crate) fn ed25519(id: &'static str, seed: u8) -> Self {
        let prefix = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
        let der = [&prefix[..], &[seed; 32][..]].concat();
        Self { id, algorithm: Algorithm::EdDSA, key: EncodingKey::from_ed_der(&der) }
    }

    pub(crate) fn p256(id: &'static str) -> Self {
        let der = BASE64_STANDARD.decode(P256).unwrap();
        Self { id, algorithm: Algorithm::ES256, key: EncodingKey::from_ec_der(&der) }
    }

    pub(crate) fn rsa(id: &'static str) -> Self {
        let der = BASE64_STANDARD.decode(RSA).unwrap();
        Self { id, algorithm: Algorithm::RS256, key: EncodingKey::from_rsa_der(&der) }
    }

    pub(crate) fn jwk(&self) -> Value {
        let mut jwk = Jwk::from_encoding_key(&self.key, self.algorithm).unwrap();
        jwk.common.key_id = Some(self.id.to_owned());
        serde_json::to_value(jwk).unwrap()
    }

    pub(crate) fn sign_without_id(&self, claims: &Value) -> String {
        jsonwebtoken::encode(&Header::new(self.algorithm), claims, &self.key).unwrap()
    }

    pub(crate) fn sign(&self, claims: &Value) -> String {
        let header = Header { kid: Some(self.id.to_owned()), ..Header::new(self.algorithm) };
        jsonwebtoken::encode(&header, claims, &self.key).unwrap()
    }
}

/// A key set.
pub(crate) fn jwks(keys: &[&Key]) -> String {
    json!({ "keys": keys.iter().map(|key| key.jwk()).collect::<Vec<_>>() }).to_string()
}

/// What a token says that is good for ten minutes from the instant that sites begin at.
pub(crate) fn claims(subject: &str, name: &str) -> Value {
    json!({
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": subject,
        "exp": 1_767_225_600 + 600,
        "iat": 1_767_225_600,
        "preferred_username": name,
    })
}

/// PKCS #8.
const P256: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgk3cQO0keq7MbtyeiilEcnZj7ukPKiAMy0X3Ar9F3wO\
     6hRANCAASGv2pgFXo6ouYU2gy9LFUqq5nCT+T13T02z80whnpqopYQ41ZG/JiMWFhvaY62RwDtdWJBxXXfmpK7f1Ix\
     KkpD";

/// PKCS #1, 2048 bits.
const RSA: &str = "MIIEowIBAAKCAQEAuB9BDSiOIBb9a5iQ28JdpNvJAaH9e4bxxIakMBRc5frPByGyTL5ncF5mXl5y4RG0Iu4gR0PaBb\
     vpoT3lneBYhjq8eD5duVkuPcaQhVS23MDlip3b1EflCxx5z3lvtEJLY6eGY4DAxeLVYdoWks9c/9IhTANoCeTViozg\
     rbKgb7Lh1yhdGV86im73saV4n+nv/P/ThbQpoZRSIlTIQxpgyRaoigfxxwIn6SV7YNpNTztXb2NUoPZAL6jtnl23U7\
     Io6CcIsTXJYcN8pnhZNiu/W6sYolmG1aWiwYC8WST6rzyeNvBGfynINMogAVZZXxdhrPSRbCoj66avAPErkucqEwID\
     AQABAoIBAALVbpfxUnzwX+1jyaZifVjlsnzFKPkQXkLp1rfHAHPgPdAqNtBcRYxHZoPKTMR33VsW10XoXn//qeEODu\
     QiW5OSbpBIoEvu6BUSB1j01b9b4YNfR+DrlOrHyjNJm6xLDJ9FX9nC6AboN7+Ct9SmdaYsSaud5PKE5E3kOnQmfSQP\
     f58Z/G3pJooJ9NfCZX5ATrVNDAhzTBPAvuu9sXicdoIly+JiOk+dfWBsF10Y6bggLGP+ap+fJrsUg/6j8AuisrJyoq\
     brbmJvly2UgvsW3ud8kjnlkJmKerWKs5+zyvHbvuES9THu6W0Sj/DZxMQCgLuof/xiEWQv912wDP5Xe70CgYEA/F2k\
     5GFQlMziYu5ByCW2OmrKFviuyg9HYN//aoeXMXfFiX4ohNR8FmGmayKhmnYgLYDPdLWI1aFexZdgkQ6x2sFuH0FJ6V\
     TWHEVsQdgDjCjL1cLbryjI5L+uGO+FxKJMY2AHXtekTrEeqeF7Wsu7bWl8XIscrELLJp/4KKNMgm8CgYEAusYG6tTF\
     fcpUyrcAPe/bCEjU0xqiN/us1k36xqPxfN0a3wFUWDq+9Z1i322YTaRcGQwx7hY7mU5lE7zScdlX9yGUdx6lXeGtf0\
     OOu1G40R7hzLdVnXRHleshOM1RBQJpWA4LlwanTYmL6d024QuYY5t/1qyS09Exy5SNg8UdlJ0CgYBhulXXhwPwi6MD\
     kqZwvoHh/2bBHI57ew02K6g6dcWMB4i8pNlGDw76j9glVuTj7uipFl/AH2ic6f/MXsGritg/EXb2rY7Ux+CeVBgHK4\
     K8LTQ6VFpEa3PYeY4O4/qWWg9g0FgqVzGus5JfUQ027Pxo81eQcuKoprkK/RnZittfCwKBgAz2GRzKzzm/hMrckEO8\
     FXMpurs7qe5ApOnqV3DZh7Smk2rOaNAGo6Hf3jCrJlqdAVcrpXtkR5aH/jO0ctY7wwL/bZImqkstkiC2y3zsWusIPZ\
     s7TdGzdBRPUOrkNK8oT68wqlU8vPeAiBkepORRLa4b6G85YqcYaWA7Wua+EyNxAoGBANu13Z5PbGgRCF3V3SocLfSG\
     sEAeF+xtkW16im6QPh6PaCtAIEU7bdyotezKXa2maJrrH9OF26HKeFDJZgKYRdgK7yLsn/Qi1+FkXZtmrGRPRM54Wk\
     GgLUjRByYtcm7NkbEJSl6HrW+URC6+tHyQ5gWCpF8UTIzstLFt90kjN3OM";
