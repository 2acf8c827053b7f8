//! A seed is a whole story: run again, it tells the same, line by line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::thread;

use tengen_sim::run;

#[test]
fn the_same_seed_tells_the_same_story() {
    for seed in 1..=12 {
        // Elsewhere, and beside another one.
        let other = thread::spawn(move || run(seed + 100));
        let first = run(seed);
        let again = thread::spawn(move || run(seed)).join().unwrap();
        other.join().unwrap();
        let differs = first.lines.lines().zip(again.lines.lines()).find(|(a, b)| a != b);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!(first.hash, again.hash, "seed {seed}: one story goes on");
    }
}
