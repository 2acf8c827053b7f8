//! The session service, as far as presence goes: players come and go, game is told of it by calls
//! that are lost, doubled and late, and asks at the end of a window.

use tengen_proto::internal::v1::game_control_service_client::GameControlServiceClient;
use tengen_proto::internal::v1::presence_service_server::{PresenceService, PresenceServiceServer};
use tengen_proto::internal::v1::{
    NotifyRequest, NotifyResponse, PlayerBackRequest, PlayerGoneRequest, PresentRequest,
    PresentResponse, StillGoneRequest, StillGoneResponse,
};
use tonic::{Code, Request, Response, Status};

use crate::book::Told;
use crate::client::Client;
use crate::keys::{keys, player_id, signed};
use crate::replica::Replica;
use crate::world::World;

/// What the game service finds behind its way to session.
pub struct House(World);

impl House {
    /// The routes of it.
    pub fn routes(world: &World) -> PresenceServiceServer<Self> {
        PresenceServiceServer::new(Self(world.clone()))
    }
}

#[tonic::async_trait]
impl PresenceService for House {
    // News, and who has a stream, concern no game.
    async fn notify(&self, _: Request<NotifyRequest>) -> Result<Response<NotifyResponse>, Status> {
        Ok(Response::new(NotifyResponse {}))
    }

    async fn present(
        &self,
        _: Request<PresentRequest>,
    ) -> Result<Response<PresentResponse>, Status> {
        Ok(Response::new(PresentResponse {}))
    }

    async fn still_gone(
        &self,
        request: Request<StillGoneRequest>,
    ) -> Result<Response<StillGoneResponse>, Status> {
        let player_id = request.into_inner().player_id;
        let (world, mut dice) = (&self.0, self.0.dice());
        let stormy = !world.is_calm();
        if stormy && dice.chance(world.plan.call_lost * 5) {
            world.count("questions lost");
            return Err(Status::unavailable("simulated"));
        }
        let at_ms = world.now_ms();
        let gone = world.book().presence.asked(&player_id, at_ms);
        world.note(format_args!("session says of {player_id}: gone {gone}"));
        world.count(if gone { "answers: still gone" } else { "answers: here" });
        if stormy && dice.chance(world.plan.verb_slow) {
            world.agenda.pause(dice.within(1..=600)).await;
        }
        Ok(Response::new(StillGoneResponse { gone }))
    }
}

/// Lets a player go and come, until faults cease; then he is here.
// fault: F11 F13 F14
pub async fn wander(world: World, player: usize) {
    let mut client = Client::new(&world);
    if world.plan.wander_ms == 0 {
        return;
    }
    while !world.is_calm() {
        world.agenda.pause(client.dice.within(200..=world.plan.wander_ms)).await;
        if world.is_calm() {
            return;
        }
        change(&world, &mut client, player, true);
        let long = client.dice.chance(500);
        let away_ms = if long { 20_000 } else { 3_000 };
        world.agenda.pause(client.dice.within(1..=away_ms)).await;
        change(&world, &mut client, player, false);
    }
}

/// Something changes, and game is told; once more at times, by a call that takes its time.
fn change(world: &World, client: &mut Client, player: usize, gone: bool) {
    let (player_id, now_ms) = (player_id(player), world.now_ms());
    let number = world.book().presence.change(&player_id, gone, now_ms);
    world.note(format_args!("{player_id} is gone: {gone}, {number}"));
    world.count(if gone { "players gone" } else { "players back" });
    let again = client.dice.chance(world.plan.call_doubled * 3);
    for copy in 0..=usize::from(again) {
        let late = copy > 0 || client.dice.chance(world.plan.call_late * 3);
        let wait_ms = if late { client.dice.within(0..=6_000) } else { 0 };
        let word = Told { player_id: player_id.clone(), gone, number, sent_ms: 0, at_ms: 0 };
        let (world, mut client) = (world.clone(), Client::new(world));
        let under_way = world.under_way();
        tokio::spawn(async move {
            world.agenda.pause(wait_ms).await;
            insist(&world, &mut client, word).await;
            drop(under_way);
        });
    }
}

/// Tells it until it is heard.
async fn insist(world: &World, client: &mut Client, word: Told) {
    loop {
        let lost = !world.is_calm() && client.dice.chance(world.plan.call_lost);
        if !lost && let Some(replica) = world.replica(&mut client.dice) {
            let sent_ms = world.now_ms();
            match tell(&replica, &word).await {
                Ok(()) => {
                    let at_ms = world.now_ms();
                    world.book().presence.told.push(Told { sent_ms, at_ms, ..word.clone() });
                    if world.is_calm() || !client.dice.chance(world.plan.answer_lost) {
                        return world.count("words of presence heard");
                    }
                }
                Err(status) if matches!(status.code(), Code::Unavailable | Code::Aborted) => {}
                Err(status) => return world.find(format!("{word:?}: {status:?}")),
            }
        }
        world.agenda.pause(client.dice.within(10..=1_000)).await;
    }
}

async fn tell(replica: &Replica, word: &Told) -> Result<(), Status> {
    let (player_id, presence_number) = (word.player_id.clone(), word.number);
    let mut control = GameControlServiceClient::new(replica.door.clone());
    let token = Some(&keys().service);
    if word.gone {
        let request = signed(PlayerGoneRequest { player_id, presence_number }, token);
        replica.reach(control.player_gone(request)).await.map(drop)
    } else {
        let request = signed(PlayerBackRequest { player_id, presence_number }, token);
        replica.reach(control.player_back(request)).await.map(drop)
    }
}
