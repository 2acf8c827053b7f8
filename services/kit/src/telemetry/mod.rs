//! What a process tells of itself: a log, numbers at `/metrics`, and spans of sampled traces.

pub(crate) mod calls;
pub mod logs;
pub mod metrics;
pub mod traces;

pub use logs::{LOG_VARIABLE, init};
pub use traces::{Span, Traced, traceparent};
