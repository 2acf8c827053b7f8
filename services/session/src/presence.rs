//! Who is present: whoever has a stream open in a process that has told so lately.
//!
//! Each process tells all its players, every few seconds (`tengen_link::Here`). Whoever is in the
//! list no longer, or whose process is silent, is *away* from that moment; if no other process has
//! it, the game service is told, and again when it is back (rulebook L11).

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use sha2::{Digest as _, Sha256};
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;
use tengen_live::{Live, LiveError, Version};

use crate::client::Games;
use crate::convert;

/// What a process has told holds for so long.
const HOLD_MS: i64 = 10_000;
/// Whoever is back within this time was never gone: a page that is loaded again, a replica that
/// goes away.
const GRACE_MS: i64 = 2_000;
/// How often game is told again of whoever stays away: a game may have begun, be over, or have lost
/// the word.
const AGAIN_MS: i64 = 60_000;
/// How often it is looked who is away.
const LOOK_MS: i64 = 1_000;
/// Whoever has not looked for so long has stood still, and knows nothing.
const GAP_MS: i64 = 3 * LOOK_MS;
/// A process that tells nothing is remembered for so long, for who was in it.
const REMEMBERED_MS: i64 = 10 * 60 * 1_000;
/// A process's changes may race with its own, retried; with nobody else's.
const TRIES: usize = 8;

/// The slot of the processes.
const HOLDERS: &str = "present";
/// Slots of those who are away, by a hash of the player.
const SHARDS: u64 = 16;

/// Who is present. Its clones are the same.
#[derive(Clone)]
pub(crate) struct Presence {
    live: Arc<dyn Live>,
    games: Games,
    steady: Arc<Steady>,
}

/// Whether silence of a process says something. While the live state was away, nobody could tell;
/// and while this process stood still, nobody was heard.
struct Steady {
    from_ms: AtomicI64,
    /// When it was last looked.
    looked_ms: AtomicI64,
}

/// What a process tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) holder_id: String,
    /// Grows from call to call.
    pub(crate) number: i64,
    /// All players with a stream in it.
    pub(crate) player_ids: Vec<String>,
}

/// What a process has told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) number: i64,
    /// Until when it holds.
    pub(crate) until_ms: i64,
    pub(crate) player_ids: Vec<String>,
    /// Who has left it and is not written down as away yet.
    pub(crate) leaving: Vec<String>,
}

/// A player whose last stream ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Absence {
    pub(crate) since_ms: i64,
    /// Whether the game service may have been told.
    pub(crate) telling: bool,
    /// When it last said that it knows; 0 if never.
    pub(crate) told_ms: i64,
}

impl Presence {
    pub(crate) fn new(live: Arc<dyn Live>, games: Games) -> Self {
        let now_ms = live.now_ms();
        let steady = Steady {
            from_ms: AtomicI64::new(now_ms.saturating_add(HOLD_MS)),
            looked_ms: AtomicI64::new(now_ms),
        };
        Self { live, games, steady: Arc::new(steady) }
    }

    /// Takes what a process tells.
    ///
    /// Whoever leaves is away from when the list says so, in this order: the list without him, which
    /// remembers that he is leaving; his absence; the list without that. So whoever reads an absence
    /// and after it the lists knows whether he is back, and one who dies between forgets nobody: the
    /// next list of the process goes on from there.
    ///
    /// # Errors
    /// When the live state fails; what was told may be known then.
    pub(crate) async fn hold(&self, told: Told) -> Result<(), LiveError> {
        let Told { holder_id, number, player_ids } = told;
        for _ in 0..TRIES {
            let found = self.live.entry(HOLDERS, &holder_id).await?;
            let version = found.as_ref().map(|(version, _)| *version);
            let before = found.map(|(_, value)| convert::holder(value)).unwrap_or_default();
            if before.number >= number {
                return Ok(());
            }
            let now: HashSet<&str> = player_ids.iter().map(String::as_str).collect();
            let had: HashSet<&str> = before.player_ids.iter().map(String::as_str).collect();
            let left = before.player_ids.iter().chain(&before.leaving);
            let leaving: HashSet<_> = left.filter(|id| !now.contains(id.as_str())).collect();
            let mut holder = Holder {
                number,
                until_ms: self.live.now_ms().saturating_add(HOLD_MS),
                player_ids: player_ids.clone(),
                leaving: leaving.into_iter().cloned().collect(),
            };
            let version = match self.put_holder(&holder_id, version, &holder).await {
                Err(LiveError::EntryConflict { .. }) => continue,
                put => put?,
            };
            for player_id in &holder.leaving {
                self.leave(player_id).await?;
            }
            if !holder.leaving.is_empty() {
                holder.leaving.clear();
                unless_changed(self.put_holder(&holder_id, Some(version), &holder).await)?;
            }
            let came = now.difference(&had).copied().collect();
            return self.come(&holder_id, number, came).await;
        }
        Err(LiveError::Unavailable("too many changes of a process's players".to_owned()))
    }

