//! The pages that must exist, and how long some files may grow.

use crate::{Finding, Tree, layers};

const PAGES: [&str; 4] = ["ARCHITECTURE.md", "CHANGELOG.md", "LICENSE", "README.md"];
const ARCHITECTURE_LINES: usize = 250;
/// A service's `main` is one call of `run` with its `bind`.
const SERVICE_MAIN_LINES: usize = 25;
const BIN_MAIN_LINES: usize = 60;
const FRONT_PAGE: &str = "#![doc = include_str!(\"../README.md\")]";

/// Pages at the top exist; a crate's README is the front page of its documentation; the overview
/// and each `main.rs` stay short.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let missing = |path: &&str| tree.text(path).is_none_or(|text| text.trim().is_empty());
    let mut findings: Vec<_> = PAGES
        .into_iter()
        .filter(missing)
        .map(|path| Finding::new(path, 0, "nothing", "a page for readers"))
        .collect();
    findings.extend(at_most(tree, "ARCHITECTURE.md", ARCHITECTURE_LINES));
    for (folder, _) in tree.crates().filter(|(folder, _)| folder.starts_with("services/")) {
        let limit = if layers::is_service(folder) { SERVICE_MAIN_LINES } else { BIN_MAIN_LINES };
        findings.extend(at_most(tree, &format!("{folder}/src/main.rs"), limit));
        findings.extend(front_page(tree, folder));
    }
    findings
}

fn at_most(tree: &Tree, path: &str, limit: usize) -> Option<Finding> {
    let lines = tree.text(path)?.lines().count();
    let finding = || {
        Finding::new(path, limit + 1, format!("{lines} lines"), format!("at most {limit} lines"))
    };
    (lines > limit).then(finding)
}

fn front_page(tree: &Tree, folder: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let readme = format!("{folder}/README.md");
    if tree.text(&readme).is_none() {
        findings.push(Finding::new(&readme, 0, "no such file", "the crate's front page"));
    }
    let lib = format!("{folder}/src/lib.rs");
    if tree.text(&lib).is_some_and(|text| !text.contains(FRONT_PAGE)) {
        findings.push(Finding::new(&lib, 1, "no front page", format!("`{FRONT_PAGE}`")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: [(&str, &str); 4] = [
        ("ARCHITECTURE.md", "map"),
        ("CHANGELOG.md", "news"),
        ("LICENSE", "terms"),
        ("README.md", "start"),
    ];

    fn found(more: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = TOP.iter().chain(more).copied().collect();
        check(&Tree::of(&files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn missing_pages_are_found() {
        assert_eq!(found(&[]), [""; 0]);
        assert_eq!(
            found(&[("LICENSE", " \n")]),
            ["LICENSE: found nothing; expected a page for readers"]
        );
        assert_eq!(check(&Tree::default()).len(), PAGES.len());
    }

    #[test]
    fn long_files_are_found() {
        let lines = |count| "x\n".repeat(count);
        let expect = |path: &str, fits: usize| {
            let folder = path.split_once("/src").map_or("services/game", |(folder, _)| folder);
            let manifest = format!("{folder}/Cargo.toml");
            let readme = format!("{folder}/README.md");
            let with = |text: &str| found(&[(&manifest, ""), (&readme, ""), (path, text)]);
            assert_eq!(with(&lines(fits)), [""; 0], "{path}");
            let finding = format!(
                "{path}:{}: found {} lines; expected at most {fits} lines",
                fits + 1,
                fits + 1
            );
            assert_eq!(with(&lines(fits + 1)), [finding]);
        };
        expect("ARCHITECTURE.md", 250);
        expect("services/game/src/main.rs", 25);
        expect("services/standalone/src/main.rs", 60);
    }

    #[test]
    fn a_crate_without_a_front_page_is_found() {
        let crate_with = |lib| [("services/kit/Cargo.toml", ""), ("services/kit/src/lib.rs", lib)];
        assert_eq!(found(&crate_with("//! Kit.")).len(), 2);
        let with_page = found(&crate_with(FRONT_PAGE));
        assert_eq!(
            with_page,
            ["services/kit/README.md: found no such file; expected the crate's front page"]
        );
    }
}
