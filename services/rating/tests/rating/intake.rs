//! Each result is booked once, whatever is delivered twice, lost, cut or made no sense of.

use std::sync::atomic::Ordering;

use crate::support::game::{black_wins, corrected, result};
use crate::support::{Rating, World};
use tengen_harness::{Database, Postgres, on_each_database};
use tengen_kit::time::ManualTime;
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::{EndReason, RatingChange, RatingState};
use tengen_proto::internal::v1::GameResult;
use tengen_proto::rating::v1::{self as wire, EntryKind};
use tonic::Code;

on_each_database!(
    a_result_delivered_many_times_is_booked_once,
    a_crash_between_commit_and_acknowledgement_does_no_harm,
    two_replicas_book_each_result_once,
    results_that_make_no_sense_stay_and_hold_up_nobody,
    a_failing_results_service_is_asked_less_and_less_often,
    a_corrected_result_is_compensated_and_booked_anew,
    the_newest_version_stands_in_any_order,
    what_is_booked_outlives_the_process,
    what_a_result_changed_is_told_with_its_acknowledgement,
);

const START_TOTAL: i64 = 15;

/// A player's rows make an unbroken chain from the start to where the player stands.
// rulebook: L14
async fn check_balance(rating: &mut Rating, player_id: &str) {
    let ledger = rating.ledger(player_id, 7).await;
    let mut total = START_TOTAL;
    for (entry, number) in ledger.iter().zip(1..) {
        assert_eq!(entry.entry_id, number, "{player_id}");
    }
    for pair in ledger.windows(2) {
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
async fn a_result_delivered_many_times_is_booked_once(database: Database) {
    let world = World::new(database).await;
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
async fn a_crash_between_commit_and_acknowledgement_does_no_harm(database: Database) {
    const CRASHES: u64 = 20;
    let world = World::new(database).await;
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

async fn two_replicas_book_each_result_once(database: Database) {
    const GAMES: u64 = 60;
    let world = World::new(database).await;
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

async fn results_that_make_no_sense_stay_and_hold_up_nobody(database: Database) {
    // More than are taken at once.
    const BAD: u64 = 120;
    let world = World::new(database).await;
    let bad = |n| result(n, ["b", "w"], EndReason::Resignation, Colour::Unspecified);
    for n in 0..BAD {
        world.results.send(&bad(n)).await;
    }
    let mut rating = world.rating().await;
    let good = black_wins(BAD, ["b", "w"]);
    world.results.settle(std::slice::from_ref(&good)).await;
    check_once(&mut rating, &[good]).await;
    let mut waiting = world.results.waiting().await;
    let mut left: Vec<_> = (0..BAD).map(|n| bad(n).result_id).collect();
    waiting.sort();
    left.sort();
    assert_eq!(waiting, left);
    assert_eq!(rating.result(&bad(0).game_id).await.state(), RatingState::Pending);
}

async fn a_failing_results_service_is_asked_less_and_less_often(database: Database) {
    let time = ManualTime::new(1_767_225_600_000);
    let world = World::with_time(database, time.shared()).await;
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
async fn a_corrected_result_is_compensated_and_booked_anew(database: Database) {
    let world = World::new(database).await;
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

// fault: F5
async fn the_newest_version_stands_in_any_order(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let first = black_wins(1, ["b", "w"]);
    let second = corrected(&first, 2, EndReason::Draw, Colour::Unspecified);
    let other = GameResult {
        white_id: "x".to_owned(),
        ..corrected(&first, 3, EndReason::Void, Colour::Unspecified)
    };
    // The first version may be lost with the store that held it, or come late.
    world.results.settle(&[second]).await;
    world.results.settle(std::slice::from_ref(&first)).await;
    let booked = rating.result(&first.game_id).await.entries;
    assert_eq!(booked.len(), 2);
    for row in booked {
        assert_eq!((row.kind(), row.result_version, row.nominal), (EntryKind::Result, 2, 0));
    }
    assert_eq!(rating.player("b").await.counts.unwrap().won, 0);
    check_balance(&mut rating, "b").await;
    // A version that names another player is of no game.
    world.results.send(&other).await;
    world.results.settle(&[black_wins(3, ["b", "w"])]).await;
    assert_eq!(world.results.waiting().await, [other.result_id.as_str()]);
}

async fn what_is_booked_outlives_the_process(database: Database) {
    let world = World::new(database).await;
    let rating = world.rating().await;
    world.results.settle(&[black_wins(1, ["b", "w"])]).await;
    drop(rating);
    let mut rating = world.rating().await;
    check_once(&mut rating, &[black_wins(1, ["b", "w"])]).await;
    assert_eq!(rating.player("b").await.standing.unwrap().points, 4);
}

// fault: F6
#[tokio::test]
async fn results_wait_for_a_ledger_that_is_away() {
    const PLAYERS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
    let mut postgres = Postgres::start();
    let world = World::new(Database::on(&postgres)).await;
    let mut rating = world.rating().await;
    let pair = |n: usize| [PLAYERS[n % 7], PLAYERS[(n + 1 + n / 7) % 7]];
    let games: Vec<_> = (0..40_u64).zip(0..).map(|(id, n)| black_wins(id, pair(n))).collect();
    world.results.settle(&games[..1]).await;
    for game in &games[1..] {
        world.results.send(game).await;
    }
    // Wherever the bookings are by now.
    postgres.kill();
    let request = wire::GetPlayerRequest { player_id: "a".to_owned() };
    let refused = rating.client.get_player(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    postgres.restart();
    world.results.until_acknowledged(games.len()).await;
    check_once(&mut rating, &games).await;
    for player in PLAYERS {
        check_balance(&mut rating, player).await;
    }
}

/// Colour, applied, level and points before and after.
type Change<'a> = (Colour, i64, (&'a str, i64), (&'a str, i64));

fn change(told: &RatingChange) -> Change<'_> {
    let before = (told.level_before.as_str(), told.points_before);
    (told.colour(), told.applied, before, (told.level_after.as_str(), told.points_after))
}

// rulebook: L14
async fn what_a_result_changed_is_told_with_its_acknowledgement(database: Database) {
    let world = World::new(database).await;
    let _rating = world.rating().await;
    // Each comes twice, and is told as it was booked.
    world.results.faults().copies.store(1, Ordering::Relaxed);
    let wrong = black_wins(1, ["b", "w"]);
    let casual = GameResult { rated: false, ..black_wins(2, ["b", "w"]) };
    let right = corrected(&wrong, 2, EndReason::Count, Colour::White);
    world.results.settle(&[wrong.clone(), casual]).await;
    world.results.settle(std::slice::from_ref(&right)).await;
    let (up, down) = ((("1K", 0), ("1K", 4)), (("1K", 0), ("2K", 6)));
    let told = world.results.faults().changes.borrow().clone();
    for (result, [black, white]) in [
        (&wrong, [(4, up.0, up.1), (-4, down.0, down.1)]),
        (&right, [(-4, down.0, down.1), (4, up.0, up.1)]),
    ] {
        let expected = [
            (Colour::Black, black.0, black.1, black.2),
            (Colour::White, white.0, white.1, white.2),
        ];
        let of_result: Vec<_> =
            told.iter().filter(|told| told.result_id == result.result_id).collect();
        assert!(of_result.len() >= 2, "{}", result.result_id);
        for told in of_result {
            assert_eq!(told.changes.iter().map(change).collect::<Vec<_>>(), expected);
        }
    }
    assert!(told.iter().all(|told| told.changes.len() == 2), "a casual game changes nothing");
}
