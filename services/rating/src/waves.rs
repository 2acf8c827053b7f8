//! Which results may be booked side by side.

use std::collections::HashMap;

use crate::store::GameEnd;

/// Results in waves: two of one wave have no player in common, and each is in a later wave than
/// every one before it with which it has. So each player's games are booked in order, and none
/// waits for another within its wave.
pub(crate) fn waves(ends: Vec<GameEnd>) -> Vec<Vec<GameEnd>> {
    let mut waves: Vec<Vec<GameEnd>> = Vec::new();
    let mut next: HashMap<String, usize> = HashMap::new();
    for end in ends {
        let of = |player| next.get(player).copied().unwrap_or(0);
        let wave = end.players.iter().map(of).max().unwrap_or(0);
        for player in &end.players {
            next.insert(player.clone(), wave + 1);
        }
        if wave == waves.len() {
            waves.push(Vec::new());
        }
        waves[wave].push(end);
    }
    waves
}

#[cfg(test)]
mod tests {
    use tengen_ladder::{Counted, Terms};

    use super::*;

    /// Games by their players: `ab` is one of a against b, and its own id.
    fn check(games: &str, expected: &[&str]) {
        let terms = [Terms { stakes: 0, counted: Counted::Draw, fee: true }; 2];
        let ends = games.split_whitespace().map(|game| GameEnd {
            result_id: game.to_owned(),
            game_id: game.to_owned(),
            version: 1,
            players: [game[..1].to_owned(), game[1..].to_owned()],
            rated: true,
            reason: "DRAW".to_owned(),
            terms,
            tiers: [0; 2],
            ended_at_ms: 0,
        });
        let ids = |wave: Vec<GameEnd>| {
            wave.iter().map(|end| end.game_id.as_str()).collect::<Vec<_>>().join(" ")
        };
        let found: Vec<String> = waves(ends.collect()).into_iter().map(ids).collect();
        assert_eq!(found, expected, "{games}");
    }

    #[test]
    fn games_of_one_player_follow_one_another() {
        check("", &[]);
        check("ab cd ef", &["ab cd ef"]);
        check("ab ab ba", &["ab", "ab", "ba"]);
        check("ab bc cd de xy", &["ab xy", "bc", "cd", "de"]);
        check("ab cd bc xc ae", &["ab cd", "bc ae", "xc"]);
    }
}
