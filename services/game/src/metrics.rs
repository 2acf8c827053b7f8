//! The numbers of the games.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{Atomic, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::telemetry::metrics::{Registry, Unit, of_ms, seconds};
use tengen_kit::time::SharedTime;
use tengen_live::Live;
use tengen_table::{EndReason, Event, Fact, Phase};

use crate::convert::result;

/// How often is looked how long the oldest result waits.
const LOOK_MS: i64 = 2_000;
/// All phases.
const PHASES: [Phase; 6] =
    [Phase::Waiting, Phase::Paused, Phase::Playing, Phase::Counting, Phase::Restored, Phase::Ended];

/// What is counted of the games, by this replica. Clones count the same.
#[derive(Debug, Clone)]
pub struct Metrics {
    moves: Counter,
    /// How long the live state takes for a commit, whatever comes of it.
    pub commit: Histogram,
    flag_lateness: Histogram,
    phases: Family<InPhase, Counter>,
    /// Outages of the live state that this replica saw the end of.
    pub outages: Counter,
    /// Streams of games that are open.
    pub watchers: Gauge,
    /// Watchers that read too slowly.
    pub watchers_cut: Counter,
    outbox_lag: Gauge<f64, AtomicU64>,
    live_games: Family<InPhase, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InPhase {
    phase: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        let phases = Family::default();
        for phase in PHASES {
            // Shown from the beginning: the first that comes into it must not be missed.
            drop(phases.get_or_create(&InPhase::of(phase)));
        }
        Self {
            moves: Counter::default(),
            commit: seconds(),
            flag_lateness: seconds(),
            phases,
            outages: Counter::default(),
            watchers: Gauge::default(),
            watchers_cut: Counter::default(),
            outbox_lag: Gauge::default(),
            live_games: Family::default(),
        }
    }
}

impl Metrics {
    /// Shows them.
    pub fn register(&self, registry: &mut Registry) {
        let Self { moves, commit, flag_lateness, phases, watchers, .. } = self.clone();
        let Self { outages, watchers_cut, outbox_lag, live_games, .. } = self.clone();
        registry.register("moves", "Stones, passes and confirmations that were committed", moves);
        let help = "Time the live state takes for a commit, whatever comes of it";
        registry.register_with_unit("commit", help, Unit::Seconds, commit);
        let help = "Time from the instant a flag fell to the commit that says so";
        registry.register_with_unit("flag_lateness", help, Unit::Seconds, flag_lateness);
        registry.register("games_entered", "Games that came into a phase", phases);
        let help = "Outages of the live state that this replica saw the end of";
        registry.register("outages", help, outages);
        registry.register("watchers", "Open streams of games", watchers);
        registry.register("watchers_cut", "Watchers that read too slowly", watchers_cut);
        let help = "Age of the first result in the outbox, of all replicas; 0 without one";
        registry.register_with_unit("outbox_lag", help, Unit::Seconds, outbox_lag);
        let help = "Running games by phase, of all replicas";
        registry.register("live_games", help, live_games);
    }

    /// Counts what was committed, at this instant.
    pub fn committed(&self, events: &[Event], now_ms: i64) {
        for event in events {
            match &event.fact {
                Fact::Move(_) | Fact::Pass | Fact::Confirm => {
                    self.moves.inc();
                }
                Fact::Ended { reason: EndReason::Time | EndReason::TimeWhileAway, .. } => {
                    self.flag_lateness.observe(of_ms(now_ms.saturating_sub(event.at_ms)));
                }
                _ => {}
            }
        }
    }

    /// Counts a game that came into a phase.
    pub fn entered(&self, phase: Phase) {
        self.phases.get_or_create(&InPhase::of(phase)).inc();
    }

    /// Looks every two seconds how long the first result of the outbox waits and how many games
    /// run, until the shutdown.
    pub async fn look(self, live: Arc<dyn Live>, time: SharedTime, shutdown: Shutdown) {
        loop {
            match live.outbox_take(1).await {
                Ok(waiting) => {
                    let ended_ms = waiting.first().and_then(|first| result::at_ms(&first.body));
                    let lag_ms = ended_ms.map(|at_ms| live.now_ms().saturating_sub(at_ms));
                    self.outbox_lag.inner().set(of_ms(lag_ms.unwrap_or(0)));
                }
                Err(error) => tracing::debug!(%error, "the outbox does not answer"),
            }
            match live.labels().await {
                Ok(labels) => {
                    for phase in PHASES.into_iter().filter(|phase| *phase != Phase::Ended) {
                        let games = labels.get(phase_name(phase)).copied().unwrap_or(0);
                        self.live_games.get_or_create(&InPhase::of(phase)).set(games.max(0));
                    }
                }
                Err(error) => tracing::debug!(%error, "the live state does not answer"),
            }
            tokio::select! {
                biased;
                () = shutdown.begun() => return,
                () = time.until(time.now_ms().saturating_add(LOOK_MS)) => {}
            }
        }
    }
}

impl InPhase {
    fn of(phase: Phase) -> Self {
        Self { phase: phase_name(phase) }
    }
}

/// A phase as the contract names it.
pub const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Waiting => "WAITING",
        Phase::Paused => "PAUSED",
        Phase::Playing => "PLAYING",
        Phase::Counting => "COUNTING",
        Phase::Restored => "RESTORED",
        Phase::Ended => "ENDED",
    }
}
