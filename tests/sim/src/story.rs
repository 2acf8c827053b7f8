//! One simulation from its first game to its last check.

use tengen_live::Live as _;
use tokio::task::JoinSet;

use crate::book::Book;
use crate::check::{check, check_running};
use crate::house::wander;
use crate::keeper::{keep, live_on};
use crate::keys::PLAYERS;
use crate::ledger::take;
use crate::lobby::{Made, make};
use crate::meddler::meddle;
use crate::player::Player;
use crate::watcher::Watcher;
use crate::world::World;

/// How long after faults cease everybody who died meanwhile is up again.
const RECOVERY_MS: i64 = 6_000;
/// How often it is looked whether everything has come to rest: for a minute.
const MOST_WAITS: usize = 120;
/// Spectators of a game.
const SPECTATORS: usize = 1;

/// Plays all games of a world, and checks them.
pub async fn tell(world: World) {
    start(&world);
    let mut games = Vec::new();
    let mut making = JoinSet::new();
    for number in 0..world.plan.games {
        making.spawn(make(world.clone(), number));
    }
    while let Some(made) = making.join_next().await {
        games.extend(made.ok().flatten());
    }
    games.sort_by(|one, other| one.game_id.cmp(&other.game_id));
    let mut playing = JoinSet::new();
    for game in &games {
        begin(&world, game, &mut playing);
    }
    let begun_ms = world.now_ms();
    world.agenda.pause(world.plan.stormy_ms).await;
    world.calm();
    check_running(&world, &games).await;
    while playing.join_next().await.is_some() {}
    settle(&world, &games).await;
    let sound_ms = begun_ms + world.plan.stormy_ms + RECOVERY_MS;
    check(&world, &games, sound_ms).await;
}

fn start(world: &World) {
    tokio::spawn(world.clone().come_and_go());
    for number in 0..world.plan.replicas {
        tokio::spawn(world.clone().keep_up(number));
    }
    for player in 0..PLAYERS {
        tokio::spawn(wander(world.clone(), player));
    }
    for number in 0..world.plan.keepers {
        tokio::spawn(live_on(world.clone(), format!("clock-{number}"), keep));
    }
    for number in 0..world.plan.takers {
        tokio::spawn(live_on(world.clone(), format!("ledger-{number}"), take));
    }
}

fn begin(world: &World, game: &Made, playing: &mut JoinSet<()>) {
    for (player, colour) in game.players.into_iter().zip(tengen_rules::Colour::BOTH) {
        let watcher = Watcher::new(world, &game.game_id, format!("player {player}"));
        let seen = watcher.seen();
        playing.spawn(watcher.follow());
        playing.spawn(Player::new(world, &game.game_id, (player, colour), seen).play());
    }
    for number in 0..SPECTATORS {
        let watcher = Watcher::new(world, &game.game_id, format!("spectator {number}"));
        let (world, wait_ms) = (world.clone(), world.dice().within(0..=20_000));
        playing.spawn(async move {
            world.agenda.pause(wait_ms).await;
            watcher.follow().await;
        });
    }
    playing.spawn(meddle(world.clone(), game.clone()));
}

/// Waits until no call is under way and every result is booked and acknowledged, but not for ever.
async fn settle(world: &World, games: &[Made]) {
    for _ in 0..MOST_WAITS {
        let waiting = world.memory.outbox_take(1).await.unwrap_or_default();
        let booked = |book: &Book, game: &Made| {
            book.games.get(&game.game_id).is_some_and(|page| !page.booked.is_empty())
        };
        let all_booked = games.iter().all(|game| booked(&world.book(), game));
        if waiting.is_empty() && all_booked && world.rests() {
            return;
        }
        world.agenda.pause(500).await;
    }
}
