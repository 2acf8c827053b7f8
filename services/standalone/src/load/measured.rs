//! What was measured, and how it is told.

use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::table::Tally;
use crate::error::ToolError;

/// What was measured at one contender.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What it is called.
    pub name: String,
    /// For how long it was played against.
    pub elapsed: Duration,
    /// Moves that were acknowledged.
    pub moves: u64,
    /// Games that were played to their end.
    pub games: u64,
    /// Messages that the watchers were told.
    pub messages: u64,
    /// Watchers that were cut, as they read too slowly.
    pub cut: u64,
    /// Microseconds from a move to its acknowledgement.
    pub ack_us: Histogram<u64>,
    /// Microseconds from a move until the opponent sees it; empty where nobody is told.
    pub opponent_us: Histogram<u64>,
    /// The CPU that each process used meanwhile; the first is this one, `client`.
    pub cpu: Vec<(String, Duration)>,
    /// Bytes of its processes for each watcher, where it was measured.
    pub watcher_bytes: Option<u64>,
    /// Bytes in Redis for each running game of 240 moves, where it was measured.
    pub redis_bytes: Option<u64>,
    /// How many things went wrong.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<ToolError>,
}

/// What was measured: first at the suite, then at each reference.
#[derive(Debug, Clone)]
pub struct Report(pub Vec<Measured>);

impl Report {
    /// Whether anything went wrong.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.0.iter().any(|measured| measured.errors > 0)
    }
}

impl Measured {
    /// Nothing yet.
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            elapsed: Duration::ZERO,
            moves: 0,
            games: 0,
            messages: 0,
            cut: 0,
            ack_us: histogram(),
            opponent_us: histogram(),
            cpu: Vec::new(),
            watcher_bytes: None,
            redis_bytes: None,
            errors: 0,
            first_error: None,
        }
    }

    /// Moves a second.
    #[must_use]
    pub fn moves_per_s(&self) -> u64 {
        per_s(self.moves, self.elapsed)
    }

    /// CPU of all processes together, in nanoseconds a move.
    #[must_use]
    pub fn cpu_ns_per_move(&self) -> u64 {
        per(self.cpu.iter().map(|(_, cpu)| *cpu).sum(), self.moves)
    }

    /// The CPU that one process used.
    #[must_use]
    pub fn cpu_of(&self, process: &str) -> Option<Duration> {
        self.cpu.iter().find(|(name, _)| name == process).map(|(_, cpu)| *cpu)
    }

    /// Adds what happened at a table.
    pub(super) fn add(&mut self, tally: &Tally) {
        self.moves += u64::try_from(tally.acks.len()).unwrap_or(0);
        self.games += tally.games;
        record(&mut self.ack_us, &tally.acks);
        record(&mut self.opponent_us, &tally.seen);
    }

    /// Adds what went wrong.
    pub(super) fn fail(&mut self, failures: &mut Vec<ToolError>) {
        self.errors += u64::try_from(failures.len()).unwrap_or(0);
        if self.first_error.is_none() && !failures.is_empty() {
            self.first_error = Some(failures.swap_remove(0));
        }
    }

    /// Adds CPU that processes used.
    pub(super) fn use_cpu<'a>(&mut self, used: impl Iterator<Item = (&'a str, Duration)>) {
        for (name, more) in used {
            match self.cpu.iter_mut().find(|(known, _)| known == name) {
                Some((_, cpu)) => *cpu += more,
                None => self.cpu.push((name.to_owned(), more)),
            }
        }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, moves, games, errors, .. } = self;
        let (seconds, rate) = (tenths(self.elapsed.as_millis(), 1_000), self.moves_per_s());
        writeln!(
            f,
            "load {name} moves={moves} seconds={seconds} moves_per_s={rate} games={games} errors={errors}"
        )?;
        if let Some(error) = &self.first_error {
            writeln!(f, "load {name} first_error: {error}")?;
        }
        for (what, us) in [("ack_us", &self.ack_us), ("opponent_us", &self.opponent_us)] {
            if !us.is_empty() {
                let (p50, p99) = (us.value_at_quantile(0.5), us.value_at_quantile(0.99));
                writeln!(f, "load {name} {what} p50={p50} p99={p99}")?;
            }
        }
        if self.messages > 0 {
            let (rate, cut) = (per_s(self.messages, self.elapsed), self.cut);
            writeln!(f, "load {name} watch_messages_per_s={rate} watchers_cut={cut}")?;
        }
        write!(f, "load {name} cpu_us_per_move")?;
        for (process, cpu) in &self.cpu {
            write!(f, " {process}={}", tenths(per(*cpu, self.moves).into(), 1_000))?;
        }
        writeln!(f, " all={}", tenths(self.cpu_ns_per_move().into(), 1_000))?;
        if let Some(bytes) = self.watcher_bytes {
            writeln!(f, "load {name} watcher_bytes={bytes}")?;
        }
        if let Some(bytes) = self.redis_bytes {
            writeln!(f, "load {name} redis_bytes_per_game={bytes}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|measured| measured.fmt(f))?;
        let Some((suite, references)) = self.0.split_first() else { return Ok(()) };
        for other in references {
            let p99 = |one: &Measured| one.ack_us.value_at_quantile(0.99);
            writeln!(
                f,
                "ratio {}/{} moves_per_s={} ack_p99={} cpu_per_move={}",
                suite.name,
                other.name,
                ratio(suite.moves_per_s(), other.moves_per_s()),
                ratio(p99(suite), p99(other)),
                ratio(suite.cpu_ns_per_move(), other.cpu_ns_per_move()),
            )?;
        }
        Ok(())
    }
}

