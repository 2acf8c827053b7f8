//! How much one client may send, and by which address it is known.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};
use tengen_gateway::answer::reason;
use tengen_gateway::plain::Plain;
use tengen_gateway::{Client, Way, before, before_dev, contract};
use tengen_harness::Envoy;
use tengen_suite::Suite;
use tonic::Code;

const LADDER: &str = "/tengen.rating.v1.RatingService/GetLadder";
const SIGN_IN: &str = "/tengen.session.v1.SessionService/SignIn";

#[tokio::test]
async fn who_calls_too_often_is_told_so_in_each_way() {
    let limits = [("RATE_PER_SECOND", "1"), ("RATE_BURST", "12")];
    let (envoy, _suite) = before_dev(&limits).await;
    let client = Client::new(&envoy.url());
    for way in Way::ALL {
        let mut served = 0;
        let refusal = loop {
            match client.ask(way, LADDER, json!({})).await {
                Ok(_) => served += 1,
                Err(refusal) => break refusal,
            }
        };
        // A gateway's word for gRPC-Web is that of HTTP.
        let code = if way == Way::Web { Code::Unavailable } else { Code::ResourceExhausted };
        assert_eq!((refusal.code, refusal.reason.as_str()), (code, ""), "{way:?}: {refusal:?}");
        assert!(served <= 60, "{served} calls at one a second");
    }
    let answer = Plain::default().get(&format!("{}/v1/ladder", envoy.url())).await;
    assert_eq!(answer.status(), 429);
    assert!(answer.body().starts_with(r#"{"code":8,"#), "{}", answer.body());
}

/// What a service does not take it says in the contract's words; what is far beyond goes no further.
#[tokio::test]
async fn a_request_that_is_too_large_is_refused() {
    let (envoy, _suite) = before_dev(&[]).await;
    let client = Client::new(&envoy.url());
    let name = |length: usize| json!({"name": "x".repeat(length), "password": "three corners"});
    for way in Way::ALL {
        let refusal = client.ask(way, SIGN_IN, name(70_000)).await.unwrap_err();
        let told = (refusal.code, refusal.reason.as_str());
        assert_eq!(told, (Code::ResourceExhausted, "LIMIT_REACHED"), "{way:?}: {refusal:?}");
    }
    let refusal = client.ask(Way::Native, SIGN_IN, name(200_000)).await.unwrap_err();
    assert_eq!((refusal.code, refusal.reason.as_str()), (Code::ResourceExhausted, ""));
    let body = name(200_000).to_string();
    let request = Request::post(format!("{}/v1/sign-in", envoy.url())).body(Full::from(body));
    let answer = Plain::default().ask(request.unwrap()).await;
    assert_eq!(answer.status(), 413);
    assert!(answer.body().starts_with(r#"{"code":8,"#), "{}", answer.body());
}

/// Registers, and claims to come from an address.
async fn register(envoy: &Envoy, name: &str, claimed: &str) -> Value {
    let rule = contract::rule(&contract::method("/tengen.session.v1.SessionService/Register"));
    let message = json!({
        "request_id": format!("request-{name}"),
        "name": name,
        "password": "three corners",
    });
    let (target, body) = rule.unwrap().request(&message);
    let request = Request::post(format!("{}{target}", envoy.url()))
        .header("x-forwarded-for", claimed)
        .body(Full::<Bytes>::from(body));
    serde_json::from_str(Plain::default().ask(request.unwrap()).await.body()).unwrap()
}

/// A product that makes one account for each address, and believes its gateway.
async fn one_account_each(hops: &str) -> (Envoy, Suite) {
    let suite = Suite::configured(|config| {
        config.limits.proxies = vec!["127.0.0.1".parse().unwrap()];
        config.session.registrations = 1;
    })
    .await;
    (before(&suite, &[("TRUSTED_HOPS", hops)]).await, suite)
}

#[tokio::test]
async fn a_client_is_known_by_the_address_it_has_and_not_by_what_it_claims() {
    let (envoy, _suite) = one_account_each("0").await;
    for name in ["aki", "bo", "cho"] {
        let told = register(&envoy, name, "203.0.113.9").await;
        assert_eq!(
            told["account"]["name"], name,
            "the address of this machine is not counted: {told}"
        );
    }
}

#[tokio::test]
async fn a_proxy_in_front_is_believed_the_last_address_it_names() {
    let (envoy, _suite) = one_account_each("1").await;
    for (name, claimed, made) in [
        ("aki", "203.0.113.9", true),
        ("bo", "203.0.113.9", false),
        ("cho", "198.51.100.7, 203.0.113.9", false),
        ("dan", "203.0.113.9, 198.51.100.7", true),
    ] {
        let told = register(&envoy, name, claimed).await;
        assert_eq!(told["account"]["name"] == name, made, "{name} of {claimed}: {told}");
        assert!(made || reason(&told) == "LIMIT_REACHED", "{told}");
    }
}
