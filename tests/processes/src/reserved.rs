//! Ports that are known before a process takes them: who calls whom goes both ways.

use std::sync::atomic::{AtomicUsize, Ordering};

use tengen_harness::free_port;

/// Ports for the replicas of a service that others are told of before it is started.
pub struct Reserved {
    ports: Vec<u16>,
    next: AtomicUsize,
}

impl Reserved {
    /// So many ports.
    pub fn new(count: usize) -> Self {
        Self { ports: (0..count).map(|_| free_port()).collect(), next: AtomicUsize::new(0) }
    }

    /// Where the replicas are, as the variables of others name it.
    pub fn urls(&self) -> String {
        let urls = self.ports.iter().map(|port| format!("http://127.0.0.1:{port}"));
        urls.collect::<Vec<_>>().join(",")
    }

    /// Where the next replica listens; one too many is not among the urls.
    pub fn listen(&self) -> String {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let port = self.ports.get(next).copied().unwrap_or_else(free_port);
        format!("127.0.0.1:{port}")
    }
}
