//! The open challenges, read once for all who ask at the same time: however often they are asked
//! for, a replica reads them four times a second at most.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use tengen_kit::status::Refusal;
use tengen_live::Live;
use tengen_proto::game::v1::Challenge;
use tengen_proto::time::timestamp_ms;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

use super::{LOBBY, decode, is_open, may_see};
use crate::error;
use crate::pages::Cursor;

/// How far apart readings begin at least.
pub(super) const APART: Duration = Duration::from_millis(250);
/// How long a list that was begun goes on from one reading.
const GOES_ON: Duration = Duration::from_secs(2);
/// Challenges that are decoded before other calls have their turn.
const AT_ONCE: usize = 50;

/// Reads the open challenges.
#[derive(Clone)]
pub struct Open {
    live: Arc<dyn Live>,
    last: Arc<Mutex<Option<Reading>>>,
}

/// One for all who asked before it began: each of them is told what was there after he asked.
struct Reading {
    from: Instant,
    begun: Arc<AtomicBool>,
    found: Shared<BoxFuture<'static, Found>>,
}

type Found = Result<Arc<[Challenge]>, Refusal>;

impl Open {
    /// Over this live state.
    pub fn new(live: Arc<dyn Live>) -> Self {
        Self { live, last: Arc::default() }
    }

    /// At most `size` challenges that a caller may see, the oldest first, behind the cursor; with them
    /// where they ended, if there are more. Those of a first page were open at some moment since this
    /// was called.
    ///
    /// # Errors
    /// When the live state fails.
    pub async fn page(
        &self,
        caller: Option<&str>,
        after: Option<&Cursor>,
        size: usize,
    ) -> Result<(Vec<Challenge>, Option<Cursor>), Refusal> {
        let open = match after.and_then(|_| self.last()) {
            Some(open) => open,
            None => self.next().await?,
        };
        let passed = after.map_or(0, |after| open.partition_point(|one| cursor(one) <= *after));
        let mut seen = open[passed..].iter().filter(|one| may_see(one, caller));
        let page: Vec<_> = seen.by_ref().take(size).cloned().collect();
        let last = page.last().filter(|_| seen.next().is_some()).map(cursor);
        Ok((page, last))
    }

    /// What was read last, if that is not long ago.
    fn last(&self) -> Option<Arc<[Challenge]>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = last.as_ref().filter(|last| last.from.elapsed() < GOES_ON)?;
        recent.found.peek()?.clone().ok()
    }

    /// The reading that has not begun.
    fn next(&self) -> Shared<BoxFuture<'static, Found>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = &*last
            && !next.begun.load(Ordering::Acquire)
        {
            return next.found.clone();
        }
        let (now, soonest) = (Instant::now(), last.as_ref().map(|last| last.from + APART));
        let from = soonest.map_or(now, |soonest| soonest.max(now));
        let next = Reading::from(from, Arc::clone(&self.live));
        last.insert(next).found.clone()
    }
}

impl Reading {
    /// One that begins then, as soon as somebody waits for it.
    fn from(from: Instant, live: Arc<dyn Live>) -> Self {
        let begun = Arc::new(AtomicBool::new(false));
        let begins = Arc::clone(&begun);
        let found = async move {
            sleep_until(from).await;
            begins.store(true, Ordering::Release);
            read(&*live).await
        };
        Self { from, begun, found: found.boxed().shared() }
    }
}

async fn read(live: &dyn Live) -> Found {
    let entries = live.entries(LOBBY).await.map_err(|error| error::live(&error))?;
    let mut open = Vec::with_capacity(entries.len());
    for some in entries.chunks(AT_ONCE) {
        let decoded = some.iter().filter_map(|(_, _, body)| decode(body));
        open.extend(decoded.filter_map(|stored| stored.challenge).filter(is_open));
        yield_now().await;
    }
    open.sort_by_cached_key(cursor);
    Ok(open.into())
}

fn cursor(challenge: &Challenge) -> Cursor {
    let at_ms = challenge.created_at.as_ref().and_then(timestamp_ms).unwrap_or_default();
    Cursor { at_ms, id: challenge.challenge_id.clone() }
}
