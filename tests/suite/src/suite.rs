//! The whole product for one test: as `tengen dev` runs it, on a port of its own, with its own
//! folder and a time that the test moves; or as processes.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use tempfile::TempDir;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::{ManualTime, SharedTime, WallTime};
use tengen_live::Memory;
use tengen_proto::game::v1::RatingState;
use tengen_proto::session::v1::GetKeysRequest;
use tengen_standalone::dev;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Channel;

use crate::Player;
use crate::doors::Doors;
use crate::processes::Processes;

/// 2026-01-01T00:00:00Z, where the time of every suite starts.
pub const START_MS: i64 = 1_767_225_600_000;

/// What an account may call: tests ask again as soon as they are answered, on machines of any speed.
pub const CALLS_PER_S: u32 = 1_000_000;

/// A running product.
pub struct Suite {
    doors: Doors,
    product: Product,
}

enum Product {
    Dev(Box<Dev>),
    Processes(Box<Processes>),
}

/// `tengen dev`.
struct Dev {
    url: String,
    time: SharedTime,
    manual: Option<ManualTime>,
    shutdown: Shutdown,
    running: JoinHandle<()>,
    folder: TempDir,
    config: dev::Config,
}

impl Suite {
    /// A product whose time stands until [`Suite::advance`] moves it.
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// The same with other settings.
    pub async fn with(set: impl FnOnce(&mut dev::Config)) -> Self {
        let time = ManualTime::new(START_MS);
        Self::run(time.shared(), Some(time), set).await
    }

    /// A product that goes by the machine's clock.
    pub async fn in_real_time() -> Self {
        Self::configured(|_| {}).await
    }

    /// The same with other settings.
    pub async fn configured(set: impl FnOnce(&mut dev::Config)) -> Self {
        Self::run(WallTime::shared(), None, set).await
    }

    async fn run(
        time: SharedTime,
        manual: Option<ManualTime>,
        set: impl FnOnce(&mut dev::Config),
    ) -> Self {
        let mut config = dev::Config::default();
        config.limits.calls_per_s = CALLS_PER_S;
        set(&mut config);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shutdown = Shutdown::new();
        let (url, running) = serve(&folder, Arc::clone(&time), shutdown.clone(), &config).await;
        let doors = Doors::one(connect(&url).await);
        let dev = Dev { url, time, manual, shutdown, running, folder, config };
        Self { doors, product: Product::Dev(Box::new(dev)) }
    }

    /// The four services as processes, in real time.
    pub async fn of_processes() -> Self {
        Self::of_processes_with(&[]).await
    }

    /// With these variables for session and game.
    pub async fn of_processes_with(variables: &[(&str, &str)]) -> Self {
        let processes = Processes::start(variables).await;
        Self { doors: processes.doors.clone(), product: Product::Processes(Box::new(processes)) }
    }

    fn dev(&self) -> &Dev {
        match &self.product {
            Product::Dev(dev) => dev,
            Product::Processes(_) => panic!("only of `tengen dev`"),
        }
    }

    fn dev_mut(&mut self) -> &mut Dev {
        match &mut self.product {
            Product::Dev(dev) => dev,
            Product::Processes(_) => panic!("only of `tengen dev`"),
        }
    }

    /// Where all of it is reached.
    pub fn url(&self) -> &str {
        &self.dev().url
    }

    /// Stops the product and starts it again over the same folder. Who was signed in still is,
    /// with a client made anew.
    pub async fn restart(&mut self) {
        let dev = self.dev_mut();
        dev.shutdown.begin();
        (&mut dev.running).await.expect("ends in order");
        dev.shutdown = Shutdown::new();
        let time = Arc::clone(&dev.time);
        let shutdown = dev.shutdown.clone();
        (dev.url, dev.running) = serve(&dev.folder, time, shutdown, &dev.config).await;
        self.doors = Doors::one(connect(&dev.url).await);
    }

    /// Makes players referees and organisers, and starts the product again; whoever was signed in
    /// has to sign in again for it.
    pub async fn appoint(&mut self, referees: &[&Player], organisers: &[&Player]) {
        let ids = |players: &[&Player]| players.iter().map(|player| player.id.clone()).collect();
        let session = &mut self.dev_mut().config.session;
        session.referees = ids(referees);
        session.organisers = ids(organisers);
        self.restart().await;
    }

    /// The ways that all its players share.
    pub fn doors(&self) -> &Doors {
        &self.doors
    }

    /// A connection of one's own.
    pub async fn connect(&self) -> Channel {
        connect(self.url()).await
    }

    /// Somebody whose streams take in next to nothing that is not read.
    pub async fn narrow_guest(&self) -> Player {
        let endpoint = tengen_kit::client::endpoint(self.url()).expect("an address");
        let narrow = endpoint.initial_stream_window_size(4_096);
        Player::guest(&Doors::one(narrow.connect().await.expect("connects")))
    }

    /// A new, signed-in player.
    pub async fn player(&self, name: &str) -> Player {
        Player::register(&self.doors, name).await
    }

    /// A player of before, signed in again.
    pub async fn sign_in(&self, name: &str) -> Player {
        Player::sign_in(&self.doors, name).await
    }

    /// Somebody who has not signed in.
    pub fn guest(&self) -> Player {
        Player::guest(&self.doors)
    }

    /// The shared connection to the game service.
    pub fn channel(&self) -> Channel {
        self.doors.game.clone()
    }

    /// Moves the time on.
    pub fn advance(&self, ms: u32) {
        self.dev().manual.as_ref().expect("a suite whose time is moved").advance(ms);
    }

    /// Lets a while pass; where time passes by itself, it is left to that.
    pub fn pass(&self, ms: u32) {
        if let Product::Dev(dev) = &self.product
            && let Some(manual) = &dev.manual
        {
            manual.advance(ms);
        }
    }

    /// What comes, while time passes.
    pub async fn meanwhile<T>(&self, comes: impl Future<Output = T>) -> T {
        let mut guest = self.guest();
        let mut comes = pin!(comes);
        loop {
            tokio::select! {
                biased;
                came = &mut comes => return came,
                // A call between two steps, so that everybody hears of each.
                _ = guest.sessions.get_keys(GetKeysRequest {}) => self.pass(100),
            }
        }
    }

    /// A way to another replica of the session service, where there is more than one process.
    pub async fn another_session(&mut self) -> Channel {
        match &mut self.product {
            Product::Dev(dev) => connect(&dev.url).await,
            Product::Processes(processes) => processes.another_session().await,
        }
    }

    /// Waits until a rated game shows that the ledger holds its result: it is booked, acknowledged
    /// and archived, in this order. Nothing here keeps time; it asks again after each answer.
    pub async fn rated(&self, game_id: &str) {
        let mut guest = self.guest();
        loop {
            let result = guest.game(game_id).await.result.expect("the game is over");
            if result.rating() == RatingState::Applied {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        self.shutdown.begin();
        self.running.abort();
    }
}

async fn serve(
    folder: &TempDir,
    time: SharedTime,
    shutdown: Shutdown,
    config: &dev::Config,
) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let data = folder.path().to_owned();
    let config = config.clone();
    let live = Arc::new(Memory::new(Arc::clone(&time), tengen_live::Settings::default()));
    let parts = dev::Parts { listener, data, live, time, shutdown, config };
    let serving = dev::bind(parts).await.expect("the product starts");
    (url, tokio::spawn(async move { serving.await.expect("the product runs") }))
}

async fn connect(url: &str) -> Channel {
    let endpoint = tengen_kit::client::endpoint(url).expect("an address");
    endpoint.connect().await.expect("connects")
}
