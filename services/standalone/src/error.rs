//! What goes wrong in a tool.

use tonic::Status;

/// Why a tool cannot do its work.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ToolError {
    /// A setting is wrong, which no second try mends.
    #[error("{0}")]
    Setting(String),
    /// What was called did not do what it was asked.
    #[error("{what}: {why}")]
    Failed {
        /// What was asked.
        what: &'static str,
        /// What came instead.
        why: String,
    },
}

impl ToolError {
    /// Whether a setting is wrong.
    #[must_use]
    pub fn is_setting(&self) -> bool {
        matches!(self, Self::Setting(_))
    }
}

/// A failure of what was asked.
pub(crate) fn failed(what: &'static str, why: impl ToString) -> ToolError {
    ToolError::Failed { what, why: why.to_string() }
}

/// A call that was refused, in one line.
pub(crate) fn refused(what: &'static str) -> impl Fn(Status) -> ToolError {
    move |status| failed(what, format_args!("{:?}, {}", status.code(), status.message()))
}
