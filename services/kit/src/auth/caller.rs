//! The caller of a request, as the gate found it.

use std::sync::Arc;

use tonic::{Code, Request};

use crate::status::Refusal;

/// Who calls. It stands in the extensions of each request that passed the gate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Caller {
    /// Anybody: no token was sent.
    #[default]
    Guest,
    /// An account, by an access token.
    Account(Arc<Account>),
    /// Another service of the suite, by its name.
    Service(Arc<str>),
}

/// What an access token says of its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: String,
    /// Its name, as shown.
    pub name: String,
    /// Whether it is a bot.
    pub bot: bool,
    /// The names of its roles: `PLAYER`.
    pub roles: Vec<String>,
    /// How often all tokens of the account had been revoked when this one was issued.
    pub generation: i64,
    /// The tier of experience it had then: 0 or more.
    pub tier: i32,
}

/// The caller of a request; a guest if the request passed no gate.
#[must_use]
pub fn caller<T>(request: &Request<T>) -> Caller {
    request.extensions().get().cloned().unwrap_or_default()
}

impl Caller {
    /// Whether the caller is an account with this role. A service has no roles, a guest neither.
    #[must_use]
    pub fn has_role(&self, role: &str) -> bool {
        matches!(self, Self::Account(account) if account.roles.iter().any(|held| held == role))
    }

    /// The id of the account that calls, if it is one.
    #[must_use]
    pub fn account_id(&self) -> Option<&str> {
        match self {
            Self::Account(account) => Some(&account.id),
            Self::Guest | Self::Service(_) => None,
        }
    }

    /// The account that calls.
    ///
    /// # Errors
    /// UNAUTHENTICATED for a guest, PERMISSION_DENIED for a service: neither is somebody.
    pub fn account(&self) -> Result<&Arc<Account>, Refusal> {
        match self {
            Self::Account(account) => Ok(account),
            Self::Guest => Err(no_token()),
            Self::Service(_) => Err(role_missing("PLAYER")),
        }
    }
}

pub(super) fn no_token() -> Refusal {
    let message = "sign in first: the call needs an access token";
    Refusal::new(Code::Unauthenticated, "INVALID_TOKEN", message).meta("token", "missing")
}

pub(super) fn role_missing(role: &str) -> Refusal {
    let message = format!("the call needs the role {role}");
    Refusal::new(Code::PermissionDenied, "ROLE_MISSING", message).meta("requires", role)
}
