//! Organisers suspend accounts, and lift it.

use tengen_harness::{Database, on_each_database};
use tengen_proto::session::v1::{LiftSuspensionRequest, SuspendAccountRequest, Tokens};
use tengen_proto::time::timestamp;
use tengen_session::Config;
use tonic::{Code, Status};

use crate::answers::{
    get, is_good, player, reason, reconnect, refusal, register, signed, signs_in,
};
use crate::site::Site;

on_each_database!(
    whoever_is_suspended_is_signed_out_and_told_why_after_the_right_password_alone,
    a_suspension_ends_by_itself_or_when_it_is_lifted,
    the_same_suspension_is_made_once_and_leaves_one_row,
);

/// The instant that sites begin at.
const START_MS: i64 = 1_767_225_600_123;

/// A site with an organiser, and his tokens.
async fn organised(database: Database) -> (Site, Tokens) {
    let site = Site::new(database).await;
    let (id, _) = player(&site, "eun").await;
    let site = site.replica(&Config { organisers: vec![id], ..Config::default() }).await;
    let tokens = signs_in(&site, "eun", "password 1").await.unwrap();
    (site, tokens)
}

async fn suspend(
    site: &Site,
    tokens: &Tokens,
    request_id: &str,
    player_id: &str,
    until_ms: Option<i64>,
) -> Result<(), Status> {
    let request = SuspendAccountRequest {
        request_id: request_id.to_owned(),
        player_id: player_id.to_owned(),
        until: until_ms.map(timestamp),
        reason: "used an engine".to_owned(),
    };
    site.client().suspend_account(signed(request, tokens)).await.map(drop)
}

async fn lift(site: &Site, tokens: &Tokens, id: &str, player_id: &str) -> Result<(), Status> {
    let request =
        LiftSuspensionRequest { request_id: id.to_owned(), player_id: player_id.to_owned() };
    site.client().lift_suspension(signed(request, tokens)).await.map(drop)
}

async fn whoever_is_suspended_is_signed_out_and_told_why_after_the_right_password_alone(
    database: Database,
) {
    let (site, organiser) = organised(database).await;
    let (id, tokens) = player(&site, "ada").await;
    suspend(&site, &organiser, "suspend-1", &id, Some(START_MS + 60_000)).await.unwrap();
    assert!(!is_good(&site, &tokens).await && is_good(&site, &organiser).await);
    let told = || {
        let until = START_MS + 60_000;
        let facts = format!("ACCOUNT_SUSPENDED reason=used an engine until_ms={until}");
        (Code::PermissionDenied, facts, vec![])
    };
    let status = signs_in(&site, "ada", "password 1").await.unwrap_err();
    assert_eq!(refusal(&status), told());
    let request = reconnect("reconnect-1", &tokens.reconnect_token);
    assert_eq!(refusal(&site.client().reconnect(request).await.unwrap_err()), told());
    // Nor does the registration, sent again, get around it.
    let request = register("request-ada", "ada", "password 1");
    assert_eq!(refusal(&site.client().register(request).await.unwrap_err()), told());
    let status = signs_in(&site, "ada", "wrong").await.unwrap_err();
    assert_eq!(reason(&status), "WRONG_CREDENTIALS");
    // The account is seen as before.
    let account = site.client().get_account(get(&id, None)).await.unwrap().into_inner();
    assert!(!account.account.unwrap().deleted);
}

async fn a_suspension_ends_by_itself_or_when_it_is_lifted(database: Database) {
    let (site, organiser) = organised(database).await;
    let (id, tokens) = player(&site, "ada").await;
    suspend(&site, &organiser, "suspend-1", &id, Some(START_MS + 60_000)).await.unwrap();
    site.time.advance(59_999);
    let status = signs_in(&site, "ada", "password 1").await.unwrap_err();
    assert_eq!(reason(&status), "ACCOUNT_SUSPENDED");
    site.time.advance(1);
    let new = signs_in(&site, "ada", "password 1").await.unwrap();
    assert!(is_good(&site, &new).await);
    // What was good before is not good again.
    assert!(!is_good(&site, &tokens).await);
    let request = reconnect("reconnect-1", &tokens.reconnect_token);
    let status = site.client().reconnect(request).await.unwrap_err();
    assert_eq!(reason(&status), "RECONNECT_TOKEN_UNKNOWN");

    suspend(&site, &organiser, "suspend-2", &id, None).await.unwrap();
    let status = signs_in(&site, "ada", "password 1").await.unwrap_err();
    let facts = "ACCOUNT_SUSPENDED reason=used an engine".to_owned();
    assert_eq!(refusal(&status), (Code::PermissionDenied, facts, vec![]));
    lift(&site, &organiser, "lift-0001", &id).await.unwrap();
    // Sent again, it is lifted no second time.
    let again = signs_in(&site, "ada", "password 1").await.unwrap();
    lift(&site, &organiser, "lift-0001", &id).await.unwrap();
    assert!(is_good(&site, &again).await && !is_good(&site, &new).await);
}

// fault: F9
async fn the_same_suspension_is_made_once_and_leaves_one_row(database: Database) {
    let (site, organiser) = organised(database).await;
    let replica = site.replica(&Config::default()).await;
    let (id, _) = player(&site, "ada").await;
    let until_ms = START_MS + 60_000;
    suspend(&site, &organiser, "suspend-1", &id, Some(until_ms)).await.unwrap();
    site.time.advance(60_000);
    let tokens = signs_in(&site, "ada", "password 1").await.unwrap();
    // The answer was lost, for a minute.
    suspend(&replica, &organiser, "suspend-1", &id, Some(until_ms)).await.unwrap();
    assert!(is_good(&site, &tokens).await);
    signs_in(&site, "ada", "password 1").await.unwrap();
    for (player_id, until_ms) in [(id.as_str(), None), ("player_x", Some(until_ms))] {
        let status = suspend(&site, &organiser, "suspend-1", player_id, until_ms).await;
        assert_eq!(reason(&status.unwrap_err()), "REQUEST_ID_REUSED", "{player_id}");
    }
    let status = lift(&site, &organiser, "suspend-1", &id).await.unwrap_err();
    assert_eq!(reason(&status), "REQUEST_ID_REUSED");
    // What is over may not begin, and nobody may be suspended who is not there.
    let status = suspend(&site, &organiser, "suspend-2", &id, Some(until_ms)).await.unwrap_err();
    assert_eq!((reason(&status).as_str(), status.code()), ("INVALID_FIELD", Code::InvalidArgument));
    let status = suspend(&site, &organiser, "suspend-3", "player_x", None).await.unwrap_err();
    assert_eq!(reason(&status), "PLAYER_NOT_FOUND");
    let rows: Vec<(String, String, String)> =
        sqlx::query_as("select event, player_id, detail from audit")
            .fetch_all(&site.database)
            .await
            .unwrap();
    let detail = format!("until {until_ms}: used an engine");
    assert_eq!(rows, [("suspended".to_owned(), id, detail)]);
}
