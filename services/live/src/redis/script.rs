//! The scripts. Each touches one slot: beside the keys it is given, it computes only such as have
//! the same hash tag.

use std::sync::LazyLock;

use redis::{Cmd, FromRedisValue, cmd};

use super::connection::Connection;
use crate::error::LiveError;

pub(super) static COMMIT: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("outage.lua"), include_str!("commit.lua"))));
pub(super) static BEAT: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("outage.lua"), include_str!("beat.lua"))));
pub(super) static CLAIM: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("claim.lua")));
pub(super) static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("take.lua")));
pub(super) static ACKNOWLEDGE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("acknowledge.lua")));
pub(super) static DEFER: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("defer.lua")));
pub(super) static FEED: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("feed.lua")));
pub(super) static PUT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("put.lua")));

/// A script, known to servers by its hash.
pub(super) struct Script {
    text: &'static str,
    hash: String,
}

impl Script {
    fn new(text: &'static str) -> Self {
        let hash = redis::Script::new(text).get_hash().to_owned();
        Self { text, hash }
    }

    /// Runs it where `keys` are. A server that does not know it, as after a restart, is sent the
    /// text.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        connection: &Connection,
        keys: &[impl AsRef<str> + Sync],
        arguments: &[&[u8]],
    ) -> Result<T, LiveError> {
        let call = |command: &str, script: &str| -> Cmd {
            let mut call = cmd(command);
            call.arg(script).arg(keys.len());
            for key in keys {
                call.arg(key.as_ref());
            }
            call.arg(arguments);
            call
        };
        connection
            .within(async {
                match connection.send(&call("EVALSHA", &self.hash)).await {
                    Err(error) if error.code() == Some("NOSCRIPT") => {
                        connection.send(&call("EVAL", self.text)).await
                    }
                    answer => answer,
                }
            })
            .await
    }
}
