//! Signing in, tokens, roles, and what is refused.

use tengen_harness::{Database, on_each_database};
use tengen_kit::auth::{Caller, Verifier};
use tengen_kit::time::Time;
use tengen_proto::common::v1::Role;
use tengen_session::Config;
use tonic::Code;
use tonic_types::StatusExt;

use crate::answers::{get, refusal, register, registered, sign_in, signed_in};
use crate::site::Site;

on_each_database!(
    a_new_account_is_signed_in_and_seen_by_all,
    an_account_that_is_not_there_is_not_found,
    signing_in_takes_the_name_in_any_case_and_tells_no_fault_apart,
    roles_come_from_the_settings_and_hold_on_every_method,
    accounts_and_tokens_survive_a_restart,
    a_database_that_is_away_is_told_and_may_be_tried_again,
);

async fn a_new_account_is_signed_in_and_seen_by_all(database: Database) {
    let site = Site::new(database).await;
    let mut client = site.client();
    let answer = client.register(register("request-1", "Shusaku秀策", "password 1")).await.unwrap();
    let (account, tokens) = registered(answer.into_inner());

    assert_eq!(
        (account.name.as_str(), account.bot, account.owner_id.as_str()),
        ("Shusaku秀策", false, "")
    );
    let created = account.created_at.unwrap();
    assert_eq!((created.seconds, created.nanos), (1_767_225_600, 123_000_000));
    assert_eq!(tokens.roles, [i32::from(Role::Player)]);
    assert_eq!(tokens.access_expires_at.unwrap().seconds, 1_767_225_600 + 600);
    assert_eq!(tokens.reconnect_token.len(), 64);

    // Whoever has the key set knows who it is, until ten minutes have passed.
    let verifier = Verifier::new("tengen", "tengen", site.time.shared());
    verifier.set_jwks(&site.jwks).unwrap();
    let Ok(Caller::Account(seen)) = verifier.verify(&tokens.access_token) else {
        panic!("a good token");
    };
    assert_eq!((&seen.id, &seen.name), (&account.player_id, &account.name));
    assert_eq!((seen.roles.as_slice(), seen.bot), (["PLAYER".to_owned()].as_slice(), false));

    for (player_id, tokens) in [("me", Some(&tokens)), (account.player_id.as_str(), None)] {
        let answer = client.get_account(get(player_id, tokens)).await.unwrap().into_inner();
        assert_eq!(answer.account.as_ref(), Some(&account), "{player_id}");
    }
    site.time.advance(600_000);
    let status = client.get_account(get("me", Some(&tokens))).await.unwrap_err();
    let expired = (Code::Unauthenticated, "INVALID_TOKEN token=expired".to_owned(), vec![]);
    assert_eq!(refusal(&status), expired);
}

async fn an_account_that_is_not_there_is_not_found(database: Database) {
    let site = Site::new(database).await;
    let mut client = site.client();
    let status = client.get_account(get("player_x", None)).await.unwrap_err();
    let expected = "PLAYER_NOT_FOUND player_id=player_x".to_owned();
    assert_eq!(refusal(&status), (Code::NotFound, expected, vec![]));
    let status = client.get_account(get("me", None)).await.unwrap_err();
    let expected = "INVALID_TOKEN token=missing".to_owned();
    assert_eq!(refusal(&status), (Code::Unauthenticated, expected, vec![]));
}

