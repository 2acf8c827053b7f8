//! What processes of this machine have used, as the kernel tells it.

use std::fs;
use std::time::Duration;

use crate::error::{ToolError, failed};

/// The CPU that a process has used since it began, all its threads together.
///
/// # Errors
/// When there is no such process.
pub(super) fn cpu(pid: u32) -> Result<Duration, ToolError> {
    let what = "reading the CPU of a process";
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    let stat = stat.map_err(|error| failed(what, format_args!("{pid}: {error}")))?;
    let ticks = ticks(&stat).ok_or_else(|| failed(what, format_args!("{pid}: {stat}")))?;
    let ns =
        u128::from(ticks) * 1_000_000_000 / u128::from(rustix::param::clock_ticks_per_second());
    Ok(Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX)))
}

/// The memory that a process holds, in bytes.
///
/// # Errors
/// When there is no such process.
pub(super) fn resident(pid: u32) -> Result<u64, ToolError> {
    let what = "reading the memory of a process";
    let status = fs::read_to_string(format!("/proc/{pid}/status"));
    let status = status.map_err(|error| failed(what, format_args!("{pid}: {error}")))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let bytes = kilobytes.map(|kilobytes| kilobytes * 1_024);
    bytes.ok_or_else(|| failed(what, format_args!("{pid} has none")))
}

/// User and system time of `/proc/<pid>/stat`. The second field, in parentheses, may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u64>);
    Some(times.next()?.ok()? + times.next()?.ok()?)
}

#[cfg(test)]
mod tests {
    use super::{cpu, resident, ticks};

    #[test]
    fn times_stand_behind_a_name_that_may_hold_anything() {
        let stat = "7 (a) b (c)) S 1 7 7 0 -1 4194560 100 0 0 0 31 11 0 0 20 0 1 0 5 0";
        assert_eq!(ticks(stat), Some(42));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn this_process_is_there_and_another_is_not() {
        assert!(resident(std::process::id()).unwrap() > 100_000);
        assert!(cpu(std::process::id()).is_ok());
        assert!(cpu(u32::MAX).is_err() && resident(u32::MAX).is_err());
    }
}
