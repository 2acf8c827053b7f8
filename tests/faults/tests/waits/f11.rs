//! Game and session cannot reach each other, from after a player was said to be gone until after the
//! return.

use tengen_faults::load::{LONG_MS, timed};
use tengen_faults::proxy::{Proxy, Weather};
use tengen_faults::run::say;
use tengen_faults::site::{Site, Store};
use tengen_faults::speech::Speech;
use tengen_faults::story::Story;
use tengen_faults::stream::{attach, watch};
use tengen_faults::table::Table;
use tengen_proto::game::v1::{Phase, Settings};
use tengen_proto::time::{duration, timestamp_ms};

/// The shortest window that a game may have.
const WINDOW_MS: i64 = 5_000;
/// How long after its end the two hear nothing of each other.
const BEYOND_MS: i64 = 6_000;
/// How long a process may be silent, and some.
const SILENCE_MS: i64 = 12_000;

/// A replica of game and one of session, each of which reaches the other by a proxy.
async fn apart() -> (Site, [Proxy; 2]) {
    let mut site = Site::stores(Store::shared());
    let address = |url: String| url.replace("http://", "");
    let game = address(site.game_urls().split(',').next().expect("a url").to_owned());
    let to_game = Proxy::to(&game, Speech::Bytes, &site.time).await;
    let session = site.session_to(format!("http://{}", to_game.address()));
    let to_session = Proxy::to(&address(session.url()), Speech::Bytes, &site.time).await;
    site.sessions.push(session);
    let redis = site.redis.url();
    let game = site.game_to(&redis, format!("http://{}", to_session.address()));
    site.games.push(game);
    let clock = site.clock(&redis, &site.games);
    site.clocks.push(clock);
    site.ready().await;
    (site, [to_game, to_session])
}

// fault: F11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_forfeited_while_session_cannot_be_asked() {
    let (site, proxies) = apart().await;
    let (story, games, time) = (Story::new(), site.ways(&site.games), site.time.clone());
    let players = site.pair().await;
    let settings = Settings { reconnect_window: Some(duration(WINDOW_MS)), ..timed(LONG_MS) };
    let mut table = Table::begin(&games, &players, settings, &story).await;
    let url = site.games[0].url();
    let (_, black) = watch(&url, &players[0].token(), &table.id).await.expect("watches");
    let (_, _white) = watch(&url, &players[1].token(), &table.id).await.expect("watches");
    time.until(time.now_ms() + SILENCE_MS).await;
    table.play().await;
    drop(black);
    let gone = table.shown_in(|game| !game.black.as_ref().expect("a seat").present).await;
    let deadline = gone.black.and_then(|seat| seat.gone_deadline);
    let deadline_ms = deadline.as_ref().and_then(timestamp_ms).expect("a window");

    for proxy in &proxies {
        proxy.weather(Weather::Silent);
    }
    // Play goes on with the tokens that are held.
    table.play().await;
    let session = site.sessions[0].url();
    let _back = attach(&session, &players[0].token()).await.expect("attaches");
    time.until(deadline_ms + BEYOND_MS).await;
    let game = table.shown().await;
    assert_eq!(game.phase(), Phase::Playing, "nobody was asked");
    let silent_ms = time.now_ms() - deadline_ms;

    for proxy in &proxies {
        proxy.weather(Weather::Fair);
    }
    let game = table.shown_in(|game| game.black.as_ref().expect("a seat").present).await;
    assert_eq!(game.phase(), Phase::Playing);
    table.play().await;
    say("F11", format!("silent_beyond_limit_ms={silent_ms} turns={}", game.turns.len()));
}