    /// Whether no stream of the player is open anywhere.
    ///
    /// # Errors
    /// UNAVAILABLE while that is not known.
    pub(crate) async fn still_gone(&self, player_id: &str) -> Result<bool, LiveError> {
        if !self.is_steady() {
            return Err(LiveError::Unavailable("who is present is not known yet".to_owned()));
        }
        Ok(!present(&self.holders().await?, self.live.now_ms()).contains(player_id))
    }

    /// Everybody who is present, as far as processes have told.
    ///
    /// # Errors
    /// When the live state fails.
    pub(crate) async fn all(&self) -> Result<HashSet<String>, LiveError> {
        let holders = self.holders().await?;
        Ok(present(&holders, self.live.now_ms()).into_iter().map(str::to_owned).collect())
    }

    /// Looks after whoever is away, until the process ends.
    pub(crate) async fn look_after(self, time: SharedTime, shutdown: Shutdown) {
        while !shutdown.has_begun() {
            if let Err(error) = self.look().await {
                self.unsteady();
                tracing::warn!(%error, "who is present is not known");
            }
            let again_ms = time.now_ms().saturating_add(LOOK_MS);
            tokio::select! {
                () = time.until(again_ms) => {}
                () = shutdown.begun() => {}
            }
        }
    }

    /// From now on silence says nothing, for as long as a process may be silent.
    pub(crate) fn unsteady(&self) {
        let from_ms = self.live.now_ms().saturating_add(HOLD_MS);
        self.steady.from_ms.fetch_max(from_ms, Ordering::Relaxed);
    }

    fn is_steady(&self) -> bool {
        let now_ms = self.live.now_ms();
        let looked_ms = self.steady.looked_ms.load(Ordering::Relaxed);
        now_ms >= self.steady.from_ms.load(Ordering::Relaxed)
            && now_ms.saturating_sub(looked_ms) <= GAP_MS
    }

    /// Looks once: processes that are silent, and whoever is away.
    async fn look(&self) -> Result<(), LiveError> {
        let holders = self.holders().await?;
        let now_ms = self.live.now_ms();
        let looked_ms = self.steady.looked_ms.swap(now_ms, Ordering::Relaxed);
        if now_ms.saturating_sub(looked_ms) > GAP_MS {
            self.unsteady();
        }
        if !self.is_steady() {
            return Ok(());
        }
        for (id, version, silent) in holders.iter().filter(|(.., held)| held.until_ms < now_ms) {
            for player_id in silent.player_ids.iter().chain(&silent.leaving) {
                self.leave(player_id).await?;
            }
            let removed = self.live.put_entry(HOLDERS, id, Some(*version), None, None);
            unless_changed(removed.await)?;
        }
        let mut away = Vec::new();
        for shard in 0..SHARDS {
            away.extend(self.live.entries(&slot(shard)).await?);
        }
        // After the absences: whoever is in a list now has come since.
        let holders = self.holders().await?;
        let present = present(&holders, self.live.now_ms());
        for (player_id, version, value) in away {
            let absence = convert::absence(value);
            if present.contains(player_id.as_str()) {
                self.back(&player_id, version, &absence).await?;
            } else {
                self.settle(&player_id, version, absence).await?;
            }
        }
        Ok(())
    }

    /// One who is away.
    async fn settle(
        &self,
        player_id: &str,
        version: Version,
        mut absence: Absence,
    ) -> Result<(), LiveError> {
        let (since_ms, now_ms) = (absence.since_ms, self.live.now_ms());
        let tell_ms = match absence.told_ms {
            0 => since_ms.saturating_add(GRACE_MS),
            told_ms => told_ms.saturating_add(AGAIN_MS),
        };
        if now_ms < tell_ms {
            return Ok(());
        }
        // So that whoever comes back meanwhile is told of as well.
        absence.telling = true;
        let Some(version) = self.put_absence(player_id, version, Some(absence.clone())).await?
        else {
            return Ok(());
        };
        match self.games.gone(player_id, since_ms).await {
            // Whoever plays no game is away from none.
            Ok(0) => self.put_absence(player_id, version, None).await.map(drop),
            Ok(_) => {
                absence.told_ms = now_ms;
                self.put_absence(player_id, version, Some(absence)).await.map(drop)
            }
            Err(status) => {
                tracing::warn!(player_id, error = status.message(), "not told who is gone");
                Ok(())
            }
        }
    }

