//! Players who come back around the end of their time to return.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tengen_faults::account::Account;
use tengen_faults::load::{self, LONG_MS, timed};
use tengen_faults::run::{loaded_ms, say, seed};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::stream::watch;
use tengen_faults::ways::Ways;
use tengen_kit::time::SharedTime;
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{EndReason, Game, GetGameRequest, Phase, Settings, WatchGameResponse};
use tengen_proto::time::{duration, timestamp_ms};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tonic::{Code, Streaming};

/// The shortest window that a game may have.
const WINDOW_MS: i64 = 5_000;
/// How far from its end a player comes back.
const AROUND_MS: i64 = 200;
/// After this long the decision has been made, on a busy machine as well.
const DECIDED_MS: i64 = 10_000;

/// Players at once.
const AT_ONCE: usize = 200;
/// How often each looks whether it is known that he has gone.
const LOOK_EVERY_MS: i64 = 500;

fn tries() -> usize {
    if loaded_ms() < 60_000 { 60 } else { 1_000 }
}

/// What became of one who came back.
struct Return {
    /// When it was told something again, after the end of its time to return.
    after_ms: i64,
    lost: bool,
}

// fault: F14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_back_in_time_sits_and_whoever_does_not_has_lost() {
    let count = Count { games: 2, clocks: 1, ratings: 0, sessions: 1 };
    let site = Site::start(Store::shared(), count).await;
    let accounts = Account::register(&site.ways(&site.sessions), tries() + 1).await;
    let (white, blacks) = accounts.split_last().expect("accounts");
    let mut rng = StdRng::seed_from_u64(seed());
    let (mut returns, turns) = (JoinSet::new(), Arc::new(Semaphore::new(AT_ONCE)));
    for black in blacks {
        let turn = Arc::clone(&turns).acquire_owned().await.expect("is never closed");
        let around_ms = rng.random_range(-AROUND_MS..=AROUND_MS);
        let players = [Arc::clone(black), Arc::clone(white)];
        let urls: Vec<_> = site.games.iter().map(|replica| replica.url()).collect();
        let (games, time) = (site.ways(&site.games), site.time.clone());
        returns.spawn(async move {
            let returned = go_and_return(games, urls, players, around_ms, time).await;
            drop(turn);
            returned
        });
    }
    let returns = returns.join_all().await;
    let lost = returns.iter().filter(|come| come.lost).count();
    for Return { after_ms, lost } in &returns {
        assert!(*after_ms > 0 || !lost, "back {after_ms} ms after the limit, and lost");
    }
    let latest = returns.iter().filter(|come| !come.lost).map(|come| come.after_ms).max();
    say("F14", format!("returns={} lost={lost} latest_seated_ms={latest:?}", returns.len()));
    assert!(lost > 0 && lost < returns.len(), "{lost} of {}", returns.len());
}

async fn go_and_return(
    games: Arc<Ways>,
    urls: Vec<String>,
    players: [Arc<Account>; 2],
    around_ms: i64,
    time: SharedTime,
) -> Return {
    let settings = Settings { reconnect_window: Some(duration(WINDOW_MS)), ..timed(LONG_MS) };
    let id = load::begin(&games, &players, settings).await.game_id;
    let token = players[0].token();
    let (_, stream) = come(&urls[0], &token, &id, &time).await;
    // Until the service knows who is here: it has just begun.
    time.until(time.now_ms() + 2 * WINDOW_MS).await;
    drop(stream);
    let deadline_ms = loop {
        let game = shown(&games, &id).await;
        let seat = game.black.as_ref().expect("a seat");
        if let Some(deadline_ms) = seat.gone_deadline.as_ref().and_then(timestamp_ms) {
            break deadline_ms;
        }
        time.until(time.now_ms() + LOOK_EVERY_MS).await;
    };
    time.until(deadline_ms + around_ms).await;
    let (told, _stream) = come(&urls[1], &token, &id, &time).await;
    let after_ms = time.now_ms() - deadline_ms;
    let Message::Snapshot(told) = told else { panic!("a snapshot first") };
    time.until(deadline_ms + DECIDED_MS).await;
    let game = shown(&games, &id).await;
    let lost = game.phase() == Phase::Ended;
    if lost {
        let result = game.result.as_ref().expect("a result");
        assert_eq!((result.reason(), result.winner()), (EndReason::Disconnected, Colour::White));
        let at_ms = result.at.as_ref().and_then(timestamp_ms);
        assert!(at_ms > Some(deadline_ms), "{at_ms:?} {deadline_ms}");
    } else {
        assert!(game.black.as_ref().is_some_and(|seat| seat.present), "{game:?}");
    }
    let ended = told.game.is_some_and(|game| game.phase() == Phase::Ended);
    assert!(lost || !ended, "what was told on return is not taken back");
    Return { after_ms, lost }
}

/// Watches as soon as it is let in, as a client does while a busy machine keeps something away.
async fn come(
    url: &str,
    token: &str,
    id: &str,
    time: &SharedTime,
) -> (Message, Streaming<WatchGameResponse>) {
    loop {
        match watch(url, token, id).await {
            Ok(watched) => return watched,
            Err(status) => assert_eq!(status.code(), Code::Unavailable, "{status:?}"),
        }
        time.until(time.now_ms() + 50).await;
    }
}

async fn shown(games: &Ways, id: &str) -> Game {
    let request = GetGameRequest { game_id: id.to_owned() };
    games.ask(None, &request).await.answer().game.expect("a game")
}
