//! Files of at most 500 lines, functions of at most 70.
//!
//! Clippy counts the lines of a function; here stands that nobody has told it to look away.

use toml::{Table, Value};

use crate::{Finding, Tree, source};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: i64 = 70;
/// Clippy's name for the limit on functions.
const LINT: &str = "too_many_lines";
/// The group it belongs to: who allows the group allows the lint.
const GROUP: &str = "clippy::pedantic";
/// Generated code is included here, and cannot be shortened by hand.
const INCLUDES_GENERATED: &str = "proto/src/lib.rs";

/// No file is too long, and the limit on functions is in force everywhere.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = long_files(tree);
    findings.extend(function_limit(tree));
    findings
}

fn long_files(tree: &Tree) -> Vec<Finding> {
    let too_long = |(path, text): (&str, &str)| {
        let lines = text.lines().count();
        let expected = format!("at most {FILE_LINES} lines");
        (lines > FILE_LINES)
            .then(|| Finding::new(path, FILE_LINES + 1, format!("{lines} lines"), expected))
    };
    tree.written(&["rs", "ts", "tsx", "mjs", "css", "sh", "py"]).filter_map(too_long).collect()
}

fn function_limit(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let threshold = table(tree, ".clippy.toml");
    let threshold = threshold.get("too-many-lines-threshold").and_then(Value::as_integer);
    if threshold != Some(FUNCTION_LINES) {
        let expected = format!("too-many-lines-threshold = {FUNCTION_LINES}");
        findings.push(Finding::new(".clippy.toml", 0, format!("{threshold:?}"), expected));
    }
    let workspace = table(tree, "Cargo.toml");
    let level = lookup(&workspace, &["workspace", "lints", "clippy", LINT]).and_then(Value::as_str);
    if !matches!(level, Some("warn" | "deny" | "forbid")) {
        let expected = format!("{LINT} = \"warn\" among the workspace's lints");
        findings.push(Finding::new("Cargo.toml", 0, format!("{level:?}"), expected));
    }
    for (folder, _) in tree.crates() {
        let path = format!("{folder}/Cargo.toml");
        let manifest = table(tree, &path);
        let own = lookup(&manifest, &["lints", "workspace"]).and_then(Value::as_bool);
        if own != Some(true) {
            findings.push(Finding::new(&path, 0, "lints of its own", "[lints] workspace = true"));
        }
    }
    for (path, text) in tree.written(&["rs"]).filter(|(path, _)| *path != INCLUDES_GENERATED) {
        let code = source::code(text);
        for word in [LINT, GROUP] {
            for line in source::lines_with(&code, word) {
                let expected = "a shorter function, not another limit";
                findings.push(Finding::new(path, line, format!("`{word}`"), expected));
            }
        }
    }
    findings
}

/// A file's TOML; empty where there is none or it does not parse, so that what is missed shows.
fn table(tree: &Tree, path: &str) -> Table {
    tree.text(path).and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn lookup<'a>(table: &'a Table, keys: &[&str]) -> Option<&'a Value> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(*key))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIPPY: (&str, &str) = (".clippy.toml", "too-many-lines-threshold = 70");
    const LINTS: &str = concat!("[workspace.lints.clippy]\n", "too_many", "_lines = \"warn\"");

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_line_after_the_last_allowed_is_found() {
        let (fits, long) = ("\n".repeat(500), "\n".repeat(501));
        let files = [CLIPPY, ("Cargo.toml", LINTS), ("a.py", &fits), ("b.md", &long)];
        assert_eq!(found(&files), [""; 0]);
        let files = [CLIPPY, ("Cargo.toml", LINTS), ("a.py", &long), ("proto/src/gen/b.rs", &long)];
        assert_eq!(found(&files), ["a.py:501: found 501 lines; expected at most 500 lines"]);
    }

    #[test]
    fn a_loosened_limit_is_found() {
        assert_eq!(found(&[(".clippy.toml", "too-many-lines-threshold = 90")]).len(), 2);
        let allowed = "fn a() {}\n#[allow(clippy::too_many_lines)]\nfn b() {}";
        let group = "#[allow(clippy::pedantic)]";
        let files = [
            CLIPPY,
            ("Cargo.toml", LINTS),
            ("services/a/Cargo.toml", "[lints]\nworkspace = true"),
            ("proto/src/lib.rs", group),
            ("services/a/src/b.rs", allowed),
            ("services/a/src/c.rs", "// too_many_lines"),
            ("services/a/src/d.rs", group),
            ("services/b/Cargo.toml", "[package]"),
        ];
        let found = found(&files);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("services/b/Cargo.toml: "), "{found:?}");
        assert!(found[1].starts_with("services/a/src/b.rs:2: "), "{found:?}");
        assert!(found[2].starts_with("services/a/src/d.rs:1: "), "{found:?}");
    }
}
