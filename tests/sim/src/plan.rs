//! What happens to one seed: how much there is of everything, and how often it fails.

use crate::dice::Dice;

/// When every simulation begins, in milliseconds of Unix time.
pub const START_MS: i64 = 1_767_225_600_000;
/// No simulation takes longer than this; one that does is a finding.
pub const LAST_MS: i64 = START_MS + 10 * 60 * 1_000;

/// The plan of a seed. Rates are in a thousand.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Replicas of the game service.
    pub replicas: usize,
    /// Timekeepers.
    pub keepers: usize,
    /// Those who take results.
    pub takers: usize,
    /// Games.
    pub games: usize,
    /// How long things fail.
    pub stormy_ms: i64,
    /// Verbs of the live state that fail before they happened.
    pub verb_fails: u32,
    /// Verbs that happened, and whose answer is lost.
    pub verb_lost: u32,
    /// Verbs before or after which a while passes.
    pub verb_slow: u32,
    /// Verbs before or after which their caller dies.
    pub verb_kills: u32,
    /// Wake-ups that are lost or late.
    pub wake_lost: u32,
    /// Calls that do not arrive.
    pub call_lost: u32,
    /// Calls whose answer does not arrive.
    pub answer_lost: u32,
    /// Calls that arrive twice.
    pub call_doubled: u32,
    /// Calls that arrive once more when they are long forgotten.
    pub call_late: u32,
    /// Calls that are given up while they are under way.
    pub call_abandoned: u32,
    /// How long a replica lives, at most; 0 for as long as it can.
    pub replica_lives_ms: i64,
    /// How long a player stays before he is cut off, at most; 0 if none ever is.
    pub wander_ms: i64,
    /// How long the store stays away when it does, at most; 0 if it never does. Only where it may be
    /// away is a long silence an outage.
    pub away_ms: i64,
    /// Rounds of timekeepers and takers of results that break off in the middle.
    pub round_breaks: u32,
}

impl Plan {
    /// The plan that the dice say. Each kind of fault is absent from some seeds and frequent in
    /// others, so that they meet in every combination.
    pub fn of(dice: &mut Dice) -> Self {
        let mut rate = |most: i64| {
            let rate = dice.within(1..=most);
            if dice.chance(300) { 0 } else { u32::try_from(rate).unwrap() }
        };
        let verbs = [rate(40), rate(40), rate(100), rate(8)];
        let calls = [rate(60), rate(60), rate(60), rate(60), rate(60)];
        let (wake_lost, round_breaks) = (rate(400), rate(300));
        let [lives, away, wander] = [rate(40), rate(6), rate(20)].map(i64::from);
        Self {
            replicas: 2 + dice.below(2),
            keepers: 1 + dice.below(2),
            takers: 1 + dice.below(2),
            games: 2 + dice.below(3),
            stormy_ms: dice.within(10_000..=30_000),
            verb_fails: verbs[0],
            verb_lost: verbs[1],
            verb_slow: verbs[2],
            verb_kills: verbs[3],
            wake_lost,
            call_lost: calls[0],
            answer_lost: calls[1],
            call_doubled: calls[2],
            call_late: calls[3],
            call_abandoned: calls[4],
            replica_lives_ms: lives * 1_000,
            wander_ms: wander * 1_000,
            away_ms: away * 1_000,
            round_breaks,
        }
    }
}
