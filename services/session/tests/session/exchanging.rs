//! Tokens of another identity provider, exchanged for ours.

use std::fs;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get as on_get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};
use tengen_harness::{Database, on_each_database};
use tengen_proto::session::v1::{Account, ExchangeTokenRequest, Tokens};
use tengen_session::{Config, KeySource};
use tokio::net::TcpListener;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::answers::{get, is_good, player, reason, refusal, signed, signs_in};
use crate::attempts::{HOME, from};
use crate::idp::{AUDIENCE, ISSUER, Key, claims, jwks};
use crate::site::Site;

on_each_database!(
    the_first_exchange_makes_an_account_and_the_next_finds_it,
    a_name_that_is_taken_gets_a_number_and_nobody_is_taken_over,
    first_exchanges_that_race_make_one_account,
);

fn config(source: &str) -> Config {
    Config {
        idp_issuer: Some(ISSUER.to_owned()),
        idp_audience: Some(AUDIENCE.to_owned()),
        idp_jwks: Some(source.parse().unwrap()),
        ..Config::default()
    }
}

/// A file with these keys.
fn file(keys: &[&Key]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), jwks(keys)).unwrap();
    file
}

async fn exchange(site: &Site, token: &str) -> Result<(Account, Tokens), Status> {
    let request =
        ExchangeTokenRequest { request_id: "exchange-1".to_owned(), token: token.to_owned() };
    let answer = site.client().exchange_token(request).await?.into_inner();
    Ok((answer.account.unwrap(), answer.tokens.unwrap()))
}

/// What is wrong with a token.
async fn fault(site: &Site, token: &str) -> String {
    let status = exchange(site, token).await.unwrap_err();
    let details = status.get_error_details();
    let info = details.error_info().unwrap();
    assert_eq!(
        (status.code(), info.reason.as_str()),
        (Code::Unauthenticated, "FOREIGN_TOKEN_REFUSED"),
        "{status:?}"
    );
    info.metadata["token"].clone()
}

