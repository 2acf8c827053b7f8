//! What clients and the checker know: what was asked and answered, what was committed, seen and
//! booked. Nothing in it comes from a record.

use std::collections::BTreeMap;

use tengen_live::{Commit, LiveError};
use tengen_proto::game::v1 as wire;
use tengen_proto::internal::v1::GameResult;

use crate::ask::{Answer, Ask};

/// Everything that is known.
#[derive(Debug, Default)]
pub struct Book {
    /// By game.
    pub games: BTreeMap<String, GameBook>,
    /// By caller and request id.
    pub asked: BTreeMap<(String, String), Asked>,
    /// Who is where.
    pub presence: Whereabouts,
    /// When the live state was told a beat.
    pub beats: Vec<i64>,
    /// Counts on with each thing that is taken down, to tell what was before what.
    ticks: u64,
}

/// What is known of one game.
#[derive(Debug, Default)]
pub struct GameBook {
    /// Commits in their order.
    pub commits: Vec<Committed>,
    /// When a commit came that the store looked at, also one that it refused for an outage.
    pub looks: Vec<i64>,
    /// The last sequence that somebody has been told of.
    pub known: i64,
    /// What a watcher was told, by sequence.
    pub events: BTreeMap<i64, wire::Event>,
    /// The game as somebody was shown it.
    pub shown: Vec<wire::Game>,
    /// What the ledger holds: each result once, by its id.
    pub booked: BTreeMap<String, GameResult>,
}

/// A commit that happened.
#[derive(Debug)]
pub struct Committed {
    /// When, truly.
    pub at_ms: i64,
    /// What it did.
    pub commit: Commit,
}

/// A request, however often it was sent.
#[derive(Debug)]
pub struct Asked {
    /// What was asked.
    pub ask: Ask,
    /// When it was sent first.
    pub began: u64,
    /// How often it was sent.
    pub sent: usize,
    /// What was answered, also where the answer was lost on the way.
    pub answers: Vec<Answer>,
    /// When its client learnt that it was accepted; never, as long as it did not.
    pub settled: u64,
}

/// Where the players are, truly, and what was said of it.
#[derive(Debug, Default)]
pub struct Whereabouts {
    /// By player: whether he is gone, and the number of the last change.
    players: BTreeMap<String, (bool, i64)>,
    /// Words that the game service has heard.
    pub told: Vec<Told>,
    /// Of whom, and when, it was said that he is still gone.
    pub still_gone: Vec<(String, i64)>,
}

/// A word of somebody's presence.
#[derive(Debug, Clone)]
pub struct Told {
    /// Of whom.
    pub player_id: String,
    /// Whether he is gone.
    pub gone: bool,
    /// The number of the change.
    pub number: i64,
    /// When it was sent.
    pub sent_ms: i64,
    /// When the answer was there.
    pub at_ms: i64,
}

impl Whereabouts {
    /// Somebody goes or comes; the number of it.
    pub fn change(&mut self, player_id: &str, gone: bool, now_ms: i64) -> i64 {
        let player = self.players.entry(player_id.to_owned()).or_default();
        *player = (gone, now_ms.max(player.1 + 1));
        player.1
    }

    /// Whether somebody is gone.
    pub fn is_gone(&self, player_id: &str) -> bool {
        self.players.get(player_id).is_some_and(|player| player.0)
    }

    /// Whether somebody is gone, for one who asks for it.
    pub fn asked(&mut self, player_id: &str, now_ms: i64) -> bool {
        let gone = self.is_gone(player_id);
        if gone {
            self.still_gone.push((player_id.to_owned(), now_ms));
        }
        gone
    }
}

impl Book {
    /// The page of a game.
    pub fn game(&mut self, id: &str) -> &mut GameBook {
        self.games.entry(id.to_owned()).or_default()
    }

    /// Takes down a beat.
    pub fn beat(&mut self, at_ms: i64) {
        self.beats.push(at_ms);
    }

    /// Takes down a commit. Only games are committed.
    pub fn committed(&mut self, id: &str, at_ms: i64, commit: Commit) {
        let game = self.game(id);
        game.looks.push(at_ms);
        game.commits.push(Committed { at_ms, commit });
    }

    /// Takes down a commit that was refused.
    pub fn refused(&mut self, id: &str, at_ms: i64, why: &LiveError) {
        if *why == LiveError::UnknownOutage {
            self.game(id).looks.push(at_ms);
        }
    }

    /// A request is sent, maybe not for the first time.
    pub fn sent(&mut self, ask: &Ask) {
        self.ticks += 1;
        let asked = || Asked {
            ask: ask.clone(),
            began: self.ticks,
            sent: 0,
            answers: Vec::new(),
            settled: u64::MAX,
        };
        self.asked.entry(ask.key()).or_insert_with(asked).sent += 1;
    }

    /// A request is answered.
    pub fn answered(&mut self, ask: &Ask, answer: &Answer) {
        if let Some(asked) = self.asked.get_mut(&ask.key()) {
            asked.answers.push(answer.clone());
        }
    }

    /// The client has its answer.
    pub fn settled(&mut self, ask: &Ask, answer: &Answer) {
        self.ticks += 1;
        if let Answer::Accepted(accepted) = answer
            && let Some(asked) = self.asked.get_mut(&ask.key())
        {
            asked.settled = self.ticks;
            let known = &mut self.game(&ask.game_id).known;
            *known = accepted.sequence.max(*known);
        }
    }
}
