//! Numbers, shown at `/metrics` in the text format of OpenMetrics.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
pub use prometheus_client::registry::{Registry, Unit};

use super::calls::Calls;
use crate::ready::Readiness;
use crate::service::{AddMetrics, Page};
use crate::time::{Time as _, WallTime};

/// Where the numbers are.
const PATH: &str = "/metrics";
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// What every name begins with.
const PREFIX: &str = "tengen";
/// Upper bounds of the buckets of [`seconds`].
const BOUNDS: [f64; 15] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    10.0,
];

/// Shows what the process is ready by.
#[derive(Debug)]
struct Parts(Readiness);

impl Collector for Parts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Whether a part is there that the process cannot do without";
        let mut family = encoder.encode_descriptor("ready", help, None, MetricType::Gauge)?;
        for (part, set) in self.0.parts() {
            let is_set: ConstGauge = ConstGauge::new(i64::from(set));
            is_set.encode(family.encode_family(&[("part", part)])?)?;
        }
        Ok(())
    }
}

/// A histogram of durations, from a tenth of a millisecond to ten seconds.
#[must_use]
pub fn seconds() -> Histogram {
    Histogram::new(BOUNDS)
}

/// Milliseconds as the seconds that are shown; none below zero.
#[must_use]
pub fn of_ms(ms: i64) -> f64 {
    Duration::from_millis(ms.max(0).unsigned_abs()).as_secs_f64()
}

/// The page with the numbers of a server and its services.
pub(crate) fn page(calls: &Calls, readiness: Readiness, services: Vec<AddMetrics>) -> Page {
    let mut registry = Registry::default();
    let started: ConstGauge = ConstGauge::new(WallTime::start().now_ms() / 1_000);
    let help = "When the process had its service, in seconds of Unix time";
    registry.register_with_unit("process_start_time", help, Unit::Seconds, started);
    let own = registry.sub_registry_with_prefix(PREFIX);
    calls.register(own);
    own.register_collector(Box::new(Parts(readiness)));
    for add in services {
        add(own);
    }
    let registry = Arc::new(registry);
    let content = move || {
        let mut shown = String::new();
        // Writing to a string does not fail.
        let _ = text::encode(&mut shown, &registry);
        shown
    };
    Page { path: PATH, content_type: CONTENT_TYPE, content: Arc::new(content) }
}
