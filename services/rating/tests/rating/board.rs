//! The leaderboard: order, ranks and pages, against a recomputation from the table of standings.

use crate::support::game::{black_wins, corrected, result};
use crate::support::{BoardPage, Rating, World, bad_fields};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sqlx::{AnyPool, Row};
use tengen_harness::{Database, on_each_database};
use tengen_kit::sql;
use tengen_kit::time::ManualTime;
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::EndReason;
use tengen_proto::internal::v1::GameResult;
use tengen_proto::rating::v1 as wire;
use tonic::{Code, Request};
use tonic_types::StatusExt;

on_each_database!(
    pages_and_ranks_follow_from_the_table_after_every_settlement,
    points_may_be_spread_wide,
    a_page_is_one_snapshot,
    a_cursor_is_stable,
    equals_share_a_rank_and_come_by_their_ids,
    a_page_around_a_player,
    only_who_has_played_a_rated_game_is_on_it,
    bad_requests_are_refused,
);

const START_MS: i64 = 1_767_225_600_000;
/// A ladder whose points need every width of the counts.
const WIDE: &str = r#"{"start": "b", "levels": [
    {"name": "a", "stake": 7000, "promote_at": 400000},
    {"name": "b", "stake": 21001, "promote_at": 150000},
    {"name": "c", "stake": 333, "promote_at": 1}]}"#;

/// A player as the board should have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    rank: i32,
    player_id: String,
    level: i64,
    points: i64,
}

/// The board, computed from the standings alone.
pub(crate) async fn recomputed(pool: &AnyPool) -> Vec<Place> {
    let rows = sqlx::query("select player_id, level, points from standings where entries > 0");
    let mut places: Vec<_> = rows
        .fetch_all(pool)
        .await
        .unwrap()
        .iter()
        .map(|row| Place {
            rank: 0,
            player_id: row.get("player_id"),
            level: row.get("level"),
            points: row.get("points"),
        })
        .collect();
    places.sort_by(|a, b| {
        let order = (b.level, b.points).cmp(&(a.level, a.points));
        order.then_with(|| a.player_id.cmp(&b.player_id))
    });
    rank(&mut places);
    places
}

/// The rank of each: the place of the first with the same level and points.
fn rank(places: &mut [Place]) {
    for at in 0..places.len() {
        let equal = |before: &&Place| {
            (before.level, before.points) == (places[at].level, places[at].points)
        };
        let tie = at.checked_sub(1).map(|before| &places[before]).filter(equal);
        places[at].rank = tie.map_or(i32::try_from(at).unwrap() + 1, |tie| tie.rank);
    }
}

fn places(page: &BoardPage) -> Vec<Place> {
    let place = |player: &wire::RankedPlayer| {
        let standing = player.standing.as_ref().unwrap();
        Place {
            rank: player.rank,
            player_id: player.player_id.clone(),
            level: standing.level.into(),
            points: standing.points,
        }
    };
    page.players.iter().map(place).collect()
}

/// All pages of a size.
pub(crate) async fn whole(rating: &mut Rating, page_size: i32) -> Vec<Place> {
    let (mut all, mut token) = (Vec::new(), String::new());
    loop {
        let page = rating.board(page_size, &token).await;
        assert!(page.players.len() <= usize::try_from(page_size).unwrap());
        all.extend(places(&page));
        token = page.next_page_token;
        if token.is_empty() {
            return all;
        }
    }
}

/// Every page and every rank, also around a player of the board.
async fn check(rating: &mut Rating, pool: &AnyPool, dice: &mut StdRng) {
    let expected = recomputed(pool).await;
    for page_size in [dice.random_range(1..=5), 100] {
        assert_eq!(whole(rating, page_size).await, expected, "pages of {page_size}");
    }
    let at = dice.random_range(0..expected.len());
    let size = dice.random_range(1..=7);
    let found = rating.board_around(&expected[at].player_id, size).await;
    let size = usize::try_from(size).unwrap();
    let first = at - at.min((size - 1) / 2);
    let last = expected.len().min(first + size);
    assert_eq!(places(&found), expected[first..last], "{size} around {at}");
    assert_eq!(found.next_page_token.is_empty(), last == expected.len());
}

