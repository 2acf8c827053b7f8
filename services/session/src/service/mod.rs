//! The calls. Each is parsed, decided, committed and rendered in a module of its kind.

pub(crate) mod attaching;
mod changing;
mod exchanging;
pub(crate) mod present;
mod reading;
mod reconnecting;
mod registering;
mod revocations;
mod signing_in;
mod signing_out;
mod suspending;

use std::sync::Arc;

use tengen_kit::auth::{Verifier, caller};
use tengen_kit::fields::Fields;
use tengen_kit::origin::Origins;
use tengen_kit::status::Refusal;
use tengen_kit::time::SharedTime;
use tengen_proto::session::v1 as wire;
use tengen_proto::session::v1::session_service_server::SessionService;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use self::attaching::{Device, Streams};
use crate::attempts::Attempts;
use crate::experience::Tiers;
use crate::families::Families;
use crate::keys::Keys;
use crate::password::Passwords;
use crate::provider::Provider;
use crate::store::{Account, Store};
use crate::tokens::Tokens;
use crate::{convert, error};

pub(crate) use self::revocations::Revocations;

type Answer<T> = Result<Response<T>, Status>;

/// Answers the calls of the contract that are built.
#[derive(Clone)]
pub(crate) struct Sessions {
    pub(crate) streams: Streams,
    pub(crate) store: Store,
    pub(crate) passwords: Passwords,
    pub(crate) attempts: Attempts,
    pub(crate) most_bots: i64,
    pub(crate) tiers: Tiers,
    pub(crate) provider: Option<Arc<Provider>>,
    pub(crate) origins: Origins,
    pub(crate) tokens: Tokens,
    pub(crate) families: Families,
    pub(crate) keys: Arc<Keys>,
    pub(crate) verifier: Arc<Verifier>,
    pub(crate) time: SharedTime,
}

#[tonic::async_trait]
impl SessionService for Sessions {
    async fn attach(
        &self,
        request: Request<wire::AttachRequest>,
    ) -> Answer<BoxStream<wire::AttachResponse>> {
        let player_id = caller(&request).account()?.id.clone();
        let wire::AttachRequest { device_id, after_sequence } = request.into_inner();
        let mut fields = Fields::new();
        fields.id("device_id", &device_id);
        fields.range("after_sequence", after_sequence, 0..=i64::MAX);
        fields.finish()?;
        let device = Device { player_id, device_id, sequence: after_sequence };
        Ok(Response::new(Box::pin(self.streams.attach(device).await?)))
    }

    async fn register(
        &self,
        request: Request<wire::RegisterRequest>,
    ) -> Answer<wire::RegisterResponse> {
        let origin = self.origins.of(&request);
        Ok(Response::new(self.registers(&origin, request.into_inner()).await?))
    }

    async fn sign_in(&self, request: Request<wire::SignInRequest>) -> Answer<wire::SignInResponse> {
        let origin = self.origins.of(&request);
        Ok(Response::new(self.signs_in(&origin, request.into_inner()).await?))
    }

    async fn reconnect(
        &self,
        request: Request<wire::ReconnectRequest>,
    ) -> Answer<wire::ReconnectResponse> {
        let origin = self.origins.of(&request);
        Ok(Response::new(self.reconnects(&origin, request.into_inner()).await?))
    }

    async fn exchange_token(
        &self,
        request: Request<wire::ExchangeTokenRequest>,
    ) -> Answer<wire::ExchangeTokenResponse> {
        let origin = self.origins.of(&request);
        Ok(Response::new(self.exchanges(&origin, request.into_inner()).await?))
    }

    async fn sign_out(
        &self,
        request: Request<wire::SignOutRequest>,
    ) -> Answer<wire::SignOutResponse> {
        let caller = caller(&request);
        Ok(Response::new(self.signs_out(&caller, request.into_inner()).await?))
    }

    async fn change_password(
        &self,
        request: Request<wire::ChangePasswordRequest>,
    ) -> Answer<wire::ChangePasswordResponse> {
        let (caller, origin) = (caller(&request), self.origins.of(&request));
        let answer =
            self.changes_password(caller.account()?, &origin, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn delete_account(
        &self,
        request: Request<wire::DeleteAccountRequest>,
    ) -> Answer<wire::DeleteAccountResponse> {
        let (caller, origin) = (caller(&request), self.origins.of(&request));
        Ok(Response::new(self.deletes(caller.account()?, &origin, request.into_inner()).await?))
    }

    async fn create_bot(
        &self,
        request: Request<wire::CreateBotRequest>,
    ) -> Answer<wire::CreateBotResponse> {
        let (caller, origin) = (caller(&request), self.origins.of(&request));
        Ok(Response::new(self.creates_bot(caller.account()?, &origin, request.into_inner()).await?))
    }

    async fn suspend_account(
        &self,
        request: Request<wire::SuspendAccountRequest>,
    ) -> Answer<wire::SuspendAccountResponse> {
        let caller = caller(&request);
        Ok(Response::new(self.suspends(caller.account()?, request.into_inner()).await?))
    }

    async fn lift_suspension(
        &self,
        request: Request<wire::LiftSuspensionRequest>,
    ) -> Answer<wire::LiftSuspensionResponse> {
        let caller = caller(&request);
        Ok(Response::new(self.lifts(caller.account()?, request.into_inner()).await?))
    }

    async fn get_account(
        &self,
        request: Request<wire::GetAccountRequest>,
    ) -> Answer<wire::GetAccountResponse> {
        let caller = caller(&request);
        Ok(Response::new(self.shows(&caller, request.into_inner()).await?))
    }

    async fn get_keys(&self, _: Request<wire::GetKeysRequest>) -> Answer<wire::GetKeysResponse> {
        Ok(Response::new(wire::GetKeysResponse { jwks: self.keys.jwks() }))
    }
}

impl Sessions {
    /// A first pair of tokens for somebody who has shown who he is.
    async fn grant(&self, account: &Account) -> Result<wire::Tokens, Refusal> {
        self.may_come(account).await?;
        let issued = self.tokens.issue(account)?;
        let reconnect = self.families.begin(&account.player_id, account.generation).await;
        Ok(convert::tokens(issued, reconnect.map_err(|error| error::live_failed(&error))?))
    }

    /// Whether somebody may sign in, who has shown who he is: neither he nor whose bot he is may be
    /// suspended or deleted.
    async fn may_come(&self, account: &Account) -> Result<(), Refusal> {
        let owner = match account.owner_id.as_str() {
            "" => None,
            owner_id => self.known(owner_id).await?,
        };
        for one in std::iter::once(account).chain(&owner) {
            if one.is_deleted() {
                return Err(error::wrong_credentials());
            }
            if one.suspended_until_ms > self.time.now_ms() {
                return Err(error::suspended(one));
            }
        }
        Ok(())
    }

    /// An account as it is shown to whoever has it.
    fn rendered(&self, account: Account) -> wire::Account {
        convert::account(account, &self.tiers)
    }

    async fn known(&self, player_id: &str) -> Result<Option<Account>, Refusal> {
        self.store.by_id(player_id).await.map_err(|error| error::store_failed(&error))
    }
}
