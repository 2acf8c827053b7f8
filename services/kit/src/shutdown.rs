//! One word to all tasks of a process: end.

use std::io;

use tokio_util::sync::CancellationToken;

/// Told once, heard by all its clones. Streams and background tasks wait for [`Shutdown::begun`]
/// beside their own work.
#[derive(Debug, Clone, Default)]
pub struct Shutdown(CancellationToken);

impl Shutdown {
    /// Not begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins on SIGINT or SIGTERM. Must be called within a runtime.
    ///
    /// # Errors
    /// When the signals cannot be listened to.
    pub fn on_signal() -> io::Result<Self> {
        let shutdown = Self::new();
        let begun = shutdown.clone();
        let signal = signal()?;
        tokio::spawn(async move {
            signal.await;
            tracing::info!("told to end");
            begun.begin();
        });
        Ok(shutdown)
    }

    /// Tells everybody. Telling again changes nothing.
    pub fn begin(&self) {
        self.0.cancel();
    }

    /// Ends once the shutdown has begun.
    pub async fn begun(&self) {
        self.0.cancelled().await;
    }

    /// Whether it has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.0.is_cancelled()
    }
}

#[cfg(unix)]
fn signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
fn signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}