fn with(changes: Value) -> Value {
    let mut claims = claims("subject-1", "ada");
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

async fn the_first_exchange_makes_an_account_and_the_next_finds_it(database: Database) {
    let site = Site::new(database).await;
    let keys = [Key::ed25519("one", 1), Key::p256("two"), Key::rsa("three")];
    let file = file(&keys.each_ref());
    let site = site.replica(&config(file.path().to_str().unwrap())).await;
    let mut accounts = Vec::new();
    for key in &keys {
        let (account, tokens) =
            exchange(&site, &key.sign(&claims("subject-1", "ada"))).await.unwrap();
        assert!(is_good(&site, &tokens).await && tokens.reconnect_token.len() == 64);
        let seen = site.client().get_account(get("me", Some(&tokens))).await.unwrap();
        assert_eq!(seen.into_inner().account.as_ref(), Some(&account));
        accounts.push(account);
    }
    assert_eq!((accounts[0].name.as_str(), accounts[0].bot), ("ada", false));
    accounts.dedup();
    assert_eq!(accounts.len(), 1, "{accounts:?}");
    // Whatever he is called by now.
    let (again, _) = exchange(&site, &keys[0].sign(&claims("subject-1", "eve"))).await.unwrap();
    assert_eq!(again, accounts[0]);
    let (other, _) = exchange(&site, &keys[0].sign(&claims("subject-2", "bo"))).await.unwrap();
    assert_ne!(other.player_id, again.player_id);
    // No password signs in to it.
    let status = signs_in(&site, "ada", "password 1").await.unwrap_err();
    assert_eq!(reason(&status), "WRONG_CREDENTIALS");
}

async fn a_name_that_is_taken_gets_a_number_and_nobody_is_taken_over(database: Database) {
    let site = Site::new(database).await;
    let key = Key::ed25519("one", 1);
    let file = file(&[&key]);
    let site = site.replica(&config(file.path().to_str().unwrap())).await;
    let (ada, _) = player(&site, "ada").await;
    let mut names = Vec::new();
    for number in 0..7 {
        let subject = format!("subject-{number}");
        let (account, _) = exchange(&site, &key.sign(&claims(&subject, "Ada"))).await.unwrap();
        assert_ne!(account.player_id, ada);
        names.push(account.name);
    }
    assert_eq!(names[..4], ["Ada-2", "Ada-3", "Ada-4", "Ada-5"]);
    assert!(names[4..].iter().all(|name| name.len() == 10), "{names:?}");
    for (subject, name, expected) in [
        ("mail", "grace.hopper@example.org", "grace-hopper"),
        ("space", "  Go  Seigen ", "Go-Seigen"),
        ("long", "a-name-that-is-much-too-long", "a-name-that-is-much"),
        ("han", "吴清源", "吴清源"),
        ("cyrillic", "Ольга", "Ольга"),
        ("again", "Ольга", "Ольга-2"),
        ("mixed", "раypal", "player"),
        ("empty", "", "player-2"),
        ("odd", "⚫", "player-3"),
    ] {
        let (account, _) = exchange(&site, &key.sign(&claims(subject, name))).await.unwrap();
        assert_eq!(account.name, expected, "{name}");
    }
    let mut nameless = claims("nameless", "");
    nameless["name"] = json!("Honinbo Shusaku");
    let (account, _) = exchange(&site, &key.sign(&nameless)).await.unwrap();
    assert_eq!(account.name, "Honinbo-Shusaku");
    signs_in(&site, "ada", "password 1").await.unwrap();
}

async fn first_exchanges_that_race_make_one_account(database: Database) {
    let site = Site::new(database).await;
    let key = Key::ed25519("one", 1);
    let file = file(&[&key]);
    let config = config(file.path().to_str().unwrap());
    let (one, two) = (site.replica(&config).await, site.replica(&config).await);
    let token = key.sign(&claims("subject-1", "ada"));
    let answers = tokio::join!(
        exchange(&one, &token),
        exchange(&two, &token),
        exchange(&one, &token),
        exchange(&two, &token)
    );
    let mut accounts = [answers.0, answers.1, answers.2, answers.3].map(|answer| answer.unwrap().0);
    accounts.sort_by(|one, other| one.player_id.cmp(&other.player_id));
    assert!(accounts.windows(2).all(|pair| pair[0] == pair[1]), "{accounts:?}");
}

#[tokio::test]
async fn what_is_not_the_providers_word_is_refused() {
    let key = Key::ed25519("one", 1);
    let rsa = Key::rsa("three");
    let file = file(&[&key, &rsa]);
    let site = Site::with(config(file.path().to_str().unwrap())).await;
    for (changes, expected) in [
        (json!({"iss": "https://evil.example"}), "meant for others"),
        (json!({"iss": null}), "malformed"),
        (json!({"aud": "another"}), "meant for others"),
        (json!({"aud": ["another", "third"]}), "meant for others"),
        (json!({"aud": null}), "malformed"),
        (json!({"sub": ""}), "malformed"),
        (json!({"sub": "x".repeat(256)}), "malformed"),
        (json!({"sub": null}), "malformed"),
        (json!({"exp": 1_767_225_600 - 61}), "expired"),
        (json!({"exp": 0}), "expired"),
        (json!({"exp": -1}), "malformed"),
        (json!({"exp": null}), "malformed"),
        (json!({"exp": "tomorrow"}), "malformed"),
        (json!({"nbf": 1_767_225_600 + 120}), "expired"),
    ] {
        assert_eq!(fault(&site, &key.sign(&with(changes.clone()))).await, expected, "{changes}");
    }
    let good = with(json!({"aud": ["another", AUDIENCE], "exp": 1_767_225_600.5}));
    exchange(&site, &key.sign(&good)).await.unwrap();

    let claims = claims("subject-1", "ada");
    let part = |json: Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
    // Without a signature, and with one that the public key makes.
    for head in [json!({"alg": "none", "kid": "one"}), json!({"alg": "NONE"})] {
        let token = format!("{}.{}.", part(head), part(claims.clone()));
        assert_eq!(fault(&site, &token).await, "malformed");
    }
    for (id, public) in [("one", key.jwk()["x"].clone()), ("three", rsa.jwk()["n"].clone())] {
        let public = public.as_str().unwrap();
        for secret in [public.as_bytes(), &BASE64_URL_SAFE_NO_PAD.decode(public).unwrap()] {
            let header = Header { kid: Some(id.to_owned()), ..Header::new(Algorithm::HS256) };
            let secret = EncodingKey::from_secret(secret).unwrap();
            let token = jsonwebtoken::encode(&header, &claims, &secret).unwrap();
            assert_eq!(fault(&site, &token).await, "forged");
        }
    }
    // Another's key under a name that is known, and one key under another's name.
    assert_eq!(fault(&site, &Key::ed25519("one", 2).sign(&claims)).await, "forged");
    assert_eq!(fault(&site, &Key::rsa("one").sign(&claims)).await, "forged");
    assert_eq!(
        fault(&site, &Key::ed25519("four", 1).sign(&claims)).await,
        "signed by an unknown key"
    );
    let token = key.sign(&claims);
    let (head, rest) = token.split_once('.').unwrap();
    let changed = part(with(json!({"sub": "subject-2"})));
    let signature = rest.split_once('.').unwrap().1;
    assert_eq!(fault(&site, &format!("{head}.{changed}.{signature}")).await, "forged");
    for token in ["no token at all!", "a.b.c.d.e.f.g.h.i", "................"] {
        assert_eq!(fault(&site, token).await, "malformed");
    }
}

#[tokio::test]
async fn a_key_that_is_not_for_this_is_not_taken() {
    let key = Key::rsa("three");
    for changes in [
        json!({"use": "enc"}),
        json!({"alg": "PS256"}),
        json!({"kty": "oct", "k": "c2VjcmV0"}),
        // A modulus of 1024 bits.
        json!({"n": BASE64_URL_SAFE_NO_PAD.encode([0xc1; 128])}),
    ] {
        let mut jwk = key.jwk();
        for (name, value) in changes.as_object().unwrap() {
            jwk[name] = value.clone();
        }
        let other = Key::ed25519("other", 1).jwk();
        let file = NamedTempFile::new().unwrap();
        fs::write(file.path(), json!({"keys": [jwk, other, {"kty": "new"}]}).to_string()).unwrap();
        let site = Site::with(config(file.path().to_str().unwrap())).await;
        let token = key.sign(&claims("subject-1", "ada"));
        assert_eq!(fault(&site, &token).await, "signed by an unknown key", "{changes}");
    }
}

/// A server that publishes what it is told to, and counts.
struct Publisher {
    url: String,
    state: Arc<Mutex<(Option<String>, usize)>>,
}

impl Publisher {
    async fn start(jwks: Option<String>) -> Self {
        let state = Arc::new(Mutex::new((jwks, 0)));
        let published = Arc::clone(&state);
        let answer = move || {
            let mut state = published.lock().unwrap();
            state.1 += 1;
            let answer = state.0.clone().ok_or(StatusCode::SERVICE_UNAVAILABLE);
            async { answer }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        let router = Router::new().route("/keys", on_get(answer));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, state }
    }

    fn publish(&self, jwks: Option<String>) {
        self.state.lock().unwrap().0 = jwks;
    }

    fn asked(&self) -> usize {
        self.state.lock().unwrap().1
    }
}

#[tokio::test]
async fn keys_rotate_and_are_not_asked_for_too_often() {
    let (one, two, three) =
        (Key::ed25519("one", 1), Key::ed25519("two", 2), Key::ed25519("three", 3));
    let publisher = Publisher::start(Some(jwks(&[&one]))).await;
    let site = Site::with(config(&publisher.url)).await;
    let claims = with(json!({"exp": 1_767_225_600 + 86_400}));
    let token = |key: &Key| key.sign(&claims);
    exchange(&site, &token(&one)).await.unwrap();
    exchange(&site, &token(&one)).await.unwrap();
    assert_eq!(publisher.asked(), 1);

    // A new one is known once ten seconds have passed, and is asked for once in ten.
    publisher.publish(Some(jwks(&[&one, &two])));
    site.time.advance(9_999);
    for _ in 0..3 {
        assert_eq!(fault(&site, &token(&two)).await, "signed by an unknown key");
    }
    assert_eq!(publisher.asked(), 1);
    site.time.advance(1);
    exchange(&site, &token(&two)).await.unwrap();
    for _ in 0..3 {
        assert_eq!(fault(&site, &token(&three)).await, "signed by an unknown key");
    }
    assert_eq!(publisher.asked(), 2);

    // One that is published no longer is good for five minutes at most.
    publisher.publish(Some(jwks(&[&two])));
    site.time.advance(299_999);
    exchange(&site, &token(&one)).await.unwrap();
    site.time.advance(1);
    assert_eq!(fault(&site, &token(&one)).await, "signed by an unknown key");
    exchange(&site, &token(&two)).await.unwrap();
    assert_eq!(publisher.asked(), 3);

    // While it is away, or says nothing of use, those that are there are good.
    for broken in [None, Some("<html>".to_owned()), Some(json!({"keys": []}).to_string())] {
        publisher.publish(broken);
        site.time.advance(300_000);
        exchange(&site, &token(&two)).await.unwrap();
    }
    assert_eq!(publisher.asked(), 6);
}

#[tokio::test]
async fn without_keys_it_is_told_that_they_are_missing() {
    let publisher = Publisher::start(None).await;
    let key = Key::ed25519("one", 1);
    let token = key.sign(&with(json!({"exp": 1_767_225_600 + 86_400})));
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys.json");
    for source in [publisher.url.as_str(), "http://127.0.0.1:1/", path.to_str().unwrap()] {
        let site = Site::with(config(source)).await;
        let status = exchange(&site, &token).await.unwrap_err();
        let expected = "BEHIND_UNAVAILABLE what=identity provider".to_owned();
        assert_eq!(refusal(&status), (Code::Unavailable, expected, vec![]));
        if source.starts_with('/') {
            fs::write(&path, jwks(&[&key])).unwrap();
            site.time.advance(10_000);
            exchange(&site, &token).await.unwrap();
        }
    }
    let site = Site::new(Database::sqlite()).await;
    let status = exchange(&site, &token).await.unwrap_err();
    assert_eq!(
        refusal(&status),
        (Code::FailedPrecondition, "NO_IDENTITY_PROVIDER".to_owned(), vec![])
    );
}

#[tokio::test]
async fn a_set_of_one_key_needs_no_ids() {
    let key = Key::p256("two");
    let mut jwk = key.jwk();
    jwk.as_object_mut().unwrap().remove("kid");
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), json!({"keys": [jwk]}).to_string()).unwrap();
    let site = Site::with(config(file.path().to_str().unwrap())).await;
    exchange(&site, &key.sign_without_id(&claims("subject-1", "ada"))).await.unwrap();
    assert_eq!(
        fault(&site, &key.sign(&claims("subject-1", "ada"))).await,
        "signed by an unknown key"
    );
}

