//! This project keeps its own house rules.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::LazyLock;

use tengen_tidy::{
    Finding, Tree, citations, documents, layers, leftovers, length, lock, purity, top_level, wire,
};

static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Tree::read(&root).unwrap()
});

fn obey(rule: fn(&Tree) -> Vec<Finding>) {
    let findings: Vec<_> = rule(&TREE).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} found:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn arrows_between_crates_point_down() {
    obey(layers::check);
}

#[test]
fn nothing_new_at_the_top_level() {
    obey(top_level::check);
}

#[test]
fn files_and_functions_are_short() {
    obey(length::check);
}

#[test]
fn pure_crates_are_pure() {
    obey(purity::check);
}

#[test]
fn generated_types_stay_at_the_edge() {
    obey(wire::check);
}

#[test]
fn citations_exist() {
    obey(citations::check);
}

#[test]
fn nothing_is_left_over() {
    obey(leftovers::check);
}

#[test]
fn locked_crates_are_the_agreed_ones() {
    obey(lock::check);
}

#[test]
fn pages_exist_and_stay_short() {
    obey(documents::check);
}
