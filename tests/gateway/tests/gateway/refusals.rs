//! What is not for clients, and who may call from a web page.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde_json::json;
use tengen_gateway::contract::{self, is_internal};
use tengen_gateway::plain::Plain;
use tengen_gateway::{Client, Way, before_dev};
use tengen_suite::raw::{Raw, frame, request};
use tonic::Code;

const LADDER: &str = "/tengen.rating.v1.RatingService/GetLadder";

#[tokio::test]
async fn internal_methods_reflection_and_health_are_refused_from_outside() {
    let (envoy, _suite) = before_dev(&[]).await;
    let mut paths: Vec<_> = contract::methods()
        .iter()
        .filter(|method| is_internal(method))
        .map(contract::path)
        .collect();
    assert!(paths.len() > 8);
    let more = [
        "/grpc.health.v1.Health/Check",
        "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        "/.well-known/jwks.json",
        "/tengen.game.v2.GameService/PlayMove",
        "/",
    ];
    paths.extend(more.map(str::to_owned));
    // Ways around a prefix.
    for path in contract::methods().iter().filter(|method| is_internal(method)).map(contract::path)
    {
        paths.push(format!("/tengen.game.v1.GameService/..{path}"));
        paths.push(format!("/{path}"));
        paths.push(path.replacen('i', "%69", 1));
    }
    let mut raw = Raw::connect(&envoy.url()).await;
    let plain = Plain::default();
    for path in &paths {
        let answer = raw.send(request(path, None), frame(0, b"")).await;
        assert_eq!(answer.status.code(), Code::Unimplemented, "{path}: {answer:?}");
        for kind in ["application/json", "application/grpc-web+proto"] {
            let request =
                Request::post(format!("{}{path}", envoy.url())).header("content-type", kind);
            let answer = plain.ask(request.body(Full::from("{}")).unwrap()).await;
            assert_eq!(answer.status(), 404, "{path} as {kind}: {}", answer.body());
        }
    }
}

#[tokio::test]
async fn public_methods_are_not_called_by_json_but_as_annotated() {
    let (envoy, _suite) = before_dev(&[]).await;
    let plain = Plain::default();
    let body = || Full::<Bytes>::from("{}");
    let post = |target: &str| Request::post(format!("{}{target}", envoy.url()));
    let answer = plain.ask(post(LADDER).body(body()).unwrap()).await;
    assert_eq!(answer.status(), 404, "{}", answer.body());
    assert_eq!(answer.body().trim(), r#"{"code":12,"message":"there is no such method"}"#);
    let answer = plain.ask(post("/v1/ladder").body(body()).unwrap()).await;
    assert!(answer.status().is_client_error(), "a GET, not a POST: {answer:?}");
    let answer = plain.get(&format!("{}/v1/ladder?colour=red", envoy.url())).await;
    assert_eq!(answer.status(), 400, "{}", answer.body());
    assert!(answer.body().contains("colour"), "{}", answer.body());
}

/// A request of a page of this origin; `OPTIONS` asks beforehand.
fn of_page(method: &str, url: &str, origin: &str) -> Request<Full<Bytes>> {
    let request = Request::builder().method(method).uri(url).header("origin", origin);
    let request = request.header("access-control-request-method", "POST");
    request
        .header("access-control-request-headers", "authorization,x-grpc-web")
        .body(Full::default())
        .unwrap()
}

#[tokio::test]
async fn pages_of_the_origins_that_are_set_may_call_and_no_others() {
    let origins = [("CORS_ORIGINS", r"https://(play|www)\.example\.org(:\d+)?")];
    let (envoy, _suite) = before_dev(&origins).await;
    let plain = Plain::default();
    for path in ["/v1/ladder", "/v1/games/none/moves", LADDER] {
        let url = format!("{}{path}", envoy.url());
        for (origin, allowed) in [
            ("https://play.example.org", true),
            ("https://www.example.org:8443", true),
            ("https://play.example.org.evil.test", false),
            ("https://playXexample.org", false),
            ("http://play.example.org", false),
            ("null", false),
        ] {
            let asked = plain.ask(of_page("OPTIONS", &url, origin)).await;
            let header = |name: &str| asked.headers().get(name)?.to_str().ok();
            assert_eq!(header("access-control-allow-origin").is_some(), allowed, "{origin} {path}");
            if allowed {
                assert_eq!(asked.status(), 200);
                assert_eq!(header("access-control-allow-methods"), Some("GET, POST"));
                let headers = header("access-control-allow-headers").unwrap();
                assert!(headers.contains("authorization") && headers.contains("x-grpc-web"));
            }
        }
    }
    let url = format!("{}/v1/ladder", envoy.url());
    let told = plain.ask(of_page("GET", &url, "https://play.example.org")).await;
    assert_eq!(told.headers()["access-control-allow-origin"], "https://play.example.org");
    assert!(
        told.headers()["access-control-expose-headers"].to_str().unwrap().contains("grpc-status")
    );
}

/// By default no page may.
#[tokio::test]
async fn without_a_setting_no_page_may_call() {
    let (envoy, _suite) = before_dev(&[]).await;
    let url = format!("{}/v1/ladder", envoy.url());
    for origin in ["a", "a^", "null", "https://play.example.org"] {
        let told = Plain::default().ask(of_page("GET", &url, origin)).await;
        assert!(!told.headers().contains_key("access-control-allow-origin"), "{origin}");
    }
    let answer = Client::new(&envoy.url()).ask(Way::Json, LADDER, json!({})).await.unwrap();
    assert!(answer["levels"].is_array());
}
