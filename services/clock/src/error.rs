//! Refusals of this service, and what the game service's become here.

use tengen_kit::status::Refusal;
use tonic::{Code, Status};

/// What the game service answered, as this service's caller sees it: what is wrong with the
/// request stays, details and all; any other failure is ours, and stays in the log.
pub fn game(status: Status) -> Status {
    match status.code() {
        // Without the headers it came with.
        Code::NotFound | Code::InvalidArgument | Code::PermissionDenied => {
            Status::with_details(status.code(), status.message(), status.details().to_vec().into())
        }
        _ => {
            tracing::warn!(%status, "the game service failed");
            Refusal::behind_unavailable("game").into()
        }
    }
}

/// The stream ends here; its watcher may go on elsewhere at once. `sequence` is that of the last
/// clock it got.
pub fn elsewhere(sequence: i64) -> Status {
    let message = "watch again, on another replica";
    Refusal::new(Code::Unavailable, "RESUME_ELSEWHERE", message).meta("sequence", sequence).into()
}

/// The watcher reads too slowly. `sequence` is that of the last clock it got.
pub fn slow(sequence: i64) -> Status {
    let message = "messages were read too slowly; watch again";
    Refusal::new(Code::ResourceExhausted, "SLOW_WATCHER", message).meta("sequence", sequence).into()
}
