//! A sign-out is honoured by this process at once, and by all others within seconds.

use tengen_harness::{Database, on_each_database};
use tengen_proto::internal::v1::{ListRevocationsRequest, ListRevocationsResponse};
use tengen_proto::time::timestamp_ms;
use tengen_session::Config;

use crate::answers::{is_good, player, sign_out, signed, signs_in};
use crate::site::Site;

on_each_database!(
    tokens_of_before_are_refused_and_those_of_after_are_not,
    a_sign_out_that_comes_twice_signs_nobody_out_who_signed_in_since,
    services_hear_who_was_signed_out_for_as_long_as_it_counts,
);

async fn tokens_of_before_are_refused_and_those_of_after_are_not(database: Database) {
    let site = Site::new(database).await;
    let replica = site.replica(&Config::default()).await;
    let (_, one) = player(&site, "ada").await;
    let (_, other) = player(&site, "bo").await;
    let two = signs_in(&replica, "ada", "password 1").await.unwrap();
    site.client().sign_out(signed(sign_out("sign-out-1"), &one)).await.unwrap();
    let three = signs_in(&site, "ada", "password 1").await.unwrap();
    // Without a second of time passing.
    assert!(!is_good(&site, &one).await && !is_good(&site, &two).await);
    assert!(is_good(&site, &three).await && is_good(&site, &other).await);
    // The other replica hears of it by its next look.
    site.time.advance(2_000);
    while is_good(&replica, &two).await {}
    assert!(!is_good(&replica, &one).await && is_good(&replica, &three).await);
}

async fn a_sign_out_that_comes_twice_signs_nobody_out_who_signed_in_since(database: Database) {
    let site = Site::new(database).await;
    let replica = site.replica(&Config::default()).await;
    let (_, one) = player(&site, "ada").await;
    let request = || signed(sign_out("sign-out-1"), &one);
    site.client().sign_out(request()).await.unwrap();
    let two = signs_in(&site, "ada", "password 1").await.unwrap();
    // The answer was lost, and the other replica does not know yet.
    if is_good(&replica, &one).await {
        replica.client().sign_out(request()).await.unwrap();
    }
    assert!(!is_good(&site, &one).await && !is_good(&replica, &one).await);
    assert!(is_good(&site, &two).await && is_good(&replica, &two).await);
    let events: Vec<(String,)> =
        sqlx::query_as("select event from audit").fetch_all(&site.database).await.unwrap();
    assert_eq!(events, [("sign_out".to_owned(),)]);
}

async fn services_hear_who_was_signed_out_for_as_long_as_it_counts(database: Database) {
    let site = Site::new(database).await;
    let (id, tokens) = player(&site, "ada").await;
    let ask = async |last: Option<&ListRevocationsResponse>| {
        let after = last.and_then(|answer| answer.as_of);
        let request = ListRevocationsRequest { after };
        site.revocations().list_revocations(request).await.unwrap().into_inner()
    };
    let first = ask(None).await;
    assert!(first.revocations.is_empty());
    site.client().sign_out(signed(sign_out("sign-out-1"), &tokens)).await.unwrap();
    for last in [None, Some(&first)] {
        let answer = ask(last).await;
        let [revocation] = &answer.revocations[..] else { panic!("one: {answer:?}") };
        assert_eq!((&revocation.player_id, revocation.generation), (&id, 1));
        assert_eq!(timestamp_ms(&answer.as_of.unwrap()), Some(1_767_225_600_123));
    }
    // Told again for a while to one who heard of it, and as long as it counts to one who did not.
    site.time.advance(16_000);
    let later = ask(None).await;
    assert_eq!(later.revocations.len(), 1);
    assert!(ask(Some(&later)).await.revocations.is_empty());
    site.time.advance(10 * 60_000);
    assert_eq!(ask(None).await.revocations.len(), 1);
    site.time.advance(60_000);
    assert!(ask(None).await.revocations.is_empty());
}
