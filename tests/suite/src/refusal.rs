//! What a refused call says.

use tengen_proto::common::v1::Reason;
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// A refusal, taken apart.
#[derive(Debug)]
pub struct Refused {
    pub code: Code,
    pub reason: String,
    pub message: String,
    pub metadata: std::collections::HashMap<String, String>,
    /// The fields that BadRequest names.
    pub fields: Vec<String>,
}

impl Refused {
    /// Takes a status apart. Every refusal has a reason of the contract.
    pub fn from(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details.error_info().unwrap_or_else(|| panic!("no ErrorInfo: {status:?}"));
        assert_eq!(info.domain, "tengen");
        let full = format!("REASON_{}", info.reason);
        assert!(Reason::from_str_name(&full).is_some(), "{full} is not of the contract");
        let violations = details.bad_request().map(|bad| bad.field_violations.clone());
        Self {
            code: status.code(),
            reason: info.reason.clone(),
            message: status.message().to_owned(),
            metadata: info.metadata.clone(),
            fields: violations.unwrap_or_default().into_iter().map(|one| one.field).collect(),
        }
    }

    /// The value of a key that must be there.
    pub fn meta(&self, key: &str) -> &str {
        self.metadata.get(key).unwrap_or_else(|| panic!("no {key} in {:?}", self.metadata))
    }
}

/// The reason a call was refused for.
pub fn reason<T: std::fmt::Debug>(result: Result<T, Status>) -> String {
    refused(result).reason
}

/// A call that must have been refused.
pub fn refused<T: std::fmt::Debug>(result: Result<T, Status>) -> Refused {
    Refused::from(&result.expect_err("the call is refused"))
}