    /// The player's last stream in a process ended. An absence of before is over: he was there.
    async fn leave(&self, player_id: &str) -> Result<(), LiveError> {
        let slot = slot_of(player_id);
        for _ in 0..TRIES {
            let (version, before) = self.live.entry(&slot, player_id).await?.unzip();
            // Game may not know yet that the one before is over.
            let telling = before.is_some_and(|value| convert::absence(value).telling);
            let since_ms = self.live.now_ms();
            let absence = convert::stored_absence(Absence { since_ms, telling, told_ms: 0 });
            match self.live.put_entry(&slot, player_id, version, Some(absence), None).await {
                Err(LiveError::EntryConflict { .. }) => continue,
                put => return put.map(drop),
            }
        }
        Err(LiveError::Unavailable("too many changes of an absence".to_owned()))
    }

    /// Streams of these players are open in a process, as it told under this number. Nothing happens
    /// once it has told something else.
    async fn come(
        &self,
        holder_id: &str,
        number: i64,
        player_ids: Vec<&str>,
    ) -> Result<(), LiveError> {
        let mut away = Vec::new();
        for player_id in player_ids {
            if let Some((version, value)) = self.live.entry(&slot_of(player_id), player_id).await? {
                away.push((player_id, version, convert::absence(value)));
            }
        }
        if away.is_empty() {
            return Ok(());
        }
        let told = self.live.entry(HOLDERS, holder_id).await?;
        if told.is_some_and(|(_, value)| convert::holder(value).number == number) {
            for (player_id, version, absence) in away {
                self.back(player_id, version, &absence).await?;
            }
        }
        Ok(())
    }

    /// One whose absence of this version is over. If he has left again, there is another.
    async fn back(
        &self,
        player_id: &str,
        version: Version,
        absence: &Absence,
    ) -> Result<(), LiveError> {
        if absence.telling {
            let number = self.live.now_ms().max(absence.since_ms.saturating_add(1));
            if let Err(status) = self.games.back(player_id, number).await {
                // The next look tells it.
                tracing::warn!(player_id, error = status.message(), "not told who is back");
                return Ok(());
            }
        }
        self.put_absence(player_id, version, None).await.map(drop)
    }

    async fn put_holder(
        &self,
        id: &str,
        version: Option<Version>,
        holder: &Holder,
    ) -> Result<Version, LiveError> {
        let value = Some(convert::stored_holder(holder.clone()));
        let expires = Some(self.live.now_ms().saturating_add(REMEMBERED_MS));
        self.live.put_entry(HOLDERS, id, version, value, expires).await
    }

    /// `None` if it was changed by another meanwhile.
    async fn put_absence(
        &self,
        player_id: &str,
        version: Version,
        absence: Option<Absence>,
    ) -> Result<Option<Version>, LiveError> {
        let value = absence.map(convert::stored_absence);
        let slot = slot_of(player_id);
        match self.live.put_entry(&slot, player_id, Some(version), value, None).await {
            Err(LiveError::EntryConflict { .. }) => Ok(None),
            put => put.map(Some),
        }
    }

    async fn holders(&self) -> Result<Vec<(String, Version, Holder)>, LiveError> {
        let entries = self.live.entries(HOLDERS).await?.into_iter();
        Ok(entries.map(|(id, version, value)| (id, version, convert::holder(value))).collect())
    }
}

/// Everybody in a process that is not silent.
fn present(holders: &[(String, Version, Holder)], now_ms: i64) -> HashSet<&str> {
    let speaking = holders.iter().filter(|(.., held)| held.until_ms >= now_ms);
    speaking.flat_map(|(.., held)| &held.player_ids).map(String::as_str).collect()
}

fn slot(shard: u64) -> String {
    format!("away:{shard:x}")
}

fn slot_of(player_id: &str) -> String {
    slot(u64::from(Sha256::digest(player_id)[0]) % SHARDS)
}

/// Somebody else's change is as good.
fn unless_changed(put: Result<Version, LiveError>) -> Result<(), LiveError> {
    match put {
        Err(LiveError::EntryConflict { .. }) => Ok(()),
        put => put.map(drop),
    }
}
