//! Instants and lengths of time as the wire has them, from and to milliseconds.

use prost_types::{Duration, Timestamp};

const MS_A_SECOND: i64 = 1_000;
const NANOS_A_MS: i32 = 1_000_000;

/// The instant `ms` milliseconds after the epoch.
pub fn timestamp(ms: i64) -> Timestamp {
    let (seconds, nanos) = split(ms);
    Timestamp { seconds, nanos }
}

/// A length of `ms` milliseconds.
pub fn duration(ms: i64) -> Duration {
    let sign = if ms < 0 { -1 } else { 1 };
    let (seconds, nanos) = split(ms.saturating_abs());
    Duration { seconds: sign * seconds, nanos: if sign < 0 { -nanos } else { nanos } }
}

/// Milliseconds of a length; `None` if it is no whole number of them, or does not fit.
pub fn duration_ms(duration: &Duration) -> Option<i64> {
    whole_ms(duration.seconds, duration.nanos)
}

/// Milliseconds since the epoch; `None` if it is no whole number of them, or does not fit.
pub fn timestamp_ms(timestamp: &Timestamp) -> Option<i64> {
    whole_ms(timestamp.seconds, timestamp.nanos)
}

fn split(ms: i64) -> (i64, i32) {
    let nanos = i32::try_from(ms.rem_euclid(MS_A_SECOND)).unwrap_or(0) * NANOS_A_MS;
    (ms.div_euclid(MS_A_SECOND), nanos)
}

fn whole_ms(seconds: i64, nanos: i32) -> Option<i64> {
    if nanos % NANOS_A_MS != 0 {
        return None;
    }
    seconds.checked_mul(MS_A_SECOND)?.checked_add(i64::from(nanos / NANOS_A_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_go_there_and_back() {
        for ms in [0, 1, 999, 1_000, 59_999, -1, -999, -1_000, -1_001, 1_767_225_600_123] {
            assert_eq!(duration_ms(&duration(ms)), Some(ms));
            assert_eq!(timestamp_ms(&timestamp(ms)), Some(ms));
        }
    }

    #[test]
    fn what_is_no_whole_number_of_milliseconds_is_none() {
        assert_eq!(duration_ms(&Duration { seconds: 0, nanos: 1 }), None);
        assert_eq!(duration_ms(&Duration { seconds: i64::MAX, nanos: 0 }), None);
    }
}
