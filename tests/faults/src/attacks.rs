//! The attacks of one client who takes all he can get, as far as the server lets him.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tengen_kit::client;
use tengen_kit::time::SharedTime;
use tengen_proto::game::v1::{CreateChallengeRequest, GetGameRequest, ListChallengesRequest};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::account::{Account, request_id};
use crate::ask::Ask;
use crate::attack::{Attacker, PREFACE, called_and_reset, ended, ended_despite, endless_headers};
use crate::load::{LONG_MS, timed};
use crate::ways::{Ways, asked, call};

const GET_GAME: &str = "/tengen.game.v1.GameService/GetGame";
/// Others on this machine count as many, the attacker as one.
const FROM: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

pub const CONNECTIONS: usize = 1_000;
const FIRST_CALL_MS: i64 = 2_000;
const REQUEST_MS: i64 = 2_000;
const IDLE_MS: i64 = 3_000;
/// How long whoever was told to go has for it, as the server sets it.
const GOING_MS: i64 = 2_000;
/// How late a busy machine may be with it.
const LATE_MS: i64 = 2_500;

/// The flood: connections, and calls at once on each.
const LINES: usize = 4;
const IN_FLIGHT: usize = 250;
/// As how many calls a list counts.
const LIST_COST: u64 = 10;
/// How long a refusal is held at most, in seconds, as the server sets it.
const MOST_HELD_S: usize = 2;
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

/// What one client may take.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    pub calls_per_s: u64,
    pub calls_at_once: u64,
    pub connections_per_s: u64,
}

/// One client, and whom he attacks.
pub struct Attacks {
    attacker: Attacker,
    account: Arc<Account>,
    /// The way of somebody who comes meanwhile.
    newcomer: Arc<Ways>,
    game_id: String,
    url: String,
    share: Share,
    time: SharedTime,
}

/// Variables of a game service whose limits are reached soon; the attacks go by them.
pub fn limits(share: Share) -> [(&'static str, String); 8] {
    [
        ("TENGEN_CALLS_PER_S", share.calls_per_s.to_string()),
        ("TENGEN_CALLS_AT_ONCE", share.calls_at_once.to_string()),
        ("TENGEN_CONNECTIONS_PER_ADDRESS", CONNECTIONS.to_string()),
        ("TENGEN_CONNECTIONS_PER_S", share.connections_per_s.to_string()),
        ("TENGEN_FIRST_CALL_MS", FIRST_CALL_MS.to_string()),
        ("TENGEN_REQUEST_MS", REQUEST_MS.to_string()),
        ("TENGEN_IDLE_S", (IDLE_MS / 1_000).to_string()),
        ("TENGEN_SHARED_ADDRESSES", "127.0.0.1".to_owned()),
    ]
}

impl Attacks {
    /// Against the replica of game at `url`, which has these [`limits`], by an account of its own. They
    /// ask for a game that is there.
    pub async fn new(sessions: &Ways, url: String, share: Share, game_id: String) -> Arc<Self> {
        let time = Arc::clone(sessions.time());
        let [account] = Account::register_as(sessions, "flood", 1).await.try_into().expect("one");
        let newcomer = Ways::to([url.clone()], &time);
        Arc::new(Self {
            attacker: Attacker::new(FROM, &url),
            account,
            newcomer,
            game_id,
            url,
            share,
            time,
        })
    }

    /// One account asks for a game as often as it can; gives how it fared.
    pub async fn flood(&self, until_ms: i64) -> String {
        self.ask_on(GetGameRequest { game_id: self.game_id.clone() }, 1, until_ms).await
    }

    /// One account lists the lobby as often as it can; gives how it fared.
    pub async fn listing(&self, until_ms: i64) -> String {
        self.ask_on(ListChallengesRequest::default(), LIST_COST, until_ms).await
    }

    /// Makes so many open challenges.
    pub async fn fill_lobby(&self, games: &Ways, challenges: usize) {
        for _ in 0..challenges {
            let request = CreateChallengeRequest {
                request_id: request_id(),
                settings: Some(timed(LONG_MS)),
                ..CreateChallengeRequest::default()
            };
            games.ask(Some(&self.account.token()), &request).await.answer();
        }
    }

    /// Asks the same over several connections, as often as it can; it counts as so many calls.
    async fn ask_on<A: Ask>(&self, request: A, cost: u64, until_ms: i64) -> String {
        let refused = Arc::new(AtomicU64::new(0));
        let (begun_ms, mut callers) = (self.time.now_ms(), JoinSet::new());
        for _ in 0..LINES {
            let line = client::endpoint(&self.url).unwrap().local_address(Some(FROM));
            let line = line.connect().await.unwrap();
            for _ in 0..IN_FLIGHT {
                let (line, request, token) = (line.clone(), request.clone(), self.account.token());
                let (refused, time) = (Arc::clone(&refused), self.time.clone());
                callers.spawn(async move {
                    let mut admitted = 0_u64;
                    while time.now_ms() < until_ms {
                        match call(&line, asked(request.clone(), Some(&token))).await {
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
        let Share { calls_per_s: per_s, calls_at_once: at_once, .. } = self.share;
        let most = (at_once + per_s * (ms + 100) / 1_000) / cost;
        assert!((at_once / cost..=most).contains(&admitted), "{admitted} of {most} in {ms} ms");
        // One after another, or else all that are held, as often as that may be.
        let held = u64::try_from(LINES * IN_FLIGHT / MOST_HELD_S).unwrap();
        let (refused, most) =
            (refused.load(Ordering::Relaxed), per_s.max(held) * (ms + 1_000) / 1_000);
        assert!((1..=most).contains(&refused), "{refused} of {most} in {ms} ms");
        format!("admitted={admitted} refused={refused}")
    }

    /// Streams are opened and reset at once, many at a time; gives on how many connections.
    pub async fn resets(&self, until_ms: i64) -> usize {
        let burst: Vec<u8> =
            (0..RESETS).flat_map(|nth| called_and_reset(2 * nth + 1, GET_GAME)).collect();
        let burst: Arc<[u8]> = [PREFACE, &burst].concat().into();
        let mut resetters = JoinSet::new();
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
    pub async fn idle(&self) -> usize {
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

    /// Whatever is slow on purpose, all at once, and again until then; gives how often.
    pub async fn slow(&self, until_ms: i64) -> usize {
        let mut times = 0;
        loop {
            self.slow_once().await;
            times += 1;
            if self.time.now_ms() >= until_ms {
                return times;
            }
        }
    }

    async fn slow_once(&self) {
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
            let due_ms = FIRST_CALL_MS - 100..FIRST_CALL_MS + GOING_MS + LATE_MS;
            assert!(due_ms.contains(&ended.took_ms), "{ended:?}");
        }
        calls.join_all().await;
    }
}

fn is_told_when_to_come(status: &Status, limit: &str) {
    let details = status.get_error_details();
    let info = details.error_info().unwrap_or_else(|| panic!("{status:?}"));
    assert_eq!(
        (status.code(), info.reason.as_str(), info.metadata.get("limit").map(String::as_str)),
        (Code::ResourceExhausted, "LIMIT_REACHED", Some(limit))
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
