//! One version each of the crates whose types cross between libraries, and none of the banned.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::{Finding, Tree};

/// Two versions of one of these do not fit together at a boundary, or double the build.
const SINGLE: [&str; 7] = ["tonic", "prost", "hyper", "h2", "axum", "tower", "rustls"];
/// TLS is rustls over ring; a second stack needs a second set of settings, updates and audits.
const BANNED: [&str; 4] = ["aws-lc-rs", "aws-lc-sys", "native-tls", "openssl-sys"];

const LOCK: &str = "Cargo.lock";
/// How the default registry is named in the file.
const DEFAULT: &str = concat!("github.com/rust-lang/crates", ".io-index");

/// The lock file resolves to what was agreed, from the default registry alone.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let lock: Option<Table> = tree.text(LOCK).and_then(|text| text.parse().ok());
    let Some(lock) = lock else {
        return vec![Finding::new(LOCK, 0, "no lock file that can be read", "the workspace's own")];
    };
    let packages = lock.get("package").and_then(Value::as_array).into_iter().flatten();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut findings = Vec::new();
    for package in packages {
        let field = |key| package.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, source) = (field("name"), field("source"));
        versions.entry(name).or_default().insert(field("version"));
        if !source.is_empty() && !source.ends_with(DEFAULT) {
            let found = format!("{name} from {source}");
            findings.push(Finding::new(LOCK, 0, found, "the default registry"));
        }
    }
    for (name, versions) in versions {
        let listed = Vec::from_iter(versions).join(" and ");
        let found = format!("{name} {listed}");
        if BANNED.contains(&name) {
            let expected = format!("none of {} (`cargo tree -i {name}`)", BANNED.join(", "));
            findings.push(Finding::new(LOCK, 0, found, expected));
        } else if SINGLE.contains(&name) && listed.contains(" and ") {
            let expected = format!("one version of {name} (`cargo tree -d`)");
            findings.push(Finding::new(LOCK, 0, found, expected));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(packages: &[(&str, &str)]) -> Vec<String> {
        let entry = |(name, version): &(&str, &str)| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n")
        };
        let lock: String = packages.iter().map(entry).collect();
        check(&Tree::of(&[(LOCK, &lock)])).into_iter().map(|finding| finding.found).collect()
    }

    #[test]
    fn a_second_version_is_found() {
        assert_eq!(found(&[("h2", "0.4.1"), ("h2", "0.3.9")]), ["h2 0.3.9 and 0.4.1"]);
        assert_eq!(found(&[("h2", "0.4.1"), ("syn", "1.0.0"), ("syn", "2.0.0")]), [""; 0]);
    }

    #[test]
    fn a_banned_crate_is_found() {
        assert_eq!(found(&[("openssl-sys", "0.9.1")]), ["openssl-sys 0.9.1"]);
    }

    #[test]
    fn another_source_is_found() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"git+https://a.b/c\"";
        assert_eq!(check(&Tree::of(&[(LOCK, lock)])).len(), 1);
        assert_eq!(check(&Tree::default()).len(), 1);
    }
}
