//! How many connections the operating system lets the process have.

/// What is left for everything else: stores, other services, files.
#[cfg(unix)]
const OTHERS: u64 = 256;

/// Lets the process have as many descriptors as it may set for itself; gives how many connections
/// that allows.
#[cfg(unix)]
pub(super) fn raise() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let most = if raised.is_ok() { limit.maximum } else { limit.current };
    let connections = most.map_or(u64::MAX, |most| most.saturating_sub(OTHERS).max(1));
    usize::try_from(connections).unwrap_or(usize::MAX)
}

#[cfg(not(unix))]
pub(super) fn raise() -> usize {
    usize::MAX
}
