//! The files of the project, as far as git would take them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

/// Folders that are never part of the project, for a walk without git.
const NOT_OURS: [&str; 5] = [".git", ".cache", "target", "node_modules", "dist"];

/// Test data is measured in megabytes and written by others: it is listed, not read.
const DATA: &str = "tests/data/";

/// Paths and texts of a source tree.
#[derive(Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// A tree of the given (path, text) pairs.
    #[must_use]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let own = |&(path, text): &(&str, &str)| (path.to_owned(), text.to_owned());
        Self { files: files.iter().map(own).collect() }
    }

    /// Reads the tree below `root`: what git tracks or would track, or all files where there is
    /// no git. Files that are not text, and test data, are listed with an empty text.
    ///
    /// # Errors
    /// When a folder or file cannot be read.
    pub fn read(root: &Path) -> io::Result<Self> {
        let paths = match git_files(root) {
            Some(paths) => paths,
            None => walk(root)?,
        };
        let mut files = BTreeMap::new();
        for path in paths {
            let full = root.join(&path);
            // Git still lists a file that was deleted and not yet committed.
            if full.is_file() {
                files.insert(path.clone(), read_text(&path, &full)?);
            }
        }
        Ok(Self { files })
    }

    /// The text of one file.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// All files as (path, text), in order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Files whose name ends in one of `extensions` (without the dot), generated code apart.
    pub fn written(&self, extensions: &[&str]) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(move |(path, _)| {
            let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
            extensions.contains(&extension) && !is_generated(path)
        })
    }

    /// The folders of crates, with the text of their manifests; the workspace's own apart.
    pub fn crates(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter_map(|(path, text)| Some((path.strip_suffix("/Cargo.toml")?, text)))
    }
}

/// Whether a program wrote this file.
fn is_generated(path: &str) -> bool {
    ["proto/src/gen/", "services/web/src/gen/"].iter().any(|folder| path.starts_with(folder))
}

fn read_text(path: &str, full: &Path) -> io::Result<String> {
    if path.starts_with(DATA) {
        return Ok(String::new());
    }
    Ok(String::from_utf8(fs::read(full)?).unwrap_or_default())
}

/// `None` where git is absent, refuses the folder, or knows none of its files.
fn git_files(root: &Path) -> Option<Vec<String>> {
    let list = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    let names = String::from_utf8(list.stdout).ok()?;
    let paths: Vec<_> = names.split_terminator('\0').map(str::to_owned).collect();
    (list.status.success() && !paths.is_empty()).then_some(paths)
}

fn walk(root: &Path) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if !entry.file_type()?.is_dir() {
                paths.push(path);
            } else if !NOT_OURS.contains(&name.as_str()) {
                folders.push(path);
            }
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn a_walk_finds_what_git_finds() {
        let walked = walk(here()).unwrap();
        assert!(walked.contains(&"src/tree.rs".to_owned()), "{walked:?}");
        let listed = git_files(here()).unwrap_or_default();
        let there = listed.iter().filter(|path| here().join(path).is_file());
        let missed: Vec<_> = there.filter(|path| !walked.contains(path)).collect();
        assert!(missed.is_empty(), "{missed:?}");
    }

    #[test]
    fn no_git_folder_means_a_walk() {
        assert_eq!(git_files(Path::new("/proc")), None);
    }

    #[test]
    fn generated_code_is_nobodys_writing() {
        let tree = Tree::of(&[("proto/src/gen/a.rs", ""), ("proto/src/lib.rs", ""), ("a.md", "")]);
        let written: Vec<_> = tree.written(&["rs"]).map(|(path, _)| path).collect();
        assert_eq!(written, ["proto/src/lib.rs"]);
    }
}
