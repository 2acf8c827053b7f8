//! What happened, line by line, and how often.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hasher};

/// Lines that a failure shows.
const LAST_LINES: usize = 60;

/// The trace of one simulation.
#[derive(Debug, Default)]
pub struct Trace {
    lines: String,
    counts: BTreeMap<&'static str, u64>,
    findings: Vec<String>,
}

/// What came of one simulation.
#[derive(Debug)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// What is wrong; nothing, if all is well.
    pub findings: Vec<String>,
    /// How often things happened.
    pub counts: BTreeMap<&'static str, u64>,
    /// A hash of the trace.
    pub hash: u64,
    /// The trace.
    pub lines: String,
}

impl Trace {
    /// Takes down one line.
    pub fn note(&mut self, since_start_ms: i64, what: fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.lines, "{since_start_ms:>7} {what}");
    }

    /// Counts one more of a kind.
    pub fn count(&mut self, kind: &'static str) {
        *self.counts.entry(kind).or_default() += 1;
    }

    /// Takes down what is wrong.
    pub fn find(&mut self, since_start_ms: i64, what: String) {
        self.note(since_start_ms, format_args!("FOUND {what}"));
        self.findings.push(what);
    }

    /// What came of it.
    pub fn report(self, seed: u64) -> Report {
        let Self { lines, counts, findings } = self;
        let mut hasher = DefaultHasher::new();
        hasher.write(lines.as_bytes());
        Report { seed, findings, counts, hash: hasher.finish(), lines }
    }
}

impl Report {
    /// What a failure shows: the seed, the findings, and the end of the trace.
    pub fn story(&self) -> String {
        let lines: Vec<_> = self.lines.lines().collect();
        let last = lines.len().saturating_sub(LAST_LINES);
        format!(
            "seed {} failed; TENGEN_SIM_SEED={} runs it alone\n{}\n\n  …\n{}\n",
            self.seed,
            self.seed,
            self.findings.join("\n"),
            lines[last..].join("\n"),
        )
    }
}
