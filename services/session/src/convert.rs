//! Between the service's words and those of the contract.

use prost_types::Timestamp;
use tengen_proto::session::v1 as wire;

use crate::store::Account;
use crate::tokens::Issued;

/// An account as everybody may see it.
pub(crate) fn account(account: Account) -> wire::Account {
    wire::Account {
        player_id: account.player_id,
        name: account.name,
        bot: account.bot != 0,
        owner_id: account.owner_id,
        created_at: Some(timestamp(account.created_at_ms)),
    }
}

/// What a sign-in gives.
pub(crate) fn tokens(issued: Issued) -> wire::Tokens {
    wire::Tokens {
        access_token: issued.token,
        access_expires_at: Some(timestamp(issued.expires_at_ms)),
        reconnect_token: String::new(),
        roles: issued.roles.into_iter().map(i32::from).collect(),
    }
}

fn timestamp(ms: i64) -> Timestamp {
    let nanos = i32::try_from(ms.rem_euclid(1_000) * 1_000_000).unwrap_or_default();
    Timestamp { seconds: ms.div_euclid(1_000), nanos }
}
