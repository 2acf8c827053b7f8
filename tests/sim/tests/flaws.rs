//! The simulation finds what it is there for: over a store with a flaw, one of the first seeds fails,
//! and says why.
#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;

use tengen_sim::{Flaw, Unsound, run_over};

/// Seeds that may pass before one fails.
const SEEDS: u64 = 80;

fn check(flaw: Flaw, expected: &str) {
    let mut others = Vec::new();
    for seed in 1..=SEEDS {
        let report = run_over(seed, |memory| Arc::new(Unsound::new(flaw, seed, memory)));
        if report.findings.iter().any(|what| what.contains(expected)) {
            return;
        }
        others.extend(report.findings);
    }
    panic!("{flaw:?}: no seed up to {SEEDS} finds {expected:?}, but {others:#?}");
}

#[test]
fn a_commit_that_does_not_compare_the_head() {
    check(Flaw::CommitsBlindly, "and the head is");
}

#[test]
fn a_commit_that_is_acknowledged_and_lost() {
    check(Flaw::LosesCommits, "it was accepted as");
}

#[test]
fn a_due_queue_that_looks_too_late() {
    check(Flaw::LooksLate, "and it was due at");
}

#[test]
fn a_due_queue_that_loses_what_was_claimed() {
    check(Flaw::LosesDue, "it does not end");
}

#[test]
fn an_outbox_that_forgets() {
    check(Flaw::LosesResults, "booked []");
}

#[test]
fn an_outbox_that_gives_once() {
    check(Flaw::GivesOnce, "booked []");
}

#[test]
fn reads_that_are_stale() {
    check(Flaw::ReadsStale, "was known");
}

#[test]
fn outages_that_nobody_hears_of() {
    check(Flaw::HidesOutages, "is owed, None is given");
}

#[test]
fn a_clock_that_jumps_ahead() {
    check(Flaw::JumpsAhead, "and it was due at");
}
