//! The product as it is deployed: a process for each service, two of them for games, over Redis and
//! Postgres.

use tengen_kit::client;
use tengen_processes::{Process, Suite};
use tonic::transport::Channel;

use crate::doors::Doors;
use crate::suite::CALLS_PER_S;

/// The four services as processes, for one test.
pub struct Processes {
    /// Dropped before the stores they need.
    running: Vec<Process>,
    stores: Suite,
    pub doors: Doors,
}

impl Processes {
    /// All of them, ready; session and game with these variables.
    pub async fn start(variables: &[(&str, &str)]) -> Self {
        let stores = Suite::new().tell("TENGEN_CALLS_PER_S", CALLS_PER_S.to_string());
        let session = stores.session(variables).await;
        let sessions = session.url();
        let games =
            [stores.game(&sessions, variables).await, stores.game(&sessions, variables).await];
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
        let running = games.into_iter().chain([session, clock, rating]).collect();
        Self { running, stores, doors }
    }

    /// One more replica of session.
    pub async fn another_session(&mut self) -> Channel {
        let session = self.stores.session(&[]).await;
        session.ready().await;
        let channel = session.channel().await;
        self.running.push(session);
        channel
    }
}
