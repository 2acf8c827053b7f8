//! Players are told that their levels moved, at least once, whoever is away, and nothing waits for it.

use std::collections::BTreeSet;

use crate::support::World;
use crate::support::game::{black_wins, corrected, result};
use tengen_harness::{Database, on_each_database};
use tengen_kit::sql;
use tengen_kit::time::ManualTime;
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::EndReason;
use tengen_proto::internal::v1::{GameResult, NotifyRequest};
use tengen_proto::rating::v1::LedgerEntry;
use tengen_proto::session::v1::notice::Notice;
use tonic::Code;

on_each_database!(
    both_players_are_told_of_each_booking,
    a_session_service_that_is_away_is_asked_less_and_less_often,
    what_a_process_left_untold_another_tells,
    a_notice_that_is_refused_holds_up_nobody,
    a_notice_is_forgotten_after_a_week,
);

const START_MS: i64 = 1_767_225_600_000;

fn entry(told: &NotifyRequest) -> &LedgerEntry {
    let notice = told.notice.as_ref().unwrap();
    assert_eq!(notice.sequence, 0);
    match notice.notice.as_ref().unwrap() {
        Notice::RatingApplied(applied) => {
            let entry = applied.entry.as_ref().unwrap();
            assert_eq!((&entry.player_id, entry.at), (&told.player_id, notice.at));
            entry
        }
        other => panic!("{other:?}"),
    }
}

fn keys(told: &[NotifyRequest]) -> BTreeSet<String> {
    told.iter().map(|told| told.key.clone()).collect()
}

fn both(game: &GameResult) -> [String; 2] {
    ["black", "white"].map(|seat| format!("{}:{seat}", game.result_id))
}

/// Moves the clock on and on.
async fn forever(time: &ManualTime) {
    loop {
        time.advance(1_000);
        tokio::task::yield_now().await;
    }
}

async fn waiting(world: &World) -> i64 {
    let pool = sql::pool(world.database.url()).unwrap();
    sqlx::query_scalar("select count(*) from notices").fetch_one(&pool).await.unwrap()
}

// case: T4; case: T15
async fn both_players_are_told_of_each_booking(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let first = black_wins(1, ["b", "w"]);
    let casual = GameResult { rated: false, ..black_wins(2, ["b", "w"]) };
    let drawn = result(3, ["b", "x"], EndReason::Draw, Colour::Unspecified);
    let second = corrected(&first, 2, EndReason::Count, Colour::White);
    world.results.settle(&[first.clone(), casual, drawn.clone(), second.clone()]).await;
    let told = world.presence.until_told(6).await;
    let expected = [both(&first), both(&drawn), both(&second)].concat();
    assert_eq!(keys(&told), expected.into_iter().collect());
    for told in &told {
        let ledger = rating.ledger(&told.player_id, 100).await;
        assert!(ledger.contains(entry(told)));
    }
    // Of a correction the row that it ends with; each player's come in order.
    let of_black = told.iter().filter(|told| told.player_id == "b");
    let numbers: Vec<_> = of_black.map(|told| entry(told).entry_id).collect();
    assert_eq!(numbers, [1, 2, 4]);
}

async fn a_session_service_that_is_away_is_asked_less_and_less_often(database: Database) {
    const GAMES: u64 = 60;
    let time = ManualTime::new(START_MS);
    let world = World::with_time(database, time.shared()).await;
    world.presence.answer(Code::Unimplemented);
    let _rating = world.rating().await;
    let games: Vec<_> =
        (0..GAMES).map(|n| black_wins(n, [&format!("b{n}"), &format!("w{n}")])).collect();
    // All is booked while nobody can be told.
    world.results.settle(&games).await;
    let until_asked = async |times| {
        while world.presence.asked().len() < times {
            time.advance(20);
            tokio::task::yield_now().await;
        }
    };
    until_asked(6).await;
    let asked = world.presence.asked();
    let pauses_ms: Vec<_> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (pause_ms, least_ms) in pauses_ms.iter().zip([1_000, 2_000, 4_000, 8_000, 16_000]) {
        assert!(*pause_ms >= least_ms, "{pauses_ms:?}");
    }
    world.presence.answer(Code::Ok);
    until_asked(6 + 2 * games.len()).await;
    let told = world.presence.until_told(2 * games.len()).await;
    assert_eq!(keys(&told), games.iter().flat_map(both).collect());
}

async fn what_a_process_left_untold_another_tells(database: Database) {
    let time = ManualTime::new(START_MS);
    let world = World::with_time(database, time.shared()).await;
    world.presence.answer(Code::Unavailable);
    let rating = world.rating().await;
    let games: Vec<_> = (0..3).map(|n| black_wins(n, ["b", "w"])).collect();
    world.results.settle(&games).await;
    world.presence.until_asked(1).await;
    drop(rating);
    world.presence.answer(Code::Ok);
    let _rating = world.rating().await;
    // They are the first one's to tell, until it must be gone.
    let told = tokio::select! {
        told = world.presence.until_told(6) => told,
        () = forever(&time) => panic!("the clock stands"),
    };
    assert_eq!(keys(&told), games.iter().flat_map(both).collect());
    while waiting(&world).await > 0 {}
}

async fn a_notice_that_is_refused_holds_up_nobody(database: Database) {
    let world = World::new(database).await;
    world.presence.answer(Code::NotFound);
    let _rating = world.rating().await;
    world.results.settle(&[black_wins(1, ["b", "w"])]).await;
    world.presence.until_asked(2).await;
    world.presence.answer(Code::Ok);
    let game = black_wins(2, ["b", "w"]);
    world.results.settle(std::slice::from_ref(&game)).await;
    assert_eq!(keys(&world.presence.until_told(2).await), both(&game).into());
    while waiting(&world).await > 0 {}
}

async fn a_notice_is_forgotten_after_a_week(database: Database) {
    const DAY_MS: u32 = 86_400_000;
    let time = ManualTime::new(START_MS);
    let world = World::with_time(database, time.shared()).await;
    world.presence.answer(Code::Unimplemented);
    let _rating = world.rating().await;
    world.results.settle(&[black_wins(1, ["b", "w"])]).await;
    world.presence.until_asked(1).await;
    time.advance(6 * DAY_MS);
    while world.presence.asked().len() < 3 {
        time.advance(1_000);
        tokio::task::yield_now().await;
    }
    assert_eq!(waiting(&world).await, 2);
    while waiting(&world).await > 0 {
        time.advance(DAY_MS);
    }
}
