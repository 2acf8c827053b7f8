//! Arrows between crates point down the table of layers, and each package bears its folder's name.
//!
//! Development dependencies count: a test that reaches up ties the crates together just as well.

use toml::{Table, Value};

use crate::{Finding, Tree};

/// A folder's place in the table: its layer and, inside the workspace, what it may use.
struct Place {
    layer: &'static str,
    inside: &'static [&'static str],
}

/// What a pure crate may use besides the standard library.
const PURE_OUTSIDE: [(&str, &str); 2] = [("sgf", "encoding_rs"), ("sgf", "sgf-parse")];

const BELOW_SERVICE: &[&str] =
    &["rules", "timing", "table", "ladder", "sgf", "proto", "kit", "link", "live"];
const BELOW_BIN: &[&str] = &[
    "rules", "timing", "table", "ladder", "sgf", "proto", "kit", "link", "live", "game", "clock",
    "rating", "session",
];

/// The place of the crate in `folder`; `None` for a folder that the table does not know.
fn place(folder: &str) -> Option<Place> {
    let (layer, inside): (_, &[&str]) = match folder {
        "services/rules" | "services/timing" | "services/ladder" => ("pure", &[]),
        "services/table" => ("pure", &["rules", "timing"]),
        "services/sgf" => ("pure", &["rules"]),
        "proto" => ("wire", &[]),
        "services/kit" => ("kit", &[]),
        "services/live" => ("kit", &["kit"]),
        "services/link" => ("kit", &["kit", "proto"]),
        "services/game" | "services/clock" | "services/rating" | "services/session" => {
            ("service", BELOW_SERVICE)
        }
        "services/standalone" => ("bin", BELOW_BIN),
        folder if folder.starts_with("tests/") => ("test", &["*"]),
        _ => return None,
    };
    Some(Place { layer, inside })
}

/// Whether the crate in `folder` is pure.
pub(crate) fn is_pure(folder: &str) -> bool {
    place(folder).is_some_and(|place| place.layer == "pure")
}

/// Whether the crate in `folder` is one of the services.
pub(crate) fn is_service(folder: &str) -> bool {
    place(folder).is_some_and(|place| place.layer == "service")
}

/// Layer, name and dependencies of each manifest are those of the table.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.crates().flat_map(|(folder, manifest)| check_crate(folder, manifest)).collect()
}

fn check_crate(folder: &str, text: &str) -> Vec<Finding> {
    let path = format!("{folder}/Cargo.toml");
    let Some(place) = place(folder) else {
        let expected = "a folder that the table of layers names (tests/tidy/src/layers.rs)";
        return vec![Finding::new(&path, 0, "a crate without a place", expected)];
    };
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![Finding::new(&path, 0, error.to_string(), "a manifest")],
    };
    let mut findings = Vec::new();
    let mut expect = |key: &str, found: Option<&str>, expected: &str| {
        if found != Some(expected) {
            let line = line_of(text, key);
            let found = format!("{key} = {found:?}");
            findings.push(Finding::new(&path, line, found, format!("{expected:?}")));
        }
    };
    let name = folder.rsplit('/').next().unwrap_or(folder);
    expect("name", string(&manifest, &["package", "name"]), &format!("tengen-{name}"));
    let layer = string(&manifest, &["package", "metadata", "tengen", "layer"]);
    expect("layer", layer, place.layer);
    findings.extend(check_arrows(&path, text, &manifest, name, &place));
    findings
}

fn check_arrows(
    path: &str,
    text: &str,
    manifest: &Table,
    name: &str,
    place: &Place,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for dependency in dependencies(manifest) {
        let found = format!("{name} uses {}", dependency.package);
        let line = line_of(text, &dependency.key);
        if let Some(inside) = dependency.package.strip_prefix("tengen-") {
            // A crate's own tests are tests, which use everything; those of a pure crate stay pure.
            let free = place.inside == ["*"] || (!dependency.shipped && place.layer != "pure");
            if !free && !place.inside.contains(&inside) {
                let expected = match place.inside {
                    [] => "no crate of this workspace".to_owned(),
                    inside => format!("only {}", inside.join(", ")),
                };
                findings.push(Finding::new(path, line, found, expected));
            }
        } else if place.layer == "pure"
            && dependency.shipped
            && !PURE_OUTSIDE.contains(&(name, &dependency.package))
        {
            findings.push(Finding::new(path, line, found, "the standard library alone"));
        }
    }
    findings
}

struct Dependency {
    key: String,
    package: String,
    /// Whether it is part of what is built for use, not for tests only.
    shipped: bool,
}

