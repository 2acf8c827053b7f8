//! One word to all tasks of a process: end.

use std::io;

use tokio_util::sync::CancellationToken;

/// Told once, heard by all its clones. Streams and background tasks wait for [`Shutdown::begun`]
/// beside their own work.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    begun: CancellationToken,
    cut: CancellationToken,
}

impl Shutdown {
    /// Not begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins on SIGINT or SIGTERM; a second one cuts short what still runs. Must be called within a
    /// runtime.
    ///
    /// # Errors
    /// When the signals cannot be listened to.
    pub fn on_signal() -> io::Result<Self> {
        let shutdown = Self::new();
        let told = shutdown.clone();
        let mut signals = Signals::listen()?;
        tokio::spawn(async move {
            signals.next().await;
            told.begin();
            signals.next().await;
            told.cut.cancel();
        });
        Ok(shutdown)
    }

    /// Tells everybody. Telling again changes nothing.
    pub fn begin(&self) {
        self.begun.cancel();
    }

    /// Ends once the shutdown has begun.
    pub async fn begun(&self) {
        self.begun.cancelled().await;
    }

    /// Whether it has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// Ends once somebody has lost patience: whatever still runs is to be left.
    pub async fn cut_short(&self) {
        self.cut.cancelled().await;
    }
}

/// The signals that tell a process to end.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { interrupt, terminate })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The signal that tells a process to end.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
