//! Each result is booked once, whatever is delivered twice, lost, cut or made no sense of.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(dead_code, reason = "each test file uses its part of the support")]

mod support;

use std::sync::atomic::Ordering;

use support::game::{black_wins, corrected, result};
use support::{Rating, World};
use tengen_kit::time::ManualTime;
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::{EndReason, RatingState};
use tengen_proto::internal::v1::GameResult;
use tengen_proto::rating::v1::EntryKind;

const START_TOTAL: i64 = 15;

/// A player's rows make an unbroken chain from the start to where the player stands.
// rulebook: L14
async fn check_balance(rating: &mut Rating, player_id: &str) {
    let ledger = rating.ledger(player_id, 7).await;
    let mut total = START_TOTAL;
    for pair in ledger.windows(2) {
        assert!(pair[0].entry_id < pair[1].entry_id);
        assert_eq!(pair[0].after, pair[1].before, "{player_id}");
    }
    for entry in &ledger {
        assert_eq!(entry.before.as_ref().unwrap().total, total, "{player_id}");
        total += entry.applied;
    }
    let player = rating.player(player_id).await;
    assert_eq!(player.standing.unwrap().total, total, "{player_id}");
}

async fn check_once(rating: &mut Rating, games: &[GameResult]) {
    for game in games {
        let booked = rating.result(&game.game_id).await;
        assert_eq!(booked.state(), RatingState::Applied);
        assert_eq!(booked.entries.len(), 2, "{}", game.game_id);
    }
}

// fault: F7
#[tokio::test]
async fn a_result_delivered_many_times_is_booked_once() {
    let world = World::new().await;
    let mut rating = world.rating().await;
    for copies in 2..=10 {
        let faults = world.results.faults();
        faults.copies.store(copies - 1, Ordering::Relaxed);
        faults.acknowledgements.store(copies % 3, Ordering::Relaxed);
        let n = u64::try_from(copies).unwrap();
        let game = black_wins(n, ["b", "w"]);
        world.results.settle(std::slice::from_ref(&game)).await;
        check_once(&mut rating, &[game]).await;
    }
    check_balance(&mut rating, "b").await;
    check_balance(&mut rating, "w").await;
    let counts = rating.player("b").await.counts.unwrap();
    assert_eq!((counts.won, rating.player("b").await.fee_balance), (9, 9));
}

