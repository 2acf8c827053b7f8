//! Flags fall on time, whatever becomes of the timekeepers.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use support::{Suite, at_once, instant};
use tengen_clock::Config;
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::{EndReason, Phase, Result as GameResult};
use tengen_timing::{Control, Seat};
use tokio::task::yield_now;

const MINUTE: i64 = 60_000;
const CONTROL: Control = Control::Absolute { main_ms: MINUTE };

/// A lease that no slow machine outlasts, where it is not what is tested.
fn patient() -> Config {
    Config { lease_ms: 10_000, ..Config::default() }
}

fn assert_black_lost_on_time(result: &GameResult, at_ms: i64) {
    assert_eq!(result.reason(), EndReason::Time);
    assert_eq!(result.winner(), Colour::White);
    assert_eq!(instant(result.at.as_ref()), at_ms);
}

// rulebook: C3.1, C14.5: the flag falls at the deadline, not before, and nobody has to claim it.
#[tokio::test]
async fn a_flag_falls_without_anybody_acting() {
    let suite = Suite::start().await;
    let clock = suite.clock(patient()).await;
    let (id, began_ms) = suite.game(Some(CONTROL)).await;

    suite.advance_to(began_ms + MINUTE - 1);
    clock.settle(&id).await;
    let game = suite.get_game(&id).await;
    assert_eq!((game.phase(), game.sequence), (Phase::Playing, 1));

    suite.advance(1);
    let result = suite.end_of(&id).await;
    assert_black_lost_on_time(&result, began_ms + MINUTE);
}

// A move takes the game off the queue and puts it on again for the other side.
// rulebook: C3.1
#[tokio::test]
async fn a_move_moves_the_flag() {
    let suite = Suite::start().await;
    let clock = suite.clock(patient()).await;
    let (id, began_ms) = suite.game(Some(CONTROL)).await;
    suite.advance_to(began_ms + MINUTE - 1);
    suite.play(&id, Seat::Black, 1).await;

    suite.advance(MINUTE - 1);
    clock.settle(&id).await;
    assert_eq!(suite.get_game(&id).await.phase(), Phase::Playing);

    suite.advance(1);
    let result = suite.end_of(&id).await;
    assert_eq!(result.winner(), Colour::Black);
    assert_eq!(instant(result.at.as_ref()), began_ms + 2 * MINUTE - 1);
}

// fault: F2: the same deadline, several timekeepers: called once.
#[tokio::test]
async fn two_timekeepers_end_a_game_once() {
    let suite = Suite::start().await;
    let clocks = [suite.clock(patient()).await, suite.clock(patient()).await];
    let mut games = Vec::new();
    for _ in 0..10 {
        games.push(suite.game(Some(CONTROL)).await);
    }
    suite.advance(MINUTE);
    for (id, began_ms) in &games {
        let result = suite.end_of(id).await;
        assert_black_lost_on_time(&result, began_ms + MINUTE);
    }
    // Also when every lease is over.
    suite.advance(60_000);
    for (id, _) in &games {
        for clock in &clocks {
            clock.settle(id).await;
        }
        assert_eq!(suite.get_game(id).await.sequence, 2, "opened and ended");
    }
    assert_eq!(suite.live.outbox_take(100).await.unwrap().len(), 10);
}

// fault: F2: a timekeeper dies while it holds the claim; the lease brings the game back.
#[tokio::test]
async fn a_killed_timekeepers_claim_comes_back() {
    let suite = Suite::start().await;
    let (id, began_ms) = suite.game(Some(CONTROL)).await;
    suite.advance_to(began_ms + MINUTE);
    // All that a timekeeper leaves behind which dies before its call.
    let claims = suite.live.claim_due(750, 10).await.unwrap();
    assert_eq!(claims.len(), 1);

    let clock = suite.clock(patient()).await;
    suite.advance(749);
    clock.settle(&id).await;
    assert_eq!(suite.get_game(&id).await.phase(), Phase::Playing);

    suite.advance(1);
    let result = suite.end_of(&id).await;
    assert_black_lost_on_time(&result, began_ms + MINUTE);
}

// fault: F10: the game service was away at the deadline: the flag comes within a second, with the
// deadline's own instant.
#[tokio::test]
async fn a_flag_waits_for_the_game_service() {
    let mut suite = Suite::start().await;
    let clock = suite.clock(Config::default()).await;
    let (id, began_ms) = suite.game(Some(CONTROL)).await;
    clock.settle(&id).await;
    suite.stop_game().await;
    suite.advance_to(began_ms + MINUTE);
    // Until the timekeeper has claimed it, in vain.
    while at_once(suite.live.due_wait()).is_some() {
        yield_now().await;
    }
    suite.restart_game().await;
    clock.reach_game(&id).await;
    let healed_ms = began_ms + MINUTE;

    let mut now_ms = healed_ms;
    while suite.get_game(&id).await.phase() != Phase::Ended {
        assert!(now_ms < healed_ms + 1_000, "no flag within a second");
        suite.advance(50);
        now_ms += 50;
        for _ in 0..4 {
            clock.settle(&id).await;
        }
    }
    let result = suite.get_game(&id).await.result.expect("it is over");
    assert_black_lost_on_time(&result, began_ms + MINUTE);
}

// A timekeeper that is told to end does so, and leaves what is due to the others.
#[tokio::test]
async fn a_timekeeper_ends_in_order() {
    let suite = Suite::start().await;
    let mut leaving = suite.clock(patient()).await;
    let (id, began_ms) = suite.game(Some(CONTROL)).await;
    leaving.settle(&id).await;
    leaving.stop().await;
    suite.advance_to(began_ms + MINUTE);
    assert!(at_once(suite.live.due_wait()).is_some(), "nobody took it");

    let _staying = suite.clock(patient()).await;
    let result = suite.end_of(&id).await;
    assert_black_lost_on_time(&result, began_ms + MINUTE);
}