/// All dependencies of a manifest, those of its targets included.
fn dependencies(manifest: &Table) -> Vec<Dependency> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let of_targets = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    let mut found = Vec::new();
    for owner in std::iter::once(manifest).chain(of_targets) {
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let table = owner.get(kind).and_then(Value::as_table);
            found.extend(table.into_iter().flatten().map(|(key, value)| Dependency {
                key: key.clone(),
                package: value.get("package").and_then(Value::as_str).unwrap_or(key).to_owned(),
                shipped: kind != "dev-dependencies",
            }));
        }
    }
    found
}

fn string<'a>(table: &'a Table, keys: &[&str]) -> Option<&'a str> {
    let (last, tables) = keys.split_last()?;
    let table = tables.iter().try_fold(table, |table, key| table.get(*key)?.as_table())?;
    table.get(*last)?.as_str()
}

/// The first line that begins with `key`; 0 for none.
fn line_of(text: &str, key: &str) -> usize {
    let begins = |line: &str| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '=', '.']))
    };
    text.lines().position(begins).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings for one manifest, as text.
    fn found(folder: &str, layer: &str, dependencies: &str) -> Vec<String> {
        let name = folder.rsplit('/').next().unwrap();
        let manifest = format!(
            "[package]\nname = \"tengen-{name}\"\n\
             [package.metadata.tengen]\nlayer = \"{layer}\"\n{dependencies}"
        );
        let path = format!("{folder}/Cargo.toml");
        let tree = Tree::of(&[("Cargo.toml", "[workspace]"), (&path, &manifest)]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arrows_of_the_table_are_allowed() {
        for (folder, layer, dependencies) in [
            ("services/table", "pure", "[dependencies]\ntengen-rules.workspace = true"),
            ("services/rules", "pure", "[dev-dependencies]\nproptest = \"1\""),
            (
                "services/sgf",
                "pure",
                "[dependencies]\ntengen-rules.workspace = true\nencoding_rs = \"0.8\"",
            ),
            ("services/live", "kit", "[dependencies]\ntengen-kit.workspace = true\nredis = \"1\""),
            (
                "services/game",
                "service",
                "[dependencies]\ntengen-live.workspace = true\ntengen-proto.workspace = true",
            ),
            ("services/standalone", "bin", "[dependencies]\ntengen-game.workspace = true"),
            ("tests/suite", "test", "[dependencies]\ntengen-standalone.workspace = true"),
            ("proto", "wire", "[dependencies]\nprost = \"0.14\""),
        ] {
            assert_eq!(found(folder, layer, dependencies), [""; 0], "{folder}");
        }
    }

    #[test]
    fn an_arrow_that_points_up_is_found() {
        for (folder, layer, table, package) in [
            ("services/rules", "pure", "dependencies", "tengen-timing"),
            ("services/ladder", "pure", "dev-dependencies", "tengen-rules"),
            ("services/kit", "kit", "dependencies", "tengen-proto"),
            ("services/live", "kit", "build-dependencies", "tengen-table"),
            ("services/game", "service", "dependencies", "tengen-rating"),
            ("services/table", "pure", "dependencies", "serde"),
            ("services/rules", "pure", "target.'cfg(unix)'.dependencies", "libc"),
        ] {
            let found = found(folder, layer, &format!("[{table}]\n{package} = \"1\""));
            let [finding] = found.as_slice() else { panic!("{folder}: {found:?}") };
            assert!(finding.contains("Cargo.toml:6: found "), "{finding}");
            assert!(finding.contains(&format!(" uses {package}; expected ")), "{finding}");
        }
    }

    #[test]
    fn another_name_for_a_package_hides_nothing() {
        let found = found(
            "services/game",
            "service",
            "[dependencies]\nr = { package = \"tengen-rating\" }",
        );
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn layer_and_name_are_those_of_the_folder() {
        assert_eq!(
            found("services/rules", "kit", ""),
            ["services/rules/Cargo.toml:4: found layer = Some(\"kit\"); expected \"pure\""]
        );
        let tree = Tree::of(&[("services/rules/Cargo.toml", "[package]\nname = \"rules\"")]);
        let found: Vec<_> = check(&tree).into_iter().map(|finding| finding.expected).collect();
        assert_eq!(found, ["\"tengen-rules\"", "\"pure\""]);
        let tree = Tree::of(&[("services/novel/Cargo.toml", "[package]")]);
        assert_eq!(check(&tree).len(), 1);
        let tree = Tree::of(&[("services/rules/Cargo.toml", "[package")]);
        assert_eq!(check(&tree).len(), 1);
    }
}
