//! A collector of traces: takes spans by OTLP over gRPC, and keeps them.

use std::collections::HashMap;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// What anything may take on a busy machine before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A collector on a port of its own.
pub struct Collector {
    pub url: String,
    spans: watch::Receiver<Vec<Seen>>,
}

/// A span that came. Ids are in hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub service: String,
    pub name: String,
    pub trace: String,
    pub id: String,
    /// Empty for the first of a trace.
    pub parent: String,
}

struct Taking(watch::Sender<Vec<Seen>>);

/// The header of a client whose own span has this number, in the trace of this number.
pub fn traceparent(trace: u8, span: u8) -> String {
    format!("00-{trace:032x}-{span:016x}-01")
}

impl Collector {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, spans) = watch::channel(Vec::new());
        let server = Server::builder().add_service(TraceServiceServer::new(Taking(sender)));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Self { url, spans }
    }

    /// How many spans came.
    pub fn spans(&self) -> usize {
        self.spans.borrow().len()
    }

    /// The spans of a trace by their names, as soon as these are all there.
    pub async fn trace(&self, trace: &str, names: &[&str]) -> HashMap<String, Seen> {
        let mut spans = self.spans.clone();
        let of_trace = |spans: &[Seen]| -> HashMap<String, Seen> {
            let found = spans.iter().filter(|span| span.trace == trace).cloned();
            found.map(|span| (span.name.clone(), span)).collect()
        };
        let all = |found: &HashMap<String, Seen>| names.iter().all(|it| found.contains_key(*it));
        let waited = timeout(PATIENCE, spans.wait_for(|spans| all(&of_trace(spans)))).await;
        let found = of_trace(&self.spans.borrow());
        assert!(waited.is_ok(), "{names:?} in {found:#?}");
        found
    }

    /// The first span of this name.
    pub async fn first(&self, name: &str) -> Seen {
        let mut spans = self.spans.clone();
        let named = |spans: &Vec<Seen>| spans.iter().any(|span| span.name == name);
        timeout(PATIENCE, spans.wait_for(named)).await.expect("comes").unwrap();
        self.all().into_iter().find(|span| span.name == name).unwrap()
    }

    /// All that came.
    pub fn all(&self) -> Vec<Seen> {
        self.spans.borrow().clone()
    }
}

#[tonic::async_trait]
impl TraceService for Taking {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for of_process in request.into_inner().resource_spans {
            let attributes = of_process.resource.unwrap_or_default().attributes;
            let named = attributes.into_iter().find(|attribute| attribute.key == "service.name");
            let service = match named.and_then(|name| name.value).and_then(|it| it.value) {
                Some(Value::StringValue(name)) => name,
                _ => String::new(),
            };
            let spans = of_process.scope_spans.into_iter().flat_map(|scope| scope.spans);
            let seen = spans.map(|span| Seen {
                service: service.clone(),
                name: span.name,
                trace: hex(&span.trace_id),
                id: hex(&span.span_id),
                parent: hex(&span.parent_span_id),
            });
            self.0.send_modify(|all| all.extend(seen));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
