//! Spans of sampled traces, sent to a collector by OTLP over gRPC.
//!
//! Where no collector is named there is no tracer, and a span is nothing: nothing is allocated for
//! it. The trace of a call goes from service to service by the W3C header `traceparent`.

use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context as Waker, Poll};
use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{
    SpanBuilder, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceId, Tracer as _,
    TracerProvider as _,
};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};
use pin_project_lite::pin_project;
use tonic::Code;

const TRACEPARENT: &str = "traceparent";
const TRACESTATE: &str = "tracestate";
const SAMPLER: &str = "OTEL_TRACES_SAMPLER";
const SAMPLER_ARGUMENT: &str = "OTEL_TRACES_SAMPLER_ARG";
/// The share of traces that is sampled if nobody says otherwise.
const RATIO: f64 = 0.01;
/// How long the last spans may take to get to the collector.
const LAST: Duration = Duration::from_secs(1);

static TRACER: OnceLock<SdkTracer> = OnceLock::new();

/// Sends the spans of this process until it is ended.
pub(crate) struct Exporting(Option<SdkTracerProvider>);

/// A piece of work in a trace; nothing where there is no tracer, or no trace to belong to. It ends
/// with the work it is put around.
#[derive(Debug, Clone, Default)]
pub struct Span(Option<Context>);

pin_project! {
    /// Work within a [`Span`].
    #[derive(Debug)]
    pub struct Traced<F> {
        #[pin]
        work: F,
        span: Span,
    }
}

/// What a caller sends of its trace.
struct Carried<'a> {
    parent: Option<&'a str>,
    state: Option<&'a str>,
}

/// Begins to send spans to the collector at `endpoint`, if there is one. Must be called within a
/// runtime.
///
/// # Errors
/// When `endpoint` is no address.
pub(crate) fn start(
    name: &'static str,
    endpoint: Option<&str>,
) -> Result<Exporting, ExporterBuildError> {
    let Some(endpoint) = endpoint else { return Ok(Exporting(None)) };
    let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint).build()?;
    let resource = Resource::builder()
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    // A name of the environment's goes before.
    let resource = match std::env::var_os("OTEL_SERVICE_NAME") {
        Some(_) => resource,
        None => resource.with_service_name(name),
    };
    let mut builder =
        SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build());
    if std::env::var_os(SAMPLER).is_none() {
        let ratio = std::env::var(SAMPLER_ARGUMENT).ok().and_then(|ratio| ratio.parse().ok());
        let ratio = Sampler::TraceIdRatioBased(ratio.unwrap_or(RATIO));
        builder = builder.with_sampler(Sampler::ParentBased(Box::new(ratio)));
    }
    let provider = builder.build();
    TRACER.get_or_init(|| provider.tracer("tengen"));
    Ok(Exporting(Some(provider)))
}

impl Exporting {
    /// Sends what is left; what takes longer than a second is lost.
    pub(crate) async fn end(self) {
        let Some(provider) = self.0 else { return };
        // It blocks, and the exporter's connection lives on this runtime.
        let ended = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(LAST)).await;
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the last spans were not sent"),
            Err(error) => tracing::warn!(%error, "the last spans were not sent"),
        }
    }
}

impl Span {
    /// A part of what this task does; nothing outside of a sampled trace.
    #[must_use]
    pub fn child(name: &'static str) -> Self {
        let Some(tracer) = TRACER.get() else { return Self(None) };
        let parent = Context::map_current(|current| {
            current.span().span_context().is_sampled().then(|| current.clone())
        });
        Self(parent.map(|parent| begin(tracer, SpanBuilder::from_name(name), &parent)))
    }

    /// The beginning of a trace, if it is sampled.
    #[must_use]
    pub fn root(name: &'static str) -> Self {
        let builder = SpanBuilder::from_name(name);
        Self(TRACER.get().map(|tracer| begin(tracer, builder, &Context::new())))
    }

    /// What goes on elsewhere, and maybe later, in the trace that [`traceparent`] gave; nothing
    /// where it gave none.
    #[must_use]
    pub fn resumed(name: &'static str, traceparent: &str) -> Self {
        let Some(tracer) = TRACER.get().filter(|_| !traceparent.is_empty()) else {
            return Self(None);
        };
        let parent = Carried { parent: Some(traceparent), state: None }.context();
        if !parent.span().span_context().is_sampled() {
            return Self(None);
        }
        let builder = SpanBuilder::from_name(name).with_kind(SpanKind::Consumer);
        Self(Some(begin(tracer, builder, &parent)))
    }