/// One by the other, to two places; `-` where the other is nothing.
#[must_use]
pub fn ratio(one: u64, other: u64) -> String {
    let rounded = 100 * u128::from(one) + u128::from(other) / 2;
    match rounded.checked_div(other.into()) {
        Some(hundredths) => format!("{}.{:02}", hundredths / 100, hundredths % 100),
        None => "-".to_owned(),
    }
}

/// To one place.
fn tenths(value: u128, unit: u128) -> String {
    let tenths = (10 * value + unit / 2) / unit;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn per(cpu: Duration, moves: u64) -> u64 {
    u64::try_from(cpu.as_nanos() / u128::from(moves).max(1)).unwrap_or(u64::MAX)
}

fn per_s(count: u64, elapsed: Duration) -> u64 {
    let per_s = u128::from(count) * 1_000_000 / elapsed.as_micros().max(1);
    u64::try_from(per_s).unwrap_or(u64::MAX)
}

/// Three digits of anything from a microsecond to two minutes.
#[expect(clippy::unwrap_used, reason = "the bounds are within the crate's limits")]
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 120_000_000, 3).unwrap()
}

fn record(histogram: &mut Histogram<u64>, times: &[Duration]) {
    for time in times {
        histogram.saturating_record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Measured, Report, ratio, tenths};
    use crate::load::table::Tally;

    fn measured(name: &str, ms: u64) -> Measured {
        let mut measured = Measured::new(name);
        measured.elapsed = Duration::from_secs(2);
        let acks = (1..=100).map(|_| Duration::from_millis(ms)).collect();
        measured.add(&Tally { acks, games: 1, ..Tally::default() });
        let cpu = [("client", Duration::from_millis(ms)), ("game", Duration::from_millis(2 * ms))];
        measured.use_cpu(cpu.into_iter());
        measured
    }

    #[test]
    fn a_report_tells_what_was_measured_and_how_it_compares() {
        let told = Report(vec![measured("suite", 3), measured("echo", 2)]).to_string();
        let lines: Vec<_> = told.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "load suite moves=100 seconds=2.0 moves_per_s=50 games=1 errors=0",
                "load suite ack_us p50=3001 p99=3001",
                "load suite cpu_us_per_move client=30.0 game=60.0 all=90.0",
            ]
        );
        let last = "ratio suite/echo moves_per_s=1.00 ack_p99=1.50 cpu_per_move=1.50";
        assert_eq!((lines.len(), lines[6]), (7, last));
    }

    #[test]
    fn figures_are_rounded_and_nothing_divides_by_zero() {
        assert_eq!([ratio(2, 3), ratio(7, 2), ratio(1, 0)], ["0.67", "3.50", "-"]);
        assert_eq!([tenths(1_949, 1_000), tenths(1_951, 1_000)], ["1.9", "2.0"]);
    }
}
