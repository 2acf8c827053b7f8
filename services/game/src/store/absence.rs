//! Games that somebody left. What session says of its players goes to each of their games; at the
//! end of a window it is asked once more, and no game ends without its answer (rulebook L11).

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use tengen_kit::status::Refusal;
use tengen_rules::Colour;
use tengen_table::{IfGone, Presence};
use tonic::Code;

use crate::error;
use crate::record::GameRecord;
use crate::store::{Games, TRIES};

/// Games that are told of a player at once.
const AT_ONCE: usize = 8;
/// How long after no answer came session is asked again.
const AGAIN_MS: i64 = 1_000;

/// Whether the sides that were asked for are still gone. Good for one decision.
#[derive(Debug, Default)]
pub(super) struct Answers([Option<bool>; 2]);

/// Whom to ask for, and by which account.
pub(super) type Asked = Vec<(Colour, String)>;

/// The players of these sides.
pub(super) fn asked(record: &GameRecord, if_gone: &IfGone) -> Asked {
    if_gone.sides.iter().map(|side| (*side, record.player(*side).id.clone())).collect()
}

impl Answers {
    /// Whether these are the answers to that question.
    pub(super) fn cover(&self, if_gone: &IfGone) -> bool {
        if_gone.sides.iter().all(|side| self.0[side.index()].is_some())
    }

    fn is_here(&self, side: Colour) -> bool {
        self.0[side.index()] == Some(false)
    }
}

impl Games {
    /// Lets happen what has fallen due, and says when the next thing does. Called too early,
    /// twice or late, it does nothing. Where it is not known whether an absent player is still
    /// gone, nobody loses, and the game is due again soon.
    ///
    /// # Errors
    /// GAME_NOT_FOUND; or the live state fails.
    pub async fn due(&self, id: &str) -> Result<Option<i64>, Refusal> {
        let seen = self.seen(id).await?;
        let mut record = seen.lock().await;
        self.refresh(&mut record).await?;
        if record.ended() {
            return Ok(None);
        }
        let mut answers = Answers::default();
        for _ in 0..TRIES {
            self.make_good(&mut record).await?;
            let now_ms = self.live.now_ms();
            let Some(if_gone) = record.table.absence_over(now_ms) else {
                let events = record.table.due(now_ms);
                if self.commit(&mut record, &events).await? && events.is_empty() {
                    return Ok(record.table.next_due_ms());
                }
                continue;
            };
            if answers.cover(&if_gone) {
                self.judge(&mut record, &if_gone, &std::mem::take(&mut answers)).await?;
                continue;
            }
            let asked = asked(&record, &if_gone);
            // Nobody else waits for the answer.
            drop(record);
            let answered = self.ask(asked).await;
            record = seen.lock().await;
            match answered {
                Ok(answered) => answers = answered,
                Err(_) => return self.put_off(&mut record).await,
            }
        }
        Err(error::contended(TRIES))
    }

    /// Tells every running game of a player that he is gone, or back, and gives how many these are.
    /// Told again it changes nothing.
    ///
    /// # Errors
    /// When the live state fails; some of the games may be told by then.
    pub async fn tell_all(&self, player_id: &str, word: Presence) -> Result<usize, Refusal> {
        let listed = self.listed(player_id).await?;
        let told = listed.into_iter().map(|id| async move {
            match self.tell(&id, player_id, word).await {
                // It is not made yet, or long over.
                Err(refusal) if refusal.code() == Code::NotFound => Ok(false),
                told => told,
            }
        });
        let told = stream::iter(told).buffer_unordered(AT_ONCE);
        told.try_fold(0, async |games, running| Ok(games + usize::from(running))).await
    }

    /// Tells one game of a player; says whether it runs. That there is nothing to write down is not
    /// believed of a cached record: the head is confirmed first.
    ///
    /// # Errors
    /// GAME_NOT_FOUND; or the live state fails.
    pub async fn tell(&self, id: &str, player_id: &str, word: Presence) -> Result<bool, Refusal> {
        let seen = self.seen(id).await?;
        let mut record = seen.lock().await;
        let Some(side) = record.seat_of(player_id) else { return Ok(false) };
        for _ in 0..TRIES {
            self.make_good(&mut record).await?;
            let events = record.table.presence(side, word, self.live.now_ms());
            if !events.is_empty() {
                self.commit(&mut record, &events).await?;
            } else if !self.refresh(&mut record).await? {
                return Ok(!record.ended());
            }
        }
        Err(error::contended(TRIES))
    }

    /// Asks session for players, of whom none may be taken for gone on an older word.
    ///
    /// # Errors
    /// BEHIND_UNAVAILABLE.
    pub(super) async fn ask(&self, asked: Asked) -> Result<Answers, Refusal> {
        let mut answers = Answers::default();
        for (side, player_id) in asked {
            answers.0[side.index()] = Some(self.sessions.still_gone(&player_id).await?);
        }
        Ok(answers)
    }

    /// Commits what the answers come to: the end if all are still gone, else that somebody is here.
    /// False if it is to be decided again.
    pub(super) async fn judge(
        &self,
        record: &mut GameRecord,
        if_gone: &IfGone,
        answers: &Answers,
    ) -> Result<bool, Refusal> {
        let here: Vec<_> = if_gone.sides.iter().filter(|side| answers.is_here(**side)).collect();
        if here.is_empty() {
            return self.commit(record, &if_gone.events).await;
        }
        let now_ms = self.live.now_ms();
        let back =
            here.iter().flat_map(|side| record.table.presence(**side, Presence::Here, now_ms));
        let back: Vec<_> = back.collect();
        self.commit(record, &back).await?;
        Ok(false)
    }

    /// Sets the game due again, as there is no answer; sooner if a flag falls.
    async fn put_off(&self, record: &mut GameRecord) -> Result<Option<i64>, Refusal> {
        let again_ms = self.live.now_ms().saturating_add(AGAIN_MS);
        let next_due_ms = record.table.next_due_unanswered_ms(again_ms);
        self.commit_until(record, &[], |_| next_due_ms).await?;
        Ok(next_due_ms)
    }
}
