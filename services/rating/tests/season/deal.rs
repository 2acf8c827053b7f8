//! Deals a season: who plays whom, when, and how it ends.

use rand::RngExt;
use rand::rngs::StdRng;
use tengen_proto::common::v1::Colour::{self, Black, Unspecified as Nobody, White};
use tengen_proto::game::v1::EndReason::{self, *};
use tengen_proto::internal::v1::GameResult;
use tengen_proto::time::{duration, timestamp};

use crate::support::game::{ENDED_AT_MS, corrected, result};

/// What is dealt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Season {
    pub(crate) seed: u64,
    pub(crate) games: usize,
    pub(crate) players: usize,
}

/// From one game to the next.
const BETWEEN_MS: i64 = 26_000;
/// Pairs that play each other again and again, more often a day than may move points.
const FRIENDS: usize = 8;
/// Tiers of experience, by player; the last is above those that fees are set for.
const TIERS: [i32; 6] = [0, 1, 0, 2, 4, 9];
/// Ends with a winner, and how many of a hundred games they end.
const WON: [(EndReason, u32); 11] = [
    (Resignation, 40),
    (Count, 28),
    (Time, 8),
    (Leave, 5),
    (Disconnected, 3),
    (TimeWhileAway, 2),
    (NoShow, 2),
    (SecondWarning, 1),
    (Ruling, 1),
    (OutOfTurn, 1),
    (Count, 1),
];
/// Those without: a count may be a draw.
const OPEN: [EndReason; 8] = [Count, Draw, BothLate, BothGone, Replay, Void, Draw, Annulled];

impl Season {
    /// All versions of all results, in the order of the games; a correction comes later.
    pub(crate) fn deal(&self, dice: &mut StdRng) -> Vec<GameResult> {
        let mut results = Vec::with_capacity(self.games + self.games / 10);
        let mut later: Vec<(usize, GameResult)> = Vec::new();
        for n in 0..self.games {
            let game = self.game(n, dice);
            let mut at = n;
            for version in 2..=3 {
                if dice.random_range(0..100) < 4 {
                    let (reason, winner) = end(dice, 1);
                    at += dice.random_range(0..300);
                    later.push((at, corrected(&game, version, reason, winner)));
                } else {
                    break;
                }
            }
            results.push((n, game));
        }
        results.extend(later);
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }

    fn game(&self, n: usize, dice: &mut StdRng) -> GameResult {
        let (black, white) = if dice.random_range(0..100) < 4 {
            let friend = 2 * dice.random_range(0..FRIENDS);
            (friend, friend + 1)
        } else {
            let black = dice.random_range(0..self.players);
            (black, (black + dice.random_range(1..self.players)) % self.players)
        };
        let names = [black, white].map(|player| format!("p{player:04}"));
        // The higher number is the stronger player.
        let black_stronger = u32::from(black > white);
        let (reason, winner) = end(dice, 1 + 2 * black_stronger);
        let mut game = result(u64::try_from(n).unwrap(), [&names[0], &names[1]], reason, winner);
        [game.black_tier, game.white_tier] =
            [black, white].map(|player| TIERS[player % TIERS.len()]);
        game.rated = dice.random_range(0..100) < 95;
        // Near five minutes, which decides on a leaver's opponent.
        game.together = Some(duration(300_000 + dice.random_range(-1..=1) * 1_000));
        let at_ms = ENDED_AT_MS + BETWEEN_MS * i64::try_from(n).unwrap();
        game.at = Some(timestamp(at_ms + dice.random_range(0..60_000)));
        game
    }
}

/// How a game ends; Black wins `black` of four.
fn end(dice: &mut StdRng, black: u32) -> (EndReason, Colour) {
    let mut at = dice.random_range(0..100);
    for (reason, share) in WON {
        if at < share {
            return (reason, if dice.random_range(0..4) < black { Black } else { White });
        }
        at -= share;
    }
    (OPEN[dice.random_range(0..OPEN.len())], Nobody)
}
