//! How many open challenges a player has. A challenge is counted before it is made, in one entry
//! that is compared and set: calls that come at once do not pass the limit together.

use prost::Message;
use tengen_kit::auth::Account;
use tengen_kit::status::Refusal;
use tengen_live::{LiveError, Version};
use tengen_proto::internal::v1::{ListedChallenge, StoredChallenges};

use super::{LINGERS_MS, LOBBY, Lobby, OPEN_FOR_MS, TRIES, decode, is_open, shown};
use crate::error;

const KEY: &str = "open";

impl Lobby {
    /// Counts a challenge that is about to be made; one that is counted already is not again.
    ///
    /// # Errors
    /// LIMIT_REACHED with as many open ones as the account may have; CONTENDED; or the live state
    /// fails.
    pub(super) async fn count(&self, account: &Account, id: &str) -> Result<(), Refusal> {
        let (slot, most) = (slot(&account.id), self.config.open_challenges(account.tier));
        for _ in 0..TRIES {
            let (version, mut listed) = self.counted(&slot).await?;
            if listed.iter().any(|one| one.challenge_id == id) {
                return Ok(());
            }
            if listed.len() >= most {
                listed = self.still_open(listed).await?;
            }
            if listed.len() >= most {
                return Err(error::limit("open challenges", most));
            }
            let now_ms = self.live.now_ms();
            listed.push(ListedChallenge { challenge_id: id.to_owned(), at_ms: now_ms });
            let body = Some(StoredChallenges { listed }.encode_to_vec().into());
            let until_ms = Some(now_ms.saturating_add(OPEN_FOR_MS));
            match self.live.put_entry(&slot, KEY, version, body, until_ms).await {
                Ok(_) => return Ok(()),
                Err(LiveError::EntryConflict { .. }) => {}
                Err(error) => return Err(error::live(&error)),
            }
        }
        Err(error::contended(TRIES))
    }

    async fn counted(
        &self,
        slot: &str,
    ) -> Result<(Option<Version>, Vec<ListedChallenge>), Refusal> {
        let entry = self.live.entry(slot, KEY).await.map_err(|error| error::live(&error))?;
        let Some((version, body)) = entry else { return Ok((None, Vec::new())) };
        let stored = StoredChallenges::decode(body)
            .inspect_err(|error| tracing::error!(%error, %slot, "open challenges cannot be read"));
        Ok((Some(version), stored.unwrap_or_default().listed))
    }

    /// Those that are open, or about to be made. One that was closed lingers among the open ones
    /// for longer than it takes to make one.
    async fn still_open(
        &self,
        listed: Vec<ListedChallenge>,
    ) -> Result<Vec<ListedChallenge>, Refusal> {
        let mut open = Vec::with_capacity(listed.len());
        for one in listed {
            let entry = self.live.entry(LOBBY, &one.challenge_id).await;
            let stands = match entry.map_err(|error| error::live(&error))? {
                Some((_, body)) => decode(&body).is_some_and(|stored| is_open(&shown(&stored))),
                None => self.live.now_ms().saturating_sub(one.at_ms) < LINGERS_MS,
            };
            if stands {
                open.push(one);
            }
        }
        Ok(open)
    }
}

/// The slot of what a player has open.
fn slot(player_id: &str) -> String {
    format!("challenges:{player_id}")
}
