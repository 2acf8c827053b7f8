//! Postgres is away while games end.

use tengen_faults::account::Account;
use tengen_faults::check::ledger::booked;
use tengen_faults::check::{Expected, check};
use tengen_faults::load::rated;
use tengen_faults::run::{loaded_ms, say, turn};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::story::Story;
use tengen_faults::table::Table;
use tengen_proto::game::v1::{Phase, RatingState};
use tengen_rules::Colour;
use tokio::task::{JoinSet, block_in_place};

const GAMES: usize = 60;
const ACCOUNTS: usize = 12;
/// How long the ledger may take once Postgres is back, on a busy machine.
const BOOKED_MS: i64 = 30_000;

// fault: F6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_end_while_postgres_is_away() {
    let _turn = turn().await;
    let mut site = Site::start(Store::own(), Count::of_games(2)).await;
    let (games, ratings) = (site.ways(&site.games), site.ways(&site.ratings));
    let (story, time) = (Story::new(), site.time.clone());
    let accounts = Account::register(&site.ways(&site.sessions), ACCOUNTS).await;
    let mut tables = JoinSet::new();
    for nth in 0..GAMES {
        let players = [nth, nth + 1 + nth / ACCOUNTS].map(|one| accounts[one % ACCOUNTS].clone());
        let (games, story) = (games.clone(), story.clone());
        tables.spawn(async move {
            let mut table = Table::begin(&games, &players, rated(), &story).await;
            table.play().await;
            table.play().await;
            table
        });
    }
    let tables = tables.join_all().await;
    let watchers: Vec<_> = tables.iter().map(|table| table.watch(games.any())).collect();

    let killed_ms = time.now_ms();
    block_in_place(|| site.postgres.own_mut().kill());
    let (mut ends, mut ended) = (JoinSet::new(), Vec::new());
    for (nth, table) in tables.into_iter().enumerate() {
        let time = time.clone();
        ends.spawn(async move {
            table.resign(Colour::BOTH[nth % 2]).await;
            let asked_ms = time.now_ms();
            let game = table.shown().await;
            let result = game.result.as_ref().map(|result| (result.rating(), result.version));
            assert_eq!((game.phase(), result), (Phase::Ended, Some((RatingState::Pending, 1))));
            (table, time.now_ms() - asked_ms)
        });
    }
    let mut slowest_ms = 0;
    while let Some(end) = ends.join_next().await {
        let (table, shown_ms) = end.unwrap();
        slowest_ms = slowest_ms.max(shown_ms);
        ended.push(table);
    }
    for watcher in watchers {
        watcher.await.unwrap();
    }
    let away_ms = (loaded_ms() / 2).max(time.now_ms() - killed_ms);
    time.until(killed_ms + away_ms).await;

    block_in_place(|| site.postgres.own_mut().restart());
    let back_ms = time.now_ms();
    for table in &ended {
        booked(&ratings, &table.id, 1).await;
    }
    let booked_ms = time.now_ms() - back_ms;
    let found = check(&mut site, &story.take(), Expected::default()).await;
    say(
        "F6",
        format!(
            "ended={GAMES} away_ms={away_ms} slowest_shown_ms={slowest_ms} booked_ms={booked_ms} {found}"
        ),
    );
    assert!(booked_ms < BOOKED_MS, "the ledger took {booked_ms} ms");
}
