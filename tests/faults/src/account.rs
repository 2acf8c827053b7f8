//! Players' accounts, signed in.

use std::sync::{Arc, Mutex, PoisonError};

use tengen_proto::session::v1::{RegisterRequest, SignInRequest, Tokens};

use crate::ways::Ways;

/// A token is renewed when it is this old; it is good for ten minutes.
const RENEWED_MS: i64 = 4 * 60_000;

/// A player.
#[derive(Debug)]
pub struct Account {
    pub id: String,
    name: String,
    /// The access token, and when it was got.
    token: Mutex<(String, i64)>,
}

/// A request id that was not used before.
pub fn request_id() -> String {
    format!("request-{:016x}", rand::random::<u64>())
}

impl Account {
    /// So many new accounts.
    pub async fn register(sessions: &Ways, count: usize) -> Vec<Arc<Self>> {
        Self::register_as(sessions, "player", count).await
    }

    /// So many new accounts, whose names begin so.
    pub async fn register_as(sessions: &Ways, name: &str, count: usize) -> Vec<Arc<Self>> {
        let mut accounts = Vec::new();
        for number in 0..count {
            let name = format!("{name}{number}");
            let request = RegisterRequest {
                request_id: request_id(),
                password: password(&name),
                name: name.clone(),
            };
            let told = sessions.ask(None, &request).await;
            let at_ms = told.answered_ms;
            let answer = told.answer();
            let token = Mutex::new((token(answer.tokens), at_ms));
            let id = answer.account.expect("an account").player_id;
            accounts.push(Arc::new(Self { id, name, token }));
        }
        accounts
    }

    /// The access token.
    pub fn token(&self) -> String {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Signs in again, if the token is old.
    pub async fn renew(&self, sessions: &Ways) {
        let got_ms = self.token.lock().unwrap_or_else(PoisonError::into_inner).1;
        if sessions.time().now_ms() >= got_ms + RENEWED_MS {
            self.sign_in(sessions).await;
        }
    }

    /// Signs in again.
    pub async fn sign_in(&self, sessions: &Ways) {
        let request = SignInRequest { name: self.name.clone(), password: password(&self.name) };
        let told = sessions.ask(None, &request).await;
        let at_ms = told.answered_ms;
        let token = token(told.answer().tokens);
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = (token, at_ms);
    }
}

fn token(tokens: Option<Tokens>) -> String {
    tokens.expect("tokens").access_token
}

fn password(name: &str) -> String {
    format!("the password of {name}")
}
