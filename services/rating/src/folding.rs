//! Keeps the leaderboard's counts short of what bookings have moved.

use tengen_kit::shutdown::Shutdown;
use tengen_kit::time::SharedTime;

use crate::store::Store;

/// So long at least between two folds: what is booked meanwhile is folded together.
const PAUSE_MS: i64 = 1_000;
/// A process that books nothing looks after the bookings of others this often.
const LOOK_MS: i64 = 10_000;

/// Folds until the shutdown begins. Cut anywhere, it loses nothing.
pub(crate) async fn run(store: Store, time: SharedTime, shutdown: Shutdown) {
    tokio::select! {
        () = shutdown.begun() => {}
        () = forever(&store, &time) => {}
    }
}

async fn forever(store: &Store, time: &SharedTime) {
    let mut booked = store.booked();
    loop {
        if let Err(error) = store.fold_board().await {
            // Another process may have folded the same; what is left is counted all the same.
            tracing::debug!(%error, "the leaderboard's counts were not folded");
        }
        time.until(time.now_ms().saturating_add(PAUSE_MS)).await;
        tokio::select! {
            _ = booked.changed() => {}
            () = time.until(time.now_ms().saturating_add(LOOK_MS)) => {}
        }
    }
}