    /// The answer to a call, in the trace of whoever calls. `method` is its path without the first
    /// slash.
    pub(crate) fn of_call(method: &'static str, headers: &HeaderMap) -> Self {
        let Some(tracer) = TRACER.get() else { return Self(None) };
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let parent = Carried { parent: text(TRACEPARENT), state: text(TRACESTATE) }.context();
        let builder = SpanBuilder::from_name(method).with_kind(SpanKind::Server);
        let span = Self(Some(begin(tracer, builder, &parent)));
        span.with("rpc.system", "grpc").with("rpc.method", method)
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(self, key: &'static str, value: impl Into<Value>) -> Self {
        if let Some(context) = self.sampled() {
            context.span().set_attribute(KeyValue::new(key, value));
        }
        self
    }

    /// Names another trace that this belongs to as well.
    #[must_use]
    pub fn linked(self, traceparent: &str) -> Self {
        if let Some(context) = self.sampled() {
            let other = Carried { parent: Some(traceparent), state: None }.context();
            let other = other.span().span_context().clone();
            if other.is_valid() {
                context.span().add_link(other, Vec::new());
            }
        }
        self
    }

    /// Puts it around its work.
    pub fn around<F: Future>(self, work: F) -> Traced<F> {
        Traced { work, span: self }
    }

    /// Does something within it.
    pub(crate) fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        let _attached = self.0.clone().map(Context::attach);
        work()
    }

    /// Ends it, as a call does with a code.
    pub(crate) fn end(&self, code: Code) {
        let Some(context) = &self.0 else { return };
        let span = context.span();
        if span.is_recording() {
            span.set_attribute(KeyValue::new("rpc.grpc.status_code", i64::from(i32::from(code))));
            if is_our_fault(code) {
                span.set_status(Status::error(code.description()));
            }
        }
        span.end();
    }

    fn sampled(&self) -> Option<&Context> {
        self.0.as_ref().filter(|context| context.span().is_recording())
    }
}

impl<F: Future> Future for Traced<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, waker: &mut Waker<'_>) -> Poll<F::Output> {
        let this = self.project();
        let polled = this.span.enter(|| this.work.poll(waker));
        if polled.is_ready()
            && let Some(context) = &this.span.0
        {
            context.span().end();
        }
        polled
    }
}

impl Carried<'_> {
    fn context(&self) -> Context {
        match self.parent {
            Some(_) => TraceContextPropagator::new().extract_with_context(&Context::new(), self),
            None => Context::new(),
        }
    }
}

impl Extractor for Carried<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        match key {
            TRACEPARENT => self.parent,
            TRACESTATE => self.state,
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT, TRACESTATE]
    }
}

/// The sampled span that this task is in, as [`Span::resumed`] takes it up; empty if there is none.
#[must_use]
pub fn traceparent() -> String {
    if TRACER.get().is_none() {
        return String::new();
    }
    Context::map_current(|current| {
        let span = current.span();
        let of = span.span_context();
        if of.is_sampled() { written(of) } else { String::new() }
    })
}

/// Sends the trace that this task is in on with a call, sampled or not: so all services agree.
pub(crate) fn inject(headers: &mut HeaderMap) {
    if TRACER.get().is_none() {
        return;
    }
    Context::map_current(|current| {
        let span = current.span();
        let of = span.span_context();
        if !of.is_valid() {
            return;
        }
        if let Ok(value) = HeaderValue::try_from(written(of)) {
            headers.insert(TRACEPARENT, value);
        }
        let state = of.trace_state().header();
        if let Some(value) = HeaderValue::try_from(state).ok().filter(|value| !value.is_empty()) {
            headers.insert(TRACESTATE, value);
        }
    });
}

/// The trace and the span that this task is in, if they are sampled.
pub(crate) fn current_ids() -> Option<(TraceId, SpanId)> {
    TRACER.get()?;
    Context::map_current(|current| {
        let span = current.span();
        let of = span.span_context();
        of.is_sampled().then(|| (of.trace_id(), of.span_id()))
    })
}

fn begin(tracer: &SdkTracer, builder: SpanBuilder, parent: &Context) -> Context {
    parent.with_span(tracer.build_with_context(builder, parent))
}

fn written(of: &SpanContext) -> String {
    format!("00-{}-{}-{:02x}", of.trace_id(), of.span_id(), of.trace_flags())
}

/// Whether the server failed, and not its caller.
fn is_our_fault(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::TraceContextExt as _;

    use super::*;

    #[test]
    fn a_header_is_taken_as_it_is_meant_or_not_at_all() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        for (parent, expected) in [
            (Some(good), Some(good)),
            (
                Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"),
                Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"),
            ),
            (Some("00-00000000000000000000000000000000-b7ad6b7169203331-01"), None),
            (Some("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"), None),
            (Some("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), None),
            (Some("nonsense"), None),
            (Some(""), None),
            (None, None),
        ] {
            let context = Carried { parent, state: None }.context();
            let span = context.span();
            let of = span.span_context();
            assert_eq!(of.is_valid().then(|| written(of)).as_deref(), expected, "{parent:?}");
        }
    }

    #[test]
    fn without_a_collector_a_span_is_nothing() {
        let mut headers = HeaderMap::new();
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        headers.insert(TRACEPARENT, HeaderValue::from_static(parent));
        for span in [
            Span::of_call("a/B", &headers),
            Span::root("a"),
            Span::child("a"),
            Span::resumed("a", parent),
        ] {
            assert!(span.0.is_none());
        }
        let mut sent = HeaderMap::new();
        inject(&mut sent);
        assert!(sent.is_empty() && traceparent().is_empty() && current_ids().is_none());
    }
}
