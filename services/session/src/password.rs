//! Passwords: Argon2id, on few threads, so that many sign-ins do not slow everything else.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization;

/// Hashes and compares passwords, a few at a time; whoever finds the queue full is sent away.
#[derive(Debug, Clone)]
pub(crate) struct Passwords {
    /// One for each that is at work or waits.
    places: Arc<Semaphore>,
    /// One for each that is at work.
    threads: Arc<Semaphore>,
    /// Of a password that nobody knows, to compare with where there is no account: a wrong name
    /// takes as long as a wrong password.
    nobody: Arc<str>,
}

/// Why a password was neither hashed nor compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PasswordError {
    /// The queue is full.
    #[error("too many sign-ins at once")]
    Busy,
    /// The library failed, or what is stored is no hash.
    #[error("the password cannot be hashed")]
    Failed,
}

impl Passwords {
    /// Works on `threads` at once and lets `queue` more wait.
    ///
    /// # Errors
    /// [`PasswordError::Failed`] if nothing can be hashed at all.
    pub(crate) fn new(threads: usize, queue: usize) -> Result<Self, PasswordError> {
        let threads = threads.clamp(1, Semaphore::MAX_PERMITS);
        let places = threads.saturating_add(queue).min(Semaphore::MAX_PERMITS);
        Ok(Self {
            places: Arc::new(Semaphore::new(places)),
            threads: Arc::new(Semaphore::new(threads)),
            nobody: hash(&rand::random::<[u8; 16]>())?.into(),
        })
    }

    /// The hash of a new password, in the PHC format, with a salt of its own.
    ///
    /// # Errors
    /// [`PasswordError`].
    pub(crate) async fn hash(&self, password: &str) -> Result<String, PasswordError> {
        let password = normal(password);
        self.work(move || hash(password.as_bytes())).await
    }

    /// Whether the password is the one that was hashed. Without a hash the answer is no, after the
    /// same time.
    ///
    /// # Errors
    /// [`PasswordError`].
    pub(crate) async fn matches(
        &self,
        password: &str,
        stored: Option<&str>,
    ) -> Result<bool, PasswordError> {
        let password = normal(password);
        let known = stored.is_some();
        let stored: Arc<str> = stored.map_or_else(|| Arc::clone(&self.nobody), Arc::from);
        let same = self.work(move || compare(password.as_bytes(), &stored)).await?;
        Ok(same && known)
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> Result<T, PasswordError> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| PasswordError::Busy)?;
        let thread = Arc::clone(&self.threads).acquire_owned().await;
        let thread = thread.map_err(|_| PasswordError::Failed)?;
        let work = tokio::task::spawn_blocking(move || {
            // Held until the work is done, also when the caller has gone meanwhile.
            let _held = (place, thread);
            work()
        });
        work.await.unwrap_or(Err(PasswordError::Failed))
    }
}

/// The same password from any keyboard.
fn normal(password: &str) -> String {
    password.nfkc().collect()
}

fn hash(password: &[u8]) -> Result<String, PasswordError> {
    let hash = Argon2::default().hash_password(password).map_err(|_| PasswordError::Failed)?;
    Ok(hash.to_string())
}

fn compare(password: &[u8], stored: &str) -> Result<bool, PasswordError> {
    let stored = PasswordHash::new(stored).map_err(|_| PasswordError::Failed)?;
    Ok(Argon2::default().verify_password(password, &stored).is_ok())
}

#[cfg(test)]
mod tests {
    use super::{PasswordError, Passwords};

    #[tokio::test]
    async fn a_password_matches_its_hash_and_no_other() {
        let passwords = Passwords::new(1, 1).expect("hashes");
        let hash = passwords.hash("pass\u{301}word").await.expect("a hash");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_ne!(passwords.hash("pass\u{301}word").await.expect("a hash"), hash);

        let matches = async |password, stored| passwords.matches(password, stored).await;
        assert_eq!(matches("pass\u{301}word", Some(&hash)).await, Ok(true));
        assert_eq!(matches("paśword", Some(&hash)).await, Ok(false));
        assert_eq!(matches("pasśword", Some(&hash)).await, Ok(true));
        assert_eq!(matches("", Some(&hash)).await, Ok(false));
        assert_eq!(matches("password", None).await, Ok(false));
        assert_eq!(matches("password", Some("no hash")).await, Err(PasswordError::Failed));
    }

    #[tokio::test]
    async fn whoever_finds_the_queue_full_is_sent_away_and_may_come_again() {
        let passwords = Passwords::new(1, 1).expect("hashes");
        let storm: Vec<_> = (0..8)
            .map(|_| {
                let passwords = passwords.clone();
                tokio::spawn(async move { passwords.hash("password").await })
            })
            .collect();
        let mut answers = Vec::new();
        for one in storm {
            answers.push(one.await.expect("no panic"));
        }
        let busy = answers.iter().filter(|answer| **answer == Err(PasswordError::Busy)).count();
        let done = answers.iter().filter(|answer| answer.is_ok()).count();
        assert!(done >= 2 && busy >= 1 && done + busy == 8, "{answers:?}");
        assert!(passwords.hash("password").await.is_ok());
    }

    #[tokio::test]
    async fn without_an_account_the_work_is_done_all_the_same() {
        let passwords = Passwords::new(1, 0).expect("hashes");
        let (one, other) =
            tokio::join!(passwords.matches("password", None), passwords.hash("password"));
        assert_eq!(one, Ok(false));
        assert_eq!(other, Err(PasswordError::Busy));
    }

    #[tokio::test]
    async fn work_goes_on_without_its_caller_and_then_frees_its_place() {
        let passwords = Passwords::new(1, 0).expect("hashes");
        let mut gone = Box::pin(passwords.hash("password"));
        // Begun once, then given up.
        let begun = std::future::poll_fn(|context| {
            std::task::Poll::Ready(gone.as_mut().poll(context).is_pending())
        });
        assert!(begun.await);
        drop(gone);
        assert_eq!(passwords.hash("password").await, Err(PasswordError::Busy));
        drop(passwords.places.acquire().await.expect("a free place"));
        assert!(passwords.hash("password").await.is_ok());
    }
}
