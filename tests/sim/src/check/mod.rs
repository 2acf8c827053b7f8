//! The checker. When all is over it reads the records from the live state and holds against them
//! what clients, watchers and the ledger know. The list of the invariants is in the README.

mod asks;
mod away;
mod clock;
mod commits;
mod ending;
mod lists;
mod log;
mod outages;
mod outcome;
mod presence;
mod refusals;
mod stand;
mod walk;

use std::sync::Arc;

use tengen_live::{Live as _, Record};
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;

use self::log::Log;
use self::outages::Around;
use self::stand::Story;
use crate::keys::signed;
use crate::life::Life;
use crate::lobby::Made;
use crate::replica::Replica;
use crate::world::World;

/// A record, as it is stored and as it reads.
struct Read {
    record: Record,
    log: Log,
}

/// Checks what is running; what is wrong goes into the trace.
pub async fn check_running(world: &World, games: &[Made]) {
    let auditor = auditor(world);
    lists::check(world, &auditor, games).await;
    lists::check_labels(world).await;
    auditor.kill();
}

/// Checks everything when all is over. From `sound_ms` on nothing failed.
pub async fn check(world: &World, games: &[Made], sound_ms: i64) {
    let auditor = auditor(world);
    for game in games {
        if let Err(what) = check_game(world, &auditor, game, sound_ms).await {
            world.find(format!("{}: {what}", game.game_id));
        }
    }
    match world.memory.outbox_take(100).await {
        Ok(waiting) if waiting.is_empty() => {}
        waiting => world.find(format!("the outbox at the end: {waiting:?}")),
    }
    auditor.kill();
}

/// Checks the records of a world that does not come to an end.
pub async fn check_records(world: &World) {
    let ids: Vec<_> = world.book().games.keys().cloned().collect();
    for id in ids {
        if let Err(what) = read(world, &id).await {
            world.find(format!("{id}: {what}"));
        }
    }
}

/// A record, and the game played again from it.
async fn read(world: &World, id: &str) -> Result<(Read, Story), String> {
    let record = world.memory.load(id).await.map_err(|error| error.to_string())?;
    let record = record.ok_or("there is no record")?;
    let log = Log::read(&record)?;
    let around = Around::of(&world.book(), id, world.plan.away_ms > 0);
    let story = Story::of(&log, &around)?;
    Ok((Read { record, log }, story))
}

/// A replica that remembers nothing, and to which nothing happens.
fn auditor(world: &World) -> Replica {
    Replica::start(world, Life::new("auditor".to_owned()), Arc::new(world.memory.clone()))
}

async fn check_game(
    world: &World,
    auditor: &Replica,
    game: &Made,
    sound_ms: i64,
) -> Result<(), String> {
    let id = &game.game_id;
    let (read, story) = read(world, id).await?;
    let told = events_after_the_first(auditor, id, &story).await?;
    let mut wrong = Vec::new();
    let mut find = |what: String| wrong.push(what);
    check_told(&told, &story, &mut find);
    {
        let book = world.book();
        asks::check(&book, id, &read.log, &story, &mut find);
        presence::check(&book, id, &story, &mut find);
        if let Some(page) = book.games.get(id) {
            commits::check(&page.commits, (&read, &story), sound_ms, &mut find);
            for (sequence, event) in &page.events {
                let same = usize::try_from(sequence - 2).ok().and_then(|at| told.get(at));
                if same != Some(event) {
                    find(format!("a watcher was told another event {sequence}"));
                }
            }
            for shown in &page.shown {
                let right = story.at(shown.sequence).and_then(|stand| stand.is_shown(shown));
                right.unwrap_or_else(|what| find(format!("shown at {}: {what}", shown.sequence)));
            }
        }
    }
    outcome::check(world, auditor, id, (&read.record, &story), &mut find).await;
    for what in wrong {
        world.find(format!("{id}: {what}"));
    }
    Ok(())
}

/// Every event after the first, as a replica that remembers nothing tells it.
async fn events_after_the_first(
    auditor: &Replica,
    game_id: &str,
    story: &Story,
) -> Result<Vec<wire::Event>, String> {
    let request = wire::WatchGameRequest {
        game_id: game_id.to_owned(),
        after_sequence: 1,
        head_hash: story.at(1)?.hash.clone(),
    };
    let mut games = GameServiceClient::new(auditor.door.clone());
    let watch = auditor.reach(games.watch_game(signed(request, None))).await;
    let mut stream = watch.map_err(|status| format!("the audit: {status:?}"))?;
    let mut events = Vec::new();
    loop {
        match stream.message().await.map(|message| message.and_then(|m| m.message)) {
            Ok(None) => return Ok(events),
            Ok(Some(Message::Event(event))) => events.push(event),
            other => return Err(format!("the audit saw {other:?}")),
        }
    }
}

fn check_told(told: &[wire::Event], story: &Story, find: &mut dyn FnMut(String)) {
    if told.len() + 1 != story.stands.len() {
        find(format!("{} events were told of {}", told.len() + 1, story.stands.len()));
    }
    for (event, pair) in told.iter().zip(story.stands.windows(2)) {
        if let Err(what) = pair[1].is_told(event, &pair[0].hash) {
            find(what);
        }
    }
}
