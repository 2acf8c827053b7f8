//! A line over which nothing comes any more, though nobody has hung up.

use tengen_faults::load::{LONG_MS, timed};
use tengen_faults::proxy::{Proxy, Weather};
use tengen_faults::run::say;
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::speech::Speech;
use tengen_faults::story::Story;
use tengen_faults::stream::watch;
use tengen_faults::table::Table;
use tengen_proto::game::v1::Game;

/// How long a process that has just begun takes nobody for gone, and some.
const STEADY_MS: i64 = 12_000;
/// Within which each end of the line knows.
const FOUND_MS: i64 = 15_000;
/// What it takes from there until the opponent is told: whoever is back at once was never gone, and
/// who is away is looked for every second.
const TOLD_MS: i64 = 3_500;

fn black_is_here(game: &Game) -> bool {
    game.black.as_ref().expect("a seat").present
}

// case: R16
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_ends_of_a_dead_line_know_it() {
    let count = Count { games: 1, clocks: 1, ratings: 0, sessions: 1 };
    let site = Site::start(Store::shared(), count).await;
    let (story, games) = (Story::new(), site.ways(&site.games));
    let players = site.pair().await;
    let table = Table::begin(&games, &players, timed(LONG_MS), &story).await;
    let url = site.games[0].url();
    let proxy = Proxy::to(url.trim_start_matches("http://"), Speech::Bytes, &site.time).await;
    let through = format!("http://{}", proxy.address());
    let (_, mut black) = watch(&through, &players[0].token(), &table.id).await.expect("watches");
    let (_, _white) = watch(&url, &players[1].token(), &table.id).await.expect("watches");
    let steady_ms = site.time.now_ms() + STEADY_MS;
    while site.time.now_ms() < steady_ms {
        black.message().await.expect("lives");
    }
    assert!(black_is_here(&table.shown().await));

    proxy.weather(Weather::Silent);
    let dead_ms = site.time.now_ms();
    let client = async {
        while black.message().await.is_ok() {}
        site.time.now_ms() - dead_ms
    };
    let server = async {
        table.shown_in(|game| !black_is_here(game)).await;
        site.time.now_ms() - dead_ms
    };
    let (client_ms, server_ms) = tokio::join!(client, server);
    say("R16", format!("client_ms={client_ms} opponent_told_ms={server_ms}"));
    assert!(client_ms <= FOUND_MS && server_ms <= FOUND_MS + TOLD_MS, "{client_ms} {server_ms}");
}
