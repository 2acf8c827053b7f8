//! Tokens at the gateway: what is wrong with one is told before any service hears of it.

use serde_json::json;
use tengen_gateway::site::{doors, without_session};
use tengen_gateway::{Client, Refusal, Way, before, before_dev};
use tengen_kit::auth::{Claims, ServiceSecret, ServiceTokens, Signer};
use tengen_kit::time::WallTime;
use tengen_suite::{Player, Suite};
use tonic::Code;

const GAMES: &str = "/tengen.game.v1.GameService/ListMyGames";
const LADDER: &str = "/tengen.rating.v1.RatingService/GetLadder";

/// A token that would be good, if its key were the session service's.
fn of_another_key() -> String {
    let claims = Claims {
        iss: "tengen".into(),
        aud: "tengen".into(),
        sub: "player_1".into(),
        exp: WallTime::shared().now_ms() / 1_000 + 600,
        roles: vec!["PLAYER".into()],
        ..Claims::default()
    };
    Signer::generate().sign(&claims).unwrap()
}

/// A token with another signature.
fn spoilt(token: &str) -> String {
    let at = token.rfind('.').unwrap() + 1;
    let other = if token[at..].starts_with('A') { "B" } else { "A" };
    let mut spoilt = token.to_owned();
    spoilt.replace_range(at..=at, other);
    spoilt
}

#[tokio::test]
async fn a_bad_token_is_refused_at_the_gateway_in_each_way() {
    let (envoy, _suite) = before_dev(&[]).await;
    let guest = Client::new(&envoy.url());
    let player = Player::register(&doors(&envoy), "aki").await;
    let service = ServiceTokens::new("rating", &ServiceSecret::generate(), WallTime::shared());
    let service = service.unwrap().header().unwrap();
    let bad = [
        ("three little stones", "three.little.stones".to_owned()),
        ("spoilt", spoilt(&player.token)),
        ("of another key", of_another_key()),
        ("of a service", service.to_str().unwrap().trim_start_matches("Bearer ").to_owned()),
    ];
    for (what, token) in bad {
        let client = guest.signed(&token);
        for way in Way::ALL {
            // Also where no token is needed.
            for method in [GAMES, LADDER] {
                let refusal = client.ask(way, method, json!({})).await.unwrap_err();
                // A service would have given a reason.
                let Refusal { code, reason, message } = &refusal;
                let told = (*code, reason.as_str(), message.is_empty());
                assert_eq!(told, (Code::Unauthenticated, "", false), "{what} {way:?}: {refusal:?}");
            }
        }
    }
}

/// Signed by the right key, and still no good here.
#[tokio::test]
async fn an_expired_token_and_one_of_others_are_refused_at_the_gateway() {
    // Its time stands at the first of 2026: what it issues expired long ago.
    let past = Suite::start().await;
    let present = Suite::in_real_time().await;
    for (suite, name, variable, code, message) in [
        (&past, "aki", ("TOKEN_ISSUER", "tengen"), Code::Unauthenticated, "Jwt is expired"),
        (
            &present,
            "aki",
            ("TOKEN_ISSUER", "elsewhere"),
            Code::Unauthenticated,
            "Jwt issuer is not configured",
        ),
        (
            &present,
            "bo",
            ("TOKEN_AUDIENCE", "elsewhere"),
            Code::PermissionDenied,
            "Audiences in Jwt are not allowed",
        ),
    ] {
        let envoy = before(suite, &[variable]).await;
        let token = suite.player(name).await.token;
        let client = Client::new(&envoy.url()).signed(&token);
        for way in Way::ALL {
            let refusal = client.ask(way, GAMES, json!({})).await.unwrap_err();
            let told = (refusal.code, refusal.message.as_str());
            assert_eq!(told, (code, message), "{way:?}");
        }
    }
}

/// Whoever has no token is a guest, and the services say what needs one.
#[tokio::test]
async fn a_good_token_goes_through_and_none_is_a_guests() {
    let (envoy, _suite) = before_dev(&[]).await;
    let guest = Client::new(&envoy.url());
    let player = Player::register(&doors(&envoy), "aki").await;
    let signed = guest.signed(&player.token);
    for way in Way::ALL {
        assert!(guest.ask(way, LADDER, json!({})).await.is_ok());
        let refusal = guest.ask(way, GAMES, json!({})).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.reason.as_str()),
            (Code::Unauthenticated, "INVALID_TOKEN")
        );
        signed.ask(way, GAMES, json!({})).await.unwrap();
        let me = "/tengen.session.v1.SessionService/GetAccount";
        let account = signed.ask(way, me, json!({"player_id": "me"})).await.unwrap();
        assert_eq!(account["account"]["playerId"], player.id.as_str());
    }
}

/// A gateway that has never got the keys says so, and does not call a good token bad.
#[tokio::test]
async fn without_the_keys_a_token_is_not_called_bad() {
    let suite = Suite::in_real_time().await;
    let envoy = without_session(&suite).await;
    let guest = Client::new(&envoy.url());
    let signed = guest.signed(&suite.player("aki").await.token);
    for way in Way::ALL {
        let refusal = signed.ask(way, GAMES, json!({})).await.unwrap_err();
        assert_eq!(refusal.code, Code::Unavailable, "{way:?}: {refusal:?}");
        assert!(guest.ask(way, LADDER, json!({})).await.is_ok(), "whoever has none is a guest");
    }
}
