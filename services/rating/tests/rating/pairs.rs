//! The cap on rated games of one pair: beyond it nothing moves, whatever comes twice, late or anew.

use crate::support::game::{ENDED_AT_MS, corrected, result};
use crate::support::{Rating, World};
use tengen_harness::{Database, on_each_database};
use tengen_proto::common::v1::Colour::{self, Black, Unspecified as Nobody, White};
use tengen_proto::game::v1::EndReason::{self, Annulled, Draw, Leave, Resignation};
use tengen_proto::internal::v1::GameResult;
use tengen_proto::rating::v1::{Counted, EntryKind, LedgerEntry};
use tengen_proto::time::{duration, timestamp};

on_each_database!(
    beyond_the_cap_games_count_and_move_nothing,
    the_day_rolls,
    games_may_come_in_any_order,
    what_moves_nothing_uses_nothing_up,
    a_correction_is_decided_anew,
    there_may_be_no_cap,
);

const HOUR_MS: i64 = 3_600_000;

/// A game of `a` against `b` that ended so many hours after the first.
fn game(n: u64, hours: i64, players: [&str; 2], reason: EndReason, winner: Colour) -> GameResult {
    let at = Some(timestamp(ENDED_AT_MS + hours * HOUR_MS));
    GameResult { at, ..result(n, players, reason, winner) }
}

fn won(n: u64, hours: i64, players: [&str; 2]) -> GameResult {
    game(n, hours, players, Resignation, Black)
}

async fn capped(database: Database, cap: i64) -> (World, Rating) {
    let mut world = World::new(database).await;
    world.config.pair_cap = cap;
    let rating = world.rating().await;
    (world, rating)
}

/// The rows in force of a game, Black's first.
async fn rows(rating: &mut Rating, game: &GameResult) -> [LedgerEntry; 2] {
    let mut entries = rating.result(&game.game_id).await.entries;
    let newest = entries.iter().map(|entry| entry.result_version).max();
    entries.retain(|entry| Some(entry.result_version) == newest);
    entries.retain(|entry| entry.kind() != EntryKind::Compensation);
    entries.try_into().unwrap()
}

/// Settles games one after the other, and tells which of them were capped.
async fn settle(world: &World, rating: &mut Rating, games: &[GameResult]) -> Vec<bool> {
    let mut found = Vec::new();
    for game in games {
        world.results.settle(std::slice::from_ref(game)).await;
        let [black, white] = rows(rating, game).await;
        assert_eq!(black.pair_capped, white.pair_capped);
        found.push(black.pair_capped);
    }
    found
}

async fn beyond_the_cap_games_count_and_move_nothing(database: Database) {
    let (world, mut rating) = capped(database, 3).await;
    let pairs = [["a", "b"], ["b", "a"], ["a", "b"], ["b", "a"], ["a", "b"], ["a", "c"]];
    let games: Vec<_> = (0..).zip(pairs).map(|(n, players)| won(n, 0, players)).collect();
    let expected = [false, false, false, true, true, false];
    assert_eq!(settle(&world, &mut rating, &games).await, expected);

    let [black, white] = rows(&mut rating, &games[3]).await;
    assert_eq!((black.counted(), white.counted()), (Counted::Win, Counted::Loss));
    for row in [black, white] {
        assert_eq!((row.nominal, row.applied, row.before), (0, 0, row.after));
        assert!(row.stake > 0);
    }
    let (a, b) = (rating.player("a").await, rating.player("b").await);
    let counts = [&a, &b].map(|player| player.counts.unwrap());
    assert_eq!((counts[0].won, counts[0].lost), (4, 2));
    assert_eq!((counts[1].won, counts[1].lost), (2, 3));
    // As casual games, these pay nothing.
    assert_eq!((a.fee_balance, b.fee_balance), (4, 3));
    // An escape does not move anything either.
    let left = game(9, 0, ["a", "b"], Leave, White);
    assert_eq!(settle(&world, &mut rating, std::slice::from_ref(&left)).await, [true]);
    let [black, _] = rows(&mut rating, &left).await;
    assert_eq!((black.counted(), black.nominal), (Counted::Escape, 0));
}

