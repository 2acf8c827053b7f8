//! Each player's notices, and the devices that read them: two feeds of the live state.

use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tengen_live::{Live, LiveError, Message, WakeUps, record_id};

/// Notices in the live state. Its clones are the same.
#[derive(Clone)]
pub(crate) struct Notices {
    live: Arc<dyn Live>,
}

impl Notices {
    pub(crate) fn new(live: Arc<dyn Live>) -> Self {
        Self { live }
    }

    /// Puts a notice into a player's stream; one of the same key is there already.
    ///
    /// # Errors
    /// When the live state fails.
    pub(crate) async fn add(
        &self,
        player_id: &str,
        key: &str,
        notice: Bytes,
    ) -> Result<(), LiveError> {
        self.live.feed_append(&notices_of(player_id), key, notice).await.map(drop)
    }

    /// The notices after `sequence`.
    pub(crate) async fn after(
        &self,
        player_id: &str,
        sequence: i64,
    ) -> Result<Vec<Message>, LiveError> {
        self.live.feed_after(&notices_of(player_id), sequence).await
    }

    /// When notices are dated.
    pub(crate) fn now_ms(&self) -> i64 {
        self.live.now_ms()
    }

    pub(crate) async fn wake_ups(&self, player_id: &str) -> Result<WakeUps, LiveError> {
        self.live.subscribe(&notices_of(player_id)).await
    }

    /// A device reads from now on. Gives the number of its stream: of two streams of one device,
    /// the later one stays.
    pub(crate) async fn take_over(
        &self,
        player_id: &str,
        device_id: &str,
    ) -> Result<i64, LiveError> {
        let key = format!("{:032x}", rand::random::<u128>());
        let device = Bytes::copy_from_slice(device_id.as_bytes());
        self.live.feed_append(&devices_of(player_id), &key, device).await
    }

    /// Whether the device has a stream after that number.
    pub(crate) async fn is_taken_over(
        &self,
        player_id: &str,
        device_id: &str,
        number: i64,
    ) -> Result<bool, LiveError> {
        let later = self.live.feed_after(&devices_of(player_id), number).await?;
        let of_device =
            |message: &Message| message.sequence > number && message.body == device_id.as_bytes();
        Ok(later.iter().any(of_device))
    }

    pub(crate) async fn device_wake_ups(&self, player_id: &str) -> Result<WakeUps, LiveError> {
        self.live.subscribe(&devices_of(player_id)).await
    }
}

fn notices_of(player_id: &str) -> String {
    feed('n', player_id)
}

fn devices_of(player_id: &str) -> String {
    feed('d', player_id)
}

fn feed(prefix: char, player_id: &str) -> String {
    let mut digest = [0; 16];
    digest.copy_from_slice(&Sha256::digest(player_id)[..16]);
    record_id(prefix, &digest)
}
