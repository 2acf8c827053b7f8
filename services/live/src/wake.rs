//! Wake-ups: what a subscriber of a record hears. They only wake; the truth is read.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::broadcast;

use crate::record::Head;

/// What a subscriber hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wake {
    /// A commit was made.
    Committed(Committed),
    /// Some commits were missed: read the log.
    Lagged,
}

/// A commit, as its wake-up tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Where the record stands now.
    pub head: Head,
    /// Sequence of the first of the entries.
    pub first_sequence: i64,
    /// What was appended, shared by all who hear it.
    pub entries: Arc<[Bytes]>,
}

/// The wake-ups of one record, from the subscription on. Dropping it ends the subscription.
pub struct WakeUps {
    receiver: broadcast::Receiver<Wake>,
    // After the receiver, so that the backend sees it gone.
    _subscription: Box<dyn Any + Send + Sync>,
}

impl WakeUps {
    /// Wake-ups from a channel; `subscription` is dropped with them, so that the backend can
    /// clean up.
    #[must_use]
    pub fn new(
        receiver: broadcast::Receiver<Wake>,
        subscription: Box<dyn Any + Send + Sync>,
    ) -> Self {
        Self { receiver, _subscription: subscription }
    }

    /// The next wake-up; `None` when the backend is gone. Cancel safe.
    pub async fn next(&mut self) -> Option<Wake> {
        match self.receiver.recv().await {
            Ok(wake) => Some(wake),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Wake::Lagged),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

impl fmt::Debug for WakeUps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WakeUps").finish_non_exhaustive()
    }
}
