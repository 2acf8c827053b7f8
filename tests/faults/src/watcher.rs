//! Watching a game: every event once and in order, from whichever replica is there.

use std::sync::Arc;
use std::time::Duration;

use tengen_proto::game::v1::event::Event as Fact;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{Event, Game, WatchGameRequest, WatchGameResponse};
use tokio::time::timeout;
use tonic::Streaming;

use crate::story::{Seen, SeenKind, Watched, hash};
use crate::ways::{PATIENCE_MS, Waits, Ways, again};

/// A stream that says nothing for so long, not even that the game still stands there, is left.
const SILENCE: Duration = Duration::from_secs(15);

/// One who follows a game to its end.
pub struct Watcher {
    ways: Arc<Ways>,
    replica: usize,
    stream: Option<Streaming<WatchGameResponse>>,
    /// The last sequence and its chain hash.
    head: (i64, String),
    ended: bool,
    watched: Watched,
}

/// What a watcher is told.
#[derive(Debug)]
pub enum News {
    /// The game as it stands.
    Snapshot(Box<Game>),
    /// The next event.
    Event(Box<Event>),
}

impl Watcher {
    /// One who has seen nothing yet.
    pub fn new(ways: &Arc<Ways>, game_id: &str) -> Self {
        Self {
            ways: Arc::clone(ways),
            replica: ways.any(),
            stream: None,
            head: (0, String::new()),
            ended: false,
            watched: Watched::of(game_id),
        }
    }

    /// One who begins at this replica.
    pub fn at(mut self, replica: usize) -> Self {
        self.replica = replica;
        self
    }

    /// What happens next; `None` once the game is over and its stream has closed.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            let stream = match &mut self.stream {
                Some(stream) => stream,
                None => self.open().await,
            };
            match timeout(SILENCE, stream.message()).await {
                Ok(Ok(Some(told))) => {
                    if let Some(news) = self.take(told) {
                        return Some(news);
                    }
                }
                Ok(Ok(None)) if self.ended => return None,
                Ok(Ok(None)) => {
                    self.wrong("the stream closed before the end");
                    self.leave();
                }
                Ok(Err(_)) | Err(_) => self.leave(),
            }
        }
    }

    /// Follows to the end.
    pub async fn follow(mut self) -> Watched {
        while self.next().await.is_some() {}
        self.watched
    }

    /// What it saw.
    pub fn done(self) -> Watched {
        self.watched
    }

    /// The last sequence and its chain hash.
    pub fn head(&self) -> (i64, &str) {
        (self.head.0, &self.head.1)
    }

    fn leave(&mut self) {
        self.stream = None;
        self.replica = self.ways.other(self.replica);
        self.watched.resumed += 1;
    }

    async fn open(&mut self) -> &mut Streaming<WatchGameResponse> {
        let time = Arc::clone(self.ways.time());
        let until_ms = time.now_ms() + PATIENCE_MS;
        let mut wait = Waits::new(self.ways.count());
        let stream = loop {
            let request = WatchGameRequest {
                game_id: self.watched.game_id.clone(),
                after_sequence: self.head.0,
                head_hash: self.head.1.clone(),
            };
            match self.ways.watch(self.replica, request).await {
                Ok(stream) => break stream,
                Err(status) if again(&status) && time.now_ms() < until_ms => {
                    self.replica = self.ways.other(self.replica);
                    wait.next(&time).await;
                }
                Err(status) => panic!("{} cannot be watched: {status:?}", self.watched.game_id),
            }
        };
        self.stream.insert(stream)
    }

    fn take(&mut self, told: WatchGameResponse) -> Option<News> {
        match told.message.expect("a message") {
            Message::Heartbeat(beat) => {
                if (beat.sequence, &beat.head_hash) != (self.head.0, &self.head.1) {
                    let head = &self.head;
                    let said = format!("a heartbeat at {} while at {head:?}", beat.sequence);
                    self.wrong(&said);
                }
                None
            }
            Message::Snapshot(snapshot) => {
                let game = snapshot.game.expect("a game");
                if !snapshot.rewound && self.head.0 > 0 {
                    self.wrong("a second snapshot");
                }
                let kind = if snapshot.rewound { SeenKind::Rewound } else { SeenKind::Snapshot };
                self.saw(game.sequence, &game.head_hash, kind);
                self.ended = game.result.is_some();
                Some(News::Snapshot(Box::new(game)))
            }
            Message::Event(event) => {
                if (event.sequence, &event.previous_hash) != (self.head.0 + 1, &self.head.1) {
                    let said = format!("event {} after {}", event.sequence, self.head.0);
                    self.wrong(&said);
                }
                self.saw(event.sequence, &event.head_hash, SeenKind::Event);
                self.ended = matches!(event.event, Some(Fact::Ended(_)));
                Some(News::Event(Box::new(event)))
            }
        }
    }

    fn saw(&mut self, sequence: i64, head_hash: &str, kind: SeenKind) {
        let at_ms = self.ways.time().now_ms();
        self.watched.seen.push(Seen { sequence, hash: hash(head_hash), at_ms, kind });
        self.head = (sequence, head_hash.to_owned());
    }

    fn wrong(&mut self, what: &str) {
        self.watched.wrong.push(what.to_owned());
    }
}
