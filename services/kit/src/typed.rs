//! The layer that has the last word on refusals: what the transport refuses by itself, a request
//! that cannot be read, is told in the contract's words, with a reason.
//!
//! A refusal of ours always carries details. One without them comes from below the services, which
//! blames the server for what the client sent.

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use futures_util::future::{Either, MapOk, TryFutureExt};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request, Response, StatusCode};
use tonic::{Code, Status};
use tower::{Layer, Service};

use crate::service::MAX_MESSAGE_BYTES;
use crate::status::Refusal;

const DETAILS: &str = "grpc-status-details-bin";

/// Adds the layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed;

/// A service behind the layer.
#[derive(Debug, Clone)]
pub(crate) struct TypedService<S>(S);

impl<S> Layer<S> for Typed {
    type Service = TypedService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        TypedService(inner)
    }
}

impl<S, RequestBody, ResponseBody> Service<Request<RequestBody>> for TypedService<S>
where
    S: Service<Request<RequestBody>, Response = Response<ResponseBody>>,
    ResponseBody: Default,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<
        MapOk<S::Future, fn(S::Response) -> S::Response>,
        Ready<Result<S::Response, S::Error>>,
    >;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        if !is_grpc(request.headers()) {
            let mut response = Status::from(no_grpc()).into_http();
            *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Either::Right(ready(Ok(response)));
        }
        Either::Left(self.0.call(request).map_ok(typed::<ResponseBody>))
    }
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let suffix = value.and_then(|value| value.strip_prefix("application/grpc"));
    suffix.is_some_and(|suffix| matches!(suffix, "" | "+proto") || suffix.starts_with(';'))
}

fn typed<B: Default>(response: Response<B>) -> Response<B> {
    if response.headers().contains_key(DETAILS) {
        return response;
    }
    let refusal = Status::from_header_map(response.headers()).and_then(|status| refusal(&status));
    match refusal {
        Some(refusal) => Status::from(refusal).into_http(),
        None => response,
    }
}

/// What a status without details stands for; `None` if it may stay as it is.
fn refusal(status: &Status) -> Option<Refusal> {
    match status.code() {
        Code::Internal | Code::Unknown => Some(unreadable(status.message())),
        Code::OutOfRange | Code::ResourceExhausted => Some(too_large()),
        _ => None,
    }
}

fn unreadable(why: &str) -> Refusal {
    let message = format!("the request cannot be read: {why}");
    Refusal::new(Code::InvalidArgument, "INVALID_FIELD", message)
        .meta("field", "request")
        .meta("value", "")
        .meta("expected", "one message of the method's type")
        .field("request", "expected one message of the method's type")
}

fn too_large() -> Refusal {
    let message = format!("a request has at most {MAX_MESSAGE_BYTES} bytes");
    Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", message)
        .meta("limit", "bytes of a request")
        .meta("most", MAX_MESSAGE_BYTES)
}

fn no_grpc() -> Refusal {
    let message = "content-type: expected application/grpc";
    Refusal::new(Code::InvalidArgument, "INVALID_FIELD", message)
        .meta("field", "content-type")
        .meta("expected", "application/grpc")
        .field("content-type", "expected application/grpc")
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, Response};
    use tonic::{Code, Status};
    use tonic_types::StatusExt;

    use super::{Refusal, is_grpc, typed};

    fn after(status: Status) -> (Code, Option<String>) {
        let response: Response<()> = typed(status.into_http());
        let status = Status::from_header_map(response.headers()).expect("a status");
        let info = status.get_details_error_info();
        (status.code(), info.map(|info| info.reason))
    }

    #[test]
    fn what_the_transport_refuses_gets_a_reason() {
        for (code, told, reason) in [
            (Code::Internal, Code::InvalidArgument, "INVALID_FIELD"),
            (Code::Unknown, Code::InvalidArgument, "INVALID_FIELD"),
            (Code::OutOfRange, Code::ResourceExhausted, "LIMIT_REACHED"),
            (Code::ResourceExhausted, Code::ResourceExhausted, "LIMIT_REACHED"),
        ] {
            let status = Status::new(code, "failed to decode");
            assert_eq!(after(status), (told, Some(reason.to_owned())));
        }
    }

    #[test]
    fn other_answers_stay_as_they_are() {
        let ours = Refusal::new(Code::ResourceExhausted, "SLOW_WATCHER", "too slow");
        let told = (Code::ResourceExhausted, Some("SLOW_WATCHER".to_owned()));
        assert_eq!(after(ours.into()), told);
        let encoding = Status::new(Code::Unimplemented, "no such encoding");
        assert_eq!(after(encoding), (Code::Unimplemented, None));
        let answer = typed(Response::new("a message"));
        assert!(answer.headers().is_empty());
        assert_eq!(*answer.body(), "a message");
    }

    #[test]
    fn only_grpc_is_answered() {
        for (value, good) in [
            ("application/grpc", true),
            ("application/grpc+proto", true),
            ("application/grpc;charset=utf-8", true),
            ("application/grpc+json", false),
            ("application/grpcx", false),
            ("application/json", false),
            ("", false),
        ] {
            let headers =
                HeaderMap::from_iter([(super::CONTENT_TYPE, HeaderValue::from_static(value))]);
            assert_eq!(is_grpc(&headers), good, "{value}");
        }
        assert!(!is_grpc(&HeaderMap::new()));
    }
}
