//! What goes wrong.

use tonic::Status;

/// Why a load cannot be put on, or a game cannot be played.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LoadError {
    /// A setting is wrong, which no second try mends.
    #[error("{0}")]
    Setting(String),
    /// Something that is played against did not do what it was asked.
    #[error("{what}: {why}")]
    Failed {
        /// What was asked.
        what: &'static str,
        /// What came instead.
        why: String,
    },
}

impl LoadError {
    /// Whether a setting is wrong.
    #[must_use]
    pub fn is_setting(&self) -> bool {
        matches!(self, Self::Setting(_))
    }
}

/// A failure of what was asked.
pub(super) fn failed(what: &'static str, why: impl ToString) -> LoadError {
    LoadError::Failed { what, why: why.to_string() }
}

/// A call that was refused, in one line.
pub(super) fn refused(what: &'static str) -> impl Fn(Status) -> LoadError {
    move |status| failed(what, format_args!("{:?}, {}", status.code(), status.message()))
}
