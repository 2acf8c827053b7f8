//! What the running gateway routes, held against the contract.

use std::collections::BTreeSet;

use prost_reflect::MethodDescriptor;
use serde_json::Value;
use tengen_gateway::before_dev;
use tengen_gateway::contract::{self, is_internal, rule};
use tengen_gateway::plain::Plain;

/// Reads that are asked for by POST.
const READS: [&str; 1] = ["CheckRecord"];

/// The configuration as Envoy has understood it.
async fn configuration() -> Value {
    let (envoy, _suite) = before_dev(&[]).await;
    let page = Plain::default().get(&format!("{}/config_dump", envoy.admin_url())).await;
    serde_json::from_str(page.body()).unwrap()
}

/// The first value under this key, at any depth.
fn find<'a>(value: &'a Value, key: &str, ok: &dyn Fn(&Value) -> bool) -> Option<&'a Value> {
    match value {
        Value::Object(map) => {
            let here = map.get(key).filter(|found| ok(found));
            here.or_else(|| map.values().find_map(|inner| find(inner, key, ok)))
        }
        Value::Array(list) => list.iter().find_map(|inner| find(inner, key, ok)),
        _ => None,
    }
}

/// The routes for clients, in their order.
fn routes(configuration: &Value) -> Vec<Value> {
    let ours = |found: &Value| found["name"] == "public" && !found["virtual_hosts"].is_null();
    let table = find(configuration, "route_config", &ours).expect("the route table");
    table["virtual_hosts"][0]["routes"].as_array().unwrap().clone()
}

/// The route that takes a path.
fn route<'a>(routes: &'a [Value], path: &str) -> &'a Value {
    let takes = |route: &&Value| {
        let matched = &route["match"];
        matched["path"] == path
            || matched["prefix"].as_str().is_some_and(|prefix| path.starts_with(prefix))
    };
    routes.iter().find(takes).expect("the last route takes all")
}

/// What is wrong with a method's route.
fn fault(method: &MethodDescriptor, routes: &[Value]) -> Option<String> {
    let path = contract::path(method);
    let found = route(routes, &path);
    if is_internal(method) {
        let refused = found["direct_response"]["status"] == 404;
        return (!refused).then(|| format!("{path} is internal, and routed: {found}"));
    }
    let service = path.split('.').nth(1)?;
    let action = &found["route"];
    if action["cluster"] != service {
        return Some(format!("{path} goes to {}", action["cluster"]));
    }
    let streams = method.is_server_streaming();
    if streams != (action["timeout"] == "0s")
        || streams != found["match"]["path"].is_string() && streams
    {
        return Some(format!("{path} streams: {streams}, its timeout is {}", action["timeout"]));
    }
    let reads = READS.contains(&method.name())
        || rule(method).is_some_and(|rule| rule.method == http::Method::GET);
    let safe = reads || method.input().get_field_by_name("request_id").is_some();
    let on = action["retry_policy"]["retry_on"].as_str().unwrap_or_default();
    let again: Vec<_> = on.split(',').filter(|on| ["reset", "unavailable"].contains(on)).collect();
    if safe != (again.len() == 2) || (!safe && !again.is_empty()) {
        return Some(format!("{path} may be sent twice: {safe}, and is on {on}"));
    }
    None
}

#[tokio::test]
async fn the_route_table_is_the_contract() {
    let configuration = configuration().await;
    let routes = routes(&configuration);
    let methods = contract::methods();
    assert!(methods.len() > 60 && methods.iter().any(is_internal));
    let wrong: Vec<_> = methods.iter().filter_map(|method| fault(method, &routes)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    let public = methods.iter().filter(|method| !is_internal(method));
    let public: BTreeSet<_> =
        public.map(|method| method.parent_service().full_name().to_owned()).collect();
    let transcoder = |found: &Value| found[0].as_str().is_some_and(|name| name.contains(".v1."));
    let services = find(&configuration, "services", &transcoder).unwrap();
    let services: BTreeSet<_> =
        services.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    assert_eq!(services, public, "what may be called in JSON");
}
