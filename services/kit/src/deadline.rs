//! Deadlines, passed on: what a caller's `grpc-timeout` leaves bounds the calls made on its behalf.
//!
//! A deadline bounds the time until a response begins; a stream that has begun lives on.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::{BoxFuture, Either};
use http::{HeaderMap, HeaderValue, Request, Response};
use tokio::time::{Instant, sleep_until};
use tonic::Status;
use tower::{Layer, Service};

const HEADER: &str = "grpc-timeout";

tokio::task_local! {
    static DEADLINE: Instant;
}

/// Ends a call at its deadline, and lets the calls it makes know of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadlines;

/// A service behind the layer.
#[derive(Debug, Clone)]
pub(crate) struct DeadlinesService<S>(S);

/// The deadline of the call that this task answers.
pub(crate) fn of_caller() -> Option<Instant> {
    DEADLINE.try_with(|at| *at).ok()
}

/// What a request's own header leaves; `None` without one that can be read.
pub(crate) fn left(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(HEADER)?.to_str().ok()?;
    let (number, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    if number.is_empty() || number.len() > 8 || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = number.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(number * 3_600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

/// Writes what is left into a request's header: in microseconds, or milliseconds from 100 s on, as
/// a number may have 8 digits.
pub(crate) fn write(headers: &mut HeaderMap, left: Duration) {
    let text = match left.as_micros() {
        micros @ 0..100_000_000 => format!("{micros}u"),
        micros => format!("{}m", (micros / 1_000).min(99_999_999)),
    };
    if let Ok(value) = HeaderValue::try_from(text) {
        headers.insert(HEADER, value);
    }
}

/// `work`, unless the deadline is first: then it is dropped. At the deadline nothing of it is begun
/// any more.
pub(crate) async fn within<T>(at: Instant, work: impl Future<Output = T>) -> Result<T, Status> {
    let (mut over, mut work) = (pin!(sleep_until(at)), pin!(work));
    poll_fn(|context| {
        // The timer is late by up to a millisecond, and more on a busy machine: the clock is not.
        if over.as_mut().poll(context).is_ready() || Instant::now() >= at {
            let message = "the deadline of the call has passed";
            return Poll::Ready(Err(Status::deadline_exceeded(message)));
        }
        work.as_mut().poll(context).map(Ok)
    })
    .await
}

impl<S> Layer<S> for Deadlines {
    type Service = DeadlinesService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        DeadlinesService(inner)
    }
}

impl<S, RequestBody, ResponseBody> Service<Request<RequestBody>> for DeadlinesService<S>
where
    S: Service<Request<RequestBody>, Response = Response<ResponseBody>>,
    S::Future: Send + 'static,
    ResponseBody: Default + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, BoxFuture<'static, Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let left = left(request.headers());
        let answer = self.0.call(request);
        let Some(at) = left.and_then(|left| Instant::now().checked_add(left)) else {
            return Either::Left(answer);
        };
        Either::Right(Box::pin(DEADLINE.scope(at, async move {
            match within(at, answer).await {
                Ok(answer) => answer,
                Err(status) => Ok(status.into_http()),
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use http::{HeaderMap, HeaderValue, Request, Response};
    use tokio::time::{Instant, advance};
    use tonic::{Code, Status};
    use tower::{Layer, ServiceExt, service_fn};

    use super::{Deadlines, HEADER, left, of_caller, within, write};

    #[test]
    fn a_header_says_how_long() {
        for (value, expected) in [
            ("1H", Some(Duration::from_secs(3_600))),
            ("2M", Some(Duration::from_secs(120))),
            ("3S", Some(Duration::from_secs(3))),
            ("50m", Some(Duration::from_millis(50))),
            ("50u", Some(Duration::from_micros(50))),
            ("0n", Some(Duration::ZERO)),
            ("99999999H", Some(Duration::from_secs(99_999_999 * 3_600))),
            ("123456789m", None),
            ("+5m", None),
            ("-5m", None),
            ("5", None),
            ("m", None),
            ("", None),
            ("5x", None),
        ] {
            let headers =
                HeaderMap::from_iter([(HEADER.parse().unwrap(), HeaderValue::from_static(value))]);
            assert_eq!(left(&headers), expected, "{value:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for micros in [0, 1, 49_999, 99_999_999, 100_000_000, 86_400_000_000] {
            let mut headers = HeaderMap::new();
            write(&mut headers, Duration::from_micros(micros));
            assert_eq!(left(&headers), Some(Duration::from_micros(micros)));
        }
    }

    /// The code that a call gets which takes `work_ms`, or what it saw of its deadline.
    async fn call(timeout: &'static str, work_ms: u64) -> Result<Option<Duration>, Code> {
        let start = Instant::now();
        let service = Deadlines.layer(service_fn(move |_: Request<()>| async move {
            let deadline = of_caller().map(|at| at - start);
            tokio::time::sleep_until(start + Duration::from_millis(work_ms)).await;
            let mut response = Response::new(String::new());
            *response.body_mut() = format!("{deadline:?}");
            response.extensions_mut().insert(deadline);
            Ok::<_, Infallible>(response)
        }));
        let request = Request::builder().header(HEADER, timeout).body(()).unwrap();
        let response = service.oneshot(request).await.unwrap();
        match Status::from_header_map(response.headers()) {
            Some(status) => Err(status.code()),
            None => Ok(*response.extensions().get::<Option<Duration>>().unwrap()),
        }
    }

    // fault: F23
    #[tokio::test(start_paused = true)]
    async fn a_call_ends_at_its_deadline_and_its_work_knows_it() {
        assert_eq!(call("50m", 49).await, Ok(Some(Duration::from_millis(50))));
        assert_eq!(call("50m", 60_000).await, Err(Code::DeadlineExceeded));
        assert_eq!(call("0n", 0).await, Err(Code::DeadlineExceeded));
        assert_eq!(call("nonsense", 60_000).await, Ok(None));
    }

    // fault: F23
    #[tokio::test(start_paused = true)]
    async fn at_the_deadline_nothing_is_begun() {
        let at = Instant::now() + Duration::from_millis(1);
        advance(Duration::from_millis(1)).await;
        let mut begun = false;
        let outcome = within(at, async { begun = true }).await;
        assert_eq!(outcome.unwrap_err().code(), Code::DeadlineExceeded);
        assert!(!begun);
    }
}