// fault: F3, F7
#[tokio::test]
async fn a_crash_between_commit_and_acknowledgement_does_no_harm() {
    const CRASHES: u64 = 20;
    let world = World::new().await;
    let faults = world.results.faults();
    let mut games = Vec::new();
    let mut asked = faults.asked.subscribe();
    for n in 0..CRASHES {
        faults.hang.store(1, Ordering::Relaxed);
        asked.borrow_and_update();
        let rating = world.rating().await;
        let game = black_wins(n, ["b", "w"]);
        world.results.send(&game).await;
        // It is booked; the acknowledgement never gets there.
        asked.changed().await.unwrap();
        drop(rating);
        assert_eq!(world.results.waiting().await, [game.result_id.as_str()]);
        games.push(game);
        let rating = world.rating().await;
        world.results.until_acknowledged(games.len()).await;
        drop(rating);
    }
    let mut rating = world.rating().await;
    check_once(&mut rating, &games).await;
    check_balance(&mut rating, "b").await;
    check_balance(&mut rating, "w").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_replicas_book_each_result_once() {
    const GAMES: u64 = 60;
    let world = World::new().await;
    world.results.faults().copies.store(1, Ordering::Relaxed);
    let players = ["a", "b", "c", "d"];
    let games: Vec<_> = (0..GAMES)
        .map(|n| {
            let first = usize::try_from(n).unwrap() % 4;
            let second = (first + 1 + usize::try_from(n / 4).unwrap() % 3) % 4;
            let winner = if n % 3 == 0 { Colour::White } else { Colour::Black };
            result(n, [players[first], players[second]], EndReason::Count, winner)
        })
        .collect();
    for game in &games {
        world.results.send(game).await;
    }
    let mut replicas = [world.rating().await, world.rating().await];
    world.results.until_acknowledged(games.len()).await;
    check_once(&mut replicas[0], &games).await;
    for player in players {
        check_balance(&mut replicas[1], player).await;
    }
}

#[tokio::test]
async fn a_result_that_makes_no_sense_stays_and_holds_up_nobody() {
    let world = World::new().await;
    let mut rating = world.rating().await;
    let bad = result(1, ["b", "w"], EndReason::Resignation, Colour::Unspecified);
    world.results.send(&bad).await;
    let good = black_wins(2, ["b", "w"]);
    world.results.settle(std::slice::from_ref(&good)).await;
    check_once(&mut rating, &[good]).await;
    assert_eq!(world.results.waiting().await, [bad.result_id.as_str()]);
    assert_eq!(rating.result(&bad.game_id).await.state(), RatingState::Pending);
}

#[tokio::test]
async fn a_failing_results_service_is_asked_less_and_less_often() {
    let time = ManualTime::new(1_767_225_600_000);
    let world = World::with_time(time.shared()).await;
    let faults = world.results.faults();
    faults.takes.store(7, Ordering::Relaxed);
    let mut rating = world.rating().await;
    let game = black_wins(1, ["b", "w"]);
    world.results.send(&game).await;
    while faults.taken.borrow().len() < 8 {
        time.advance(1);
        tokio::task::yield_now().await;
    }
    let taken = faults.taken.borrow().clone();
    let pauses_ms: Vec<_> = taken.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (pause_ms, least_ms) in pauses_ms.iter().zip([100, 200, 400, 800, 1_600, 2_000, 2_000]) {
        assert!(*pause_ms >= least_ms, "{pauses_ms:?}");
    }
    world.results.until_acknowledged(1).await;
    check_once(&mut rating, &[game]).await;
}

// rulebook: C7.3, L14; case: T2
#[tokio::test]
async fn a_corrected_result_is_compensated_and_booked_anew() {
    let world = World::new().await;
    let mut rating = world.rating().await;
    let wrong = black_wins(1, ["b", "w"]);
    let between = black_wins(2, ["b", "x"]);
    world.results.settle(&[wrong.clone(), between]).await;
    let right = corrected(&wrong, 2, EndReason::Count, Colour::White);
    world.results.settle(&[right]).await;

    let ledger = rating.ledger("b", 100).await;
    let rows: Vec<_> = ledger
        .iter()
        .map(|e| {
            (e.kind(), e.result_version, e.nominal, e.applied, e.after.as_ref().unwrap().total)
        })
        .collect();
    assert_eq!(
        rows,
        [
            (EntryKind::Result, 1, 4, 4, 19),
            (EntryKind::Result, 1, 4, 4, 23),
            (EntryKind::Compensation, 2, -4, -4, 19),
            (EntryKind::Correction, 2, -4, -4, 15),
        ]
    );
    let black = rating.player("b").await.counts.unwrap();
    assert_eq!((black.won, black.lost), (1, 1));
    let white = rating.player("w").await.counts.unwrap();
    assert_eq!((white.won, white.lost), (1, 0));
    for player in ["b", "w", "x"] {
        check_balance(&mut rating, player).await;
    }

    // Annulled in the end: nothing is left of it, fees included.
    let annulled = corrected(&wrong, 3, EndReason::Annulled, Colour::Unspecified);
    world.results.settle(&[annulled]).await;
    let white = rating.player("w").await;
    assert_eq!((white.fee_balance, white.counts), (0, Some(<_>::default())));
    assert_eq!(white.standing.unwrap().total, START_TOTAL);
    let black = rating.player("b").await;
    assert_eq!((black.fee_balance, black.standing.unwrap().total), (1, 19));
    assert_eq!(rating.result(&wrong.game_id).await.entries.len(), 10);
    check_balance(&mut rating, "w").await;
}

#[tokio::test]
async fn a_correction_waits_for_what_it_corrects() {
    let world = World::new().await;
    let mut rating = world.rating().await;
    let first = black_wins(1, ["b", "w"]);
    let second = corrected(&first, 2, EndReason::Draw, Colour::Unspecified);
    let other = GameResult {
        white_id: "x".to_owned(),
        ..corrected(&first, 3, EndReason::Void, Colour::Unspecified)
    };
    world.results.send(&second).await;
    world.results.settle(&[black_wins(2, ["b", "w"])]).await;
    assert_eq!(world.results.waiting().await, [second.result_id.as_str()]);
    world.results.settle(std::slice::from_ref(&first)).await;
    world.results.until_acknowledged(3).await;
    assert_eq!(rating.result(&first.game_id).await.entries.len(), 6);
    // A version that names another player is of no game.
    world.results.send(&other).await;
    world.results.settle(&[black_wins(3, ["b", "w"])]).await;
    assert_eq!(world.results.waiting().await, [other.result_id.as_str()]);
}

#[tokio::test]
async fn what_is_booked_outlives_the_process() {
    let world = World::new().await;
    let rating = world.rating().await;
    world.results.settle(&[black_wins(1, ["b", "w"])]).await;
    drop(rating);
    let mut rating = world.rating().await;
    check_once(&mut rating, &[black_wins(1, ["b", "w"])]).await;
    assert_eq!(rating.player("b").await.standing.unwrap().points, 4);
}
