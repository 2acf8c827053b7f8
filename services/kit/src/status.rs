//! Refusals: a code, a reason that a program can act on, and words for people.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

/// The domain of every `google.rpc.ErrorInfo` that is sent.
pub const DOMAIN: &str = "tengen";

/// Why a call is refused, on its way to a [`Status`] with the details of `google.rpc`.
///
/// ```
/// use tengen_kit::status::Refusal;
/// use tonic::{Code, Status};
///
/// let refusal = Refusal::new(Code::FailedPrecondition, "STALE_VERSION", "version 4 is not the last")
///     .meta("given", 4)
///     .meta("version", 5);
/// assert_eq!(Status::from(refusal).code(), Code::FailedPrecondition);
/// ```
#[derive(Debug, Clone)]
pub struct Refusal(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    code: Code,
    reason: &'static str,
    message: String,
    meta: HashMap<String, String>,
    fields: Vec<FieldViolation>,
    retry_after_ms: Option<u64>,
}

impl Refusal {
    /// A refusal for `reason`, a name of the contract without its prefix: `NOT_YOUR_TURN`.
    #[must_use]
    pub fn new(code: Code, reason: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            code,
            reason,
            message: message.into(),
            meta: HashMap::new(),
            fields: Vec::new(),
            retry_after_ms: None,
        }))
    }

    /// What is behind the service does not answer; the caller may try again in a second.
    /// `what` names it: `ledger`.
    #[must_use]
    pub fn behind_unavailable(what: &str) -> Self {
        let message = format!("{what} does not answer, try again with the same request_id");
        Self::new(Code::Unavailable, "BEHIND_UNAVAILABLE", message)
            .meta("what", what)
            .retry_after_ms(1_000)
    }

    /// Adds a fact beside the reason.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl fmt::Display) -> Self {
        self.0.meta.insert(key.into(), value.to_string());
        self
    }

    /// Names a field that is wrong, and what was expected of it.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, expected: impl Into<String>) -> Self {
        self.0.fields.push(FieldViolation::new(name, expected));
        self
    }

    /// Says how long to wait before another try.
    #[must_use]
    pub fn retry_after_ms(mut self, ms: u64) -> Self {
        self.0.retry_after_ms = Some(ms);
        self
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The reason.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.0.reason
    }
}

impl From<Refusal> for Status {
    fn from(Refusal(parts): Refusal) -> Self {
        let mut details = ErrorDetails::new();
        details.set_error_info(parts.reason, DOMAIN, parts.meta);
        if !parts.fields.is_empty() {
            details.set_bad_request(parts.fields);
        }
        if let Some(ms) = parts.retry_after_ms {
            details.set_retry_info(Some(Duration::from_millis(ms)));
        }
        Self::with_error_details(parts.code, parts.message, details)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.reason, self.0.message)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tonic::{Code, Status};
    use tonic_types::StatusExt;

    use super::Refusal;

    #[test]
    fn a_refusal_arrives_with_all_its_details() {
        let refusal = Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", "8 are open")
            .meta("most", 8)
            .field("challenge", "fewer than 8 open")
            .retry_after_ms(1_500);
        let status = Status::from(refusal);
        assert_eq!((status.code(), status.message()), (Code::ResourceExhausted, "8 are open"));

        let details = status.get_error_details();
        let info = details.error_info().expect("an ErrorInfo");
        assert_eq!((info.reason.as_str(), info.domain.as_str()), ("LIMIT_REACHED", "tengen"));
        assert_eq!(info.metadata["most"], "8");
        let field = &details.bad_request().expect("a BadRequest").field_violations[0];
        assert_eq!(field.field, "challenge");
        assert_eq!(field.description, "fewer than 8 open");
        let retry = details.retry_info().expect("a RetryInfo");
        assert_eq!(retry.retry_delay, Some(Duration::from_millis(1_500)));
    }
}
