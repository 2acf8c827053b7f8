//! News of games for their players: told to session, which puts them into the players' streams.
//!
//! News is not the truth: that is in the record, and lists and snapshots show it. So a replica that
//! dies takes untold news with it; what it told twice is there once, by its key.

use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tokio::sync::mpsc;

use crate::client::{News, Sessions};
use crate::convert::news;
use crate::record::GameRecord;

/// How many pieces of news wait while session is away; more are lost.
const WAITING: usize = 4_096;
/// How long after a failure session is told again.
const AGAIN_MS: i64 = 1_000;
/// How often it is told before it is given up.
const TRIES: usize = 60;

/// Takes news. Its clones are the same.
#[derive(Debug, Clone)]
pub struct Herald(mpsc::Sender<News>);

impl Herald {
    /// A herald, and what it does until the process ends.
    pub fn new(
        sessions: Sessions,
        time: SharedTime,
        shutdown: Shutdown,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(sender), cry(receiver, sessions, time, shutdown))
    }

    /// Tells the players of a game that was made.
    pub fn made(&self, record: &GameRecord) {
        self.tell(news::made(record));
    }

    /// Tells the players what a commit did that concerns them: the game was `before`, and is `now`.
    pub fn committed(&self, before: &GameRecord, now: &GameRecord) {
        if before.ended() != now.ended() {
            self.tell(news::ended(now));
        }
        self.tell(news::presence(before, now));
    }

    /// Tells whom a challenge is for.
    pub fn challenged(&self, news: Option<News>) {
        self.tell(news.into_iter().collect());
    }

    fn tell(&self, news: Vec<News>) {
        for news in news {
            if self.0.try_send(news).is_err() {
                tracing::warn!("news is lost: session has been away for too long");
            }
        }
    }
}

async fn cry(
    mut news: mpsc::Receiver<News>,
    sessions: Sessions,
    time: SharedTime,
    shutdown: Shutdown,
) {
    loop {
        tokio::select! {
            biased;
            () = shutdown.begun() => break,
            piece = news.recv() => match piece {
                Some(piece) => insist(&piece, &sessions, &time, &shutdown).await,
                None => return,
            },
        }
    }
    // What is there already, once.
    while let Ok(piece) = news.try_recv() {
        if sessions.notify(&piece).await.is_err() {
            return;
        }
    }
}

/// Tells a piece of news until it is heard, or it is given up.
async fn insist(piece: &News, sessions: &Sessions, time: &SharedTime, shutdown: &Shutdown) {
    for _ in 0..TRIES {
        let Err(status) = sessions.notify(piece).await else { return };
        tracing::debug!(error = status.message(), "session does not hear the news");
        let again_ms = time.now_ms().saturating_add(AGAIN_MS);
        tokio::select! {
            biased;
            () = shutdown.begun() => return,
            () = time.until(again_ms) => {}
        }
    }
}
