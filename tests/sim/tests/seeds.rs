//! Seeds in a row, as many as take half a minute. See the README for how to run one alone.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::env;
use std::io::{Write as _, stderr};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tengen_sim::{Report, run};

/// The first seed, unless `TENGEN_SIM_BASE` names another.
const BASE: u64 = 1;
/// How many, unless `TENGEN_SIM_SEEDS` says.
const SEEDS: u64 = 600;

/// What came of the seeds so far.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<&'static str, u64>,
    failed: Vec<Report>,
}

// case: A1 D1 D4 D6 D8 D9 R10 V2
// fault: F1 F2 F3 F7 F8 F9
#[test]
fn no_seed_finds_anything() {
    if let Some(seed) = number("TENGEN_SIM_SEED") {
        let report = run(seed);
        say(&format!("{}\n{:#?}\n", report.lines, report.counts));
        assert!(report.findings.is_empty(), "{}", report.story());
        return;
    }
    let base = number("TENGEN_SIM_BASE").unwrap_or(BASE);
    let seeds = number("TENGEN_SIM_SEEDS").unwrap_or(SEEDS);
    say(&format!("sim: {seeds} seeds from {base} on\n"));
    let tally = in_threads(base, seeds);
    say(&format!("sim: per thousand seeds:{}\n", per_thousand(&tally.counts, seeds)));
    if let Some(first) = tally.failed.iter().min_by_key(|report| report.seed) {
        let failed: Vec<_> = tally.failed.iter().map(|report| report.seed).collect();
        panic!("{} of {seeds} seeds failed: {failed:?}\n{}", failed.len(), first.story());
    }
}

/// Each seed is run by one thread, whichever is free.
fn in_threads(base: u64, seeds: u64) -> Tally {
    let (next, tally) = (AtomicU64::new(base), Mutex::new(Tally::default()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= base + seeds {
                return;
            }
            let report = run(seed);
            let mut tally = tally.lock().unwrap();
            for (kind, count) in &report.counts {
                *tally.counts.entry(kind).or_default() += count;
            }
            if !report.findings.is_empty() {
                tally.failed.push(report);
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    tally.into_inner().unwrap()
}

fn per_thousand(counts: &BTreeMap<&str, u64>, seeds: u64) -> String {
    let line = |(kind, count): (&&str, &u64)| format!("\n  {:>8} {kind}", count * 1_000 / seeds);
    counts.iter().map(line).collect()
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Shown also where the test's own output is not.
fn say(text: &str) {
    stderr().write_all(text.as_bytes()).expect("stderr");
}
