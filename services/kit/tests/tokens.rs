//! Which tokens are good, for how long, and by which keys.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use tengen_kit::auth::{
    Caller, Claims, KeyError, Revocation, ServiceSecret, ServiceTokens, Signer, TokenFault,
    Verifier, jwks,
};
use tengen_kit::time::ManualTime;

const NOW_MS: i64 = 1_767_225_600_000;
/// The key of RFC 8037, appendix A.1, in PKCS #8.
const PEM: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
";

fn claims() -> Claims {
    Claims {
        iss: "tengen".to_owned(),
        aud: "tengen".to_owned(),
        sub: "player_1".to_owned(),
        iat: NOW_MS / 1_000,
        exp: NOW_MS / 1_000 + 600,
        name: "围棋".to_owned(),
        roles: vec!["PLAYER".to_owned()],
        bot: false,
        generation: 0,
        tier: 3,
    }
}

fn verifier(time: &ManualTime, signer: &Signer) -> Verifier {
    let verifier = Verifier::new("tengen", "tengen", time.shared());
    verifier.set_jwks(&signer.jwks()).unwrap();
    verifier
}

fn secret(text: &str) -> ServiceSecret {
    ServiceSecret::new(text).unwrap()
}

/// A token with this header and payload, and a signature of zeros.
fn unsigned(header: &str, payload: &str) -> String {
    let encode = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
    format!("{}.{}.{}", encode(header), encode(payload), BASE64_URL_SAFE_NO_PAD.encode([0; 64]))
}

#[test]
fn a_good_token_tells_the_account() {
    let (time, signer) = (ManualTime::new(NOW_MS), Signer::generate());
    let verifier = verifier(&time, &signer);
    let token = signer.sign(&claims()).unwrap();
    // The second time comes from the cache.
    for _ in 0..2 {
        let Caller::Account(account) = verifier.verify(&token).unwrap() else {
            panic!("an account");
        };
        assert_eq!((account.id.as_str(), account.name.as_str()), ("player_1", "围棋"));
        assert_eq!(
            (account.bot, account.roles.as_slice(), account.tier),
            (false, ["PLAYER".to_owned()].as_slice(), 3)
        );
    }
}

#[test]
fn a_token_is_good_until_the_second_it_expires() {
    let (time, signer) = (ManualTime::new(NOW_MS), Signer::generate());
    let verifier = verifier(&time, &signer);
    let cached = signer.sign(&claims()).unwrap();
    let fresh = signer.sign(&Claims { sub: "player_2".to_owned(), ..claims() }).unwrap();
    verifier.verify(&cached).unwrap();

    time.advance(599_999);
    verifier.verify(&cached).unwrap();
    time.advance(1);
    assert_eq!(verifier.verify(&cached), Err(TokenFault::Expired));
    assert_eq!(verifier.verify(&fresh), Err(TokenFault::Expired));
}

#[test]
fn keys_rotate_without_a_gap_and_a_lost_key_opens_nothing() {
    let (time, old, new) = (ManualTime::new(NOW_MS), Signer::generate(), Signer::generate());
    let verifier = verifier(&time, &old);
    let by_old = old.sign(&claims()).unwrap();
    let by_new = new.sign(&claims()).unwrap();
    verifier.verify(&by_old).unwrap();
    assert_eq!(verifier.verify(&by_new), Err(TokenFault::UnknownKey));

    verifier.set_jwks(&jwks([&old, &new])).unwrap();
    verifier.verify(&by_old).unwrap();
    verifier.verify(&by_new).unwrap();

    // Although it was cached.
    verifier.set_jwks(&new.jwks()).unwrap();
    assert_eq!(verifier.verify(&by_old), Err(TokenFault::UnknownKey));
    verifier.verify(&by_new).unwrap();
}

