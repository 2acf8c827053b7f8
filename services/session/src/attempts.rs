//! Attempts, limited: wrong passwords of a name and of an address, and accounts made from one.
//!
//! Wrong passwords are counted thrice: for a name from one address, for the name from anywhere, and
//! for the address with any name. Whoever signed in to the name from this address within 30 days
//! is judged by the first count alone, so that nobody elsewhere can lock him out. A name that does
//! not exist is counted as any other, by its look.
//!
//! Each count is one entry of the live state, which expires by itself. Sign-ins that are at work
//! while a count runs full may go over it, by as many as wait for their passwords.

use std::sync::Arc;

use tengen_kit::id;
use tengen_kit::origin::Origin;
use tengen_kit::status::Refusal;
use tengen_live::{Live, LiveError};
use tonic::Code;

use crate::config::Config;
use crate::{convert, error};

/// Of a count that others change at the same time, one more or less is as good.
const TRIES: usize = 4;
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// How long a name is known to have been signed in from an address.
const KNOWN_MS: i64 = 30 * DAY_MS;
/// Of all addresses together, or all names, as many times what is allowed of one of one.
const WIDE: i64 = 10;
/// Every count is a slot with this one entry.
const KEY: &str = "count";

/// The counts. Clones are the same.
#[derive(Clone)]
pub(crate) struct Attempts {
    live: Arc<dyn Live>,
    /// Of one name from one address.
    narrow: Limit,
    /// Of one name, or of one address.
    wide: Limit,
    registrations: Limit,
}

/// So many within a time; each is forgotten after its share of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit {
    what: &'static str,
    most: i64,
    within_ms: i64,
}

/// A count as it is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// When all of it is forgotten.
    pub(crate) until_ms: i64,
    /// Until when a sign-in from there is remembered; 0 if there was none.
    pub(crate) known_until_ms: i64,
}

/// Somebody who is about to show a password.
#[derive(Debug)]
pub(crate) struct Attempt {
    name_here: String,
    name: String,
    /// None for this machine itself.
    here: Option<String>,
}

impl Attempts {
    pub(crate) fn new(live: Arc<dyn Live>, config: &Config) -> Self {
        let most = i64::from(config.failures);
        let (what, within_ms) = ("wrong passwords", 10 * MINUTE_MS);
        let registrations = Limit {
            what: "accounts from one address",
            most: i64::from(config.registrations),
            within_ms: 60 * MINUTE_MS,
        };
        let narrow = Limit { what, most, within_ms };
        Self { live, narrow, wide: Limit { most: most * WIDE, ..narrow }, registrations }
    }

    /// Lets somebody show a password for the name with this look.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED after too many wrong ones, whether or not the name exists.
    pub(crate) async fn begin(&self, look: &str, origin: &Origin) -> Result<Attempt, Refusal> {
        let attempt = Attempt {
            name_here: id::derive("attempts", &["name", look, &origin.label()]),
            name: id::derive("attempts", &["name", look]),
            here: origin.counted().map(|address| failures_of(&address)),
        };
        let here = async {
            match &attempt.here {
                Some(here) => self.read(here).await,
                None => Ok(Count::default()),
            }
        };
        let (narrow, name, here) =
            tokio::try_join!(self.read(&attempt.name_here), self.read(&attempt.name), here)?;
        self.narrow.admits(narrow, self.live.now_ms())?;
        if narrow.known_until_ms <= self.live.now_ms() {
            self.wide.admits(name, self.live.now_ms())?;
            self.wide.admits(here, self.live.now_ms())?;
        }
        Ok(attempt)
    }

    /// The password was wrong.
    ///
    /// # Errors
    /// When the live state fails.
    pub(crate) async fn failed(&self, attempt: &Attempt) -> Result<(), Refusal> {
        let here = async {
            match &attempt.here {
                Some(here) => self.count(here, self.wide).await,
                None => Ok(()),
            }
        };
        tokio::try_join!(
            self.count(&attempt.name_here, self.narrow),
            self.count(&attempt.name, self.wide),
            here
        )
        .map(drop)
    }

    /// The password was right: what was wrong before is forgotten, and the address known.
    ///
    /// # Errors
    /// When the live state fails.
    pub(crate) async fn succeeded(&self, attempt: &Attempt) -> Result<(), Refusal> {
        self.change(&attempt.name_here, |count, now_ms| {
            let fresh = count.known_until_ms > now_ms.saturating_add(KNOWN_MS - DAY_MS);
            let known_until_ms = now_ms.saturating_add(KNOWN_MS);
            (count.until_ms > now_ms || !fresh).then_some(Count { until_ms: 0, known_until_ms })
        })
        .await
    }

