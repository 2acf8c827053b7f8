//! The product as it is deployed: a process for each service, two of them for games, over Redis and
//! Postgres.

use tengen_kit::client;
use tengen_processes::{Process, Suite};
use tonic::transport::Channel;

use crate::doors::Doors;

/// The four services as processes, for one test.
pub struct Processes {
    /// Dropped before the stores they need.
    _running: Vec<Process>,
    _stores: Suite,
    pub doors: Doors,
}

impl Processes {
    /// All of them, ready.
    pub async fn start() -> Self {
        let stores = Suite::new();
        let session = stores.session(&[]).await;
        let sessions = session.url();
        let games = [stores.game(&sessions, &[]).await, stores.game(&sessions, &[]).await];
        let urls = games.each_ref().map(Process::url);
        let all = urls.join(",");
        let (clock, rating) =
            tokio::join!(stores.clock(&all, &sessions), stores.rating(&all, &sessions));
        for process in games.iter().chain([&session, &clock, &rating]) {
            process.ready().await;
        }
        let endpoint = |url: &String| client::endpoint(url).expect("an address");
        let doors = Doors {
            // Each call by another replica, as it falls.
            game: Channel::balance_list(urls.iter().map(endpoint)),
            clock: clock.channel().await,
            rating: rating.channel().await,
            session: session.channel().await,
        };
        let _running = games.into_iter().chain([session, clock, rating]).collect();
        Self { _running, _stores: stores, doors }
    }
}
