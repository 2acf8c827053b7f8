//! Programs of others that read our SGF files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use tempfile::NamedTempFile;

const READERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/readers");
const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cache/venv/bin/python");

/// What a reader found in a file. Points are SGF's, a turn is `Bpd`, or `B` where none was played.
#[derive(Debug, PartialEq, Deserialize)]
pub struct Read {
    pub size: i32,
    /// Points.
    pub komi: String,
    /// Black's before the game, sorted.
    pub stones: Vec<String>,
    pub turns: Vec<String>,
    pub result: Option<String>,
    pub names: [String; 2],
}

/// A file as sgfmill reads it.
pub fn sgfmill(sgf: &str) -> Read {
    json(Command::new(PYTHON).arg(format!("{READERS}/read_by_sgfmill.py")), sgf)
}

/// A file as Sabaki's parser reads it, in JavaScript.
pub fn sabaki(sgf: &str) -> Read {
    json(Command::new("node").arg(format!("{READERS}/read_by_sabaki.mjs")), sgf)
}

/// The turns and the komi of a file as GNU Go plays it through.
pub fn gnugo(sgf: &str, lines: i32) -> (Vec<String>, String) {
    let [history, komi] = ask_gnugo(sgf, ["move_history", "get_komi"]);
    let turns = history.lines().filter_map(|line| line.trim().split_once(' '));
    // The last turn first.
    let mut turns: Vec<_> = turns.map(|(colour, at)| turn(colour, at, lines)).collect();
    turns.reverse();
    (turns, komi.trim().trim_end_matches(".0").to_owned())
}

/// The result of a file's last position as GNU Go counts it, by area.
pub fn gnugo_score(sgf: &str) -> String {
    let [score] = ask_gnugo(sgf, ["final_score"]);
    score.trim().trim_end_matches(".0").to_owned()
}

/// GNU Go's answers about the last position of a file.
fn ask_gnugo<const N: usize>(sgf: &str, questions: [&str; N]) -> [String; N] {
    let file = file(sgf);
    let input = format!("loadsgf {}\n{}\nquit\n", file.path().display(), questions.join("\n"));
    let output =
        output(Command::new(gnugo_path()).args(["--mode", "gtp", "--chinese-rules"]), &input);
    let mut answers = output.split("\n\n").map(|answer| {
        answer.strip_prefix('=').unwrap_or_else(|| panic!("GNU Go says {output}")).to_owned()
    });
    answers.next();
    [(); N].map(|()| answers.next().expect("an answer to each"))
}

/// `black Q16` as `Bpd`.
fn turn(colour: &str, at: &str, lines: i32) -> String {
    let letter = colour[..1].to_uppercase();
    if at.eq_ignore_ascii_case("pass") {
        return letter;
    }
    let size = tengen_rules::Size::square(u8::try_from(lines).unwrap()).unwrap();
    let at = tengen_rules::text::gtp::parse(at, size).unwrap_or_else(|error| panic!("{error}"));
    letter + &tengen_rules::text::sgf::format(at)
}

/// Where GNU Go is.
pub fn gnugo_path() -> PathBuf {
    let there = ["/usr/games/gnugo", "/usr/bin/gnugo", "/usr/local/bin/gnugo"].map(Path::new);
    let found = there.into_iter().find(|path| path.exists());
    found.expect("not installed: python3 tests/tools/setup.py gnugo").to_owned()
}

fn file(sgf: &str) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".sgf").tempfile().expect("a temporary file");
    file.write_all(sgf.as_bytes()).expect("written");
    file
}

fn json(command: &mut Command, sgf: &str) -> Read {
    let file = file(sgf);
    let output = output(command.arg(file.path()), "");
    serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
}

fn output(command: &mut Command, input: &str) -> String {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    child.stdin.take().unwrap().write_all(input.as_bytes()).expect("it listens");
    let done = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {said}");
    String::from_utf8(done.stdout).expect("UTF-8")
}
