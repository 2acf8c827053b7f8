//! The ledger, in place of the rating service: takes results through the real ResultsService, books
//! each once by its key, and acknowledges what it has. It may die between any two steps.

use tengen_proto::internal::v1::results_service_client::ResultsServiceClient;
use tengen_proto::internal::v1::{AcknowledgeResultsRequest, GameResult, TakeResultsRequest};
use tengen_proto::time::duration;
use tonic::{Code, Status};

use crate::dice::Dice;
use crate::keys::{keys, signed};
use crate::life::Life;
use crate::world::World;

/// How long a call waits for the first result.
const WAIT_MS: i64 = 3_000;

/// One life of a taker of results.
pub async fn take(world: World, life: Life, mut dice: Dice) {
    loop {
        match round(&world, &life, &mut dice).await {
            Ok(true) => {}
            Ok(false) => return world.note(format_args!("{} dies", life.name)),
            Err(status) => {
                let expected = matches!(status.code(), Code::Unavailable | Code::Aborted);
                if !expected {
                    world.find(format!("{}: {status:?}", life.name));
                }
                world.agenda.pause(dice.within(100..=2_000)).await;
            }
        }
    }
}

/// False if it dies between taking and acknowledging.
// fault: F7
async fn round(world: &World, life: &Life, dice: &mut Dice) -> Result<bool, Status> {
    let breaks = |dice: &mut Dice| !world.is_calm() && dice.chance(world.plan.round_breaks);
    let Some(replica) = world.replica(dice) else {
        return Err(Status::unavailable("no replica is up"));
    };
    let mut results = ResultsServiceClient::new(replica.door.clone());
    let most = i32::try_from(dice.within(1..=4)).unwrap();
    let request = TakeResultsRequest { most, wait: Some(duration(WAIT_MS)) };
    let request = signed(request, Some(&keys().service));
    let taken = replica.reach(results.take_results(request)).await?.results;
    let mut result_ids = Vec::new();
    for result in taken {
        if breaks(dice) {
            return Ok(false);
        }
        result_ids.push(result.result_id.clone());
        book(world, life, result);
    }
    if breaks(dice) {
        return Ok(false);
    }
    if result_ids.is_empty() {
        return Ok(true);
    }
    // Taken from one replica, acknowledged to another.
    let Some(replica) = world.replica(dice) else { return Ok(true) };
    let mut results = ResultsServiceClient::new(replica.door.clone());
    let request =
        signed(AcknowledgeResultsRequest { result_ids, ..<_>::default() }, Some(&keys().service));
    replica.reach(results.acknowledge_results(request)).await?;
    Ok(true)
}

fn book(world: &World, life: &Life, result: GameResult) {
    let id = result.result_id.clone();
    let mut book = world.book();
    let booked = &mut book.game(&result.game_id).booked;
    let differs = match booked.get(&id) {
        None => {
            booked.insert(id.clone(), result);
            None
        }
        Some(before) => Some(*before != result),
    };
    drop(book);
    match differs {
        None => world.count("results booked"),
        Some(false) => world.count("results delivered again"),
        Some(true) => world.find(format!("{id} was delivered with two contents")),
    }
    world.note(format_args!("{} has {id}", life.name));
}
