//! What this process learns from its replicas by looking: who was signed out, and new keys.

use std::sync::Arc;

use tengen_kit::auth::Verifier;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;

use crate::keys::Keys;
use crate::store::Store;
use crate::tokens::LIFE_SECONDS;

/// How far back a revocation still counts: as long as a token lives, and a minute.
pub(crate) const KEPT_MS: i64 = LIFE_SECONDS * 1_000 + 60_000;
const LOOK_MS: i64 = 2_000;
const RENEW_KEYS_MS: i64 = 60_000;

/// Keeps this process's own verifier up to date until the shutdown begins: who was signed out on
/// another replica, and the keys.
pub(crate) async fn keep(
    store: Store,
    keys: Arc<Keys>,
    verifier: Arc<Verifier>,
    time: SharedTime,
    shutdown: Shutdown,
) {
    let mut renew_keys_at_ms = time.now_ms().saturating_add(RENEW_KEYS_MS);
    loop {
        let now_ms = time.now_ms();
        match store.revocations(now_ms.saturating_sub(KEPT_MS)).await {
            Ok(revocations) => verifier.revoke(revocations),
            Err(error) => tracing::warn!(%error, "who was signed out cannot be read"),
        }
        if now_ms >= renew_keys_at_ms {
            renew_keys_at_ms = now_ms.saturating_add(RENEW_KEYS_MS);
            if let Err(error) = keys.renew().await {
                tracing::warn!(%error, "the signing keys cannot be renewed");
            }
            if let Err(error) = verifier.renew_jwks(&keys.jwks()) {
                tracing::error!(%error, "the own keys are not taken");
            }
        }
        tokio::select! {
            () = time.until(now_ms.saturating_add(LOOK_MS)) => {}
            () = shutdown.begun() => return,
        }
    }
}