    /// Lets somebody show a token.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED after too many passwords and tokens from there that were wrong.
    pub(crate) async fn admit(&self, origin: &Origin) -> Result<(), Refusal> {
        let Some(address) = origin.counted() else { return Ok(()) };
        let count = self.read(&failures_of(&address)).await?;
        self.wide.admits(count, self.live.now_ms())
    }

    /// A token was wrong.
    ///
    /// # Errors
    /// When the live state fails.
    pub(crate) async fn refused(&self, origin: &Origin) -> Result<(), Refusal> {
        match origin.counted() {
            Some(address) => self.count(&failures_of(&address), self.wide).await,
            None => Ok(()),
        }
    }

    /// Lets somebody make an account, and counts it.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED after too many from there.
    pub(crate) async fn register(&self, origin: &Origin) -> Result<(), Refusal> {
        let Some(address) = origin.counted() else { return Ok(()) };
        let slot = id::derive("attempts", &["registrations", &address]);
        self.registrations.admits(self.read(&slot).await?, self.live.now_ms())?;
        self.count(&slot, self.registrations).await
    }

    async fn count(&self, slot: &str, limit: Limit) -> Result<(), Refusal> {
        let add = |count: Count, now_ms: i64| {
            let until_ms = count.until_ms.max(now_ms).saturating_add(limit.share_ms());
            Some(Count { until_ms, ..count })
        };
        self.change(slot, add).await
    }

    async fn read(&self, slot: &str) -> Result<Count, Refusal> {
        let found = self.live.entry(slot, KEY).await.map_err(|error| error::live_failed(&error))?;
        Ok(found.map(|(_, stored)| convert::count(stored)).unwrap_or_default())
    }

    /// Changes a count, if there is something to change.
    async fn change(
        &self,
        slot: &str,
        change: impl Fn(Count, i64) -> Option<Count>,
    ) -> Result<(), Refusal> {
        for _ in 0..TRIES {
            let found = self.live.entry(slot, KEY).await;
            let found = found.map_err(|error| error::live_failed(&error))?;
            let version = found.as_ref().map(|(version, _)| *version);
            let count = found.map(|(_, stored)| convert::count(stored)).unwrap_or_default();
            let Some(count) = change(count, self.live.now_ms()) else { return Ok(()) };
            let expires = Some(count.until_ms.max(count.known_until_ms));
            let value = Some(convert::stored_count(count));
            match self.live.put_entry(slot, KEY, version, value, expires).await {
                Ok(_) => return Ok(()),
                Err(LiveError::EntryConflict { .. }) => {}
                Err(error) => return Err(error::live_failed(&error)),
            }
        }
        Ok(())
    }
}

impl Limit {
    fn share_ms(self) -> i64 {
        self.within_ms / self.most.max(1)
    }

    /// Whether one more is allowed.
    fn admits(self, count: Count, now_ms: i64) -> Result<(), Refusal> {
        let full_ms = count.until_ms.saturating_add(self.share_ms()).saturating_sub(self.within_ms);
        let wait_ms = full_ms.saturating_sub(now_ms);
        if wait_ms <= 0 {
            return Ok(());
        }
        let Self { what, most, .. } = self;
        let seconds = wait_ms.saturating_add(999) / 1_000;
        let message = format!("too many {what}, try again in {seconds} seconds");
        Err(Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", message)
            .meta("limit", what)
            .meta("most", most)
            .retry_after_ms(wait_ms.unsigned_abs()))
    }
}

fn failures_of(address: &str) -> String {
    id::derive("attempts", &["address", address])
}

#[cfg(test)]
mod tests {
    use super::{Count, Limit};

    #[test]
    fn so_many_at_once_and_then_one_for_each_share() {
        let limit = Limit { what: "attempts", most: 10, within_ms: 600_000 };
        let full = Count { until_ms: 600_000, known_until_ms: 0 };
        for (now_ms, admitted) in [(0, false), (59_999, false), (60_000, true), (600_000, true)] {
            assert_eq!(limit.admits(full, now_ms).is_ok(), admitted, "{now_ms}");
        }
        let nearly = Count { until_ms: 540_000, known_until_ms: 0 };
        assert!(limit.admits(nearly, 0).is_ok() && limit.admits(Count::default(), 0).is_ok());
    }
}
