//! Redis loses its last second.

use std::ops::RangeInclusive;

use tengen_faults::account::request_id;
use tengen_faults::check::ledger::booked;
use tengen_faults::check::{Expected, check};
use tengen_faults::copy;
use tengen_faults::load::{Load, rated};
use tengen_faults::run::{loaded_ms, say, turn};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::story::{Story, What};
use tengen_faults::table::Table;
use tengen_proto::common::v1 as wire;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{ConfirmRestoredRequest, Phase, WatchGameRequest};
use tengen_rules::Colour;
use tokio::task::block_in_place;

const LOSSES: i64 = 3;
/// What is lost, at least.
const SECOND_MS: i64 = 1_000;

/// Lets Redis go on for a second and a bit, and lose that.
async fn lose(site: &mut Site, meanwhile: impl Future<Output = ()>) -> RangeInclusive<i64> {
    let time = site.time.clone();
    site.written().await;
    let copied_ms = time.now_ms();
    block_in_place(|| copy::take(&site.redis));
    meanwhile.await;
    time.until(copied_ms + SECOND_MS + 200).await;
    block_in_place(|| copy::put_back(&mut site.redis));
    block_in_place(|| site.redis.restart());
    // Nothing was carried out meanwhile, but an answer of before may have been on its way.
    copied_ms..=time.now_ms()
}

// Games under way go on from what is left, once both have confirmed it.
// fault: F5
// rulebook: C8.4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_store_lost_is_noticed_and_confirmed() {
    let _turn = turn().await;
    let mut site = Site::start(Store::shared(), Count::of_games(2)).await;
    // No game ends by itself.
    let load = Load { boards: 16, think_ms: 50..150, moves: 9_999..10_000, watchers: 1 };
    let running = load.begin(&site).await;
    let time = site.time.clone();
    let mut losses = Vec::new();
    for _ in 0..LOSSES {
        time.until(time.now_ms() + loaded_ms() / (LOSSES + 1)).await;
        losses.push(lose(&mut site, async {}).await);
    }
    time.until(time.now_ms() + loaded_ms() / (LOSSES + 1)).await;
    let told = running.stop().await.take();
    let found = check(&mut site, &told, Expected { losses }).await;
    assert!(found.lost > 0, "moves were acknowledged and lost");
    say("F5", format!("losses={LOSSES} lost_commands={} {found}", found.lost));
}

// A game whose end was lost after it was booked ends again, perhaps in another way: the ledger takes
// back the first result and books the second.
// fault: F5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_booked_end_that_was_lost_is_corrected() {
    let _turn = turn().await;
    let mut site = Site::start(Store::shared(), Count::of_games(2)).await;
    let (players, story) = (site.pair().await, Story::new());
    let (games, ratings) = (site.ways(&site.games), site.ways(&site.ratings));
    let mut table = Table::begin(&games, &players, rated(), &story).await;
    for _ in 0..4 {
        table.play().await;
    }
    let left = table.shown().await;
    let mut end = None;
    let loss = lose(&mut site, async {
        end = Some(table.resign(Colour::White).await);
        booked(&ratings, &table.id, 1).await;
    })
    .await;
    let end = end.unwrap();
    let watcher = table.watch(0);

    // Somebody who saw the end comes back with it, and is told what stands.
    let restored = table.shown_in(|game| game.phase() == Phase::Restored).await;
    assert!(restored.sequence > left.sequence && restored.turns == left.turns);
    let request = WatchGameRequest {
        game_id: table.id.clone(),
        after_sequence: end.sequence,
        head_hash: end.head_hash,
    };
    let mut stream = games.watch(games.any(), request).await.unwrap();
    let first = stream.message().await.unwrap().unwrap().message;
    assert!(matches!(&first, Some(Message::Snapshot(told)) if told.rewound), "{first:?}");

    for side in Colour::BOTH {
        let request =
            ConfirmRestoredRequest { game_id: table.id.clone(), request_id: request_id() };
        table.ask(side, What::ConfirmRestored, &request).await.unwrap();
    }
    table.play().await;
    let accepted = table.resign(Colour::Black).await;
    let result = accepted.result.unwrap();
    assert_eq!((result.version, result.winner()), (2, wire::Colour::White));
    watcher.await.unwrap();
    let found = check(&mut site, &story.take(), Expected { losses: vec![loss] }).await;
    assert_eq!(found.lost, 1, "the first resignation");
    say("F5 end", format!("losses=1 lost_commands={} {found}", found.lost));
}
