//! The traces that games ended in, which go on with what becomes of their results.

use std::collections::HashMap;

use tengen_kit::telemetry::Span;

use crate::store::GameEnd;

/// The traces of some results, by result; most are in none.
pub(crate) struct Traces(HashMap<String, String>);

impl Traces {
    /// Those that the results name, of which each has its id and the trace, empty or not.
    pub(crate) fn of<'a>(results: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let traced = results.filter(|(_, traceparent)| !traceparent.is_empty());
        let traces = traced.map(|(id, traceparent)| (id.to_owned(), traceparent.to_owned()));
        Self(traces.collect())
    }

    /// The booking of one result.
    pub(crate) fn of_one(&self, end: &GameEnd) -> Span {
        let Some(trace) = self.0.get(&end.result_id) else { return Span::default() };
        Span::resumed("book", trace).with("tengen.result_id", end.result_id.clone())
    }

    /// The acknowledgement of some: in the trace of the first, which names the others.
    pub(crate) fn of_all(&self, result_ids: &[String]) -> Span {
        let mut traces = result_ids.iter().filter_map(|id| self.0.get(id));
        let Some(first) = traces.next() else { return Span::default() };
        traces.fold(Span::resumed("acknowledge", first), |span, other| span.linked(other))
    }
}
