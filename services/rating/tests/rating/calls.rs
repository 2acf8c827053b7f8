//! The calls of the contract: what they answer, and what they refuse.

use crate::support::game::black_wins;
use crate::support::{World, bad_fields};
use tengen_harness::{Database, on_each_database};
use tengen_proto::game::v1::RatingState;
use tengen_proto::rating::v1 as wire;
use tonic::Code;

on_each_database!(
    the_ladder_is_told,
    another_ladder_may_be_set,
    who_has_not_played_stands_at_the_start,
    a_result_is_pending_until_it_can_be_read_everywhere,
    lists_come_page_by_page_the_newest_first,
    fees_are_the_callers_own,
    bad_fields_are_named,
    every_call_tells_the_same_points,
);

// rulebook: L1, L2, L3, L5
async fn the_ladder_is_told(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let request = wire::GetLadderRequest {};
    let ladder = rating.client.get_ladder(request).await.unwrap().into_inner();
    assert_eq!((ladder.levels.len(), ladder.start_level), (21, 2));
    for (index, name, stake, promote_at) in
        [(0, "3K", 1, 5), (2, "1K", 4, 20), (3, "1D", 8, 40), (20, "9P", 1_048_576, 0)]
    {
        let expected = wire::Level { level: index, name: name.to_owned(), stake, promote_at };
        assert_eq!(ladder.levels[usize::try_from(index).unwrap()], expected);
    }
}

async fn another_ladder_may_be_set(database: Database) {
    let mut world = World::new(database).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let levels = r#"{"start": "low", "levels": [
        {"name": "low", "stake": 3, "promote_at": 3},
        {"name": "high", "stake": 6, "promote_at": 9}]}"#;
    std::fs::write(file.path(), levels).unwrap();
    world.config.ladder = Some(file.path().to_owned());
    let mut rating = world.rating().await;
    world.results.settle(&[black_wins(1, ["b", "w"])]).await;
    let standing = rating.player("b").await.standing.unwrap();
    assert_eq!((standing.level_name.as_str(), standing.points), ("high", 0));
}

// rulebook: L2
async fn who_has_not_played_stands_at_the_start(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let player = rating.player("nobody").await;
    let standing = player.standing.unwrap();
    assert_eq!((standing.level_name.as_str(), standing.points, standing.total), ("1K", 0, 15));
    assert_eq!((player.counts, player.fee_balance), (Some(wire::Counts::default()), 0));
    assert!(rating.ledger("nobody", 1).await.is_empty());
}

// case: T3; case: T4
async fn a_result_is_pending_until_it_can_be_read_everywhere(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let game = black_wins(1, ["b", "w"]);
    let pending = rating.result(&game.game_id).await;
    assert_eq!((pending.state(), pending.entries), (RatingState::Pending, vec![]));
    world.results.settle(std::slice::from_ref(&game)).await;
    let applied = rating.result(&game.game_id).await;
    assert_eq!(applied.state(), RatingState::Applied);
    let black = rating.player("b").await;
    assert_eq!(applied.entries[0].after, black.standing);
    assert_eq!(rating.ledger("b", 10).await, applied.entries[..1]);
}

async fn lists_come_page_by_page_the_newest_first(database: Database) {
    const GAMES: u64 = 25;
    let mut world = World::new(database).await;
    world.config.pair_cap = 0;
    let mut rating = world.rating().await;
    let games: Vec<_> = (0..GAMES).map(|n| black_wins(n, ["b", "w"])).collect();
    world.results.settle(&games).await;

    let all = rating.ledger("b", 100).await;
    let booked: Vec<_> = all.iter().map(|entry| &entry.game_id).collect();
    assert_eq!(booked, games.iter().map(|game| &game.game_id).collect::<Vec<_>>());
    for page in [1, 7, 24, 25, 26] {
        assert_eq!(rating.ledger("b", page).await, all, "pages of {page}");
    }
    let request = wire::ListLedgerRequest { player_id: "b".to_owned(), ..<_>::default() };
    let first = rating.client.list_ledger(request).await.unwrap().into_inner();
    assert_eq!((first.entries.len(), &first.entries[0]), (20, all.last().unwrap()));

    let mut balances = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = wire::ListFeesRequest { page_size: 10, page_token };
        let fees = rating.client.list_fees(world.signed("w", request)).await.unwrap().into_inner();
        balances.extend(fees.fees.iter().map(|fee| (fee.amount, fee.balance)));
        page_token = fees.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(balances, (1..=25).rev().map(|balance| (1, balance)).collect::<Vec<_>>());
}

async fn fees_are_the_callers_own(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    world.results.settle(&[black_wins(1, ["b", "w"])]).await;
    let refused = rating.client.list_fees(wire::ListFeesRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let request = world.signed("somebody", wire::ListFeesRequest::default());
    assert!(rating.client.list_fees(request).await.unwrap().into_inner().fees.is_empty());
}

async fn bad_fields_are_named(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let client = &mut rating.client;
    for player_id in ["", "a b", "ä", &"x".repeat(65)] {
        let player_id = player_id.to_owned();
        let request = wire::GetPlayerRequest { player_id: player_id.clone() };
        assert_eq!(bad_fields(&client.get_player(request).await.unwrap_err()), ["player_id"]);
        let request = wire::GetResultRatingRequest { game_id: player_id.clone() };
        assert_eq!(bad_fields(&client.get_result_rating(request).await.unwrap_err()), ["game_id"]);
        let request =
            wire::ListLedgerRequest { player_id, page_size: 101, page_token: "0".to_owned() };
        let refused = client.list_ledger(request).await.unwrap_err();
        assert_eq!(bad_fields(&refused), ["player_id", "page_size", "page_token"]);
    }
    for page_token in ["-1", "x", "1 ", "9223372036854775808"] {
        let request = wire::ListFeesRequest { page_size: -1, page_token: page_token.to_owned() };
        let refused = client.list_fees(world.signed("b", request)).await.unwrap_err();
        assert_eq!(bad_fields(&refused), ["page_size", "page_token"]);
    }
}

// case: T8
async fn every_call_tells_the_same_points(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let games: Vec<_> = (0..7).map(|n| black_wins(n, ["b", &format!("w{n}")])).collect();
    world.results.settle(&games).await;
    let told = rating.player("b").await.standing;
    assert_eq!(rating.board_around("b", 1).await.players[0].standing, told);
    assert_eq!(rating.ledger("b", 100).await.pop().unwrap().after, told);
    assert_eq!(rating.result(&games[6].game_id).await.entries[0].after, told);
    // Five wins at 1K make 1D, of which two more are worth 4 each against 1K.
    let told = told.unwrap();
    assert_eq!((told.level_name.as_str(), told.points, told.total), ("1D", 8, 43));
}
