//! The whole product, as `tengen dev` runs it, for one test: on a port of its own, with its own
//! folder, and with a time that the test moves.

use std::sync::Arc;

use tempfile::TempDir;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::{ManualTime, SharedTime, WallTime};
use tengen_live::Memory;
use tengen_proto::game::v1::RatingState;
use tengen_standalone::dev;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Channel;

use crate::Player;

/// 2026-01-01T00:00:00Z, where the time of every suite starts.
pub const START_MS: i64 = 1_767_225_600_000;

/// A running product.
pub struct Suite {
    pub url: String,
    channel: Channel,
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
        let time = ManualTime::new(START_MS);
        Self::run(time.shared(), Some(time)).await
    }

    /// A product that goes by the machine's clock.
    pub async fn in_real_time() -> Self {
        Self::run(WallTime::shared(), None).await
    }

    async fn run(time: SharedTime, manual: Option<ManualTime>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shutdown = Shutdown::new();
        let config = dev::Config::default();
        let (url, running) = serve(&folder, Arc::clone(&time), shutdown.clone(), &config).await;
        let channel = connect(&url).await;
        Self { url, channel, time, manual, shutdown, running, folder, config }
    }

    /// Stops the product and starts it again over the same folder. Who was signed in still is,
    /// with a client made anew.
    pub async fn restart(&mut self) {
        self.shutdown.begin();
        (&mut self.running).await.expect("ends in order");
        self.shutdown = Shutdown::new();
        let time = Arc::clone(&self.time);
        let shutdown = self.shutdown.clone();
        (self.url, self.running) = serve(&self.folder, time, shutdown, &self.config).await;
        self.channel = connect(&self.url).await;
    }

    /// Makes players referees and organisers, and starts the product again; whoever was signed in
    /// has to sign in again for it.
    pub async fn appoint(&mut self, referees: &[&Player], organisers: &[&Player]) {
        let ids = |players: &[&Player]| players.iter().map(|player| player.id.clone()).collect();
        self.config.session.referees = ids(referees);
        self.config.session.organisers = ids(organisers);
        self.restart().await;
    }

    /// A connection of one's own.
    pub async fn connect(&self) -> Channel {
        connect(&self.url).await
    }

    /// A connection whose streams take in next to nothing that is not read.
    pub async fn connect_narrow(&self) -> Channel {
        let endpoint = tengen_kit::client::endpoint(&self.url).expect("an address");
        let narrow = endpoint.initial_stream_window_size(4_096);
        narrow.connect().await.expect("connects")
    }

    /// A new, signed-in player.
    pub async fn player(&self, name: &str) -> Player {
        Player::register(self.channel.clone(), name).await
    }

    /// A player of before, signed in again.
    pub async fn sign_in(&self, name: &str) -> Player {
        Player::sign_in(self.channel.clone(), name).await
    }

    /// Somebody who has not signed in.
    pub fn guest(&self) -> Player {
        Player::guest(self.channel.clone())
    }

    /// The shared connection.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Moves the time on.
    pub fn advance(&self, ms: u32) {
        self.manual.as_ref().expect("a suite whose time is moved").advance(ms);
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

impl Drop for Suite {
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
