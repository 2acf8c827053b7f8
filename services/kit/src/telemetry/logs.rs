//! Logging to standard error, filtered by a variable. A line that is written within a sampled span
//! names its trace.

use std::fmt;
use std::io::IsTerminal as _;

use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::traces;

/// The variable that filters the log, in the syntax of `tracing-subscriber`; by default `info`.
pub const LOG_VARIABLE: &str = "TENGEN_LOG";

/// How a line of the log is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// A format that names the trace at the end of a line.
struct Joined<F> {
    inner: F,
    format: LogFormat,
}

/// Starts logging for a process called `name`, filtered by [`LOG_VARIABLE`]. A second call changes
/// nothing.
pub fn init(name: &str) {
    let filter = EnvFilter::try_from_env(LOG_VARIABLE).unwrap_or_else(|_| EnvFilter::new("info"));
    if start(filter, LogFormat::Text) {
        tracing::info!(name, version = env!("CARGO_PKG_VERSION"), "starting");
    }
}

/// As [`init`], by a filter that was read before, and without a word.
pub(crate) fn init_with(filter: &str, format: LogFormat) {
    start(EnvFilter::new(filter), format);
}

fn start(filter: EnvFilter, format: LogFormat) -> bool {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Text => subscriber.map_event_format(|inner| Joined { inner, format }).try_init(),
        LogFormat::Json => subscriber
            .json()
            .flatten_event(true)
            .map_event_format(|inner| Joined { inner, format })
            .try_init(),
    };
    started.is_ok()
}

impl<S, N, F> FormatEvent<S, N> for Joined<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some((trace_id, span_id)) = traces::current_ids() else {
            return self.inner.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.inner.format_event(context, Writer::new(&mut line), event)?;
        match (self.format, line.trim_end().strip_suffix('}')) {
            (LogFormat::Json, Some(fields)) => {
                writeln!(writer, "{fields},\"trace_id\":\"{trace_id}\",\"span_id\":\"{span_id}\"}}")
            }
            _ => writeln!(writer, "{} trace_id={trace_id} span_id={span_id}", line.trim_end()),
        }
    }
}
