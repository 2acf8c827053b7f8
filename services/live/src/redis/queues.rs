//! The due queues and outboxes of all partitions, looked at together.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use redis::{Cmd, cmd};

use super::keys::home;
use super::{State, script};
use crate::error::LiveError;
use crate::id::PARTITIONS;

impl State {
    /// The least score of each partition's sorted set; `None` for an empty one.
    pub(super) async fn fronts(
        &self,
        key: impl Fn(u16) -> String,
    ) -> Result<Vec<Option<i64>>, LiveError> {
        let front = |partition| -> Cmd {
            let mut front = cmd("ZRANGE");
            front.arg(key(partition)).arg(0).arg(0).arg("WITHSCORES");
            front
        };
        let fronts = (0..PARTITIONS).map(front).collect();
        let fronts: Vec<Vec<(String, f64)>> = self.commands.query_each(fronts).await?;
        // Scores are whole numbers below 2^53.
        Ok(fronts.iter().map(|front| front.first().map(|(_, score)| *score as i64)).collect())
    }

    /// The partitions whose front is at most `most`, those first whose turn it is.
    pub(super) async fn partitions(
        &self,
        key: impl Fn(u16) -> String,
        most: i64,
    ) -> Result<Vec<u16>, LiveError> {
        let fronts = self.fronts(key).await?;
        let mut found: Vec<u16> = (0..PARTITIONS)
            .zip(fronts)
            .filter_map(|(partition, front)| (front? <= most).then_some(partition))
            .collect();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % usize::from(PARTITIONS);
        let first = found.partition_point(|partition| usize::from(*partition) < turn);
        found.rotate_left(first);
        Ok(found)
    }

    pub(super) async fn claim(
        &self,
        partition: u16,
        now_ms: i64,
        lease_ms: i64,
        most: usize,
    ) -> Result<Vec<(String, i64)>, LiveError> {
        let base = self.keys.base(partition);
        let now = now_ms.to_string();
        // A lease of nothing would be due again at once, and to everybody.
        let leased_until = now_ms.saturating_add(lease_ms.max(1)).to_string();
        let arguments: [&[u8]; 4] =
            [base.as_bytes(), now.as_bytes(), leased_until.as_bytes(), &count(most)];
        script::CLAIM.run(&self.commands, &[&self.keys.due(partition)], &arguments).await
    }

    pub(super) async fn take(
        &self,
        partition: u16,
        most: usize,
    ) -> Result<Vec<(String, i64, Option<Bytes>)>, LiveError> {
        let (order, messages) = (self.keys.order(partition), self.keys.messages(partition));
        script::TAKE.run(&self.commands, &[&order, &messages], &[&count(most)]).await
    }
}

/// Ids of messages by the partition they wait in.
pub(super) fn by_partition(ids: &[String]) -> BTreeMap<u16, Vec<&[u8]>> {
    let mut grouped: BTreeMap<u16, Vec<&[u8]>> = BTreeMap::new();
    for id in ids {
        if let Some(partition) = home(id) {
            grouped.entry(partition).or_default().push(id.as_bytes());
        }
    }
    grouped
}

/// A number of things, as scripts take it.
pub(super) fn count(things: usize) -> Vec<u8> {
    i64::try_from(things).unwrap_or(i64::MAX).min(1_000_000).to_string().into_bytes()
}
