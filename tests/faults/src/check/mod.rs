//! The checker: what clients asked, were answered and saw, against the records and the ledger.

mod clocks;
mod ends;
pub mod ledger;
mod losses;
mod moves;
mod record;
mod watched;

use std::fmt;
use std::ops::RangeInclusive;

pub use self::record::Record;
use crate::run::seed;
use crate::site::Site;
use crate::story::{Asked, Told, Watched};

/// What was found, where nothing is wrong.
#[derive(Debug, Default)]
pub struct Found {
    pub games: usize,
    /// Moves that were acknowledged.
    pub moves: usize,
    /// Calls that needed more than one try, and streams that went on elsewhere.
    pub again: usize,
    pub resumed: usize,
    /// Acknowledged commands that the store lost.
    pub lost: usize,
    /// What clocks were given back for outages, each with its game.
    pub credits: Vec<Credit>,
    /// The most that a turn's charge differs from what it should be.
    pub most_off_ms: i64,
}

/// Time given back to a clock.
#[derive(Debug, Clone)]
pub struct Credit {
    pub game_id: String,
    pub at_ms: i64,
    pub ms: i64,
}

/// What is wrong, a line each.
pub type Wrong = Vec<String>;

/// What else is to be expected.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// From when to when the store lost what it had acknowledged; commands may be refused then.
    pub losses: Vec<RangeInclusive<i64>>,
}

/// Reads every record through a replica that has never seen one, and checks (a) that what was
/// acknowledged is in the record, in order; (b) that no sequence was skipped or repeated to a
/// watcher; (c) that a game has one result, and the ledger balances; (d) that what was charged is
/// what was thought; (e) that nobody lost on time beside a move that was accepted.
pub async fn check(site: &mut Site, told: &Told, expected: Expected) -> Found {
    let fresh = site.games.len();
    let replica = site.game(&site.redis.url());
    site.games.push(replica);
    site.ready().await;
    let games = site.ways(&site.games[fresh..]);
    let mut wrong = Wrong::new();
    let mut found =
        Found { games: told.games.len(), moves: told.moves().count(), ..Found::default() };
    let mut records = Vec::new();
    for begun in &told.games {
        records.push(Record::read(&games, begun).await);
    }
    for record in &records {
        let of_game = |asked: &&Asked| asked.game_id == record.game.game_id;
        let commands: Vec<_> = told.commands.iter().filter(of_game).collect();
        let lost = moves::check(record, &commands, &expected, &mut wrong);
        ends::check(record, &commands, &mut wrong);
        clocks::check(record, &mut found, &mut wrong);
        let here = |watched: &&Watched| watched.game_id == record.game.game_id;
        let watched: Vec<_> = told.watched.iter().filter(here).collect();
        for watched in &watched {
            watched::check(record, watched, &expected, &mut wrong);
        }
        losses::check(record, lost, &watched, &expected, &mut wrong);
        found.lost += lost;
    }
    ledger::check(&site.ways(&site.ratings), &told.games, &records, &mut wrong).await;
    found.again = told.commands.iter().filter(|asked| !asked.failed.is_empty()).count();
    found.resumed = told.watched.iter().map(|watched| watched.resumed).sum();
    let few = wrong[..wrong.len().min(20)].join("\n");
    assert!(wrong.is_empty(), "TENGEN_SEED={}: {} wrong:\n{few}", seed(), wrong.len());
    found
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, moves, again, resumed, most_off_ms, .. } = self;
        write!(
            f,
            "games={games} acknowledged_moves={moves} retried_commands={again} \
             resumed_watches={resumed} clock_off_ms={most_off_ms}"
        )
    }
}
