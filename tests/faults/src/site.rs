//! The product as it is deployed, for one test: Redis with its log, Postgres, and any number of
//! replicas of each service.

use std::ops::{Deref, Range};
use std::sync::Arc;

use tengen_harness::{Kind, Postgres, Server};
use tengen_kit::time::{SharedTime, WallTime};
use tengen_processes::Reserved;
use tokio::task::block_in_place;

use crate::account::Account;
use crate::proxy::Proxy;
use crate::replica::Replica;
use crate::speech::Speech;
use crate::ways::Ways;

const SECRET: &str = "a secret of services that is long enough";

/// Replicas of game that session is told of.
const GAMES: usize = 4;

/// When in a second Redis has no reason to begin to flush its log.
const MIDDLE_MS: Range<i64> = 300..700;

/// The stores, and the replicas that run.
pub struct Site {
    // Dropped before the stores they need.
    pub games: Vec<Replica>,
    pub clocks: Vec<Replica>,
    pub ratings: Vec<Replica>,
    pub sessions: Vec<Replica>,
    pub redis: Server,
    pub postgres: Store,
    pub time: SharedTime,
    databases: [String; 3],
    ports: Reserved,
}

/// A Postgres of one's own, or that of all tests.
pub enum Store {
    Own(Postgres),
    Shared(&'static Postgres),
}

/// How many replicas of each service.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    pub games: usize,
    pub clocks: usize,
    pub ratings: usize,
    pub sessions: usize,
}

impl Count {
    /// So many of game, and one of each other.
    pub fn of_games(games: usize) -> Self {
        Self { games, clocks: 1, ratings: 1, sessions: 1 }
    }
}

impl Site {
    /// The stores alone. Redis writes its log, and flushes it every second.
    pub fn stores(postgres: Store) -> Self {
        let redis = Server::start(
            Kind::Redis,
            &[
                "--appendonly",
                "yes",
                "--appendfsync",
                "everysec",
                "--maxmemory-policy",
                "noeviction",
            ],
        );
        let databases = std::array::from_fn(|_| postgres.database());
        let time = WallTime::shared();
        let [games, clocks, ratings, sessions] = std::array::from_fn(|_| Vec::new());
        Self {
            games,
            clocks,
            ratings,
            sessions,
            redis,
            postgres,
            time,
            databases,
            ports: Reserved::new(GAMES),
        }
    }

    /// Over these stores, so many replicas of each service, all of them ready.
    pub async fn start(postgres: Store, count: Count) -> Self {
        let mut site = Self::stores(postgres);
        site.sessions = (0..count.sessions).map(|_| site.session()).collect();
        let redis = site.redis.url();
        site.games = (0..count.games).map(|_| site.game(&redis)).collect();
        site.clocks = (0..count.clocks).map(|_| site.clock(&redis, &site.games)).collect();
        let ledger = site.ledger_url();
        site.ratings = (0..count.ratings).map(|_| site.rating(&ledger, &site.games)).collect();
        site.ready().await;
        site
    }

    /// Stores, and replicas of session and game, none of them started: the first of game reaches Redis
    /// as it is, and the others each by a proxy.
    pub async fn behind_proxies(victims: usize) -> (Self, Vec<Proxy>) {
        let mut site = Self::stores(Store::shared());
        site.sessions.push(site.session());
        site.games.push(site.game(&site.redis.url()));
        let mut proxies = Vec::new();
        for _ in 0..victims {
            let proxy = Proxy::to(&site.redis.address(), Speech::Redis, &site.time).await;
            site.games.push(site.game(&format!("redis://{}", proxy.address())));
            proxies.push(proxy);
        }
        (site, proxies)
    }

    /// Starts what does not run yet, and waits until everything is ready.
    pub async fn ready(&mut self) {
        for replica in self.all() {
            replica.start().await;
        }
        for replica in self.all() {
            replica.ready().await;
        }
    }

    /// Waits until Redis has written down what it answered, and goes on to: with its log flushed
    /// every second it holds back what it writes while a flush is under way, and answers all the
    /// same. Flushes begin with the seconds of the clock, so the middle of one is meant.
    pub async fn written(&self) {
        loop {
            let state = block_in_place(|| self.redis.ask(&["INFO", "persistence"]));
            let now_ms = self.time.now_ms();
            if state.contains("aof_pending_bio_fsync:0") && MIDDLE_MS.contains(&(now_ms % 1_000)) {
                return;
            }
            self.time.until(now_ms + 5).await;
        }
    }

    /// Every replica, session first.
    pub fn all(&mut self) -> impl Iterator<Item = &mut Replica> {
        let Self { games, clocks, ratings, sessions, .. } = self;
        sessions.iter_mut().chain(games).chain(clocks).chain(ratings)
    }

