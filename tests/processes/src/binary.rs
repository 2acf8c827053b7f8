//! Where the binaries are.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const BUILD: &str =
    "cargo test --no-run -p tengen-game -p tengen-clock -p tengen-rating -p tengen-session";

/// The binary `tengen-<service>`, as it was built beside this test.
pub fn binary(service: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let folder = test.ancestors().nth(2).expect("target/<profile>/deps/<test>");
    let binary = folder.join(format!("tengen-{service}"));
    let built =
        modified(&binary).unwrap_or_else(|| panic!("{} is missing: {BUILD}", binary.display()));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for sources in
        ["proto/src".into(), "services/kit/src".into(), format!("services/{service}/src")]
    {
        let newest = newest(&root.join(sources)).expect("there are sources");
        assert!(newest <= built, "{} is older than its sources: {BUILD}", binary.display());
    }
    binary
}

fn newest(path: &Path) -> Option<SystemTime> {
    if !path.is_dir() {
        return modified(path);
    }
    let entries = fs::read_dir(path).ok()?.filter_map(Result::ok);
    entries.filter_map(|entry| newest(&entry.path())).max()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}
