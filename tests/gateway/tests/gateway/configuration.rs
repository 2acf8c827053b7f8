//! The configuration itself: what Envoy takes, TLS, and how a gateway ends.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tengen_gateway::plain::Plain;
use tengen_gateway::{Client, Way, before, before_dev};
use tengen_harness::Envoy;
use tengen_suite::Suite;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

const LADDER: &str = "/tengen.rating.v1.RatingService/GetLadder";
const HOSTS: [(&str, &str); 4] = [
    ("GAME_HOST", "game"),
    ("CLOCK_HOST", "clock"),
    ("RATING_HOST", "rating"),
    ("SESSION_HOST", "session"),
];

/// A certificate for this machine, and its key.
fn certificate(folder: &Path) -> (String, String) {
    let file = |name: &str| folder.join(name).display().to_string();
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let done = Command::new("openssl")
        .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(' '))
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", &key, "-out", &certificate])
        .output()
        .expect("openssl is there: python3 tests/tools/setup.py openssl");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (certificate, key)
}

#[test]
fn envoy_takes_the_configuration_with_and_without_tls_and_traces() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate(folder.path());
    let tls = [("TLS_CERTIFICATE", certificate.as_str()), ("TLS_KEY", key.as_str())];
    let traces = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317")];
    let all = [&HOSTS[..], &tls, &traces].concat();
    for variables in [HOSTS.to_vec(), [&HOSTS[..], &tls].concat(), all] {
        let told = Envoy::validate(&variables);
        let said = String::from_utf8_lossy(&told.stderr);
        assert!(told.status.success(), "{said}");
        assert!(!said.contains("warning"), "{said}");
    }
}

#[test]
fn a_variable_that_is_missing_is_named() {
    let told = Envoy::validate(&HOSTS[1..]);
    assert!(!told.status.success());
    assert_eq!(String::from_utf8_lossy(&told.stderr), "GAME_HOST is not set\n");
}

#[test]
fn a_collector_is_named_by_host_and_port() {
    for collector in
        ["collector:4317", "http://collector", "https://collector:4317", "http://:4317"]
    {
        let traces = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector)];
        let told = Envoy::validate(&[&HOSTS[..], &traces].concat());
        assert_eq!(told.status.code(), Some(64), "{collector}");
        let expected = "OTEL_EXPORTER_OTLP_ENDPOINT is not http://host:port\n";
        assert_eq!(String::from_utf8_lossy(&told.stderr), expected);
    }
}

#[tokio::test]
async fn with_a_certificate_clients_speak_tls() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate(folder.path());
    let tls = [("TLS_CERTIFICATE", certificate.as_str()), ("TLS_KEY", key.as_str())];
    let suite = Suite::in_real_time().await;
    let envoy = before(&suite, &tls).await;

    let authority = Certificate::from_pem(std::fs::read(&certificate).unwrap());
    let url = format!("https://localhost:{}", envoy.port());
    let endpoint = Endpoint::from_shared(url.clone()).unwrap();
    let endpoint = endpoint.tls_config(ClientTlsConfig::new().ca_certificate(authority)).unwrap();
    let client = Client::over(&url, endpoint.connect().await.unwrap());
    client.ask(Way::Native, LADDER, json!({})).await.unwrap();

    // Others speak both versions of HTTP, and nothing without TLS.
    for (version, expected) in [("--http1.1", "1.1 200"), ("--http2", "2 200")] {
        let page = format!("{url}/v1/ladder");
        let told = "\n%{http_version} %{http_code}";
        let told = curl(&[version, "--cacert", &certificate, "-w", told, &page]).await;
        assert!(told.ends_with(expected), "{told}");
    }
    let page = format!("http://localhost:{}/v1/ladder", envoy.port());
    let told = curl(&["-w", "%{http_code}", &page]).await;
    assert_eq!(told, "000");
}

async fn curl(arguments: &[&str]) -> String {
    let told = tokio::process::Command::new("curl").arg("-s").args(arguments).output().await;
    String::from_utf8_lossy(&told.expect("curl is there").stdout).into_owned()
}

/// Probes and Prometheus have two pages; all else of Envoy's own stays inside.
#[tokio::test]
async fn what_is_observed_is_two_pages() {
    let (envoy, _suite) = before_dev(&[]).await;
    let plain = Plain::default();
    let url = envoy.observe_url();
    assert_eq!(plain.get(&format!("{url}/ready")).await.body(), "LIVE\n");
    let stats = plain.get(&format!("{url}/stats/prometheus")).await;
    assert!(stats.body().contains("envoy_cluster_upstream_rq_total"), "{}", stats.body());
    for page in ["/", "/config_dump", "/quitquitquit", "/stats", "/ready/../config_dump"] {
        assert_eq!(plain.get(&format!("{url}{page}")).await.status(), 404, "{page}");
    }
}
