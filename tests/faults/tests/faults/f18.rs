//! One client that takes all it can get, beside others who play.

use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tengen_faults::account::Account;
use tengen_faults::attack::{
    Attacker, PREFACE, called_and_reset, ended, ended_despite, endless_headers,
};
use tengen_faults::check::{Expected, check};
use tengen_faults::load::Load;
use tengen_faults::replica::Replica;
use tengen_faults::run::{say, turn};
use tengen_faults::site::{Site, Store};
use tengen_faults::story::{Told, What};
use tengen_faults::ways::Ways;
use tengen_kit::client;
use tengen_kit::time::SharedTime;
use tengen_processes::Elsewhere;
use tengen_proto::game::v1::GetGameRequest;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

const GET_GAME: &str = "/tengen.game.v1.GameService/GetGame";
/// Others on this machine count as many, the attacker as one.
const FROM: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

const CALLS_PER_S: u64 = 100;
const CALLS_AT_ONCE: u64 = 200;
const CONNECTIONS: usize = 1_000;
const FIRST_CALL_MS: i64 = 2_000;
const REQUEST_MS: i64 = 2_000;
const IDLE_MS: i64 = 3_000;
/// How long whoever was told to go has for it, as the server sets it.
const GOING_MS: i64 = 2_000;

/// The flood: connections, and calls at once on each.
const LINES: usize = 4;
const IN_FLIGHT: usize = 250;
/// Refusals a second at most: so many wait, and none for longer than two seconds.
const REFUSED_PER_S: u64 = 500;
/// Connections at once on which streams are reset, one after another, and how many streams there are
/// on each if the server lets them be.
const RESETTERS: usize = 8;
const RESETS: u32 = 5_000;
/// ENHANCE_YOUR_CALM.
const CALM: u32 = 11;
const IDLERS: usize = 10_000;
/// On a busy machine fewer come, in as long.
const COMING_MS: i64 = 8_000;
/// Of each slow kind.
const SLOW: usize = 20;

/// How long the games are measured without an attack.
const QUIET_MS: i64 = 4_000;
/// How long the flood and the resets last at least.
const LEAST_MS: i64 = 2_000;
/// What others may lose on a busy machine, beyond twice as long.
const NOISE_MS: i64 = 250;
/// What the process may grow by in an attack.
const MOST_KIB: u64 = 64 << 10;

/// What the attacks share.
struct Scene {
    attacker: Attacker,
    accounts: Vec<Arc<Account>>,
    /// The way of a newcomer.
    newcomer: Arc<Ways>,
    game_id: String,
    url: String,
    time: SharedTime,
}

/// What an attack took of the server, and when it was.
struct Cost {
    name: &'static str,
    from_ms: i64,
    to_ms: i64,
    grown_kib: u64,
    /// The most connections and files the process had more than before.
    more_open: usize,
}

