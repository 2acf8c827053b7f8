//! What a storm of sign-ins costs the games: how soon moves are acknowledged while a thousand sign in
//! at once, beside the same without them, in turns in one run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a program that measures, and stops at the first fault"
)]

use tengen_kit::client;
use tengen_load::paced::{PACE, Paced, p99};
use tengen_load::{Site, build};
use tengen_processes::{Elsewhere, Player};
use tengen_proto::session::v1::SignInRequest;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_standalone::load::ratio;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};
use tonic::Code;
use tonic::transport::Channel;
use tonic_types::StatusExt;

const GAMES: usize = 500;
const SIGN_INS: usize = 1_000;
/// Sign-ins share connections, as behind a gateway.
const SIGN_INS_A_CONNECTION: usize = 50;
/// Long enough for all to be let in.
const MOVES_A_WINDOW: i32 = 25;
/// Quiet and stormy windows in turns, each as often; a short one to warm up.
const PAIRS: i32 = 2;
const MOVES_TO_WARM_UP: i32 = 5;

fn main() {
    build();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime").block_on(measure());
}

async fn measure() {
    let site = Site::start().await;
    let session = site.session().channel().await;
    let pair = [
        Player::register(session.clone(), "black-side").await,
        Player::register(session, "white-side").await,
    ];
    let mut games = Paced::start(&site, site.game().channel().await, GAMES, vec![pair]).await;
    games.window(MOVES_TO_WARM_UP).await;
    let (mut quiet, mut stormy, mut let_in) = (Vec::new(), Vec::new(), 0);
    let elsewhere = Elsewhere::new();
    for _ in 0..PAIRS {
        quiet.extend(games.window(MOVES_A_WINDOW).await);
        let storm = elsewhere.run(storm(site.session().url()));
        let (took, comers) = tokio::join!(games.window(MOVES_A_WINDOW), storm);
        stormy.extend(took);
        let_in += comers;
    }
    println!("{let_in} of {} sign-ins were let in", SIGN_INS * usize::try_from(PAIRS).unwrap());
    assert!(let_in > 0, "nobody was let in");
    let [ours, reference] = [stormy, quiet].map(p99);
    let ratio = ratio(ours, reference);
    println!("bench sign_in_storm_p99 ours={ours} reference={reference} ratio={ratio}");
}

/// All sign in together, and again when they are told to; gives how many were let in before the
/// window was over.
async fn storm(url: String) -> usize {
    let over = Instant::now() + PACE * MOVES_A_WINDOW.unsigned_abs();
    let mut connections = Vec::new();
    for _ in 0..SIGN_INS / SIGN_INS_A_CONNECTION {
        connections.push(client::endpoint(&url).unwrap().connect().await.unwrap());
    }
    let mut comers = JoinSet::new();
    for number in 0..SIGN_INS {
        let connection = connections[number % connections.len()].clone();
        comers.spawn(timeout_at(over, sign_in(SessionServiceClient::new(connection))));
    }
    comers.join_all().await.into_iter().filter(Result::is_ok).count()
}

async fn sign_in(mut sessions: SessionServiceClient<Channel>) {
    loop {
        let request =
            SignInRequest { name: "black-side".to_owned(), password: "correct horse".to_owned() };
        let Err(status) = sessions.sign_in(request).await else { return };
        assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
        let details = status.get_error_details();
        let wait = details.retry_info().and_then(|info| info.retry_delay).expect("when to come");
        sleep_until(Instant::now() + wait).await;
    }
}
