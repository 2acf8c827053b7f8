//! Places for connections and for the calls over them: so many in all, and so many for an address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tonic::Code;

use crate::config::Limits;
use crate::status::Refusal;

/// When whoever got no place for a call may come again.
const AGAIN_MS: u64 = 1_000;

/// All places of a server.
pub(super) struct Places {
    all: Room,
    /// For all together.
    most: Most,
    /// For an address.
    most_here: Most,
    addresses: Mutex<HashMap<IpAddr, Arc<Room>>>,
    turned_away: AtomicU64,
}

/// How many places there are.
struct Most {
    connections: usize,
    calls: usize,
}

/// How many are taken.
#[derive(Default)]
struct Room {
    connections: Taken,
    calls: Taken,
}

#[derive(Default)]
struct Taken(AtomicUsize);

/// The place of a connection, until it is dropped.
pub(super) struct Line {
    places: Arc<Places>,
    /// Where it comes from, unless that address stands for many.
    here: Option<(IpAddr, Arc<Room>)>,
    open: AtomicUsize,
    begun: AtomicU64,
}

/// The place of a call, until it is dropped.
pub(super) struct Call(Arc<Line>);

impl Places {
    /// As many as the limits say, and `connections` at most.
    pub(super) fn new(limits: &Limits, connections: usize) -> Arc<Self> {
        let whole = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Arc::new(Self {
            all: Room::default(),
            most: Most {
                connections: whole(limits.connections).min(connections),
                calls: whole(limits.open_calls),
            },
            most_here: Most {
                connections: whole(limits.connections_per_address),
                calls: whole(limits.open_calls_per_address),
            },
            addresses: Mutex::default(),
            turned_away: AtomicU64::new(0),
        })
    }

    /// A place for a connection from an address, or from one that stands for many.
    pub(super) fn connection(self: &Arc<Self>, address: Option<IpAddr>) -> Option<Arc<Line>> {
        let line = self.take(address);
        if line.is_none() {
            self.turned_away.fetch_add(1, Ordering::Relaxed);
        }
        line
    }

    /// How many connections got no place since this was last asked.
    pub(super) fn take_turned_away(&self) -> u64 {
        self.turned_away.swap(0, Ordering::Relaxed)
    }

    fn take(self: &Arc<Self>, address: Option<IpAddr>) -> Option<Arc<Line>> {
        if !self.all.connections.take(self.most.connections) {
            return None;
        }
        let mut line = Line {
            places: Arc::clone(self),
            here: None,
            open: AtomicUsize::new(0),
            begun: AtomicU64::new(0),
        };
        if let Some(address) = address {
            // Under the lock, as the last to leave takes the room along.
            let mut addresses = self.addresses();
            let room = addresses.entry(address).or_default();
            if !room.connections.take(self.most_here.connections) {
                drop(addresses);
                return None;
            }
            line.here = Some((address, Arc::clone(room)));
        }
        Some(Arc::new(line))
    }

    fn addresses(&self) -> MutexGuard<'_, HashMap<IpAddr, Arc<Room>>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// A place for a call.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when there is none.
    pub(super) fn call(self: &Arc<Self>) -> Result<Call, Refusal> {
        let Places { all, most, most_here, .. } = &*self.places;
        if !all.calls.take(most.calls) {
            return Err(full("open calls", most.calls));
        }
        if let Some((_, room)) = &self.here
            && !room.calls.take(most_here.calls)
        {
            all.calls.leave();
            return Err(full("open calls from one address", most_here.calls));
        }
        self.open.fetch_add(1, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
        Ok(Call(Arc::clone(self)))
    }

    /// How many calls there were.
    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// Whether there is a call.
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.places.all.connections.leave();
        let Some((address, room)) = &self.here else { return };
        let mut addresses = self.places.addresses();
        if room.connections.leave() == 0 {
            addresses.remove(address);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let line = &self.0;
        line.open.fetch_sub(1, Ordering::Relaxed);
        line.places.all.calls.leave();
        if let Some((_, room)) = &line.here {
            room.calls.leave();
        }
    }
}

impl Taken {
    /// Takes one of `most`, if one is left.
    fn take(&self, most: usize) -> bool {
        let more = |taken: usize| (taken < most).then_some(taken + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// How many are left taken.
    fn leave(&self) -> usize {
        self.0.fetch_sub(1, Ordering::Relaxed).saturating_sub(1)
    }
}

fn full(what: &str, most: usize) -> Refusal {
    let message = format!("too many {what}, try again later");
    Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", message)
        .meta("limit", what)
        .meta("most", most)
        .retry_after_ms(AGAIN_MS)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::Places;
    use crate::config::Limits;

    const HOME: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(198, 51, 100, 4)));
    const ELSEWHERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(198, 51, 100, 5)));

    fn limits() -> Limits {
        Limits {
            connections: 5,
            connections_per_address: 2,
            open_calls: 5,
            open_calls_per_address: 2,
            ..Limits::default()
        }
    }

    // fault: F18
    #[test]
    fn an_address_has_so_many_connections_and_all_together_have() {
        let places = Places::new(&limits(), 100);
        let mut lines = vec![places.connection(HOME), places.connection(HOME)];
        assert!(lines.iter().all(Option::is_some));
        assert!(places.connection(HOME).is_none(), "the address has its two");
        lines.push(places.connection(ELSEWHERE));
        lines.extend([places.connection(None), places.connection(None)]);
        assert!(lines.iter().all(Option::is_some));
        assert!(places.connection(ELSEWHERE).is_none() && places.connection(None).is_none());
        assert_eq!((places.take_turned_away(), places.take_turned_away()), (3, 0));
        // Whoever goes makes room, for the address and for all.
        lines.remove(0);
        assert!(places.connection(HOME).is_some());
        drop(lines);
        assert!(places.addresses().is_empty(), "nothing is kept of who is gone");
        let few = Places::new(&limits(), 1);
        let line = few.connection(HOME);
        assert!(line.is_some() && few.connection(ELSEWHERE).is_none(), "no descriptors");
    }

    // fault: F18
    #[test]
    fn an_address_has_so_many_open_calls_and_all_together_have() {
        let places = Places::new(&limits(), 100);
        let [one, two, other] = [HOME, HOME, ELSEWHERE].map(|at| places.connection(at).unwrap());
        let (first, second) = (one.call().unwrap(), two.call().unwrap());
        let refused = one.call().err().expect("the address has its two");
        assert_eq!(refused.reason(), "LIMIT_REACHED");
        let third = other.call().unwrap();
        drop(first);
        assert!(!one.is_open() && two.is_open());
        let shared = places.connection(None).unwrap();
        let calls = [(); 4].map(|()| shared.call());
        assert!(calls[2].is_ok() && calls[3].is_err(), "all have their five");
        assert_eq!((one.begun(), shared.begun()), (1, 3));
        drop((second, third, calls));
        assert_eq!(places.all.calls.0.load(std::sync::atomic::Ordering::Relaxed), 0);
    }
}