    /// Where replicas of game are, the first one first.
    pub fn game_urls(&self) -> String {
        self.ports.urls()
    }

    pub fn session(&self) -> Replica {
        self.session_to(self.game_urls())
    }

    /// A replica of session that finds game at this address.
    pub fn session_to(&self, games: String) -> Replica {
        Self::replica(
            "session",
            [
                ("TENGEN_REDIS_URL", self.redis.url()),
                ("TENGEN_SESSION_DATABASE_URL", self.databases[0].clone()),
                ("TENGEN_GAME_URLS", games),
            ],
        )
    }

    /// A replica of game over the live games at this address.
    pub fn game(&self, redis: &str) -> Replica {
        self.game_to(redis, urls(&self.sessions))
    }

    /// The same, that finds session at this address.
    pub fn game_to(&self, redis: &str, sessions: String) -> Replica {
        Self::replica(
            "game",
            [
                ("TENGEN_REDIS_URL", redis.to_owned()),
                ("TENGEN_SESSION_URLS", sessions),
                ("TENGEN_GAME_DATABASE_URL", self.databases[1].clone()),
                ("TENGEN_LISTEN", self.ports.listen()),
                // Few accounts play many games, and play them fast.
                ("TENGEN_CALLS_PER_S", "1000000".to_owned()),
                ("TENGEN_GAME_OPEN_CHALLENGES", "1000".to_owned()),
                ("TENGEN_GAME_RUNNING_GAMES", "1000".to_owned()),
            ],
        )
    }

    /// A timekeeper over the due queue at this address, which calls these replicas of game.
    pub fn clock(&self, redis: &str, games: &[Replica]) -> Replica {
        Self::replica(
            "clock",
            [
                ("TENGEN_REDIS_URL", redis.to_owned()),
                ("TENGEN_GAME_URLS", urls(games)),
                ("TENGEN_SESSION_URLS", urls(&self.sessions)),
            ],
        )
    }

    /// A replica of rating over the ledger at this address, which asks these replicas of game.
    pub fn rating(&self, ledger: &str, games: &[Replica]) -> Replica {
        Self::replica(
            "rating",
            [
                ("TENGEN_RATING_DATABASE_URL", ledger.to_owned()),
                ("TENGEN_GAME_URLS", urls(games)),
                ("TENGEN_SESSION_URLS", urls(&self.sessions)),
            ],
        )
    }

    fn replica<const N: usize>(service: &'static str, own: [(&'static str, String); N]) -> Replica {
        let common = [
            ("TENGEN_SERVICE_SECRET", SECRET.to_owned()),
            ("TENGEN_DRAIN_NOTICE_MS", "500".to_owned()),
            ("TENGEN_LOG", "info".to_owned()),
        ];
        Replica::new(service, common.into_iter().chain(own).collect())
    }

    /// Where Postgres listens: `127.0.0.1:5432`.
    pub fn postgres_address(&self) -> String {
        let url = self.ledger_url();
        let (_, behind) = url.split_once('@').expect("a user");
        behind.split_once('/').expect("a database").0.to_owned()
    }

    /// The database of the ledger.
    pub fn ledger_url(&self) -> String {
        self.databases[2].clone()
    }

    /// Two accounts.
    pub async fn pair(&self) -> [Arc<Account>; 2] {
        let accounts = Account::register(&self.ways(&self.sessions), 2).await;
        accounts.try_into().expect("two")
    }

    /// The ways to all replicas of a service.
    pub fn ways(&self, replicas: &[Replica]) -> Arc<Ways> {
        Ways::to(replicas.iter().map(Replica::url), &self.time)
    }
}

impl Store {
    /// One that a test may stop.
    pub fn own() -> Self {
        Self::Own(Postgres::start())
    }

    /// The one that all tests share.
    pub fn shared() -> Self {
        Self::Shared(Postgres::shared())
    }

    /// One's own, to be stopped.
    pub fn own_mut(&mut self) -> &mut Postgres {
        match self {
            Self::Own(postgres) => postgres,
            Self::Shared(_) => panic!("others need it, too"),
        }
    }
}

impl Deref for Store {
    type Target = Postgres;

    fn deref(&self) -> &Postgres {
        match self {
            Self::Own(postgres) => postgres,
            Self::Shared(postgres) => postgres,
        }
    }
}

/// The addresses of replicas, as a variable has them.
pub fn urls(replicas: &[Replica]) -> String {
    replicas.iter().map(Replica::url).collect::<Vec<_>>().join(",")
}
