//! The time of the simulation: one queue of everything that waits.
//!
//! When nothing is left to run, the first of those who wait is woken and the time is set to what it
//! waited for. One at a time, and whoever is woken runs until everything rests again: so the order
//! of everything follows from this queue alone, and no two things ever happen at once.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tengen_kit::time::{SharedTime, Time};

use crate::dice::mix;

/// The time, and everybody who waits for it. Clones are the same.
#[derive(Clone)]
pub struct Agenda(Arc<Mutex<Queue>>);

struct Queue {
    now_ms: i64,
    last_ms: i64,
    salt: u64,
    places: u64,
    waiting: BTreeMap<Place, Waker>,
    over: Option<&'static str>,
    main: Option<Waker>,
}

/// When, then by chance, then in the order they came.
type Place = (i64, u64, u64);

/// Waits for an instant.
pub struct Wait {
    agenda: Agenda,
    place: Place,
    /// Whether it waits even for an instant that has come: others go first.
    always: bool,
    queued: bool,
}

impl Agenda {
    /// Time that stands at `start_ms` and goes no further than `last_ms`.
    pub fn new(seed: u64, start_ms: i64, last_ms: i64) -> Self {
        Self(Arc::new(Mutex::new(Queue {
            now_ms: start_ms,
            last_ms,
            salt: mix(seed),
            places: 0,
            waiting: BTreeMap::new(),
            over: None,
            main: None,
        })))
    }

    /// As services hold it.
    pub fn shared(&self) -> SharedTime {
        Arc::new(self.clone())
    }

    /// Lets `ms` pass; with 0, whoever else waits for this instant may go first.
    pub fn pause(&self, ms: i64) -> Wait {
        self.wait(self.now_ms() + ms, true)
    }

    /// Wakes the first of those who wait. For when nothing is left to run.
    pub fn step(&self) {
        let mut queue = self.lock();
        let waker = match queue.waiting.pop_first() {
            None => queue.end("nobody waits for anything any more"),
            Some(((at_ms, ..), _)) if at_ms > queue.last_ms => queue.end("the time is over"),
            Some(((at_ms, ..), waker)) => {
                queue.now_ms = queue.now_ms.max(at_ms);
                Some(waker)
            }
        };
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Ends when there is no time left, with the reason.
    pub async fn over(&self) -> &'static str {
        poll_fn(|context| {
            let mut queue = self.lock();
            queue.main = Some(context.waker().clone());
            queue.over.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    fn wait(&self, at_ms: i64, always: bool) -> Wait {
        let mut queue = self.lock();
        queue.places += 1;
        let chance = mix(queue.salt.wrapping_add(queue.places));
        let place = (at_ms.max(queue.now_ms), chance, queue.places);
        Wait { agenda: self.clone(), place, always, queued: false }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn end(&mut self, why: &'static str) -> Option<Waker> {
        self.over.get_or_insert(why);
        self.main.take()
    }
}

impl Time for Agenda {
    fn now_ms(&self) -> i64 {
        self.lock().now_ms
    }

    fn until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(self.wait(at_ms, false))
    }
}

impl Future for Wait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let place = self.place;
        let agenda = self.agenda.clone();
        let mut queue = agenda.lock();
        if !self.queued {
            if !self.always && place.0 <= queue.now_ms {
                return Poll::Ready(());
            }
            queue.waiting.insert(place, context.waker().clone());
            self.queued = true;
            return Poll::Pending;
        }
        match queue.waiting.get_mut(&place) {
            None => Poll::Ready(()),
            Some(waker) => {
                waker.clone_from(context.waker());
                Poll::Pending
            }
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if self.queued {
            self.agenda.lock().waiting.remove(&self.place);
        }
    }
}

impl fmt::Debug for Agenda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Agenda").field(&self.now_ms()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Who was woken in which order, and when, as letters.
    fn woken(seed: u64, waits: &[(char, i64)]) -> Vec<(char, i64)> {
        let agenda = Agenda::new(seed, 1_000, 2_000);
        let told = Arc::new(Mutex::new(Vec::new()));
        let idle = agenda.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .on_thread_park(move || idle.step())
            .build()
            .unwrap();
        runtime.block_on(async {
            for (name, ms) in waits.iter().copied() {
                let (agenda, told) = (agenda.clone(), Arc::clone(&told));
                tokio::spawn(async move {
                    agenda.pause(ms).await;
                    told.lock().unwrap().push((name, agenda.now_ms()));
                });
            }
            agenda.over().await;
        });
        told.lock().unwrap().clone()
    }

    #[test]
    fn whoever_waits_is_woken_at_its_instant_and_not_after_the_last() {
        let waits = [('a', 30), ('b', 0), ('c', 1_000), ('d', 1_001)];
        assert_eq!(woken(1, &waits), [('b', 1_000), ('a', 1_030), ('c', 2_000)]);
    }

    #[test]
    fn at_one_instant_the_seed_says_who_is_first() {
        let waits = ['a', 'b', 'c', 'd'].map(|name| (name, 5));
        let orders: Vec<_> = (0..8).map(|seed| woken(seed, &waits)).collect();
        assert_eq!(orders[3], woken(3, &waits));
        assert!(orders.iter().any(|order| *order != orders[0]), "{orders:?}");
    }

    #[tokio::test]
    async fn an_instant_that_has_come_is_waited_for_by_nobody() {
        let agenda = Agenda::new(1, 1_000, 2_000);
        agenda.until(1_000).await;
        agenda.until(i64::MIN).await;
    }
}