// fault: F18
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_client_that_takes_all_it_can_get_disturbs_nobody() {
    let _turn = turn().await;
    let mut site = site().await;
    let load = Load { boards: 4, think_ms: 20..40, moves: 40..60, watchers: 1 };
    let running = load.begin(&site).await;
    let time = site.time.clone();
    while running.story.moves() < 100 {
        time.until(time.now_ms() + 20).await;
    }
    let sessions = site.ways(&site.sessions);
    let scene = Arc::new(Scene {
        attacker: Attacker::new(FROM, &site.games[0].url()),
        accounts: Account::register_as(&sessions, "flood", 1).await,
        newcomer: site.ways(&site.games),
        game_id: running.story.first().id,
        url: site.games[0].url(),
        time: time.clone(),
    });
    let [one, two, three, four] = [(); 4].map(|()| Arc::clone(&scene));
    let (game, elsewhere) = (&site.games[0], Elsewhere::new());
    let wait = async || time.until(time.now_ms() + QUIET_MS).await;
    let quiet = cost("quiet", game, &time, wait()).await.1;
    let flood = elsewhere.run(async move { one.flood().await });
    let (flooded, flood) = cost("flood", game, &time, flood).await;
    let resets = elsewhere.run(async move { two.resets().await });
    let (resetters, resets) = cost("resets", game, &time, resets).await;
    let idle = elsewhere.run(async move { three.idle().await });
    let (idlers, idle) = cost("idle", game, &time, idle).await;
    let slow = elsewhere.run(async move { four.slow().await });
    let ((), slow) = cost("slow", game, &time, slow).await;

    let told = running.stop().await.take();
    let refused = |told: &Told| {
        let moves = told.commands.iter().filter(|asked| matches!(asked.what, What::Move(..)));
        moves.filter(|asked| asked.outcome.is_err() || !asked.failed.is_empty()).count()
    };
    assert_eq!(refused(&told), 0, "every move of the others is accepted at once");
    let quiet_ms = p99_ms(&told, &quiet);
    say("F18", format!("quiet p99_ms={quiet_ms} {flooded} resetters={resetters} idlers={idlers}"));
    for attack in [&flood, &resets, &idle, &slow] {
        let Cost { name, grown_kib, more_open, .. } = attack;
        let p99_ms = p99_ms(&told, attack);
        let took_ms = attack.to_ms - attack.from_ms;
        say(
            "F18",
            format!(
                "{name} took_ms={took_ms} p99_ms={p99_ms} ratio={}.{:02} grown_kib={grown_kib} more_open={more_open}",
                p99_ms / quiet_ms.max(1),
                p99_ms * 100 / quiet_ms.max(1) % 100
            ),
        );
        assert!(p99_ms <= 2 * quiet_ms + NOISE_MS, "{name}: {p99_ms} ms, {quiet_ms} ms without");
        assert!(*grown_kib < MOST_KIB, "{name}: the process grew by {grown_kib} KiB");
    }
    // A newcomer or two beside him.
    assert!(idle.more_open <= CONNECTIONS + 20, "{} more are open", idle.more_open);
    assert!(idlers > 2 * CONNECTIONS, "{idlers} came");
    check(&mut site, &told, Expected::default()).await;
}

/// A suite whose game service has limits that are reached soon.
async fn site() -> Site {
    let mut site = Site::stores(Store::shared());
    site.sessions.push(site.session());
    let mut game = site.game(&site.redis.url());
    for (variable, value) in [
        ("TENGEN_CALLS_PER_S", CALLS_PER_S.to_string()),
        ("TENGEN_CALLS_AT_ONCE", CALLS_AT_ONCE.to_string()),
        ("TENGEN_CONNECTIONS_PER_ADDRESS", CONNECTIONS.to_string()),
        ("TENGEN_FIRST_CALL_MS", FIRST_CALL_MS.to_string()),
        ("TENGEN_REQUEST_MS", REQUEST_MS.to_string()),
        ("TENGEN_IDLE_S", (IDLE_MS / 1_000).to_string()),
        ("TENGEN_SHARED_ADDRESSES", "127.0.0.1".to_owned()),
    ] {
        game.set(variable, value);
    }
    site.games.push(game);
    site.clocks.push(site.clock(&site.redis.url(), &site.games));
    site.ratings.push(site.rating(&site.ledger_url(), &site.games));
    site.ready().await;
    site
}

/// Carries out an attack, and looks what it takes of the server meanwhile.
async fn cost<T>(
    name: &'static str,
    game: &Replica,
    time: &SharedTime,
    attack: impl Future<Output = T>,
) -> (T, Cost) {
    let (from_ms, before_kib, before) = (time.now_ms(), game.memory_kib(), game.descriptors());
    let (mut most_kib, mut most) = (before_kib, before);
    let mut attack = pin!(attack);
    let outcome = loop {
        tokio::select! {
            outcome = &mut attack => break outcome,
            () = time.until(time.now_ms() + 50) => {}
        }
        most_kib = most_kib.max(game.memory_kib());
        most = most.max(game.descriptors());
    };
    let (grown_kib, more_open) = (most_kib - before_kib, most - before);
    (outcome, Cost { name, from_ms, to_ms: time.now_ms(), grown_kib, more_open })
}

