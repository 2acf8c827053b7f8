//! A player changes the own password, or deletes the own account.

use tengen_harness::{Database, on_each_database};
use tengen_proto::session::v1::{ChangePasswordRequest, DeleteAccountRequest, Tokens};
use tengen_session::Config;
use tonic::{Code, Status};

use crate::answers::{
    get, is_good, player, reason, reconnect, refusal, register, sign_out, signed, signs_in,
};
use crate::site::Site;

on_each_database!(
    a_new_password_takes_the_place_of_the_old_and_signs_out_everywhere,
    the_same_change_of_a_password_is_made_once,
    changes_of_a_password_that_race_make_one,
    a_deleted_account_is_gone_and_its_name_is_not_free,
    the_audit_tells_who_changed_what,
);

async fn change(site: &Site, tokens: &Tokens, id: &str, old: &str, new: &str) -> String {
    let request = ChangePasswordRequest {
        request_id: id.to_owned(),
        old_password: old.to_owned(),
        new_password: new.to_owned(),
    };
    told(site.client().change_password(signed(request, tokens)).await.map(drop))
}

async fn delete(site: &Site, tokens: &Tokens, id: &str, password: &str) -> String {
    let request = DeleteAccountRequest { request_id: id.to_owned(), password: password.to_owned() };
    told(site.client().delete_account(signed(request, tokens)).await.map(drop))
}

/// The reason of a refusal; empty for none.
fn told(answer: Result<(), Status>) -> String {
    answer.map_or_else(|status| reason(&status), |()| String::new())
}

async fn a_new_password_takes_the_place_of_the_old_and_signs_out_everywhere(database: Database) {
    let site = Site::new(database).await;
    let (_, one) = player(&site, "ada").await;
    let (_, other) = player(&site, "bo").await;
    let two = signs_in(&site, "ada", "password 1").await.unwrap();
    assert_eq!(change(&site, &one, "change-01", "wrong", "password 2").await, "WRONG_CREDENTIALS");
    assert!(is_good(&site, &one).await);
    assert_eq!(change(&site, &one, "change-01", "password 1", "password 2").await, "");
    assert!(!is_good(&site, &one).await && !is_good(&site, &two).await);
    assert!(is_good(&site, &other).await);
    for tokens in [&one, &two] {
        let request = reconnect("reconnect-1", &tokens.reconnect_token);
        let status = site.client().reconnect(request).await.unwrap_err();
        assert_eq!(reason(&status), "RECONNECT_TOKEN_UNKNOWN");
    }
    let status = signs_in(&site, "ada", "password 1").await.unwrap_err();
    assert_eq!(reason(&status), "WRONG_CREDENTIALS");
    let three = signs_in(&site, "ada", "password 2").await.unwrap();
    assert!(is_good(&site, &three).await);
}

// fault: F9
async fn the_same_change_of_a_password_is_made_once(database: Database) {
    let site = Site::new(database).await;
    // It has not heard of the change yet: its clock stands.
    let replica = site.replica(&Config::default()).await;
    let (_, one) = player(&site, "ada").await;
    assert_eq!(change(&site, &one, "change-01", "password 1", "password 2").await, "");
    let three = signs_in(&site, "ada", "password 2").await.unwrap();
    if is_good(&replica, &one).await {
        assert_eq!(change(&replica, &one, "change-01", "password 1", "password 2").await, "");
        let other = change(&replica, &one, "change-01", "password 1", "password 3").await;
        assert_eq!(other, "REQUEST_ID_REUSED");
        let other = delete(&replica, &one, "change-01", "password 2").await;
        assert_eq!(other, "REQUEST_ID_REUSED");
        // Another request with a token of before.
        let late = change(&replica, &one, "change-02", "password 2", "password 3").await;
        assert_eq!(late, "INVALID_TOKEN");
    }
    assert!(is_good(&site, &three).await, "signed out by nobody");
    signs_in(&replica, "ada", "password 2").await.unwrap();
    assert_eq!(change(&site, &three, "sign-out-1", "password 2", "password 3").await, "");
    let four = signs_in(&site, "ada", "password 3").await.unwrap();
    site.client().sign_out(signed(sign_out("sign-out-2"), &four)).await.unwrap();
    let five = signs_in(&site, "ada", "password 3").await.unwrap();
    let reused = change(&site, &five, "sign-out-2", "password 3", "password 4").await;
    assert_eq!(reused, "REQUEST_ID_REUSED");
    signs_in(&site, "ada", "password 3").await.unwrap();
}

