//! Generated types stay at the edge of a service: they are parsed into the domain's own types
//! where a call arrives and rendered where it leaves, and never reach a store.

use crate::{Finding, Tree, layers, source};

/// The crate of generated types.
const WIRE: &str = "tengen_proto";
const FILES: [&str; 11] = [
    "client.rs",
    "config.rs",
    "convert.rs",
    "error.rs",
    "intake.rs",
    "lib.rs",
    "main.rs",
    "process.rs",
    "service.rs",
    "telling.rs",
    "tokens.rs",
];
const FOLDERS: [&str; 2] = ["convert", "service"];

/// The wire crate is named in the edge of services only, and nowhere under another name.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.written(&["rs"]) {
        let Some((folder, file)) = path.split_once("/src/") else {
            continue;
        };
        if !layers::is_service(folder) || source::is_test_file(path) {
            continue;
        }
        let code = source::code_without_tests(text);
        let lines: Vec<_> = code.lines().collect();
        for line in source::lines_with(&code, WIRE) {
            let text = lines.get(line - 1).copied().unwrap_or_default().trim_start();
            if !is_edge(file) {
                let expected =
                    format!("it in {} or {}/ only", FILES.join(", "), FOLDERS.join("/, "));
                findings.push(Finding::new(path, line, format!("`{WIRE}`"), expected));
            } else if text.starts_with("pub") && text.contains("use ") {
                let expected = "no second name under which others could use it";
                findings.push(Finding::new(
                    path,
                    line,
                    format!("`{WIRE}` exported again"),
                    expected,
                ));
            }
        }
    }
    findings
}

/// Whether a file, by its path below `src`, is where calls arrive and leave.
fn is_edge(file: &str) -> bool {
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", file));
    FILES.contains(&name) || folders.split('/').any(|folder| FOLDERS.contains(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn generated_types_inside_a_service_are_found() {
        let code = "use std::fmt;\nuse tengen_proto::game::v1::Game;";
        for file in ["store.rs", "store/sql.rs", "domain.rs"] {
            assert_eq!(lines(&format!("services/game/src/{file}"), code), [2], "{file}");
        }
        let again = "pub(crate) use tengen_proto::game::v1 as wire;";
        assert_eq!(lines("services/game/src/lib.rs", again), [1]);
    }

    #[test]
    fn the_edge_may_use_them() {
        let code = "use tengen_proto::game::v1::Game;";
        for file in ["service.rs", "service/lobby.rs", "convert.rs", "convert/clock.rs", "error.rs"]
        {
            assert_eq!(lines(&format!("services/game/src/{file}"), code), [0; 0], "{file}");
        }
        assert_eq!(lines("services/standalone/src/load.rs", code), [0; 0]);
        assert_eq!(lines("services/game/src/store.rs", "// not tengen_proto"), [0; 0]);
    }
}
