//! Reconnect tokens: each is good once, and a second use ends its family.

use std::sync::Arc;

use tengen_harness::{Database, Kind, Server, on_each_database};
use tengen_live::{Redis, RedisSettings};
use tengen_proto::session::v1::Tokens;
use tengen_session::Config;
use tonic::{Code, Status};

use crate::answers::{self, get, reason, reconnect, sign_in, sign_out, signed, signed_in};
use crate::site::Site;

on_each_database!(
    a_family_that_was_ended_leaves_a_row_in_the_audit,
    whoever_signed_out_does_not_reconnect,
);

const MINUTE_MS: u32 = 60_000;
const DAY_MS: u32 = 24 * 60 * MINUTE_MS;

async fn player(site: &Site, name: &str) -> Tokens {
    answers::player(site, name).await.1
}

async fn reconnected(site: &Site, request_id: &str, token: &str) -> Result<Tokens, Status> {
    let answer = site.client().reconnect(reconnect(request_id, token)).await?;
    Ok(answer.into_inner().tokens.unwrap())
}

async fn refused(site: &Site, request_id: &str, token: &str) -> String {
    let status = reconnected(site, request_id, token).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
    reason(&status)
}

/// What holds over any live state. Nothing here waits for time to pass.
async fn a_token_is_good_once_and_again_for_the_same_request_alone(site: &Site) {
    let replica = site.replica(&Config::default()).await;
    let first = player(site, "ada").await;
    let second = reconnected(site, "reconnect-1", &first.reconnect_token).await.unwrap();
    assert_ne!(second.reconnect_token, first.reconnect_token);
    assert_eq!(second.roles, first.roles);
    replica.client().get_account(get("me", Some(&second))).await.unwrap();
    // The answer was lost: another replica gives the very same.
    let again = reconnected(&replica, "reconnect-1", &first.reconnect_token).await.unwrap();
    assert_eq!(again.reconnect_token, second.reconnect_token);
    let third = reconnected(&replica, "reconnect-2", &second.reconnect_token).await.unwrap();
    let other = player(site, "bo").await;

    // fault: F15
    let token = &second.reconnect_token;
    assert_eq!(refused(site, "reconnect-3", token).await, "RECONNECT_TOKEN_REUSED");
    for token in [&first, &second, &third].map(|tokens| &tokens.reconnect_token) {
        assert_eq!(refused(&replica, "reconnect-4", token).await, "RECONNECT_TOKEN_UNKNOWN");
    }
    // Another sign-in is another family.
    reconnected(site, "reconnect-1", &other.reconnect_token).await.unwrap();
    let answer = site.client().sign_in(sign_in("ada", "password 1")).await.unwrap();
    let (_, signed_in) = signed_in(answer.into_inner());
    reconnected(site, "reconnect-1", &signed_in.reconnect_token).await.unwrap();
}

// fault: F15: also the oldest token of a family, which is known by nothing but its family.
async fn an_older_token_ends_the_family_too(site: &Site) {
    let first = player(site, "eve").await.reconnect_token;
    let second = reconnected(site, "reconnect-1", &first).await.unwrap().reconnect_token;
    let third = reconnected(site, "reconnect-2", &second).await.unwrap().reconnect_token;
    assert_eq!(refused(site, "reconnect-1", &first).await, "RECONNECT_TOKEN_REUSED");
    assert_eq!(refused(site, "reconnect-3", &third).await, "RECONNECT_TOKEN_UNKNOWN");
}

async fn of_many_at_once_the_same_request_gets_the_same_token(site: &Site) {
    let replica = site.replica(&Config::default()).await;
    let first = player(site, "mia").await.reconnect_token;
    let racers: Vec<_> = (0..8)
        .map(|index| {
            let mut client = [site, &replica][index % 2].client();
            let request = reconnect("reconnect-1", &first);
            tokio::spawn(async move { client.reconnect(request).await })
        })
        .collect();
    let mut tokens = Vec::new();
    for racer in racers {
        let answer = racer.await.unwrap().unwrap().into_inner();
        tokens.push(answer.tokens.unwrap().reconnect_token);
    }
    tokens.dedup();
    assert_eq!(tokens.len(), 1);
    reconnected(site, "reconnect-2", &tokens[0]).await.unwrap();
}

// fault: F15
async fn of_two_requests_at_once_neither_keeps_the_family(site: &Site) {
    let first = player(site, "zoe").await.reconnect_token;
    let requests = ["reconnect-1", "reconnect-2"].map(|id| reconnected(site, id, &first));
    let [one, two] = requests;
    let (one, two) = tokio::join!(one, two);
    let (won, lost) = match (one, two) {
        (Ok(won), Err(lost)) | (Err(lost), Ok(won)) => (won, lost),
        both => panic!("one of them wins: {both:?}"),
    };
    assert_eq!(reason(&lost), "RECONNECT_TOKEN_REUSED");
    let token = &won.reconnect_token;
    assert_eq!(refused(site, "reconnect-3", token).await, "RECONNECT_TOKEN_UNKNOWN");
}

async fn all_that_holds_over_any_live_state(site: &Site) {
    a_token_is_good_once_and_again_for_the_same_request_alone(site).await;
    an_older_token_ends_the_family_too(site).await;
    of_many_at_once_the_same_request_gets_the_same_token(site).await;
    of_two_requests_at_once_neither_keeps_the_family(site).await;
}

