//! A contender: whom is played against, its tables, and what was measured there.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::try_join_all;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::house::House;
use super::measured::Measured;
use super::plan::{Named, Plan};
use super::table::Table;
use super::watchers::Heard;
use super::{process, weight};
use crate::error::{ToolError, failed};

/// What the suite is called in reports.
pub(super) const SUITE: &str = "suite";
/// Games whose weight in Redis is taken, to tell the mean.
const WEIGHED: usize = 4;

/// Whom is played against.
pub(super) struct Contender {
    tables: Vec<Table>,
    watchers: usize,
    heard: Arc<Heard>,
    /// All processes that are looked at, those of others too.
    pids: Vec<Named<u32>>,
    measured: Measured,
}

impl Contender {
    /// The suite.
    pub(super) async fn suite(plan: &Plan, run: &str) -> Result<Self, ToolError> {
        Ok(Self::new(plan, run, SUITE, House::suite(plan, run).await?))
    }

    /// A reference.
    pub(super) async fn reference(
        plan: &Plan,
        run: &str,
        reference: &Named<String>,
    ) -> Result<Self, ToolError> {
        let house = House::reference(plan, reference).await?;
        Ok(Self::new(plan, run, &reference.name, house))
    }

    fn new(plan: &Plan, run: &str, name: &str, house: House) -> Self {
        let (house, heard) = (Arc::new(house), Arc::<Heard>::default());
        let watchers = if house.watch_lines().is_empty() { 0 } else { plan.watchers };
        let table =
            |number| Table::new(Arc::clone(&house), number, run, plan.watchers, Arc::clone(&heard));
        let tables = (0..plan.games.get()).map(table).collect();
        let client = Named { name: "client".to_owned(), value: std::process::id() };
        let pids = std::iter::once(client).chain(plan.pids.iter().cloned()).collect();
        Self { tables, watchers, heard, pids, measured: Measured::new(name) }
    }

    /// Begins all games, and lets the watchers in.
    pub(super) async fn open(&mut self) -> Result<(), ToolError> {
        try_join_all(self.tables.iter_mut().map(Table::begin)).await?;
        let before = self.resident()?;
        try_join_all(self.tables.iter_mut().map(Table::let_in)).await?;
        let watchers = u64::try_from(self.tables.len() * self.watchers).unwrap_or(u64::MAX);
        if let (Some(before), Some(after)) = (before, self.resident()?)
            && watchers > 0
        {
            self.measured.watcher_bytes = Some(after.saturating_sub(before) / watchers);
        }
        Ok(())
    }

    /// Plays for so long; nothing but failures counts while it warms up.
    pub(super) async fn slice(&mut self, length: Duration, warm: bool) -> Result<(), ToolError> {
        let heard = self.heard.messages.load(Ordering::Relaxed);
        let cpu = self.cpu()?;
        let start = Instant::now();
        let mut playing = JoinSet::new();
        for mut table in self.tables.drain(..) {
            playing.spawn(async move { (table.play(start + length).await, table) });
        }
        let mut tallies = Vec::new();
        while let Some(played) = playing.join_next().await {
            let (tally, table) = played.map_err(|error| failed("playing", error))?;
            tallies.push(tally);
            self.tables.push(table);
        }
        let elapsed = start.elapsed();
        let used = self.cpu()?.into_iter().zip(cpu).map(|(after, before)| after - before);
        for tally in &mut tallies {
            self.measured.fail(&mut tally.failures);
        }
        if warm {
            self.measured.elapsed += elapsed;
            self.measured.use_cpu(self.pids.iter().map(|pid| pid.name.as_str()).zip(used));
            self.measured.messages += self.heard.messages.load(Ordering::Relaxed) - heard;
            tallies.iter().for_each(|tally| self.measured.add(tally));
        }
        self.measured.cut = self.heard.cut.load(Ordering::Relaxed);
        Ok(())
    }

    /// Plays whole games and takes their weight in Redis before they end.
    pub(super) async fn weigh(&mut self, url: &str) -> Result<(), ToolError> {
        let mut ids = Vec::new();
        for table in self.tables.iter_mut().take(WEIGHED) {
            ids.push(table.play_out().await?);
        }
        let bytes = weight::in_redis(url, &ids).await?;
        let games = u64::try_from(ids.len()).unwrap_or(u64::MAX).max(1);
        self.measured.redis_bytes = Some(bytes / games);
        Ok(())
    }

    /// What was measured.
    pub(super) fn measured(self) -> Measured {
        self.measured
    }

    fn cpu(&self) -> Result<Vec<Duration>, ToolError> {
        self.pids.iter().map(|pid| process::cpu(pid.value)).collect()
    }

    /// The memory of the contender's own processes; `None` if none is named.
    fn resident(&self) -> Result<Option<u64>, ToolError> {
        let name = &self.measured.name;
        let own = |pid: &&Named<u32>| {
            pid.name == *name || (name == SUITE && pid.name.starts_with("game"))
        };
        let bytes = self.pids.iter().filter(own).map(|pid| process::resident(pid.value));
        bytes.reduce(|sum, more| Ok(sum? + more?)).transpose()
    }
}
