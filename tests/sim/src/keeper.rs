//! The timekeeper. It does to the live state and to the game service what the clock service's does,
//! which can only call through sockets: waits until something is due, claims it, and calls `Due`
//! for each, many at once. It may die between any two steps.

use std::future::Future;

use tengen_live::{Live, LiveError};
use tengen_proto::internal::v1::DueRequest;
use tengen_proto::internal::v1::game_control_service_client::GameControlServiceClient;
use tengen_proto::time::timestamp_ms;
use tonic::Code;

use crate::dice::Dice;
use crate::faulty::Faulty;
use crate::keys::{keys, signed};
use crate::life::Life;
use crate::plan::START_MS;
use crate::world::World;

/// How long a claim is leased, as the clock service has it.
pub const LEASE_MS: i64 = 750;
/// Games claimed at once.
const BATCH: usize = 8;

/// Runs one life of something after another. What dies at a verb begins anew after a while.
pub async fn live_on<F>(world: World, name: String, work: impl Fn(World, Life, Dice) -> F)
where
    F: Future<Output = ()>,
{
    let mut dice = world.dice();
    for generation in 1.. {
        let life = Life::new(format!("{name}.{generation}"));
        tokio::select! {
            biased;
            () = life.over() => {}
            () = work(world.clone(), life.clone(), dice.fork()) => life.kill(),
        }
        world.count("keepers and takers ended");
        world.agenda.pause(dice.within(0..=2_000)).await;
    }
}

/// One life of a timekeeper.
pub async fn keep(world: World, life: Life, mut dice: Dice) {
    let live = Faulty::new(&world, &life);
    loop {
        match round(&world, &life, &live, &mut dice).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                world.note(format_args!("{} waits: {error}", life.name));
                world.agenda.pause(dice.within(50..=200)).await;
            }
        }
    }
}

/// False if it dies between the claim and the calls.
async fn round(
    world: &World,
    life: &Life,
    live: &dyn Live,
    dice: &mut Dice,
) -> Result<bool, LiveError> {
    live.due_wait().await?;
    let claims = live.claim_due(LEASE_MS, BATCH).await?;
    if !claims.is_empty() && !world.is_calm() && dice.chance(world.plan.round_breaks / 10) {
        world.note(format_args!("{} dies with {} claims", life.name, claims.len()));
        return Ok(false);
    }
    for claim in claims {
        let copies = 1 + usize::from(!world.is_calm() && dice.chance(world.plan.call_doubled));
        for _ in 0..copies {
            let (world, life, dice) = (world.clone(), life.clone(), dice.fork());
            let game_id = claim.id.clone();
            tokio::spawn(async move {
                let limit = world.agenda.pause(LEASE_MS);
                tokio::select! {
                    biased;
                    () = life.over() => {}
                    () = due(&world, &life, &game_id, dice) => {}
                    () = limit => world.count("due calls: too late"),
                }
            });
        }
    }
    Ok(true)
}

async fn due(world: &World, life: &Life, game_id: &str, mut dice: Dice) {
    if !world.is_calm() && dice.chance(world.plan.call_lost) {
        return world.count("due calls: lost");
    }
    let Some(replica) = world.replica(&mut dice) else { return };
    let request = DueRequest { game_id: game_id.to_owned() };
    let mut control = GameControlServiceClient::new(replica.door.clone());
    let call = control.due(signed(request, Some(&keys().service)));
    let (who, whom) = (&life.name, &replica.life.name);
    match replica.reach(call).await {
        Ok(answer) => {
            let next_due_ms = answer.next_due.as_ref().and_then(timestamp_ms);
            let next_due_ms = next_due_ms.map(|at_ms| at_ms - START_MS);
            world.note(format_args!("{who} tells {whom} {game_id}: next {next_due_ms:?}"));
            world.count("due calls: answered");
        }
        Err(status) if matches!(status.code(), Code::Unavailable | Code::Aborted) => {
            world.count("due calls: failed");
        }
        Err(status) => world.find(format!("{who}: Due {game_id}: {status:?}")),
    }
}
