//! The list of a player's running games and the count of all by phase, against the records.

use std::collections::BTreeMap;

use tengen_live::Live as _;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_client::GameServiceClient;

use crate::keys::{PLAYERS, keys, player_id, signed};
use crate::lobby::Made;
use crate::replica::Replica;
use crate::world::World;

/// Checks that each player is listed exactly the games that are not over, each as it stands.
// case: A5 D11
pub async fn check(world: &World, auditor: &Replica, games: &[Made]) {
    let mut stands = Vec::new();
    for game in games {
        stands.extend(stand_of(world, &game.game_id).await.map(|line| (game, line)));
    }
    for player in 0..PLAYERS {
        let request = signed(wire::ListMyGamesRequest {}, Some(&keys().players[player]));
        let mut service = GameServiceClient::new(auditor.door.clone());
        let mut listed: Vec<_> = match service.list_my_games(request).await {
            Ok(answer) => answer.into_inner().games.iter().map(line).collect(),
            Err(status) => return world.find(format!("no list: {status:?}")),
        };
        let plays = |game: &Made| game.players.contains(&player);
        let mut running: Vec<_> =
            stands.iter().filter(|(game, _)| plays(game)).map(|(_, line)| line.clone()).collect();
        listed.sort();
        running.sort();
        if listed != running {
            let who = player_id(player);
            world.find(format!("{who} is listed {listed:?}, and plays {running:?}"));
        }
    }
}

/// Checks that the live state counts as many running games in each phase as there are.
pub async fn check_labels(world: &World) {
    let ids: Vec<_> = world.book().games.keys().cloned().collect();
    let mut running = BTreeMap::<_, i64>::new();
    for id in ids {
        if let Some((_, phase, ..)) = stand_of(world, &id).await {
            let label = phase.as_str_name().trim_start_matches("PHASE_");
            *running.entry(label.to_owned()).or_default() += 1;
        }
    }
    match world.memory.labels().await {
        Ok(mut labels) => {
            labels.retain(|_, games| *games != 0);
            if labels != running {
                world.find(format!("{labels:?} are counted, and {running:?} run"));
            }
        }
        Err(error) => world.find(format!("no counts: {error}")),
    }
}

/// A game, where it stands, whose turn it is, and the number of that turn.
type Line = (String, wire::Phase, i32, i32);

fn line(summary: &wire::GameSummary) -> Line {
    (summary.game_id.clone(), summary.phase(), summary.to_move, summary.move_number)
}

/// None of a game that is over, or broken, which is found elsewhere.
async fn stand_of(world: &World, id: &str) -> Option<Line> {
    let (_, story) = super::read(world, id).await.ok()?;
    let last = story.stands.last()?;
    let over = last.phase == wire::Phase::Ended;
    (!over).then(|| (id.to_owned(), last.phase, last.to_move, last.number))
}