#[tokio::test]
async fn in_memory() {
    let site = Site::new(Database::sqlite()).await;
    all_that_holds_over_any_live_state(&site).await;
}

#[tokio::test]
async fn in_redis() {
    let server = Server::start(Kind::Redis, &[]);
    let live = Redis::connect(&server.url(), RedisSettings::default()).await.unwrap();
    let site = Site::over(Arc::new(live)).await;
    all_that_holds_over_any_live_state(&site).await;
    // Whoever reads what is stored has no token: a new family, and the answer to a lost answer.
    let first = player(&site, "ian").await.reconnect_token;
    let second = reconnected(&site, "reconnect-1", &first).await.unwrap().reconnect_token;
    let keys = server.ask(&["KEYS", "*session:*"]);
    let names = keys.lines().filter(|line| line.ends_with('}'));
    let mut seen = 0;
    for name in names {
        let stored = server.ask(&["HGETALL", name]);
        assert!(!stored.contains(&first[22..]) && !stored.contains(&second[22..]));
        assert!(!name.contains(&first[..21]));
        let left: i64 = server.ask(&["PTTL", name])[1..].trim().parse().unwrap();
        assert!(left > i64::from(29 * DAY_MS), "it goes by itself: {left}");
        seen += 1;
    }
    assert!(seen >= 4, "{keys}");
}

#[tokio::test]
async fn the_same_answer_is_given_for_a_minute() {
    let site = Site::new(Database::sqlite()).await;
    let first = player(&site, "ada").await.reconnect_token;
    let second = reconnected(&site, "reconnect-1", &first).await.unwrap().reconnect_token;
    site.time.advance(MINUTE_MS - 1);
    let again = reconnected(&site, "reconnect-1", &first).await.unwrap();
    assert_eq!(again.reconnect_token, second);
    site.time.advance(1);
    // fault: F15
    assert_eq!(refused(&site, "reconnect-1", &first).await, "RECONNECT_TOKEN_REUSED");
    assert_eq!(refused(&site, "reconnect-2", &second).await, "RECONNECT_TOKEN_UNKNOWN");
}

#[tokio::test]
async fn a_token_lives_for_thirty_days_after_the_last_use() {
    let site = Site::new(Database::sqlite()).await;
    let mut token = player(&site, "ada").await.reconnect_token;
    for days in 0..3 {
        site.time.advance(30 * DAY_MS / 2);
        site.time.advance(30 * DAY_MS / 2 - 1);
        let request_id = format!("reconnect-{days}");
        token = reconnected(&site, &request_id, &token).await.unwrap().reconnect_token;
    }
    site.time.advance(30 * DAY_MS / 2);
    site.time.advance(30 * DAY_MS / 2);
    assert_eq!(refused(&site, "reconnect-4", &token).await, "RECONNECT_TOKEN_UNKNOWN");
}

#[tokio::test]
async fn what_is_no_token_is_refused() {
    let site = Site::new(Database::sqlite()).await;
    let good = player(&site, "ada").await.reconnect_token;
    for token in ["", "x", &good[1..], &format!("{good}A"), &good.replace(&good[..1], "!")] {
        let status = reconnected(&site, "reconnect-1", token).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status)),
            (Code::InvalidArgument, "INVALID_FIELD".into())
        );
        assert!(token.len() < 2 || !status.message().contains(token));
    }
    assert_eq!(refused(&site, "reconnect-1", &"A".repeat(64)).await, "RECONNECT_TOKEN_UNKNOWN");
    reconnected(&site, "reconnect-1", &good).await.unwrap();
}

// fault: F15
async fn a_family_that_was_ended_leaves_a_row_in_the_audit(database: Database) {
    let site = Site::new(database).await;
    let first = player(&site, "ada").await;
    let token = &first.reconnect_token;
    reconnected(&site, "reconnect-1", token).await.unwrap();
    assert_eq!(refused(&site, "reconnect-2", token).await, "RECONNECT_TOKEN_REUSED");
    let account = site.client().get_account(get("me", Some(&first))).await.unwrap().into_inner();
    let rows: Vec<(String, String, i64)> =
        sqlx::query_as("select event, player_id, at_ms from audit")
            .fetch_all(&site.database)
            .await
            .unwrap();
    let player_id = account.account.unwrap().player_id;
    assert_eq!(rows, [("reconnect_token_reused".to_owned(), player_id, 1_767_225_600_123)]);
}

async fn whoever_signed_out_does_not_reconnect(database: Database) {
    let site = Site::new(database).await;
    let (one, other) = (player(&site, "ada").await, player(&site, "bo").await);
    let answer = site.client().sign_in(sign_in("ada", "password 1")).await.unwrap();
    let (_, two) = signed_in(answer.into_inner());
    site.client().sign_out(signed(sign_out("sign-out-1"), &one)).await.unwrap();
    for tokens in [one, two] {
        let token = &tokens.reconnect_token;
        assert_eq!(refused(&site, "reconnect-1", token).await, "RECONNECT_TOKEN_UNKNOWN");
    }
    reconnected(&site, "reconnect-1", &other.reconnect_token).await.unwrap();
    let answer = site.client().sign_in(sign_in("ada", "password 1")).await.unwrap();
    let (_, three) = signed_in(answer.into_inner());
    reconnected(&site, "reconnect-1", &three.reconnect_token).await.unwrap();
}