#[tokio::test]
async fn whoever_is_suspended_does_not_come_in_by_another_door() {
    use tengen_proto::session::v1::SuspendAccountRequest;
    let key = Key::ed25519("one", 1);
    let file = file(&[&key]);
    let config = config(file.path().to_str().unwrap());
    let site = Site::new(Database::sqlite()).await;
    let (organiser, _) = player(&site, "eun").await;
    let site = site.replica(&Config { organisers: vec![organiser], ..config }).await;
    let organiser = signs_in(&site, "eun", "password 1").await.unwrap();
    let (account, tokens) = exchange(&site, &key.sign(&claims("subject-1", "ada"))).await.unwrap();
    let request = SuspendAccountRequest {
        request_id: "suspend-1".into(),
        player_id: account.player_id,
        until: None,
        reason: "used an engine".into(),
    };
    site.client().suspend_account(signed(request, &organiser)).await.unwrap();
    assert!(!is_good(&site, &tokens).await);
    let status = exchange(&site, &key.sign(&claims("subject-1", "ada"))).await.unwrap_err();
    assert_eq!(reason(&status), "ACCOUNT_SUSPENDED");
}

#[tokio::test]
async fn one_address_may_not_try_many_tokens_or_make_many_accounts() {
    let (key, other) = (Key::ed25519("one", 1), Key::ed25519("one", 2));
    let file = file(&[&key]);
    let site = Site::with(Config {
        failures: 1,
        registrations: 2,
        ..config(file.path().to_str().unwrap())
    });
    let site = site.await;
    let come = async |key: &Key, subject: &str| {
        let token = key.sign(&claims(subject, subject));
        let request = ExchangeTokenRequest { request_id: "exchange-1".to_owned(), token };
        let answer = site.client().exchange_token(from(HOME, request)).await;
        answer.map_or_else(|status| reason(&status), |_| String::new())
    };
    for (key, subject, expected) in [
        (&key, "ada", ""),
        (&key, "bo", ""),
        (&key, "cho", "LIMIT_REACHED"),
        // Whoever was there before makes none.
        (&key, "ada", ""),
    ] {
        assert_eq!(come(key, subject).await, expected, "{subject}");
    }
    for _ in 0..10 {
        assert_eq!(come(&other, "ada").await, "FOREIGN_TOKEN_REFUSED");
    }
    assert_eq!(come(&key, "ada").await, "LIMIT_REACHED");
}

#[test]
fn where_keys_are_is_a_file_or_an_address() {
    for text in ["", "ftp://id.example/keys", "https://", "https:///keys"] {
        assert!(text.parse::<KeySource>().is_err(), "{text}");
    }
    for text in ["keys.json", "/etc/keys.json", "http://127.0.0.1:1/", "https://id.example/keys"] {
        assert!(text.parse::<KeySource>().is_ok(), "{text}");
    }
}
