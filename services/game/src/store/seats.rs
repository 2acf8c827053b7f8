//! The list of each player's running games.

use bytes::Bytes;
use tengen_kit::status::Refusal;
use tengen_live::LiveError;
use tonic::Code;

use crate::error;
use crate::record::GameRecord;
use crate::store::Games;

/// How long after it was listed a game may not be made yet.
const MADE_MS: i64 = 60_000;

impl Games {
    /// The games in which a player holds a seat and that are not over, the newest first.
    ///
    /// # Errors
    /// When the live state fails.
    pub async fn of_player(&self, player_id: &str) -> Result<Vec<GameRecord>, Refusal> {
        let slot = slot(player_id);
        let listed = self.live.entries(&slot).await.map_err(|error| error::live(&error))?;
        let mut games = Vec::new();
        for (id, version, listed_at) in listed {
            match self.read(&id).await {
                Ok(record) if !record.ended() => games.push(record),
                Err(refusal) if refusal.code() != Code::NotFound => return Err(refusal),
                // It is being made at this moment.
                Err(_) if self.is_recent(&listed_at) => {}
                // Over, or gone: the list is swept as it is read.
                _ => drop(self.live.put_entry(&slot, &id, Some(version), None, None).await),
            }
        }
        games.sort_by_key(|record| std::cmp::Reverse(record.table.opened_at_ms()));
        Ok(games)
    }

    /// How many games run in which a player holds a seat; less exact while it is less than `most`,
    /// as some that are listed may be over.
    ///
    /// # Errors
    /// When the live state fails.
    pub async fn running(&self, player_id: &str, most: usize) -> Result<usize, Refusal> {
        match self.listed(player_id).await?.len() {
            listed if listed < most => Ok(listed),
            _ => Ok(self.of_player(player_id).await?.len()),
        }
    }

    /// The ids of the games that are listed; some may be over.
    pub(super) async fn listed(&self, player_id: &str) -> Result<Vec<String>, Refusal> {
        let listed = self.live.entries(&slot(player_id)).await;
        let listed = listed.map_err(|error| error::live(&error))?;
        Ok(listed.into_iter().map(|(id, ..)| id).collect())
    }

    /// Lists a game for a player. A list that is full is swept first.
    pub(super) async fn list(&self, player_id: &str, id: &str) -> Result<(), Refusal> {
        match self.put(player_id, id).await {
            Err(LiveError::Full(_)) => {}
            put => return put.map_err(|error| error::live(&error)),
        }
        self.of_player(player_id).await?;
        match self.put(player_id, id).await {
            Err(LiveError::Full(_)) => {
                let running = self.listed(player_id).await?.len();
                Err(error::limit("running games", running))
            }
            put => put.map_err(|error| error::live(&error)),
        }
    }

    async fn put(&self, player_id: &str, id: &str) -> Result<(), LiveError> {
        let listed_at = Some(Bytes::copy_from_slice(&self.live.now_ms().to_be_bytes()));
        match self.live.put_entry(&slot(player_id), id, None, listed_at, None).await {
            Ok(_) | Err(LiveError::EntryConflict { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether a game was listed so short ago that it may not be made yet.
    fn is_recent(&self, listed_at: &[u8]) -> bool {
        let listed_at_ms = listed_at.try_into().map_or(i64::MIN, i64::from_be_bytes);
        self.live.now_ms().saturating_sub(listed_at_ms) < MADE_MS
    }
}

/// The slot that lists a player's running games.
fn slot(player_id: &str) -> String {
    format!("seats:{player_id}")
}
