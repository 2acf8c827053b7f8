//! No unfinished work, no switched-off test, no trace of a developer's machine.
//!
//! The patterns are written in two parts, so that this file does not hold what it looks for.

use crate::{Finding, Tree};

/// Work put off, and tests that do not run.
const UNFINISHED: [&str; 9] = [
    concat!("to", "do!("),
    concat!("unimp", "lemented!("),
    concat!("FIX", "ME"),
    concat!("TO", "DO"),
    concat!("d", "bg!("),
    concat!("#[ign", "ore"),
    concat!("test", ".skip"),
    concat!("test", ".only"),
    concat!("describe", ".skip"),
];

/// Folders of a developer's machine, as they begin an absolute path.
const FOLDERS: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("../sh", "ared")];

/// Hosts of package registries: which one is used is a setting of the machine, not of the project.
const REGISTRIES: [&str; 8] = [
    concat!("crates", ".io"),
    concat!("py", "pi.org"),
    concat!("pythonhos", "ted.org"),
    concat!("npm", "js.org"),
    concat!("npm", "js.com"),
    concat!("deb.deb", "ian.org"),
    concat!("proxy.gol", "ang.org"),
    concat!("maven", ".org"),
];

const CODE: [&str; 14] = [
    "rs", "ts", "tsx", "js", "mjs", "css", "py", "sh", "proto", "sql", "lua", "toml", "yml", "yaml",
];
/// Written by package managers, which name their registry in them.
const LOCKS: [&str; 2] = ["Cargo.lock", "package-lock.json"];

/// No file of the project holds any of these.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.written(&CODE) {
        let expected = "finished work, and tests that run";
        findings.extend(UNFINISHED.iter().flat_map(|it| find(path, text, it, false, expected)));
    }
    for (path, text) in tree.files() {
        let expected = "no path outside the project";
        findings.extend(FOLDERS.iter().flat_map(|it| find(path, text, it, true, expected)));
        if !LOCKS.iter().any(|lock| path.ends_with(lock)) {
            let expected = "no package registry's name";
            findings.extend(REGISTRIES.iter().flat_map(|it| find(path, text, it, false, expected)));
        }
    }
    findings
}

/// Findings for each line with `pattern`; `begins` for a path that nothing may precede.
fn find(path: &str, text: &str, pattern: &str, begins: bool, expected: &str) -> Vec<Finding> {
    let holds = |line: &str| {
        line.match_indices(pattern).any(|(at, _)| {
            let before = line.get(..at).and_then(|head| head.chars().next_back());
            !(begins && before.is_some_and(|c| c.is_alphanumeric() || "_-.}".contains(c)))
        })
    };
    let numbered = text.lines().enumerate().filter(|(_, line)| holds(line));
    numbered.map(|(at, _)| Finding::new(path, at + 1, format!("`{pattern}`"), expected)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn each_leftover_is_found() {
        for pattern in UNFINISHED.iter().chain(&REGISTRIES) {
            let text = format!("fn a() {{}}\n// {pattern})");
            assert_eq!(lines("services/a/src/lib.rs", &text), [2], "{pattern}");
        }
        for folder in FOLDERS {
            assert_eq!(lines(".ci/run", &format!("\ncd {folder}me\n")), [2], "{folder}");
        }
    }

    #[test]
    fn generated_code_locks_and_longer_paths_are_free() {
        for pattern in UNFINISHED {
            assert_eq!(lines("proto/src/gen/a.rs", pattern), [0; 0], "{pattern}");
        }
        assert_eq!(lines("Cargo.lock", REGISTRIES[0]), [0; 0]);
        assert_eq!(
            lines("README.md", &format!("deploy{}x ${{DIR}}{}", FOLDERS[0], FOLDERS[1])),
            [0; 0]
        );
    }
}
