//! Passwords: Argon2id, on few threads of its own, so that many sign-ins do not slow everything
//! else.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
#[cfg(target_os = "linux")]
use thread_priority::{NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;
use unicode_normalization::UnicodeNormalization;

use crate::turns::Turns;

/// Hashes and compares passwords, a few at a time; whoever finds the queue full is sent away.
#[derive(Debug, Clone)]
pub(crate) struct Passwords {
    /// One for each that is at work or waits.
    places: Arc<Semaphore>,
    /// To the threads, which end with the last of these.
    work: Sender<Work>,
    /// For those who are sent away.
    turns: Arc<Turns>,
    /// Of a password that nobody knows, to compare with where there is no account: a wrong name
    /// takes as long as a wrong password.
    nobody: Arc<str>,
}

/// Why a password was neither hashed nor compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PasswordError {
    /// The queue is full.
    #[error("too many sign-ins at once")]
    Busy {
        /// When there will be room.
        wait: Duration,
    },
    /// The library failed, what is stored is no hash, or there is no thread.
    #[error("the password cannot be hashed")]
    Failed,
}

type Work = Box<dyn FnOnce() + Send>;

impl Passwords {
    /// Works on `threads` at once and lets `queue` more wait.
    ///
    /// # Errors
    /// [`PasswordError::Failed`] if nothing can be hashed at all.
    pub(crate) fn new(threads: usize, queue: usize) -> Result<Self, PasswordError> {
        let threads = threads.max(1);
        let places = threads.saturating_add(queue).min(Semaphore::MAX_PERMITS);
        let (work, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for number in 1..=threads {
            let waiting = Arc::clone(&waiting);
            let thread = thread::Builder::new().name(format!("password-{number}"));
            thread.spawn(move || run(&waiting)).map_err(|_| PasswordError::Failed)?;
        }
        let begin = Instant::now();
        let nobody = hash(&rand::random::<[u8; 16]>())?.into();
        let turns = Arc::new(Turns::new(threads, queue / 2, begin.elapsed()));
        Ok(Self { places: Arc::new(Semaphore::new(places)), work, turns, nobody })
    }

    /// The hash of a new password, in the PHC format, with a salt of its own.
    ///
    /// # Errors
    /// [`PasswordError`].
    pub(crate) async fn hash(&self, password: &str) -> Result<String, PasswordError> {
        let password = normal(password);
        self.work(move || hash(password.as_bytes())).await
    }

    /// Whether the password is the one that was hashed. Without a hash, or with an empty one, the
    /// answer is no, after the same time.
    ///
    /// # Errors
    /// [`PasswordError`].
    pub(crate) async fn matches(
        &self,
        password: &str,
        stored: Option<&str>,
    ) -> Result<bool, PasswordError> {
        let password = normal(password);
        let stored = stored.filter(|stored| !stored.is_empty());
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
        let busy = |_| PasswordError::Busy { wait: self.turns.give(Instant::now()) };
        let place = place.map_err(busy)?;
        let (answer, done) = oneshot::channel();
        let turns = Arc::clone(&self.turns);
        let work = Box::new(move || {
            // Nobody waits for what its caller has given up; what is begun goes on.
            if !answer.is_closed() {
                let begin = Instant::now();
                let worked = work();
                turns.took(begin.elapsed());
                drop(place);
                // The caller may have gone meanwhile.
                let _ = answer.send(worked);
            }
        });
        self.work.send(work).map_err(|_| PasswordError::Failed)?;
        done.await.unwrap_or(Err(PasswordError::Failed))
    }
}

/// One thread's life.
fn run(waiting: &Mutex<Receiver<Work>>) {
    stand_back();
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(work) => work(),
            Err(_) => return,
        }
    }
}

/// This thread has what nobody else wants of a core, and leaves it the moment somebody does.
#[cfg(target_os = "linux")]
fn stand_back() {
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let here = thread_priority::thread_native_id();
    if let Err(error) =
        thread_priority::set_thread_priority_and_policy(here, ThreadPriority::Min, idle)
    {
        tracing::warn!(?error, "passwords are hashed at full priority");
    }
}

#[cfg(not(target_os = "linux"))]
fn stand_back() {}

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
    use std::sync::mpsc;

    use tokio::sync::oneshot;

    use super::{PasswordError, Passwords};

    /// Holds one of the threads until it is let go; it has begun when this returns.
    async fn hold(passwords: &Passwords) -> mpsc::Sender<()> {
        let ((go, wait), (begin, begun)) = (mpsc::channel(), oneshot::channel());
        let passwords = passwords.clone();
        tokio::spawn(async move {
            let held = passwords.work(move || {
                begin.send(()).expect("somebody waits");
                wait.recv().map_err(|_| PasswordError::Failed)
            });
            held.await
        });
        begun.await.expect("it begins");
        go
    }

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
        assert_eq!(matches("password", Some("")).await, Ok(false));
        assert_eq!(matches("password", Some("no hash")).await, Err(PasswordError::Failed));
    }

    #[tokio::test]
    async fn whoever_finds_the_queue_full_is_sent_away_and_may_come_again() {
        let passwords = Passwords::new(1, 2).expect("hashes");
        let go = hold(&passwords).await;
        let (one, two) = (passwords.hash("password"), passwords.hash("password"));
        let late = async {
            let refused = passwords.hash("password").await;
            go.send(()).expect("it waits");
            refused
        };
        let (one, two, late) = tokio::join!(biased; one, two, late);
        assert!(one.is_ok() && two.is_ok());
        assert!(matches!(late, Err(PasswordError::Busy { wait }) if !wait.is_zero()), "{late:?}");
        assert!(passwords.hash("password").await.is_ok());
    }

    #[tokio::test]
    async fn without_an_account_the_work_is_done_all_the_same() {
        let passwords = Passwords::new(1, 0).expect("hashes");
        let (one, other) =
            tokio::join!(biased; passwords.matches("password", None), passwords.hash("password"));
        assert_eq!(one, Ok(false));
        assert!(matches!(other, Err(PasswordError::Busy { .. })), "{other:?}");
    }

    #[tokio::test]
    async fn what_nobody_waits_for_any_more_is_not_begun() {
        let passwords = Passwords::new(1, 1).expect("hashes");
        let go = hold(&passwords).await;
        let (begin, begun) = oneshot::channel();
        let mut given_up = Box::pin(passwords.work(move || {
            let _ = begin.send(());
            Ok(())
        }));
        let waits = std::future::poll_fn(|context| {
            std::task::Poll::Ready(given_up.as_mut().poll(context).is_pending())
        });
        assert!(waits.await);
        drop(given_up);
        // Its place is taken until its turn comes.
        let full = passwords.hash("password").await;
        assert!(matches!(full, Err(PasswordError::Busy { .. })), "{full:?}");
        go.send(()).expect("it waits");
        assert!(begun.await.is_err());
        drop(passwords.places.acquire_many(2).await.expect("two free places"));
        assert!(passwords.hash("password").await.is_ok());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_threads_stand_back_and_nobody_else_does() {
        use thread_priority::thread_schedule_policy;
        use thread_priority::{NormalThreadSchedulePolicy, ThreadSchedulePolicy};
        let policy = || thread_schedule_policy().map_err(|_| PasswordError::Failed);
        let passwords = Passwords::new(1, 0).expect("hashes");
        let there = passwords.work(policy).await;
        assert_eq!(there, Ok(ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle)));
        assert_eq!(policy(), Ok(ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other)));
    }
}
