//! The path of a legal move asks the allocator for nothing, measured over real games.

#![allow(clippy::unwrap_used, unreachable_pub, reason = "a test fails by panicking")]

#[path = "rules/common.rs"]
mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use common::{load, moves, size, start, text};

/// The system's allocator, counting what a thread asks for.
struct Counting;

thread_local! {
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "a global allocator can be written in no other way")]
// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTS.set(REQUESTS.get() + 1);
        BYTES.set(BYTES.get() + layout.size());
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        REQUESTS.set(REQUESTS.get() + 1);
        // SAFETY: the caller keeps the promises of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_legal_move_allocates_nothing() {
    let mut games = 0;
    for case in load("games.jsonl") {
        if case.get("refused").is_some() {
            continue;
        }
        let plies = moves(text(&case, "moves"), size(&case));
        let mut game = start(&case);
        let before = REQUESTS.get();
        for &(colour, point) in &plies {
            black_box(game.legal_points(colour));
            match point {
                Some(point) => assert!(game.play(colour, point).is_ok()),
                None => game.pass(colour),
            }
        }
        assert_eq!(REQUESTS.get() - before, 0, "{}", text(&case, "id"));
        games += 1;
    }
    assert_eq!(games, 901);
}

#[test]
fn a_game_of_240_moves_takes_16_kib() {
    let mut games = 0;
    for case in load("games.jsonl").iter().filter(|case| text(case, "set") == "kgs19") {
        let plies = moves(text(case, "moves"), size(case));
        let Some(plies) = plies.get(..240) else {
            continue;
        };
        let mut game = start(case);
        common::play(&mut game, plies);
        let (requests, bytes) = (REQUESTS.get(), BYTES.get());
        let copy = black_box(game.clone());
        let (requests, bytes) = (REQUESTS.get() - requests, BYTES.get() - bytes);
        let bytes = bytes + size_of_val(&copy);
        // A clone of nothing would show that the count does not work.
        assert!((3..=6).contains(&requests) && (8_000..=16_384).contains(&bytes), "{bytes}");
        games += 1;
    }
    assert!(games > 100);
}
