//! Who may call what: every method of the contract, by every kind of caller.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;

use tengen_kit::auth::{ServiceSecret, ServiceTokens};
use tengen_kit::time::ManualTime;
use tengen_proto::common::v1::Role;
use tengen_proto::{METHODS, Method};
use tengen_suite::raw::{Answer, Raw};
use tengen_suite::suite::START_MS;
use tengen_suite::{Refused, Suite};
use tonic::{Code, Status};

const ACCESS_TOKENS_LIVE_MS: u32 = 600_000;

fn role(method: &Method) -> Role {
    Role::try_from(method.requires).unwrap()
}

/// The role as refusals name it.
fn name(role: Role) -> &'static str {
    role.as_str_name().strip_prefix("ROLE_").unwrap()
}

/// Checks a refusal's code, its reason and one fact beside it; says what is wrong.
fn expect(status: &Status, code: Code, reason: &str, fact: (&str, &str)) -> Result<(), String> {
    if status.code() != code {
        return Err(format!("{code:?} expected, got {status:?}"));
    }
    let refused = Refused::from(status);
    let told = (refused.reason.as_str(), refused.metadata.get(fact.0).map(String::as_str));
    if told != (reason, Some(fact.1)) {
        return Err(format!("{reason} {fact:?} expected, got {refused:?}"));
    }
    Ok(())
}

/// What whoever has the role is told.
fn allowed(method: &Method, answer: &Answer) -> Result<(), String> {
    let status = &answer.status;
    if !method.not_built.is_empty() {
        expect(status, Code::Unimplemented, "NOT_BUILT", ("method", method.path))?;
        return match status.message() {
            text if text == method.not_built => Ok(()),
            text => Err(format!("{:?} expected, got {text:?}", method.not_built)),
        };
    }
    match status.code() {
        Code::Unimplemented | Code::Internal | Code::Unknown | Code::PermissionDenied => {
            Err(format!("a method that is built and allowed answers {status:?}"))
        }
        _ => Ok(()),
    }
}

/// Calls every method with an empty message, and checks each answer.
async fn every_method(
    suite: &Suite,
    authorization: Option<&str>,
    check: impl Fn(&Method, &Answer) -> Result<(), String>,
) {
    let mut raw = Raw::connect(suite.url()).await;
    let mut wrong = Vec::new();
    for method in METHODS {
        let answer = raw.call(method.path, authorization, b"").await;
        if let Err(what) = check(method, &answer) {
            wrong.push(format!("{}: {what}", method.path));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn a_guest_calls_what_is_open_and_signs_in_for_the_rest() {
    let suite = Suite::start().await;
    let check = |method: &Method, answer: &Answer| match role(method) {
        Role::Guest => allowed(method, answer),
        _ => expect(&answer.status, Code::Unauthenticated, "INVALID_TOKEN", ("token", "missing")),
    };
    every_method(&suite, None, check).await;
}

// rulebook: C16.1
#[tokio::test]
async fn a_player_is_neither_referee_nor_organiser_nor_a_service() {
    let suite = Suite::start().await;
    let player = suite.player("aki").await;
    let check = |method: &Method, answer: &Answer| match role(method) {
        Role::Guest | Role::Player => allowed(method, answer),
        role => {
            let fact = ("requires", name(role));
            expect(&answer.status, Code::PermissionDenied, "ROLE_MISSING", fact)
        }
    };
    every_method(&suite, Some(&format!("Bearer {}", player.token)), check).await;
}

/// Every method refuses a bad token, also those that need none.
async fn refused_everywhere(suite: &Suite, authorization: &str, fault: &str) {
    let check = |_: &Method, answer: &Answer| {
        expect(&answer.status, Code::Unauthenticated, "INVALID_TOKEN", ("token", fault))
    };
    every_method(suite, Some(authorization), check).await;
}

#[tokio::test]
async fn a_bad_token_opens_nothing() {
    let suite = Suite::start().await;
    let player = suite.player("aki").await;
    refused_everywhere(&suite, "Bearer three.little.stones", "malformed").await;
    refused_everywhere(&suite, "Basic YWtpOnRocmVl", "malformed").await;
    let signature = player.token.rfind('.').unwrap() + 1;
    let other = if player.token[signature..].starts_with('A') { "B" } else { "A" };
    let mut tampered = player.token.clone();
    tampered.replace_range(signature..=signature, other);
    refused_everywhere(&suite, &format!("Bearer {tampered}"), "forged").await;
    suite.advance(ACCESS_TOKENS_LIVE_MS);
    refused_everywhere(&suite, &format!("Bearer {}", player.token), "expired").await;
}

#[tokio::test]
async fn a_service_token_of_another_secret_opens_nothing() {
    let suite = Suite::start().await;
    let time = ManualTime::new(START_MS).shared();
    let tokens = ServiceTokens::new("rating", &ServiceSecret::generate(), time).unwrap();
    let header = tokens.header().unwrap();
    refused_everywhere(&suite, header.to_str().unwrap(), "forged").await;
}

#[tokio::test]
async fn a_method_that_does_not_exist_is_refused() {
    let suite = Suite::start().await;
    let mut raw = Raw::connect(suite.url()).await;
    for path in [
        "/",
        "/metrics",
        "/tengen.game.v1.GameService",
        "/tengen.game.v1.GameService/",
        "/tengen.game.v1.GameService/playmove",
        "/tengen.game.v1.GameService/PlayMove/",
        "/tengen.game.v1.AdminService/Drop",
        "//tengen.game.v1.GameService/PlayMove",
    ] {
        let status = raw.call(path, None, b"").await.status;
        assert_eq!(
            (status.code(), Refused::from(&status).reason.as_str()),
            (Code::Unimplemented, "NOT_BUILT"),
            "{path}"
        );
    }
}

/// The methods that a page's table of what is not built names, as `Service/Method`.
fn told_not_built(page: &str) -> BTreeSet<String> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| service | not built"));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let mut told = BTreeSet::new();
    for row in rows {
        let (services, methods) = row[1..].split_once('|').unwrap();
        let methods: Vec<_> = methods.trim_end_matches('|').split(',').map(str::trim).collect();
        let mut found = BTreeSet::new();
        for service in services.split('`').skip(1).step_by(2) {
            for method in METHODS {
                let (of, name) = short(method).split_once('/').unwrap();
                if of == service && (methods == ["all"] || methods.contains(&name)) {
                    found.insert(name);
                    told.insert(short(method).to_owned());
                }
            }
        }
        let named: BTreeSet<_> = methods.into_iter().filter(|name| *name != "all").collect();
        assert!(named.is_subset(&found), "no methods of {services}: {:?}", &named - &found);
    }
    told
}

/// `Service/Method`.
fn short(method: &Method) -> &str {
    method.path.split_once(".v1.").unwrap().1
}

#[test]
fn the_readme_tells_what_is_not_built() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let told = told_not_built(&std::fs::read_to_string(page).unwrap());
    let missing = METHODS.iter().filter(|method| !method.not_built.is_empty());
    let missing: BTreeSet<_> = missing.map(|method| short(method).to_owned()).collect();
    assert_eq!(told, missing);
}
