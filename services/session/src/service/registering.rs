//! New accounts, of persons and of their bots.

use tengen_kit::auth::Account as Caller;
use tengen_kit::fields::Fields;
use tengen_kit::id;
use tengen_kit::origin::Origin;
use tengen_kit::status::Refusal;
use tengen_proto::session::v1 as wire;

use super::Sessions;
use crate::error;
use crate::names::{self, Name};
use crate::store::{Account, Added};

/// A registration whose fields are in order.
struct Registration {
    request_id: String,
    name: Name,
    password: String,
    /// Whose bot it is; empty for a person.
    owner_id: String,
}

impl Sessions {
    pub(super) async fn registers(
        &self,
        origin: &Origin,
        request: wire::RegisterRequest,
    ) -> Result<wire::RegisterResponse, Refusal> {
        let wire::RegisterRequest { request_id, name, password } = request;
        let registration = parse(request_id, &name, password, "")?;
        let account = self.registered(origin, &registration).await?;
        let tokens = self.grant(&account).await?;
        Ok(wire::RegisterResponse { account: Some(self.rendered(account)), tokens: Some(tokens) })
    }

    pub(super) async fn creates_bot(
        &self,
        owner: &Caller,
        origin: &Origin,
        request: wire::CreateBotRequest,
    ) -> Result<wire::CreateBotResponse, Refusal> {
        let wire::CreateBotRequest { request_id, name, password } = request;
        let registration = parse(request_id, &name, password, &owner.id)?;
        if owner.bot {
            return Err(error::persons_only());
        }
        let account = self.registered(origin, &registration).await?;
        Ok(wire::CreateBotResponse { account: Some(self.rendered(account)) })
    }

    /// The account of a registration: made now, or when the same request came before.
    async fn registered(
        &self,
        origin: &Origin,
        registration: &Registration,
    ) -> Result<Account, Refusal> {
        let Registration { request_id, name, password, owner_id } = registration;
        let look = names::look(&name.shown);
        let player_id = match owner_id.as_str() {
            "" => id::derive("player", &[request_id, &look]),
            owner_id => id::derive("player", &[request_id, &look, owner_id]),
        };
        if let Some(account) = self.known(&player_id).await? {
            return self.repeated(origin, account, registration).await;
        }
        // Before the password is hashed, which is dear; the store has the last word.
        let looks = name.looks();
        for look in &looks {
            let owner = self.store.by_look(look).await;
            if owner.map_err(|error| error::store_failed(&error))?.is_some() {
                return Err(error::name_taken(&name.shown));
            }
        }
        self.attempts.register(origin).await?;
        let hash = self.passwords.hash(password).await.map_err(error::password_failed)?;
        let account = Account {
            bot: i64::from(!owner_id.is_empty()),
            owner_id: owner_id.clone(),
            ..Account::new(player_id, name.shown.clone(), hash, self.time.now_ms())
        };
        let added = self.store.add(&account, &looks, self.most_bots, None).await;
        match added.map_err(|error| error::store_failed(&error))? {
            Added::New => Ok(account),
            Added::Taken => Err(error::name_taken(&name.shown)),
            Added::Full => Err(error::too_many_bots(self.most_bots)),
            Added::Known => match self.known(&account.player_id).await? {
                Some(account) => self.repeated(origin, account, registration).await,
                None => Err(Refusal::behind_unavailable("accounts")),
            },
        }
    }

    /// The account again, if this is the request that made it.
    async fn repeated(
        &self,
        origin: &Origin,
        account: Account,
        registration: &Registration,
    ) -> Result<Account, Refusal> {
        let Registration { request_id, name, password, .. } = registration;
        let look = names::look(&name.shown);
        let matches = self.is_password(origin, &look, password, Some(&account)).await?;
        if matches && account.name == name.shown {
            Ok(account)
        } else {
            Err(error::request_id_reused(request_id))
        }
    }
}

fn parse(
    request_id: String,
    text: &str,
    password: String,
    owner_id: &str,
) -> Result<Registration, Refusal> {
    let mut fields = Fields::new();
    fields.request_id(&request_id);
    let name = Name::parse(text);
    if name.is_none() {
        fields.refuse("name", text, names::EXPECTED);
    }
    fields.secret("password", &password, 8..=128);
    let name = fields.complete(name)?;
    Ok(Registration { request_id, name, password, owner_id: owner_id.to_owned() })
}