async fn signing_in_takes_the_name_in_any_case_and_tells_no_fault_apart(database: Database) {
    let site = Site::new(database).await;
    let mut client = site.client();
    let answer = client.register(register("request-1", "Ольга", "pässword 1")).await.unwrap();
    let (account, _) = registered(answer.into_inner());
    for (name, password) in [("Ольга", "pässword 1"), ("ольга", "pa\u{308}ssword 1")] {
        let answer = client.sign_in(sign_in(name, password)).await.unwrap();
        let (again, tokens) = signed_in(answer.into_inner());
        assert_eq!(again, account);
        client.get_account(get("me", Some(&tokens))).await.unwrap();
    }

    let mut answers = Vec::new();
    for (name, password) in [
        ("Ольга", "pässword 2"),
        ("Ольга", "x"),
        ("Nobody", "pässword 1"),
        ("no name at all!", "pässword 1"),
    ] {
        let status = client.sign_in(sign_in(name, password)).await.unwrap_err();
        answers.push((status.code(), status.message().to_owned(), status.details().to_vec()));
    }
    assert_eq!(answers[0].0, Code::Unauthenticated);
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[tokio::test]
async fn every_field_is_checked_and_named() {
    let site = Site::new(Database::sqlite()).await;
    let mut client = site.client();
    let long = "x".repeat(129);
    let all = ["request_id", "name", "password"];
    let cases: [(&str, &str, &str, &[&str]); 12] = [
        ("", "", "", &all),
        ("short", "ab", "password", &all[..1]),
        ("request 1", "ab", "password", &all[..1]),
        (&long[..65], "ab", "password", &all[..1]),
        ("request-1", "", "password", &all[1..2]),
        ("request-1", "a", "password", &all[1..2]),
        ("request-1", &long[..21], "password", &all[1..2]),
        ("request-1", "a b", "password", &all[1..2]),
        ("request-1", "раypal", "password", &all[1..2]),
        ("request-1", "ab", "hunter2", &all[2..]),
        ("request-1", "ab", &long, &all[2..]),
        ("request-1", "ab", "pass\0word", &all[2..]),
    ];
    for (request_id, name, password, expected) in cases {
        let status = client.register(register(request_id, name, password)).await.unwrap_err();
        let (code, reason, fields) = refusal(&status);
        assert_eq!(
            (code, fields),
            (Code::InvalidArgument, expected.iter().map(|&f| f.to_owned()).collect())
        );
        assert!(reason.starts_with("INVALID_FIELD"), "{reason}");
        assert!(password.is_empty() || !reason.contains(password), "{reason}");
    }
    let cases: [(&str, &str, &[&str]); 5] = [
        ("", "", &all[1..]),
        (&long[..65], "password", &all[1..2]),
        ("a\nb", "password", &all[1..2]),
        ("ab", "", &all[2..]),
        ("ab", &long, &all[2..]),
    ];
    for (name, password, expected) in cases {
        let status = client.sign_in(sign_in(name, password)).await.unwrap_err();
        let (code, _, fields) = refusal(&status);
        assert_eq!(
            (code, fields),
            (Code::InvalidArgument, expected.iter().map(|&f| f.to_owned()).collect())
        );
    }
    for player_id in ["", "a b", "../me", &long[..65], "黑"] {
        let status = client.get_account(get(player_id, None)).await.unwrap_err();
        let (code, _, fields) = refusal(&status);
        assert_eq!((code, fields), (Code::InvalidArgument, vec!["player_id".to_owned()]));
    }
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused() {
    let site = Site::new(Database::sqlite()).await;
    let huge = "x".repeat(65 * 1024);
    let status = site.client().sign_in(sign_in("ab", &huge)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
}

async fn roles_come_from_the_settings_and_hold_on_every_method(database: Database) {
    let site = Site::new(database).await;
    let mut client = site.client();
    let request = register("request-1", "Referee", "password 1");
    let (account, _) = registered(client.register(request).await.unwrap().into_inner());
    let config = Config {
        referees: vec!["player_x".to_owned(), account.player_id.clone()],
        organisers: vec![account.player_id],
        ..Config::default()
    };
    let replica = site.replica(&config).await;
    let answer = replica.client().sign_in(sign_in("referee", "password 1")).await.unwrap();
    let (_, tokens) = signed_in(answer.into_inner());
    assert_eq!(tokens.roles, [Role::Player, Role::Referee, Role::Organiser].map(i32::from));
    let verifier = Verifier::new("tengen", "tengen", site.time.shared());
    verifier.set_jwks(&replica.jwks).unwrap();
    let caller = verifier.verify(&tokens.access_token).unwrap();
    for (role, held) in
        [("PLAYER", true), ("REFEREE", true), ("ORGANISER", true), ("CHIEF_REFEREE", false)]
    {
        assert_eq!(caller.has_role(role), held, "{role}");
    }
}

async fn accounts_and_tokens_survive_a_restart(database: Database) {
    let site = Site::new(database).await;
    let request = register("request-1", "Player", "password 1");
    let (account, tokens) = registered(site.client().register(request).await.unwrap().into_inner());
    let now_ms = site.time.now_ms();
    let site = site.restarted().await;
    assert_eq!(site.time.now_ms(), now_ms);
    let mut client = site.client();
    let answer = client.get_account(get("me", Some(&tokens))).await.unwrap().into_inner();
    assert_eq!(answer.account.as_ref(), Some(&account));
    client.sign_in(sign_in("Player", "password 1")).await.unwrap();
}

async fn a_database_that_is_away_is_told_and_may_be_tried_again(database: Database) {
    let site = Site::new(database).await;
    site.database.close().await;
    let mut client = site.client();
    let registered = client.register(register("request-1", "Player", "password 1")).await;
    let signed_in = client.sign_in(sign_in("Player", "password 1")).await;
    let got = client.get_account(get("player_x", None)).await;
    for status in [registered.unwrap_err(), signed_in.unwrap_err(), got.unwrap_err()] {
        let expected = "BEHIND_UNAVAILABLE what=accounts".to_owned();
        assert_eq!(refusal(&status), (Code::Unavailable, expected, vec![]));
        assert!(status.get_error_details().retry_info().is_some());
    }
}
