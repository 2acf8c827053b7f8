//! The calls: parse, decide, commit, render.

use tengen_kit::auth::caller;
use tengen_kit::fields::Fields;
use tengen_kit::id;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_proto::session::v1 as wire;
use tengen_proto::session::v1::session_service_server::SessionService;
use tonic::{Request, Response, Status};

use crate::names::{self, Name};
use crate::password::Passwords;
use crate::store::{Account, Added, Store};
use crate::tokens::Tokens;
use crate::{convert, error};

/// Answers the calls of the contract that are built.
#[derive(Clone)]
pub(crate) struct Sessions {
    pub(crate) store: Store,
    pub(crate) passwords: Passwords,
    pub(crate) tokens: Tokens,
    /// The key set of the tokens.
    pub(crate) jwks: String,
    pub(crate) time: SharedTime,
}

/// A registration whose fields are in order.
struct Registration {
    request_id: String,
    name: Name,
    password: String,
}

#[tonic::async_trait]
impl SessionService for Sessions {
    async fn register(
        &self,
        request: Request<wire::RegisterRequest>,
    ) -> Result<Response<wire::RegisterResponse>, Status> {
        let registration = parse_registration(request.into_inner())?;
        let account = self.registered(&registration).await?;
        let tokens = self.tokens.issue(&account)?;
        Ok(Response::new(wire::RegisterResponse {
            account: Some(convert::account(account)),
            tokens: Some(convert::tokens(tokens)),
        }))
    }

    async fn sign_in(
        &self,
        request: Request<wire::SignInRequest>,
    ) -> Result<Response<wire::SignInResponse>, Status> {
        let wire::SignInRequest { name, password } = request.into_inner();
        let mut fields = Fields::new();
        // Wider than what a new account may have: whoever has one must get in, whatever the rules
        // for names were when it was made.
        fields.text("name", &name, 1..=64);
        fields.secret("password", &password, 1..=128);
        fields.finish()?;

        let account = self.store.by_look(&names::look(&name)).await;
        let account = account.map_err(|error| error::store_failed(&error))?;
        let stored = account.as_ref().map(|account| account.password_hash.as_str());
        let matches = self.passwords.matches(&password, stored).await;
        let matches = matches.map_err(error::password_failed)?;
        let account = account.filter(|_| matches).ok_or_else(error::wrong_credentials)?;
        let tokens = self.tokens.issue(&account)?;
        Ok(Response::new(wire::SignInResponse {
            account: Some(convert::account(account)),
            tokens: Some(convert::tokens(tokens)),
        }))
    }

    async fn get_account(
        &self,
        request: Request<wire::GetAccountRequest>,
    ) -> Result<Response<wire::GetAccountResponse>, Status> {
        let caller = caller(&request);
        let mut player_id = request.into_inner().player_id;
        let mut fields = Fields::new();
        fields.id("player_id", &player_id);
        fields.finish()?;

        if player_id == "me" {
            player_id.clone_from(&caller.account()?.id);
        }
        let account = self.store.by_id(&player_id).await;
        let account = account
            .map_err(|error| error::store_failed(&error))?
            .ok_or_else(|| error::player_not_found(&player_id))?;
        Ok(Response::new(wire::GetAccountResponse { account: Some(convert::account(account)) }))
    }

    async fn get_keys(
        &self,
        _: Request<wire::GetKeysRequest>,
    ) -> Result<Response<wire::GetKeysResponse>, Status> {
        Ok(Response::new(wire::GetKeysResponse { jwks: self.jwks.clone() }))
    }
}

impl Sessions {
    /// The account of a registration: made now, or when the same request came before.
    async fn registered(&self, registration: &Registration) -> Result<Account, Refusal> {
        let Registration { request_id, name, password } = registration;
        let player_id = id::derive("player", &[request_id, &names::look(&name.shown)]);
        if let Some(account) = self.known(&player_id).await? {
            return self.repeated(account, registration).await;
        }
        // Before the password is hashed, which is dear; the store has the last word.
        let looks = name.looks();
        for look in &looks {
            let owner = self.store.by_look(look).await;
            if owner.map_err(|error| error::store_failed(&error))?.is_some() {
                return Err(error::name_taken(&name.shown));
            }
        }
        let hash = self.passwords.hash(password).await.map_err(error::password_failed)?;
        let account = Account {
            player_id,
            name: name.shown.clone(),
            password_hash: hash,
            bot: 0,
            owner_id: String::new(),
            created_at_ms: self.time.now_ms(),
        };
        let added = self.store.add(&account, &looks).await;
        match added.map_err(|error| error::store_failed(&error))? {
            Added::New => Ok(account),
            Added::Taken => Err(error::name_taken(&name.shown)),
            Added::Known => match self.known(&account.player_id).await? {
                Some(account) => self.repeated(account, registration).await,
                None => Err(Refusal::behind_unavailable("accounts")),
            },
        }
    }

    async fn known(&self, player_id: &str) -> Result<Option<Account>, Refusal> {
        self.store.by_id(player_id).await.map_err(|error| error::store_failed(&error))
    }

    /// The account again, if this is the request that made it.
    async fn repeated(
        &self,
        account: Account,
        registration: &Registration,
    ) -> Result<Account, Refusal> {
        let Registration { request_id, name, password } = registration;
        let stored = Some(account.password_hash.as_str());
        let matches = self.passwords.matches(password, stored).await;
        if matches.map_err(error::password_failed)? && account.name == name.shown {
            Ok(account)
        } else {
            Err(error::request_id_reused(request_id))
        }
    }
}

fn parse_registration(request: wire::RegisterRequest) -> Result<Registration, Refusal> {
    let wire::RegisterRequest { request_id, name: text, password } = request;
    let mut fields = Fields::new();
    fields.request_id(&request_id);
    let name = Name::parse(&text);
    if name.is_none() {
        fields.refuse("name", &text, names::EXPECTED);
    }
    fields.secret("password", &password, 8..=128);
    let name = fields.complete(name)?;
    Ok(Registration { request_id, name, password })
}