async fn the_day_rolls(database: Database) {
    let (world, mut rating) = capped(database, 2).await;
    let hours = [0, 10, 23, 24, 30, 34, 48];
    let games: Vec<_> = (0..).zip(hours).map(|(n, hours)| won(n, hours, ["a", "b"])).collect();
    // A day after the first there is room for one, and a day after the second.
    let expected = [false, false, true, false, true, false, false];
    assert_eq!(settle(&world, &mut rating, &games).await, expected);
}

async fn games_may_come_in_any_order(database: Database) {
    let (world, mut rating) = capped(database, 2).await;
    let hours = [40, 30, 20, 35, 0, 5];
    let games: Vec<_> = (0..).zip(hours).map(|(n, hours)| won(n, hours, ["a", "b"])).collect();
    // 20 and 35 have two games around them, 0 and 5 have none but each other.
    let expected = [false, false, true, true, false, false];
    assert_eq!(settle(&world, &mut rating, &games).await, expected);
    // A second delivery decides nothing.
    let before = rating.ledger("a", 100).await;
    for game in games {
        world.results.send(&GameResult { result_id: format!("{}-", game.result_id), ..game }).await;
    }
    settle(&world, &mut rating, &[won(9, 100, ["a", "c"])]).await;
    assert_eq!(rating.ledger("a", 100).await[..6], before);
}

async fn what_moves_nothing_uses_nothing_up(database: Database) {
    let (world, mut rating) = capped(database, 2).await;
    let casual = |n| GameResult { rated: false, ..won(n, 0, ["a", "b"]) };
    world.results.settle(&[casual(0), casual(1)]).await;
    let drawn = |n| game(n, 0, ["a", "b"], Draw, Nobody);
    let games = [drawn(2), drawn(3), won(4, 0, ["a", "b"]), won(5, 0, ["b", "a"]), drawn(6)];
    assert_eq!(settle(&world, &mut rating, &games).await, [false; 5]);
    assert_eq!(settle(&world, &mut rating, &[won(7, 0, ["a", "b"])]).await, [true]);
    // A leaver's loss is a move, though the other gains nothing.
    let together = Some(duration(1));
    let left = GameResult { together, ..game(8, 0, ["a", "d"], Leave, White) };
    let games = [left, won(9, 0, ["d", "a"]), won(10, 0, ["d", "a"])];
    assert_eq!(settle(&world, &mut rating, &games).await, [false, false, true]);
}

// rulebook: L14; case: T2
async fn a_correction_is_decided_anew(database: Database) {
    let (world, mut rating) = capped(database, 1).await;
    let (first, second) = (won(1, 0, ["a", "b"]), won(2, 1, ["a", "b"]));
    let games = [first.clone(), second.clone()];
    assert_eq!(settle(&world, &mut rating, &games).await, [false, true]);
    // The other way round it is still the one that moves.
    let turned = corrected(&first, 2, Resignation, White);
    assert_eq!(settle(&world, &mut rating, &[turned]).await, [false]);
    let [black, _] = rows(&mut rating, &first).await;
    assert_eq!((black.kind(), black.nominal), (EntryKind::Correction, -4));
    // Once it is gone, there is room for the second, should that be corrected.
    let gone = corrected(&first, 3, Annulled, Nobody);
    let again = corrected(&second, 2, Resignation, White);
    assert_eq!(settle(&world, &mut rating, &[gone, again]).await, [false, false]);
    let [black, white] = rows(&mut rating, &second).await;
    // For the stake of then: b was 2K when they met.
    assert_eq!((black.nominal, white.nominal), (-2, 2));
    let back = corrected(&first, 4, Resignation, Black);
    assert_eq!(settle(&world, &mut rating, &[back]).await, [true]);
}

async fn there_may_be_no_cap(database: Database) {
    let (world, mut rating) = capped(database, 0).await;
    let games: Vec<_> = (0..15).map(|n| won(n, 0, ["a", "b"])).collect();
    assert_eq!(settle(&world, &mut rating, &games).await, [false; 15]);
}
