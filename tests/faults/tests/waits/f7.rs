//! A crash between a result and its acknowledgement.

use std::sync::Arc;

use tengen_faults::account::Account;
use tengen_faults::check::{Expected, Found, check};
use tengen_faults::load::rated;
use tengen_faults::proxy::{Proxy, When};
use tengen_faults::run::say;
use tengen_faults::scripts;
use tengen_faults::site::Site;
use tengen_faults::speech::Speech;
use tengen_faults::story::Story;
use tengen_faults::table::Table;
use tengen_proto::game::v1::{Game, RatingState, Result as GameEnd};
use tengen_rules::Colour;

const BOOKINGS: usize = 40;
const ACKNOWLEDGEMENTS: usize = 20;

/// Plays a rated game of one move, which is resigned.
async fn game(site: &Site, players: &[Arc<Account>; 2], story: &Arc<Story>) -> Table {
    let games = site.ways(&site.games[..1]);
    let mut table = Table::begin(&games, players, rated(), story).await;
    let watcher = table.watch(0);
    table.play().await;
    table.resign(Colour::Black).await;
    watcher.await.unwrap();
    table
}

/// Waits until each game shows that the ledger holds its result, and checks everything.
async fn booked(site: &mut Site, story: &Story, tables: &[Table]) -> Found {
    for table in tables {
        let applied = |game: &Game| game.result.as_ref().map(GameEnd::rating);
        table.shown_in(|game| applied(game) == Some(RatingState::Applied)).await;
    }
    check(site, &story.take(), Expected::default()).await
}

// Rating dies right before its commit, or between it and the acknowledgement: the result comes
// again, as often as it takes, and is booked once.
// fault: F7
// fault: F3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_booked_once_though_rating_dies() {
    let (mut site, _) = Site::behind_proxies(0).await;
    let address = site.postgres_address();
    let proxy = Proxy::to(&address, Speech::Postgres, &site.time).await;
    let ledger = site.ledger_url().replace(&address, &proxy.address());
    site.ratings.push(site.rating(&ledger, &site.games));
    site.ready().await;
    let (players, story) = (site.pair().await, Story::new());
    let mut tables = Vec::new();
    for round in 0..BOOKINGS {
        let when = if round % 2 == 0 { When::Before } else { When::After };
        let fired = proxy.at(when, &["COMMIT\0"], site.ratings[0].killer());
        tables.push(game(&site, &players, &story).await);
        fired.await.unwrap();
        site.ratings[0].gone().await;
        site.ratings[0].start().await;
    }
    let found = booked(&mut site, &story, &tables).await;
    say("F7 booking", format!("kills={BOOKINGS} {found}"));
}

// Game dies right before a result leaves the outbox, or right after: it comes again, or not, and is
// booked once.
// fault: F3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_booked_once_though_game_dies_while_it_is_acknowledged() {
    let (mut site, proxies) = Site::behind_proxies(1).await;
    site.ratings.push(site.rating(&site.ledger_url(), &site.games[1..]));
    site.ready().await;
    let (players, story) = (site.pair().await, Story::new());
    let acknowledge = scripts::acknowledge();
    let mut tables = Vec::new();
    for round in 0..ACKNOWLEDGEMENTS {
        let when = if round % 2 == 0 { When::Before } else { When::After };
        let fired = proxies[0].at(when, &[&acknowledge], site.games[1].killer());
        tables.push(game(&site, &players, &story).await);
        fired.await.unwrap();
        site.games[1].gone().await;
        site.games[1].start().await;
    }
    let found = booked(&mut site, &story, &tables).await;
    say("F3 acknowledgement", format!("kills={ACKNOWLEDGEMENTS} {found}"));
}
