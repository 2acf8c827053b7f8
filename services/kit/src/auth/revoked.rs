//! Accounts whose tokens of before are no longer good.

use std::collections::HashMap;
use std::future::{Future, pending};
use std::sync::Arc;

use tokio::sync::watch;

use super::caller::Account;

/// How long a revocation counts: as long as a token of before may live, and a minute.
const KEPT_MS: i64 = 11 * 60 * 1_000;

/// From now on an account's tokens are good from this generation on: it was signed out everywhere.
/// A number and no instant, so that no clock has to be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    /// The id of the account.
    pub account_id: String,
    /// The least generation that is good.
    pub generation: i64,
}

/// The revocations that count, and whoever waits for one.
#[derive(Debug, Default)]
pub(super) struct Revocations(watch::Sender<HashMap<String, Least>>);

/// The least generation that is good, and until when that has to be known.
#[derive(Debug, Clone, Copy)]
struct Least {
    generation: i64,
    until_ms: i64,
}

impl Revocations {
    pub(super) fn add(&self, new: impl IntoIterator<Item = Revocation>, now_ms: i64) {
        let until_ms = now_ms.saturating_add(KEPT_MS);
        self.0.send_if_modified(|known| {
            known.retain(|_, least| least.until_ms > now_ms);
            let mut changed = false;
            for Revocation { account_id, generation } in new {
                let least = known.entry(account_id).or_insert(Least { generation: 0, until_ms });
                if least.generation < generation {
                    *least = Least { generation, until_ms };
                    changed = true;
                }
            }
            changed
        });
    }

    /// Whether the token by which this account called is revoked.
    pub(super) fn hold(&self, account: &Account) -> bool {
        are_against(&self.0.borrow(), account)
    }

    /// Ends once it is.
    pub(super) fn of(&self, account: Arc<Account>) -> impl Future<Output = ()> + Send + 'static {
        let mut known = self.0.subscribe();
        async move {
            // Where nobody is left to revoke anything, nothing is.
            if known.wait_for(|known| are_against(known, &account)).await.is_err() {
                pending::<()>().await;
            }
        }
    }
}

fn are_against(known: &HashMap<String, Least>, account: &Account) -> bool {
    known.get(&account.id).is_some_and(|least| account.generation < least.generation)
}

#[cfg(test)]
mod tests {
    use super::{KEPT_MS, Revocation, Revocations};
    use crate::auth::Account;

    fn account(id: &str, generation: i64) -> Account {
        let (name, roles) = (id.to_owned(), Vec::new());
        Account { id: id.to_owned(), name, bot: false, roles, generation, tier: 0 }
    }

    #[test]
    fn a_revocation_counts_for_what_was_issued_before_it_and_as_long_as_that_may_live() {
        let revocations = Revocations::default();
        let revoke = |generation, now_ms| {
            let account_id = "ada".to_owned();
            revocations.add([Revocation { account_id, generation }], now_ms);
        };
        let held = || [0, 1, 2].map(|generation| revocations.hold(&account("ada", generation)));
        assert_eq!(held(), [false; 3]);
        revoke(1, 0);
        assert_eq!(held(), [true, false, false]);
        revoke(2, 1_000);
        // One that comes late says nothing new.
        revoke(1, 2_000);
        assert_eq!(held(), [true, true, false]);
        assert!(!revocations.hold(&account("bo", 0)));
        revocations.add([], 1_000 + KEPT_MS - 1);
        assert_eq!(held(), [true, true, false]);
        revocations.add([], 1_000 + KEPT_MS);
        assert_eq!(held(), [false; 3]);
    }
}
