//! Signing keys take each other's place without a gap.

use tengen_harness::{Database, on_each_database};
use tengen_kit::auth::Verifier;
use tengen_proto::session::v1::GetKeysRequest;
use tengen_session::Config;

use crate::answers::{register, registered, sign_in, signed_in};
use crate::site::Site;

on_each_database!(
    keys_take_each_others_place_without_a_gap,
    replicas_that_start_at_once_make_one_key
);

const MINUTE_MS: u32 = 60_000;
const DAY_MS: u32 = 24 * 60 * MINUTE_MS;

async fn published(site: &Site) -> String {
    site.client().get_keys(GetKeysRequest {}).await.unwrap().into_inner().jwks
}

fn count(jwks: &str) -> usize {
    jwks.matches("\"kid\"").count()
}

/// The id of the key that signed a token.
fn key_of(token: &str) -> String {
    token.split('.').next().unwrap().to_owned()
}

async fn signs_in(site: &Site) -> String {
    let answer = site.client().sign_in(sign_in("ada", "password 1")).await.unwrap();
    signed_in(answer.into_inner()).1.access_token
}

/// Waits until a replica has looked again.
async fn until(site: &Site, keys: usize) -> String {
    loop {
        let jwks = published(site).await;
        if count(&jwks) == keys {
            return jwks;
        }
    }
}

async fn keys_take_each_others_place_without_a_gap(database: Database) {
    let site = Site::new(database).await;
    let replica = site.replica(&Config::default()).await;
    registered(
        site.client()
            .register(register("request-1", "ada", "password 1"))
            .await
            .unwrap()
            .into_inner(),
    );
    // A service that asks every minute, and keeps what it had.
    let verifier = Verifier::new("tengen", "tengen", site.time.shared());
    verifier.set_jwks(&published(&site).await).unwrap();
    let first = signs_in(&site).await;

    site.time.advance(30 * DAY_MS - MINUTE_MS);
    assert_eq!(count(&published(&site).await), 1);
    site.time.advance(MINUTE_MS);
    let (mine, theirs) = (until(&site, 2).await, until(&replica, 2).await);
    assert_eq!(mine, theirs, "one new key, by whichever was first");
    verifier.renew_jwks(&mine).unwrap();

    // For ten minutes the old key signs on.
    site.time.advance(10 * MINUTE_MS - 1_000);
    let old = signs_in(&replica).await;
    assert_eq!(key_of(&old), key_of(&first));
    verifier.verify(&old).unwrap();
    site.time.advance(1_000);
    let new = [signs_in(&site).await, signs_in(&replica).await];
    for token in &new {
        assert_ne!(key_of(token), key_of(&first));
        verifier.verify(token).unwrap();
    }

    // The old one is there until the last of its tokens is dead, for those who come new as well.
    site.time.advance(10 * MINUTE_MS - 1_500);
    let newcomer = Verifier::new("tengen", "tengen", site.time.shared());
    newcomer.set_jwks(&published(&site).await).unwrap();
    newcomer.verify(&old).unwrap();
    site.time.advance(2 * MINUTE_MS);
    let jwks = until(&site, 1).await;
    newcomer.set_jwks(&jwks).unwrap();
    newcomer.verify(&signs_in(&replica).await).unwrap();
    let restarted = site.restarted().await;
    assert_eq!(published(&restarted).await, jwks);
    let rows: Vec<(i64,)> = sqlx::query_as("select number from signing_keys")
        .fetch_all(&restarted.database)
        .await
        .unwrap();
    assert_eq!(rows, [(2,)], "what signs nothing any more is not kept");
}

async fn replicas_that_start_at_once_make_one_key(database: Database) {
    let site = Site::new(database).await;
    let config = Config::default();
    let (one, two) = tokio::join!(site.replica(&config), site.replica(&config));
    let jwks = published(&site).await;
    assert_eq!([published(&one).await, published(&two).await], [jwks.clone(), jwks]);
}
