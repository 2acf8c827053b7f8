//! The accounts that play: made at the start, signed in again before their tokens expire.

use std::sync::Arc;
use std::time::Duration;

use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{Account as Named, RegisterRequest, SignInRequest, Tokens};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tonic::Request;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;

use crate::error::{ToolError, failed, refused};

/// Passwords are hashed one after another there: more at once would only wait, or be refused.
const SIGN_INS_AT_ONCE: usize = 8;
/// A token lives ten minutes. It is changed some time before, and not all at the same instant.
const RENEW_AFTER_S: std::ops::Range<u64> = 300..480;

/// The way to the session service.
#[derive(Clone)]
pub struct Sessions {
    replicas: Vec<Channel>,
    turns: Arc<Semaphore>,
}

/// A signed-in account.
pub struct Account {
    /// Its id.
    pub id: String,
    name: String,
    password: String,
    sessions: Sessions,
    token: Mutex<Token>,
}

struct Token {
    value: MetadataValue<Ascii>,
    renew_at: Instant,
}

impl Sessions {
    /// Calls go to these replicas.
    pub fn new(replicas: Vec<Channel>) -> Self {
        Self { replicas, turns: Arc::new(Semaphore::new(SIGN_INS_AT_ONCE)) }
    }

    /// Makes accounts, as many as asked, whose names begin with `prefix`.
    ///
    /// # Errors
    /// The service refuses, or cannot be reached.
    pub async fn register(
        &self,
        prefix: &str,
        many: usize,
    ) -> Result<Vec<Arc<Account>>, ToolError> {
        let password = format!("{:032x}", rand::random::<u128>());
        let mut made = JoinSet::new();
        for number in 0..many {
            let (sessions, password) = (self.clone(), password.clone());
            let name = format!("{prefix}-{number}");
            made.spawn(async move { (number, sessions.make(name, password).await) });
        }
        let mut accounts = Vec::new();
        while let Some(account) = made.join_next().await {
            let (number, account) = account.map_err(|error| failed("registering", error))?;
            accounts.push((number, Arc::new(account?)));
        }
        accounts.sort_by_key(|(number, _)| *number);
        Ok(accounts.into_iter().map(|(_, account)| account).collect())
    }

    async fn make(self, name: String, password: String) -> Result<Account, ToolError> {
        let request = RegisterRequest {
            request_id: format!("{name}-register"),
            name: name.clone(),
            password: password.clone(),
        };
        let turn = self.turns.acquire().await;
        let answer = self.client().register(request).await.map_err(refused("registering"))?;
        drop(turn);
        let answer = answer.into_inner();
        Account::new(name, password, self, answer.account, answer.tokens)
    }

    /// Signs an account in that is there.
    ///
    /// # Errors
    /// As [`Sessions::register`].
    pub async fn sign_in(self, name: &str, password: &str) -> Result<Account, ToolError> {
        let (account, tokens) = self.tokens(name, password).await?;
        Account::new(name.to_owned(), password.to_owned(), self, account, tokens)
    }

    async fn tokens(
        &self,
        name: &str,
        password: &str,
    ) -> Result<(Option<Named>, Option<Tokens>), ToolError> {
        let request = SignInRequest { name: name.to_owned(), password: password.to_owned() };
        let _turn = self.turns.acquire().await;
        let answer = self.client().sign_in(request).await.map_err(refused("signing in"))?;
        let answer = answer.into_inner();
        Ok((answer.account, answer.tokens))
    }

    fn client(&self) -> SessionServiceClient<Channel> {
        let place = rand::random_range(0..self.replicas.len());
        SessionServiceClient::new(self.replicas[place].clone())
    }
}

impl Account {
    fn new(
        name: String,
        password: String,
        sessions: Sessions,
        account: Option<Named>,
        tokens: Option<Tokens>,
    ) -> Result<Self, ToolError> {
        let account = account.ok_or_else(|| failed("signing in", "an answer without account"))?;
        let token = Mutex::new(Token::new(tokens)?);
        Ok(Self { id: account.player_id, name, password, sessions, token })
    }

    /// A request of this account's.
    ///
    /// # Errors
    /// Its token cannot be renewed.
    pub async fn ask<T>(&self, message: T) -> Result<Request<T>, ToolError> {
        let mut token = self.token.lock().await;
        if Instant::now() >= token.renew_at {
            let (_, tokens) = self.sessions.tokens(&self.name, &self.password).await?;
            *token = Token::new(tokens)?;
        }
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", token.value.clone());
        Ok(request)
    }
}

impl Token {
    fn new(tokens: Option<Tokens>) -> Result<Self, ToolError> {
        let access = tokens.map(|tokens| tokens.access_token).unwrap_or_default();
        let value = format!("Bearer {access}").parse();
        let value = value.map_err(|error| failed("reading an access token", error))?;
        let renew_after = Duration::from_secs(rand::random_range(RENEW_AFTER_S));
        Ok(Self { value, renew_at: Instant::now() + renew_after })
    }
}
