//! Feeds: numbered messages of which the newest are kept.

use bytes::{Buf, Bytes};
use redis::cmd;

use super::keys::home;
use super::queues::count;
use super::{Redis, script};
use crate::error::LiveError;
use crate::feed::{FEED_KEPT, FEED_MS, Message};

impl Redis {
    pub(super) async fn append(
        &self,
        feed: &str,
        key: &str,
        body: &[u8],
    ) -> Result<i64, LiveError> {
        let state = &*self.state;
        let partition = home(feed).ok_or_else(|| LiveError::NotAnId(feed.to_owned()))?;
        let list = state.keys.base(partition) + feed;
        let channel = state.keys.channel(partition, feed);
        let (kept, stay) = (count(FEED_KEPT), FEED_MS.to_string());
        let arguments: [&[u8]; 6] = [
            key.as_bytes(),
            body,
            &kept,
            stay.as_bytes(),
            state.commands.publish().as_bytes(),
            channel.as_bytes(),
        ];
        script::FEED.run(&state.commands, &[&list], &arguments).await
    }

    pub(super) async fn messages(&self, feed: &str) -> Result<Vec<Message>, LiveError> {
        let Some(partition) = home(feed) else {
            return Ok(Vec::new());
        };
        let mut read = cmd("LRANGE");
        read.arg(self.state.keys.base(partition) + feed).arg(0).arg(-1);
        let list: Vec<Bytes> = self.state.commands.query(&read).await?;
        Ok(list.into_iter().filter_map(read_message).collect())
    }
}

/// A message as feed.lua writes it; `None` if it is none.
fn read_message(mut bytes: Bytes) -> Option<Message> {
    let sequence = bytes.try_get_i64().ok()?;
    let length = usize::from(bytes.try_get_u16().ok()?);
    let body = (length <= bytes.len()).then(|| bytes.slice(length..))?;
    Some(Message { sequence, body })
}
