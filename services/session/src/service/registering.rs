//! New accounts.

use tengen_kit::fields::Fields;
use tengen_kit::id;
use tengen_kit::status::Refusal;
use tengen_proto::session::v1 as wire;

use super::Sessions;
use crate::names::{self, Name};
use crate::store::{Account, Added};
use crate::{convert, error};

/// A registration whose fields are in order.
struct Registration {
    request_id: String,
    name: Name,
    password: String,
}

impl Sessions {
    pub(super) async fn registers(
        &self,
        request: wire::RegisterRequest,
    ) -> Result<wire::RegisterResponse, Refusal> {
        let registration = parse(request)?;
        let account = self.registered(&registration).await?;
        let tokens = self.grant(&account).await?;
        Ok(wire::RegisterResponse {
            account: Some(convert::account(account)),
            tokens: Some(tokens),
        })
    }

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
            generation: 0,
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

fn parse(request: wire::RegisterRequest) -> Result<Registration, Refusal> {
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
