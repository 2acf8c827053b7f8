//! Whose tokens are good.

use tengen_kit::auth::Revocation;
use tengen_kit::client::ServiceChannel;
use tengen_proto::internal::v1::ListRevocationsRequest;
use tengen_proto::internal::v1::revocation_service_client::RevocationServiceClient;
use tengen_proto::session::v1::GetKeysRequest;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::time::{timestamp, timestamp_ms};
use tonic::Status;

/// A token lives ten minutes: so many sign-outs may be told at once.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The keys of access tokens, as a JSON Web Key Set.
///
/// # Errors
/// What the session service answers.
pub async fn keys(sessions: ServiceChannel) -> Result<String, Status> {
    let answer = SessionServiceClient::new(sessions).get_keys(GetKeysRequest {}).await?;
    Ok(answer.into_inner().jwks)
}

/// Who was signed out after an instant, and the instant to ask from next.
///
/// # Errors
/// What the session service answers.
pub async fn revocations(
    sessions: ServiceChannel,
    after_ms: i64,
) -> Result<(Vec<Revocation>, i64), Status> {
    let mut client = RevocationServiceClient::new(sessions).max_decoding_message_size(MOST_BYTES);
    let request = ListRevocationsRequest { after: Some(timestamp(after_ms)) };
    let answer = client.list_revocations(request).await?.into_inner();
    let revocations = answer.revocations.into_iter().map(|revocation| Revocation {
        account_id: revocation.player_id,
        generation: revocation.generation,
    });
    let next_ms = answer.as_of.as_ref().and_then(timestamp_ms).unwrap_or_default();
    Ok((revocations.collect(), next_ms))
}
