//! How long a process lives.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

/// One life of a process: a replica, a timekeeper, one who takes results. Clones are the same life.
#[derive(Debug, Clone)]
pub struct Life {
    /// Whose it is: `game-1.3` is the third of replica 1.
    pub name: Arc<str>,
    dead: CancellationToken,
}

impl Life {
    /// A life that begins.
    pub fn new(name: String) -> Self {
        Self { name: name.into(), dead: CancellationToken::new() }
    }

    /// Ends it. Whatever waits for it never goes on.
    pub fn kill(&self) {
        self.dead.cancel();
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.dead.is_cancelled()
    }

    /// Ends with it.
    pub async fn over(&self) {
        self.dead.cancelled().await;
    }
}