/// The 99th percentile of how long moves took that were made meanwhile.
fn p99_ms(told: &Told, cost: &Cost) -> i64 {
    let meanwhile = cost.from_ms..cost.to_ms;
    let moves = told.moves().filter(|asked| meanwhile.contains(&asked.asked_ms));
    let mut took_ms: Vec<_> = moves.map(|asked| asked.answered_ms - asked.asked_ms).collect();
    assert!(took_ms.len() >= 50, "{}: the games went on", cost.name);
    took_ms.sort_unstable();
    took_ms[took_ms.len() * 99 / 100]
}

impl Scene {
    /// One account calls as often as it can, over several connections.
    async fn flood(&self) -> String {
        let refused = Arc::new(AtomicU64::new(0));
        let (begun_ms, mut callers) = (self.time.now_ms(), JoinSet::new());
        let until_ms = begun_ms + LEAST_MS;
        for _ in 0..LINES {
            let line = client::endpoint(&self.url).unwrap().local_address(Some(FROM));
            let line = line.connect().await.unwrap();
            for _ in 0..IN_FLIGHT {
                let mut games = GameServiceClient::new(line.clone());
                let (token, game_id) = (self.accounts[0].token(), self.game_id.clone());
                let (refused, time) = (Arc::clone(&refused), self.time.clone());
                callers.spawn(async move {
                    let mut admitted = 0_u64;
                    while time.now_ms() < until_ms {
                        let mut request = Request::new(GetGameRequest { game_id: game_id.clone() });
                        let value = format!("Bearer {token}").parse().unwrap();
                        request.metadata_mut().insert("authorization", value);
                        match games.get_game(request).await {
                            Ok(_) => admitted += 1,
                            Err(status) => {
                                is_told_when_to_come(&status, "calls a second");
                                refused.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    }
                    admitted
                });
            }
        }
        let admitted: u64 = callers.join_all().await.iter().sum();
        let ms = u64::try_from(self.time.now_ms() - begun_ms).unwrap();
        let most = CALLS_AT_ONCE + CALLS_PER_S * (ms + 100) / 1_000;
        assert!((CALLS_AT_ONCE..=most).contains(&admitted), "{admitted} of {most} in {ms} ms");
        let (refused, most) =
            (refused.load(Ordering::Relaxed), REFUSED_PER_S * (ms + 1_000) / 1_000);
        assert!((CALLS_PER_S..=most).contains(&refused), "{refused} of {most} in {ms} ms");
        format!("admitted={admitted} refused={refused}")
    }

    /// Streams are opened and reset at once, many at a time; gives on how many connections.
    async fn resets(&self) -> usize {
        let burst: Vec<u8> =
            (0..RESETS).flat_map(|nth| called_and_reset(2 * nth + 1, GET_GAME)).collect();
        let burst: Arc<[u8]> = [PREFACE, &burst].concat().into();
        let (until_ms, mut resetters) = (self.time.now_ms() + LEAST_MS, JoinSet::new());
        for _ in 0..RESETTERS {
            let (attacker, time, burst) = (self.attacker, self.time.clone(), Arc::clone(&burst));
            resetters.spawn(async move {
                let mut told = Vec::new();
                while time.now_ms() < until_ms {
                    let (mut reader, mut writer) = attacker.connect().await.into_split();
                    let burst = Arc::clone(&burst);
                    let sent = tokio::spawn(async move {
                        // The server does not read all of it.
                        let _ = writer.write_all(&burst).await;
                        writer
                    });
                    told.push(ended(&mut reader, &time).await.goaway);
                    drop(sent.await.unwrap());
                }
                told
            });
        }
        let told = resetters.join_all().await.concat();
        // Where bytes were left unread the end may overtake the word.
        assert!(told.iter().all(|code| matches!(code, Some(CALM) | None)), "{told:?}");
        assert!(told.contains(&Some(CALM)), "{told:?}");
        told.len()
    }

    /// Connections that say who they are and nothing more, while somebody else comes and calls;
    /// gives how many.
    async fn idle(&self) -> usize {
        let many = IDLERS.min(descriptors().saturating_sub(1_000));
        let (mut idlers, turns) = (JoinSet::new(), Arc::new(Semaphore::new(100)));
        let until_ms = self.time.now_ms() + COMING_MS;
        while idlers.len() < many && self.time.now_ms() < until_ms {
            let turn = Arc::clone(&turns).acquire_owned().await.unwrap();
            let (attacker, time) = (self.attacker, self.time.clone());
            idlers.spawn(async move {
                let mut stream = attacker.connect().await;
                drop(turn);
                // It may be closed already.
                let _ = stream.write_all(PREFACE).await;
                ended(&mut stream, &time).await.took_ms
            });
        }
        let request = GetGameRequest { game_id: self.game_id.clone() };
        self.newcomer.ask(None, &request).await.answer();
        let took_ms = idlers.join_all().await;
        // Every one of them is ended, at once or when it has brought no call.
        let held = took_ms.iter().filter(|ms| **ms >= FIRST_CALL_MS / 2).count();
        assert!(held > 0 && held < took_ms.len(), "{held} of {} were held", took_ms.len());
        took_ms.len()
    }

    /// Whatever is slow on purpose, all at once.
    async fn slow(&self) {
        let (attacker, mut slow, mut calls) = (self.attacker, JoinSet::new(), JoinSet::new());
        for _ in 0..SLOW {
            let time = self.time.clone();
            slow.spawn(async move {
                let silent = attacker.connect().await;
                ended_despite(silent, &[], &time).await
            });
            let time = self.time.clone();
            slow.spawn(async move {
                let preface = attacker.connect().await;
                ended_despite(preface, &[PREFACE; 4].concat(), &time).await
            });
            let time = self.time.clone();
            slow.spawn(async move {
                let mut headers = attacker.connect().await;
                headers.write_all(PREFACE).await.unwrap();
                ended_despite(headers, &endless_headers(), &time).await
            });
            let time = self.time.clone();
            calls.spawn(async move {
                let begun_ms = time.now_ms();
                let status = attacker.dribble(GET_GAME, &time).await;
                is_told_when_to_come(&status, "milliseconds for a request to arrive");
                assert!(time.now_ms() - begun_ms >= REQUEST_MS);
            });
            let time = self.time.clone();
            calls.spawn(async move {
                let (mut requests, connection) = attacker.http2().await;
                let connection = tokio::spawn(connection);
                let request = attacker.request("/grpc.health.v1.Health/Check");
                let (answer, _) = requests.send_request(request, true).unwrap();
                answer.await.unwrap();
                let begun_ms = time.now_ms();
                connection.await.unwrap().expect("is told to go");
                assert!(time.now_ms() - begun_ms >= IDLE_MS / 2);
            });
        }
        for ended in slow.join_all().await {
            // The server is told of a connection after whoever makes it.
            let due_ms = FIRST_CALL_MS - 100..FIRST_CALL_MS + GOING_MS + 10 * NOISE_MS;
            assert!(due_ms.contains(&ended.took_ms), "{ended:?}");
        }
        calls.join_all().await;
    }
}

fn is_told_when_to_come(status: &Status, limit: &str) {
    let details = status.get_error_details();
    let info = details.error_info().unwrap_or_else(|| panic!("{status:?}"));
    assert_eq!(
        (status.code(), info.reason.as_str(), info.metadata["limit"].as_str()),
        (Code::ResourceExhausted, "LIMIT_REACHED", limit)
    );
    let wait = details.retry_info().and_then(|info| info.retry_delay);
    assert!(wait.is_some_and(|wait| !wait.is_zero()), "{status:?}");
}

/// How many connections this process may have: as many as it can get.
fn descriptors() -> usize {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("as it may");
    maximum.map_or(usize::MAX, |most| usize::try_from(most).unwrap())
}
