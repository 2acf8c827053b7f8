//! Only the agreed names stand at the top of the tree.

use crate::{Finding, Tree};

const NAMES: [&str; 12] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "Makefile",
    "README.md",
    "deploy",
    "docker-compose.yml",
    "proto",
    "services",
    "tests",
];

/// Each name at the top is a dotfile or one of the list.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut names: Vec<_> =
        tree.files().map(|(path, _)| path.split('/').next().unwrap_or(path)).collect();
    names.dedup();
    let odd = |name: &&str| !name.starts_with('.') && !NAMES.contains(name);
    let expected = format!("a dotfile or one of {}", NAMES.join(", "));
    let finding = |name| Finding::new(name, 0, "a new name at the top level", expected.as_str());
    names.into_iter().filter(odd).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_folder_is_found_once() {
        let tree = Tree::of(&[
            (".ci/run", ""),
            ("Makefile", ""),
            ("scripts/a.sh", ""),
            ("scripts/b.sh", ""),
            ("tests/data/a.json", ""),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["scripts"]);
    }
}