/// A result of any kind; now and then a correction of one before.
fn random(dice: &mut StdRng, n: u64, players: usize, before: &[GameResult]) -> GameResult {
    let (reason, winner) = match dice.random_range(0..8) {
        0 | 1 => (EndReason::Draw, Colour::Unspecified),
        2 => (EndReason::BothGone, Colour::Unspecified),
        3 => (EndReason::Void, Colour::Unspecified),
        4 => (EndReason::Leave, Colour::White),
        5 => (EndReason::Count, Colour::White),
        _ => (EndReason::Resignation, Colour::Black),
    };
    if !before.is_empty() && dice.random_range(0..5) == 0 {
        let wrong = &before[dice.random_range(0..before.len())];
        let newest = before.iter().filter(|other| other.game_id == wrong.game_id).count();
        let version = i32::try_from(newest).unwrap() + 1;
        return corrected(wrong, version, reason, winner);
    }
    let black = dice.random_range(0..players);
    let white = (black + dice.random_range(1..players)) % players;
    result(n, [&format!("p{black}"), &format!("p{white}")], reason, winner)
}

/// Random settlements, the board being checked after each. The clock is moved now and then, so that
/// some of them are folded into the counts and some are not.
async fn settle_and_check(database: Database, ladder: Option<&str>, seed: u64) {
    let mut dice = StdRng::seed_from_u64(seed);
    let time = ManualTime::new(START_MS);
    let mut world = World::with_time(database, time.shared()).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    if let Some(ladder) = ladder {
        std::fs::write(file.path(), ladder).unwrap();
        world.config.ladder = Some(file.path().to_owned());
    }
    let mut rating = world.rating().await;
    let pool = sql::pool(world.database.url()).unwrap();
    let mut before: Vec<GameResult> = Vec::new();
    for n in 0..60 {
        let end = random(&mut dice, n, 9, &before);
        world.results.settle(std::slice::from_ref(&end)).await;
        before.push(end);
        check(&mut rating, &pool, &mut dice).await;
        if dice.random_range(0..3) == 0 {
            time.advance(1_001);
        }
    }
    until_folded(&time, &pool).await;
    check(&mut rating, &pool, &mut dice).await;
}

async fn until_folded(time: &ManualTime, pool: &AnyPool) {
    let left = "select count(*) from board_deltas";
    while sqlx::query_scalar::<_, i64>(left).fetch_one(pool).await.unwrap() > 0 {
        time.advance(1_000);
    }
}

// case: T11; case: T12
async fn pages_and_ranks_follow_from_the_table_after_every_settlement(database: Database) {
    settle_and_check(database, None, 1).await;
}

// rulebook: L1
async fn points_may_be_spread_wide(database: Database) {
    settle_and_check(database, Some(WIDE), 2).await;
}

// case: T12
async fn a_page_is_one_snapshot(database: Database) {
    const GAMES: u64 = 150;
    let mut dice = StdRng::seed_from_u64(3);
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let games: Vec<_> = (0..GAMES).map(|n| random(&mut dice, n, 12, &[])).collect();
    let settled = async {
        for games in games.chunks(3) {
            world.results.settle(games).await;
        }
    };
    let read = async {
        loop {
            // All are on one page: their ranks follow from it, or it was not read at one instant.
            let found = places(&rating.board(100, "").await);
            let mut expected = found.clone();
            rank(&mut expected);
            assert_eq!(found, expected);
        }
    };
    tokio::select! {
        () = settled => {}
        () = read => {}
    }
}

// case: T12
async fn a_cursor_is_stable(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let pool = sql::pool(world.database.url()).unwrap();
    let games: Vec<_> =
        (0..10).map(|n| black_wins(n, [&format!("b{n}"), &format!("w{n}")])).collect();
    world.results.settle(&games).await;
    let first = rating.board(5, "").await;
    let last = places(&first).pop().unwrap();
    // Some rise past the cursor, some fall behind it, some are new on both sides of it, and the one
    // whose place the cursor is leaves it.
    let more = [["w9", "b7"], ["a1", "x1"], ["b6", "z1"], ["w3", &last.player_id]];
    let more: Vec<_> = (10..).zip(more).map(|(n, players)| black_wins(n, players)).collect();
    world.results.settle(&more).await;
    let second = rating.board(100, &first.next_page_token).await;
    let behind = |place: &Place| {
        let below = (last.level, last.points).cmp(&(place.level, place.points));
        below.then_with(|| place.player_id.cmp(&last.player_id)).is_gt()
    };
    let expected: Vec<_> = recomputed(&pool).await.into_iter().filter(behind).collect();
    assert_eq!(places(&second), expected);
    assert!(expected.iter().any(|place| place.player_id == last.player_id));
}