#[test]
fn a_bad_key_set_leaves_the_old_keys() {
    let (time, signer) = (ManualTime::new(NOW_MS), Signer::generate());
    let verifier = verifier(&time, &signer);
    let token = signer.sign(&claims()).unwrap();
    let short = BASE64_URL_SAFE_NO_PAD.encode([7; 31]);
    let weak = BASE64_URL_SAFE_NO_PAD.encode([0; 32]);
    let okp =
        |x: &str| format!(r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","kid":"k","x":"{x}"}}]}}"#);
    for set in ["", "[]", "{}", "not json", r#"{"keys":7}"#] {
        assert!(matches!(verifier.set_jwks(set), Err(KeyError::Jwks(_))), "{set}");
    }
    let rsa = r#"{"keys":[{"kty":"RSA","kid":"k","n":"AQAB","e":"AQAB"}]}"#.to_owned();
    let no_id = signer.jwks().replace("kid", "dik");
    let none = r#"{"keys":[]}"#.to_owned();
    let odd = r#"{"keys":[7,null,"x",{"kty":7}]}"#.to_owned();
    for set in [none, odd, rsa, no_id, okp(""), okp("!"), okp(&short), okp(&weak)] {
        assert_eq!(verifier.set_jwks(&set), Err(KeyError::NoKey), "{set}");
    }
    verifier.verify(&token).unwrap();
}

#[test]
fn a_token_of_somebody_else_is_refused() {
    let (time, signer) = (ManualTime::new(NOW_MS), Signer::generate());
    let verifier = verifier(&time, &signer);
    let check = |claims: Claims, expected: TokenFault| {
        let token = signer.sign(&claims).unwrap();
        assert_eq!(verifier.verify(&token), Err(expected), "{claims:?}");
    };
    check(Claims { iss: "elsewhere".to_owned(), ..claims() }, TokenFault::Foreign);
    check(Claims { aud: "elsewhere".to_owned(), ..claims() }, TokenFault::Foreign);
    check(Claims { exp: 0, ..claims() }, TokenFault::Expired);
    check(Claims { exp: -1, ..claims() }, TokenFault::Malformed);

    // Another key under the id of ours.
    let forger = Signer::generate();
    let [header, _, _] = parts(&signer.sign(&claims()).unwrap());
    let [_, payload, _] = parts(&forger.sign(&claims()).unwrap());
    let [_, _, signature] = parts(&forger.sign(&claims()).unwrap());
    let forged = format!("{header}.{payload}.{signature}");
    assert_eq!(verifier.verify(&forged), Err(TokenFault::Forged));
}

#[test]
fn a_public_key_is_no_shared_secret() {
    // The classic: sign with HS256, the public key as the secret.
    let (time, signer) = (ManualTime::new(NOW_MS), Signer::generate());
    let secret = secret(&signer.jwks());
    let forger = ServiceTokens::new("game", &secret, time.shared()).unwrap();
    let header = forger.header().unwrap();
    let token = header.to_str().unwrap().strip_prefix("Bearer ").unwrap().to_owned();
    let verifier = verifier(&time, &signer);
    assert_eq!(verifier.verify(&token), Err(TokenFault::UnknownKey));
    let verifier = verifier.with_services(&ServiceSecret::generate()).unwrap();
    assert_eq!(verifier.verify(&token), Err(TokenFault::Forged));
}

#[test]
fn malformed_tokens_are_refused_and_nothing_panics() {
    let (time, signer) = (ManualTime::new(NOW_MS), Signer::generate());
    let verifier = verifier(&time, &signer).with_services(&ServiceSecret::generate()).unwrap();
    let good = signer.sign(&claims()).unwrap();
    let kid = signer.kid();
    let ours = format!(r#"{{"alg":"EdDSA","kid":"{kid}"}}"#);
    let mut tokens = vec![
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        "...".to_owned(),
        "a.b.c".to_owned(),
        "\0".to_owned(),
        "围.棋.子".to_owned(),
        "=".repeat(4_096),
        "x".repeat(1_000_000),
        format!("{good}."),
        format!(".{good}"),
        format!("{good}{good}"),
        good.replace('.', ""),
        unsigned(r#"{"alg":"none"}"#, "{}"),
        unsigned(r#"{"alg":"RS256","kid":"k"}"#, "{}"),
        unsigned(r#"{"alg":"ES256"}"#, "{}"),
        unsigned(r#"{"alg":"EdDSA"}"#, "{}"),
        unsigned(r#"{"alg":"HS256"}"#, "{}"),
        unsigned(r#"{"alg":["EdDSA"]}"#, "{}"),
        unsigned(r#"{"alg":"EdDSA","kid":7}"#, "{}"),
        unsigned("[]", "[]"),
        unsigned(&ours, "{}"),
        unsigned(&ours, &"[".repeat(2_000)),
    ];
    // Cut anywhere, and with any one character spoilt.
    for index in 0..good.len() {
        tokens.push(good[..index].to_owned());
        let spoilt = if good.as_bytes()[index] == b'A' { "B" } else { "A" };
        tokens.push(format!("{}{spoilt}{}", &good[..index], &good[index + 1..]));
    }
    for token in &tokens {
        assert!(verifier.verify(token).is_err(), "{token:.80}");
    }
    verifier.verify(&good).unwrap();
}

#[test]
fn service_tokens_are_renewed_in_time() {
    let time = ManualTime::new(NOW_MS);
    let secret = secret("a secret of services, 32 bytes long");
    let tokens = ServiceTokens::new("clock", &secret, time.shared()).unwrap();
    let verifier = Verifier::new("tengen", "tengen", time.shared()).with_services(&secret).unwrap();
    let token = || tokens.header().unwrap().to_str().unwrap()["Bearer ".len()..].to_owned();

    let first = token();
    assert_eq!(verifier.verify(&first), Ok(Caller::Service(Arc::from("clock"))));
    time.advance(29_999);
    assert_eq!(token(), first);
    time.advance(1);
    let second = token();
    assert_ne!(second, first);
    verifier.verify(&first).unwrap();
    time.advance(30_000);
    assert_eq!(verifier.verify(&first), Err(TokenFault::Expired));
    verifier.verify(&second).unwrap();
}

#[test]
fn a_short_secret_is_refused_and_no_secret_is_shown() {
    assert_eq!(ServiceSecret::new("short").unwrap_err(), KeyError::ShortSecret(5));
    let shown = format!("{:?}", secret("a secret of services, 32 bytes long"));
    assert!(!shown.contains("secret of"), "{shown}");
}

#[test]
fn a_key_is_the_same_from_its_pem_and_its_seed() {
    let signer = Signer::from_pem(PEM).unwrap();
    let again = Signer::from_seed(&signer.seed());
    assert_eq!(signer.jwks(), again.jwks());
    let verifier = verifier(&ManualTime::new(NOW_MS), &signer);
    verifier.verify(&again.sign(&claims()).unwrap()).unwrap();
    for pem in ["", "key", &PEM.replace("MC4C", "MC4D"), &PEM[..60]] {
        assert_eq!(Signer::from_pem(pem).unwrap_err(), KeyError::Pem, "{pem}");
    }
}

#[test]
fn the_id_of_a_key_is_its_thumbprint() {
    // The example of RFC 8037, appendix A.1 to A.3.
    let seed =
        BASE64_URL_SAFE_NO_PAD.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A").unwrap();
    let signer = Signer::from_seed(&seed.try_into().unwrap());
    assert_eq!(signer.kid(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    assert!(signer.jwks().contains("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"));
}

fn parts(token: &str) -> [String; 3] {
    let parts: Vec<_> = token.split('.').map(str::to_owned).collect();
    parts.try_into().unwrap()
}

#[test]
fn a_key_that_is_no_longer_published_is_good_as_long_as_its_tokens() {
    let time = ManualTime::new(NOW_MS);
    let (old, new) = (Signer::generate(), Signer::generate());
    let verifier = Verifier::new("tengen", "tengen", time.shared());
    verifier.renew_jwks(&old.jwks()).unwrap();
    time.advance(60_000);
    verifier.renew_jwks(&new.jwks()).unwrap();

    // 10 minutes of life, from the last moment at which the old key may have signed.
    let late = Claims { exp: NOW_MS / 1_000 + 660, ..claims() };
    let (by_old, by_new) = (old.sign(&late).unwrap(), new.sign(&late).unwrap());
    time.advance(9 * 60_000 + 59_000);
    verifier.renew_jwks(&new.jwks()).unwrap();
    assert!(verifier.verify(&by_old).is_ok());
    assert!(verifier.verify(&by_new).is_ok());

    time.advance(1_000);
    verifier.renew_jwks(&new.jwks()).unwrap();
    assert_eq!(verifier.verify(&by_old), Err(TokenFault::UnknownKey));
    let late = Claims { exp: NOW_MS / 1_000 + 6_600, ..claims() };
    assert!(verifier.verify(&new.sign(&late).unwrap()).is_ok());
    // A set that cannot be read changes nothing.
    assert!(verifier.renew_jwks("{}").is_err());
    assert!(verifier.verify(&new.sign(&late).unwrap()).is_ok());
}

#[test]
fn a_revoked_token_is_refused_at_once_and_a_newer_one_is_not() {
    let (time, signer) = (ManualTime::new(NOW_MS), Signer::generate());
    let verifier = verifier(&time, &signer);
    let sign = |generation| signer.sign(&Claims { generation, ..claims() }).unwrap();
    let (old, new) = (sign(0), sign(1));
    let other = signer.sign(&Claims { sub: "player_2".to_owned(), ..claims() }).unwrap();
    // From the cache, too.
    verifier.verify(&old).unwrap();
    let account_id = "player_1".to_owned();
    verifier.revoke([Revocation { account_id, generation: 1 }]);
    for _ in 0..2 {
        assert_eq!(verifier.verify(&old), Err(TokenFault::Revoked));
        verifier.verify(&new).unwrap();
        verifier.verify(&other).unwrap();
    }
    time.advance(599_999);
    assert_eq!(verifier.verify(&old), Err(TokenFault::Revoked));
    time.advance(1);
    assert_eq!(verifier.verify(&old), Err(TokenFault::Expired));
}
