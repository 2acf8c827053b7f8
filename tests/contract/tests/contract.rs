//! The contract keeps its promises.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use prost_reflect::{DescriptorPool, Kind, MessageDescriptor};
use tengen_proto::common::v1::{Reason, Role};
use tengen_proto::{DESCRIPTORS, METHODS};

fn pool() -> DescriptorPool {
    DescriptorPool::decode(DESCRIPTORS).expect("the descriptor set is whole")
}

/// Deny by default: a method that names no role would be refused to everybody.
#[test]
fn every_method_names_a_role() {
    assert!(METHODS.len() > 50);
    for method in METHODS {
        let role = Role::try_from(method.requires);
        assert!(matches!(role, Ok(role) if role != Role::Unspecified), "{}", method.path);
    }
}

#[test]
fn the_table_of_methods_is_the_descriptor_set() {
    let pool = pool();
    let described: BTreeSet<String> = pool
        .services()
        .filter(|service| service.full_name().starts_with("tengen."))
        .flat_map(|service| {
            let name = service.full_name().to_owned();
            service
                .methods()
                .map(move |method| format!("/{name}/{}", method.name()))
                .collect::<Vec<_>>()
        })
        .collect();
    let listed: BTreeSet<String> = METHODS.iter().map(|method| method.path.to_owned()).collect();
    assert_eq!(described, listed);
}

/// What changes something can be repeated: every method but those that read carries a request id.
#[test]
fn every_change_has_a_request_id() {
    let reads = ["Get", "List", "Watch", "Sync", "Export", "Check", "Attach"];
    let others = [
        // Idempotent by itself, or by the token it carries.
        "SignIn",
        "EchoLag",
        "Due",
        "PlayerGone",
        "PlayerBack",
        "LagMeasured",
        "TakeResults",
        "AcknowledgeResults",
        "Present",
        "StillGone",
        "Notify",
    ];
    for service in pool().services().filter(|service| service.full_name().starts_with("tengen.")) {
        for method in service.methods() {
            let name = method.name();
            if reads.iter().any(|read| name.starts_with(read)) || others.contains(&name) {
                continue;
            }
            let field = method.input().get_field_by_name("request_id");
            assert!(field.is_some(), "{}.{name} has no request_id", service.full_name());
        }
    }
}

/// Client clocks do not exist: no request of a player holds a reading of a clock, at any depth.
// case: C32
#[test]
fn no_request_carries_a_clock() {
    let seen = asked();
    for reading in ["tengen.clock.v1.Clock", "tengen.clock.v1.SeatClock", "tengen.clock.v1.Call"] {
        assert!(!seen.contains(reading), "a request carries {reading}");
    }
}

/// Nobody is given experience, and nobody hands it on: no request of a player has a field for it.
// rulebook: L10
#[test]
fn no_request_carries_experience() {
    let pool = pool();
    for name in asked() {
        let message = pool.get_message_by_name(&name).expect("a message of the contract");
        for field in ["experience_minutes", "tier"] {
            assert!(message.get_field_by_name(field).is_none(), "{name}.{field}");
        }
    }
}

/// Every message that a public request holds, at any depth.
fn asked() -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for service in pool().services().filter(|service| service.full_name().starts_with("tengen.")) {
        let internal = service.full_name().starts_with("tengen.internal.");
        for method in service.methods().filter(|_| !internal) {
            collect(&method.input(), &mut seen);
        }
    }
    assert!(seen.contains("tengen.game.v1.Settings"), "the walk goes down");
    seen
}

fn collect(message: &MessageDescriptor, seen: &mut BTreeSet<String>) {
    if seen.insert(message.full_name().to_owned()) {
        for field in message.fields() {
            if let Kind::Message(inner) = field.kind() {
                collect(&inner, seen);
            }
        }
    }
}

/// Public methods are annotated for JSON, internal ones are not.
#[test]
fn public_methods_have_http_annotations() {
    let pool = pool();
    let http = pool.get_extension_by_name("google.api.http").expect("the annotation is declared");
    for service in pool.services().filter(|service| service.full_name().starts_with("tengen.")) {
        let internal = service.full_name().starts_with("tengen.internal.");
        for method in service.methods() {
            let annotated = method.options().has_extension(&http);
            assert_eq!(annotated, !internal, "{}.{}", service.full_name(), method.name());
        }
    }
}

/// A reason that is never given is a promise nobody keeps.
#[test]
fn every_reason_is_given_somewhere() {
    let services = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../services"));
    let mut sources = String::new();
    read_all(services, &mut sources);
    for number in 1.. {
        let Ok(reason) = Reason::try_from(number) else {
            break;
        };
        let name = reason.as_str_name().trim_start_matches("REASON_");
        assert!(sources.contains(&format!("\"{name}\"")), "nothing is refused for {name}");
    }
}

fn read_all(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("list a folder") {
        let path = entry.expect("list a folder").path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                read_all(&path, sources);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(&path).expect("read a source"));
        }
    }
}