async fn equals_share_a_rank_and_come_by_their_ids(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    // "Z" comes before "a", and "p10" before "p2": by their bytes.
    let winners = ["a", "p2", "p10", "Z", "_", "-"];
    let games = (0..).zip(winners);
    let games: Vec<_> =
        games.map(|(n, winner)| black_wins(n, [winner, &format!("l{n}")])).collect();
    world.results.settle(&games).await;
    world.results.settle(&[black_wins(9, ["first", "other"])]).await;
    world.results.settle(&[black_wins(10, ["first", "another"])]).await;
    let found: Vec<_> = whole(&mut rating, 2)
        .await
        .into_iter()
        .map(|place| (place.rank, place.player_id))
        .collect();
    let winners = ["-", "Z", "_", "a", "p10", "p2"].map(|id| (2, id));
    let losers = ["another", "l0", "l1", "l2", "l3", "l4", "l5", "other"].map(|id| (8, id));
    let expected = [(1, "first")].into_iter().chain(winners).chain(losers);
    let expected: Vec<_> = expected.map(|(rank, id)| (rank, id.to_owned())).collect();
    assert_eq!(found, expected);
}

async fn a_page_around_a_player(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let games: Vec<_> =
        (0..10).map(|n| black_wins(n, [&format!("b{n}"), &format!("w{n}")])).collect();
    world.results.settle(&games).await;
    let ids = |page: &BoardPage| -> Vec<_> {
        places(page).into_iter().map(|place| place.player_id).collect()
    };
    let page = rating.board_around("w0", 4).await;
    assert_eq!(ids(&page), ["b9", "w0", "w1", "w2"]);
    assert_eq!(places(&page)[1].rank, 11);
    let next = rating.board(100, &page.next_page_token).await;
    assert_eq!(ids(&next), ["w3", "w4", "w5", "w6", "w7", "w8", "w9"]);
    assert_eq!(ids(&rating.board_around("b0", 3).await), ["b0", "b1", "b2"]);
    assert_eq!(ids(&rating.board_around("w9", 3).await), ["w8", "w9"]);
    assert_eq!(rating.board_around("b4", 0).await.players.len(), 20);

    let around = |player_id: &str| wire::ListLeaderboardRequest {
        page_size: 1,
        around_player_id: player_id.to_owned(),
        ..<_>::default()
    };
    let me = world.signed("b7", around("me"));
    let me = rating.client.list_leaderboard(me).await.unwrap().into_inner();
    assert_eq!(ids(&me), ["b7"]);
    let guest = rating.client.list_leaderboard(around("me")).await.unwrap_err();
    assert_eq!(guest.code(), Code::Unauthenticated);
    let nobody = rating.client.list_leaderboard(around("nobody")).await.unwrap_err();
    assert_eq!(nobody.code(), Code::NotFound);
    let details = nobody.get_error_details();
    let info = details.error_info().unwrap();
    assert_eq!(
        (info.reason.as_str(), info.metadata["player_id"].as_str()),
        ("NOT_RANKED", "nobody")
    );
}

async fn only_who_has_played_a_rated_game_is_on_it(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    assert!(rating.board(10, "").await.players.is_empty());
    let casual = GameResult { rated: false, ..black_wins(1, ["b", "w"]) };
    let drawn = result(2, ["x", "y"], EndReason::Draw, Colour::Unspecified);
    world.results.settle(&[casual, drawn]).await;
    let found: Vec<_> = places(&rating.board(10, "").await);
    let found: Vec<_> = found.iter().map(|place| (place.rank, &*place.player_id)).collect();
    assert_eq!(found, [(1, "x"), (1, "y")]);
}

async fn bad_requests_are_refused(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    for token in ["0", "x", "2.4", "2.x.b", "-2.4.b", "2.-4.b", "9223372036854775808.0.b"] {
        let request = wire::ListLeaderboardRequest {
            page_size: 101,
            page_token: token.to_owned(),
            around_player_id: String::new(),
        };
        let refused = rating.client.list_leaderboard(Request::new(request)).await.unwrap_err();
        assert_eq!(bad_fields(&refused), ["page_size", "page_token"], "{token}");
    }
    let request = wire::ListLeaderboardRequest {
        page_size: -1,
        page_token: "2.4.b".to_owned(),
        around_player_id: "a b".to_owned(),
    };
    let refused = rating.client.list_leaderboard(Request::new(request)).await.unwrap_err();
    assert_eq!(bad_fields(&refused), ["page_size", "around_player_id", "page_token"]);
}
