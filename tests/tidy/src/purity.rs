//! Pure crates hold no async, no I/O, no clock, no floats and no serde.

use crate::{Finding, Tree, layers, source};

const WORDS: [&str; 11] = [
    "async",
    "await",
    "f32",
    "f64",
    "serde",
    "SystemTime",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "dbg!",
];
const STD: [&str; 7] = ["env", "fs", "io", "net", "process", "thread", "time"];

/// The sources of pure crates, their tests and benchmarks apart, name none of these.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.written(&["rs"]) {
        let pure = path.split_once("/src/").is_some_and(|(folder, _)| layers::is_pure(folder));
        if !pure || source::is_test_file(path) {
            continue;
        }
        let code = source::code_without_tests(text);
        let mut find = |line, found: &str| {
            let expected = "(state, command, now) in, values out: no such thing in a pure crate";
            findings.push(Finding::new(path, line, format!("`{found}`"), expected));
        };
        for word in WORDS {
            source::lines_with(&code, word).into_iter().for_each(|line| find(line, word));
        }
        for (line, module) in source::std_modules(&code) {
            if STD.contains(&module.as_str()) {
                find(line, &format!("std::{module}"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn each_impurity_is_found() {
        for code in [
            "async fn a() {}",
            "use std::time::Duration;",
            "use std::{fmt, fs};",
            "let s = std::net::Ipv4Addr::LOCALHOST;",
            "use std::io;",
            "let x: f32 = 0;",
            "fn a(x: f64) {}",
            "#[derive(serde::Serialize)]",
            "SystemTime::now()",
            "println!()",
        ] {
            assert_eq!(lines("services/rules/src/board.rs", &format!("\n{code}")), [2], "{code}");
        }
    }

    #[test]
    fn words_in_comments_tests_and_other_layers_are_free() {
        assert_eq!(lines("services/table/src/lib.rs", "//! No async, no f64.\n"), [0; 0]);
        let test = "#[cfg(test)]\nmod tests {\n use std::time::Instant;\n}";
        assert_eq!(lines("services/table/src/lib.rs", test), [0; 0]);
        for path in [
            "services/rules/tests/games.rs",
            "services/rules/benches/rules.rs",
            "services/rules/src/board/tests.rs",
            "services/kit/src/time.rs",
        ] {
            assert_eq!(lines(path, "use std::time::Instant;"), [0; 0], "{path}");
        }
    }
}