async fn changes_of_a_password_that_race_make_one(database: Database) {
    let site = Site::new(database).await;
    let replica = site.replica(&Config::default()).await;
    let (_, tokens) = player(&site, "ada").await;
    let (one, other) = tokio::join!(
        change(&site, &tokens, "change-01", "password 1", "password 2"),
        change(&replica, &tokens, "change-02", "password 1", "password 3"),
    );
    let good = match (one.as_str(), other.as_str()) {
        ("", refused) => (refused, "password 2"),
        (refused, "") => (refused, "password 3"),
        both => panic!("one of them: {both:?}"),
    };
    assert!(["INVALID_TOKEN", "WRONG_CREDENTIALS"].contains(&good.0), "{good:?}");
    signs_in(&site, "ada", good.1).await.unwrap();
    let tokens = signs_in(&site, "ada", good.1).await.unwrap();
    let (one, other) = tokio::join!(
        change(&site, &tokens, "change-03", good.1, "password 4"),
        change(&replica, &tokens, "change-03", good.1, "password 4"),
    );
    // Whoever is late may be told that he is signed out.
    assert!(one.is_empty() || other.is_empty(), "{one} {other}");
    signs_in(&replica, "ada", "password 4").await.unwrap();
}

async fn a_deleted_account_is_gone_and_its_name_is_not_free(database: Database) {
    let site = Site::new(database).await;
    let replica = site.replica(&Config::default()).await;
    let (id, one) = player(&site, "Paul").await;
    let (_, other) = player(&site, "bo").await;
    assert_eq!(delete(&site, &one, "delete-01", "wrong").await, "WRONG_CREDENTIALS");
    assert_eq!(delete(&site, &one, "delete-01", "password 1").await, "");
    if is_good(&replica, &one).await {
        assert_eq!(delete(&replica, &one, "delete-01", "password 1").await, "");
        assert_eq!(delete(&replica, &one, "delete-02", "password 1").await, "INVALID_TOKEN");
    }
    assert!(!is_good(&site, &one).await && is_good(&site, &other).await);
    let account = site.client().get_account(get(&id, None)).await.unwrap().into_inner();
    let account = account.account.unwrap();
    assert_eq!((account.name.as_str(), account.deleted), ("Paul", true));
    // As if there were no account, or a wrong password.
    let gone = signs_in(&site, "Paul", "password 1").await.unwrap_err();
    let nobody = signs_in(&site, "nobody", "password 1").await.unwrap_err();
    assert_eq!(refusal(&gone), refusal(&nobody));
    assert_eq!((gone.message(), gone.code()), (nobody.message(), Code::Unauthenticated));
    let request = reconnect("reconnect-1", &one.reconnect_token);
    let status = site.client().reconnect(request).await.unwrap_err();
    assert_eq!(reason(&status), "RECONNECT_TOKEN_UNKNOWN");
    for name in ["Paul", "pau1"] {
        let request = register("request-2", name, "password 2");
        let status = site.client().register(request).await.unwrap_err();
        assert_eq!(reason(&status), "NAME_TAKEN");
    }
    // Nor does the registration of then bring it back.
    let again = register("request-Paul", "Paul", "password 1");
    let status = site.client().register(again).await.unwrap_err();
    assert_eq!(reason(&status), "REQUEST_ID_REUSED");
}

async fn the_audit_tells_who_changed_what(database: Database) {
    let site = Site::new(database).await;
    let (id, one) = player(&site, "ada").await;
    assert_eq!(change(&site, &one, "change-01", "password 1", "password 2").await, "");
    let two = signs_in(&site, "ada", "password 2").await.unwrap();
    site.time.advance(1);
    assert_eq!(delete(&site, &two, "delete-01", "password 2").await, "");
    let rows: Vec<(String, String, String, String)> =
        sqlx::query_as("select event, actor_id, player_id, detail from audit order by at_ms")
            .fetch_all(&site.database)
            .await
            .unwrap();
    let row = |event: &str| (event.to_owned(), id.clone(), id.clone(), String::new());
    assert_eq!(rows, [row("password_changed"), row("deleted")]);
    let hashes: Vec<(String,)> = sqlx::query_as("select password_hash from accounts")
        .fetch_all(&site.database)
        .await
        .unwrap();
    assert_eq!(hashes, [(String::new(),)], "what could sign in is forgotten");
}

#[tokio::test]
async fn guesses_of_the_old_password_are_counted() {
    let site = Site::with(Config { failures: 3, ..Config::default() }).await;
    let (_, one) = player(&site, "ada").await;
    for (change_id, delete_id) in [("change-01", "delete-01"), ("change-02", "delete-02")] {
        let reason = change(&site, &one, change_id, "wrong", "password 2").await;
        assert!(["WRONG_CREDENTIALS", "LIMIT_REACHED"].contains(&reason.as_str()), "{reason}");
        let reason = delete(&site, &one, delete_id, "wrong").await;
        assert!(["WRONG_CREDENTIALS", "LIMIT_REACHED"].contains(&reason.as_str()), "{reason}");
    }
    assert_eq!(delete(&site, &one, "delete-03", "password 1").await, "LIMIT_REACHED");
    assert_eq!(change(&site, &one, "change-03", "password 1", "password 2").await, "LIMIT_REACHED");
}
