//! What callers are told when they are refused.

use tengen_kit::sql;
use tengen_kit::status::Refusal;
use tengen_live::LiveError;
use tonic::Code;

use crate::password::PasswordError;
use crate::provider::Fault;
use crate::store::Account;

/// The name or the password is wrong; the same words for both.
pub(crate) fn wrong_credentials() -> Refusal {
    let message = "the name or the password is wrong";
    Refusal::new(Code::Unauthenticated, "WRONG_CREDENTIALS", message)
}

/// The name belongs to somebody else, or looks like one that does.
pub(crate) fn name_taken(name: &str) -> Refusal {
    let message = format!("the name {name} belongs to somebody, or looks like one that does");
    Refusal::new(Code::AlreadyExists, "NAME_TAKEN", message).meta("name", name)
}

/// A bot asked for what only persons may.
pub(crate) fn persons_only() -> Refusal {
    Refusal::new(Code::PermissionDenied, "PERSONS_ONLY", "a bot has no bots of its own")
}

/// A person has as many bots as may be.
pub(crate) fn too_many_bots(most: i64) -> Refusal {
    let message = format!("nobody has more than {most} bots");
    Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", message)
        .meta("limit", "bots of one person")
        .meta("most", most)
}

/// The account is suspended: told to whoever has shown that it is his.
pub(crate) fn suspended(account: &Account) -> Refusal {
    let Account { suspended_until_ms: until_ms, suspended_for: reason, .. } = account;
    let refusal = |message| {
        Refusal::new(Code::PermissionDenied, "ACCOUNT_SUSPENDED", message).meta("reason", reason)
    };
    match until_ms {
        &i64::MAX => refusal(format!("the account is suspended: {reason}")),
        until_ms => refusal(format!("the account is suspended for a while: {reason}"))
            .meta("until_ms", until_ms),
    }
}

/// The request was sent before with other content.
pub(crate) fn request_id_reused(request_id: &str) -> Refusal {
    let message = "this request_id was used before with other content";
    Refusal::new(Code::InvalidArgument, "REQUEST_ID_REUSED", message).meta("request_id", request_id)
}

/// There is no such player.
pub(crate) fn player_not_found(player_id: &str) -> Refusal {
    let message = format!("there is no player {player_id}");
    Refusal::new(Code::NotFound, "PLAYER_NOT_FOUND", message).meta("player_id", player_id)
}

/// The reconnect token is none that is good.
pub(crate) fn reconnect_token_unknown() -> Refusal {
    let message = "the reconnect token expired or was revoked, sign in again";
    Refusal::new(Code::Unauthenticated, "RECONNECT_TOKEN_UNKNOWN", message)
}

/// The reconnect token was used before (fault F15).
pub(crate) fn reconnect_token_reused() -> Refusal {
    let message =
        "the reconnect token was used before, so all that came of this sign-in is revoked";
    Refusal::new(Code::Unauthenticated, "RECONNECT_TOKEN_REUSED", message)
}

/// A race was lost too often.
pub(crate) fn contended(tries: u32) -> Refusal {
    let message = "others were always faster, try again with the same request_id";
    Refusal::new(Code::Aborted, "CONTENDED", message).meta("tries", tries)
}

/// There is no other identity provider.
pub(crate) fn no_identity_provider() -> Refusal {
    let message = "no tokens of another identity provider are taken here";
    Refusal::new(Code::FailedPrecondition, "NO_IDENTITY_PROVIDER", message)
}

/// A token of another identity provider is not taken.
pub(crate) fn foreign_token(fault: &Fault) -> Refusal {
    if *fault == Fault::NoKeys {
        return Refusal::behind_unavailable("identity provider");
    }
    let message = format!("the identity provider's token is {fault}");
    Refusal::new(Code::Unauthenticated, "FOREIGN_TOKEN_REFUSED", message).meta("token", fault)
}

/// This replica goes away.
pub(crate) fn resume_elsewhere() -> Refusal {
    Refusal::new(Code::Unavailable, "RESUME_ELSEWHERE", "resume on another replica")
}

/// The live state failed. What it says stays in the log.
pub(crate) fn live_failed(error: &LiveError) -> Refusal {
    tracing::warn!(%error, "the live state failed");
    Refusal::behind_unavailable("live state")
}

/// The accounts cannot be read or written.
pub(crate) fn store_failed(error: &sqlx::Error) -> Refusal {
    sql::refusal("accounts", error)
}

/// The password cannot be hashed, now or at all.
pub(crate) fn password_failed(error: PasswordError) -> Refusal {
    match error {
        PasswordError::Busy { wait } => {
            let message = "too many sign-ins at once, try again when it is your turn";
            Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", message)
                .meta("limit", "passwords at once")
                .retry_after_ms(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
        }
        PasswordError::Failed => {
            tracing::error!(%error, "a password was neither hashed nor compared");
            Refusal::behind_unavailable("passwords")
        }
    }
}
