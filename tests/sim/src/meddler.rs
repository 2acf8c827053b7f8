//! What others do to a game: the clock service measures delays, the referee stops and starts the
//! clocks and gives time, and somebody looks at it.

use tengen_proto::game::v1::GetGameRequest;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::internal::v1::LagMeasuredRequest;
use tengen_proto::internal::v1::game_control_service_client::GameControlServiceClient;
use tengen_proto::time::duration;
use tonic::{Code, Status};

use crate::ask::{Act, Ask, Caller};
use crate::client::Client;
use crate::keys::{keys, player_id, signed};
use crate::lobby::Made;
use crate::world::World;

/// Meddles with a game until faults cease.
pub async fn meddle(world: World, game: Made) {
    let mut client = Client::new(&world);
    for request in 1.. {
        let wait_ms = client.dice.within(500..=6_000);
        world.agenda.pause(wait_ms).await;
        if world.is_calm() {
            return;
        }
        match client.dice.below(10) {
            0..=3 => measure(&world, &mut client, &game).await,
            4..=7 => look(&world, &mut client, &game).await,
            _ => {
                let act = order(&world, &mut client);
                let (by, game_id) = (Caller::Referee, game.game_id.clone());
                // Of one referee, who is in more than one game.
                let request_id = format!("{}-{request}", &game.game_id[..16]);
                client.insist(&Ask { by, game_id, request_id, act }).await;
            }
        }
    }
}

fn order(world: &World, client: &mut Client) -> Act {
    let dice = &mut client.dice;
    match dice.below(3) {
        0 => Act::Stop(world.now_ms() + dice.within(1..=8_000)),
        1 => Act::Go,
        _ => Act::AddTime(1 + dice.below(2) as i32, dice.within(1..=5_000)),
    }
}

async fn measure(world: &World, client: &mut Client, game: &Made) {
    let Some(replica) = world.replica(&mut client.dice) else { return };
    let request = LagMeasuredRequest {
        game_id: game.game_id.clone(),
        player_id: player_id(*client.dice.pick(&game.players)),
        lag: Some(duration(client.dice.within(0..=1_500))),
    };
    let mut control = GameControlServiceClient::new(replica.door.clone());
    let call = control.lag_measured(signed(request, Some(&keys().service)));
    match replica.reach(call).await {
        Ok(_) => world.count("delays measured"),
        Err(status) => expect_away(world, &status, "LagMeasured"),
    }
}

async fn look(world: &World, client: &mut Client, game: &Made) {
    let Some(replica) = world.replica(&mut client.dice) else { return };
    let request = GetGameRequest { game_id: game.game_id.clone() };
    let mut games = GameServiceClient::new(replica.door.clone());
    let known = world.book().game(&game.game_id).known;
    match replica.reach(games.get_game(signed(request, None))).await {
        Ok(answer) => {
            let shown = answer.game.unwrap_or_default();
            if shown.sequence < known {
                world.find(format!("shown at {}, and {known} was known", shown.sequence));
            }
            world.book().game(&game.game_id).shown.push(shown);
            world.count("games shown");
        }
        Err(status) => expect_away(world, &status, "GetGame"),
    }
}

fn expect_away(world: &World, status: &Status, what: &str) {
    if !matches!(status.code(), Code::Unavailable | Code::Aborted) {
        world.find(format!("{what}: {status:?}"));
    }
}
