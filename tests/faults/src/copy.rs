//! A copy of Redis's log, to be put back in place of what came after it.

use std::fs;
use std::path::Path;

use tengen_harness::Server;

const LOG: &str = "appendonlydir";
const COPY: &str = "copy";

/// Copies the log as it is now, while the server writes on.
pub fn take(redis: &Server) {
    let to = redis.folder().join(COPY);
    fs::create_dir_all(&to).expect("a folder can be made");
    for file in fs::read_dir(redis.folder().join(LOG)).expect("it writes a log") {
        let file = file.expect("a file");
        fs::copy(file.path(), to.join(file.file_name())).expect("a file can be copied");
    }
}

/// Kills the server; what it wrote after the copy is gone.
pub fn put_back(redis: &mut Server) {
    redis.kill();
    let at = |name: &str| redis.folder().join(name);
    move_to(&at(COPY), &at(LOG));
}

fn move_to(from: &Path, to: &Path) {
    fs::remove_dir_all(to).expect("a folder can be removed");
    fs::rename(from, to).expect("a folder can be moved");
}
