//! The OpenAPI document is one, and tells of every public method.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tengen_proto::METHODS;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn document() -> Value {
    let text = std::fs::read_to_string(Path::new(ROOT).join("proto/openapi.json"));
    serde_json::from_str(&text.expect("proto/openapi.json, by `cargo gen`")).expect("JSON")
}

#[test]
fn it_is_a_valid_openapi_document() {
    let validator = Path::new(ROOT).join(".cache/venv/bin/openapi-spec-validator");
    let told = Command::new(&validator).arg("proto/openapi.json").current_dir(ROOT).output();
    let advice = "missing: python3 tests/tools/setup.py openapi-spec-validator";
    let told = told.unwrap_or_else(|error| panic!("{}: {error}, {advice}", validator.display()));
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stdout));
}

#[test]
fn every_public_method_stands_there_once() {
    let document = document();
    let paths = document["paths"].as_object().expect("paths");
    let verbs = paths.values().flat_map(|path| path.as_object().expect("verbs").values());
    let mut told: Vec<_> = verbs.map(|verb| verb["operationId"].as_str().expect("an id")).collect();
    told.sort_unstable();
    let public = METHODS.iter().filter(|method| !method.path.starts_with("/tengen.internal."));
    let mut expected: Vec<_> = public
        .map(|method| method.path.rsplit('.').next().expect("a service").replace('/', "."))
        .collect();
    expected.sort_unstable();
    assert_eq!(told, expected);
}

#[test]
fn every_reference_leads_somewhere_and_nothing_internal_is_told() {
    let document = document();
    let mut references = BTreeSet::new();
    collect(&document, &mut references);
    assert!(references.len() > 30);
    for reference in references {
        let target = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
        assert!(target.is_some(), "{reference}");
    }
    assert!(!document.to_string().contains("tengen.internal"));
}

fn collect<'a>(value: &'a Value, references: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(map) => {
            references.extend(map.get("$ref").and_then(Value::as_str));
            map.values().for_each(|inner| collect(inner, references));
        }
        Value::Array(list) => list.iter().for_each(|inner| collect(inner, references)),
        _ => {}
    }
}
