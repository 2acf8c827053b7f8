//! How a game comes about: a challenge is offered, and one of those who want it gets it.

use std::future::Future;
use std::sync::Arc;

use tengen_proto::clock::v1 as clock;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::lobby_service_client::LobbyServiceClient;
use tengen_proto::time::duration;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::dice::Dice;
use crate::keys::{PLAYERS, keys, player_id, signed};
use crate::replica::Replica;
use crate::world::World;

/// A game that was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its id.
    pub game_id: String,
    /// The players, Black first.
    pub players: [usize; 2],
}

/// Makes the game of this number: one player offers it, two others want it.
// case: M2
pub async fn make(world: World, number: usize) -> Option<Made> {
    let mut dice = world.dice();
    let first = dice.below(PLAYERS);
    let rivals = [(first + 1 + dice.below(2)) % PLAYERS, (first + 3 + dice.below(2)) % PLAYERS];
    let black = dice.chance(500);
    let settings = settings(&mut dice);
    let challenge_id = challenge(&world, &mut dice, number, first, black, settings).await?;
    let accept = |player: usize, mut dice: Dice| {
        let (world, challenge_id) = (world.clone(), challenge_id.clone());
        async move { accept(&world, &mut dice, number, player, &challenge_id).await }
    };
    let (one, other) = (dice.fork(), dice.fork());
    let (one, other) = tokio::join!(biased; accept(rivals[0], one), accept(rivals[1], other));
    let (second, game_id) = match (one, other) {
        (Some(game), None) => (rivals[0], game),
        (None, Some(game)) => (rivals[1], game),
        (None, None) => return None,
        (Some(one), Some(other)) => {
            world.find(format!("a challenge was taken twice: {one}, {other}"));
            return None;
        }
    };
    let players = if black { [first, second] } else { [second, first] };
    world.note(format_args!("game {game_id}: {players:?}"));
    Some(Made { game_id, players })
}

async fn challenge(
    world: &World,
    dice: &mut Dice,
    number: usize,
    player: usize,
    black: bool,
    settings: wire::Settings,
) -> Option<String> {
    let colour = if black { wire::ColourChoice::Black } else { wire::ColourChoice::White };
    let request = wire::CreateChallengeRequest {
        request_id: format!("challenge-{number}"),
        settings: Some(settings),
        colour: colour as i32,
        ..wire::CreateChallengeRequest::default()
    };
    let call = |replica: Arc<Replica>| {
        let request = signed(request.clone(), Some(&keys().players[player]));
        async move {
            let mut lobby = LobbyServiceClient::new(replica.door.clone());
            replica.reach(lobby.create_challenge(request)).await
        }
    };
    match insist(world, dice, call).await {
        Ok(answer) => Some(answer.challenge.unwrap_or_default().challenge_id),
        Err(status) => {
            world.find(format!("a challenge is refused: {status:?}"));
            None
        }
    }
}

/// Takes a challenge; `None` if somebody else was first.
async fn accept(
    world: &World,
    dice: &mut Dice,
    number: usize,
    player: usize,
    challenge_id: &str,
) -> Option<String> {
    let request = wire::AcceptChallengeRequest {
        request_id: format!("accept-{number}-{player}"),
        challenge_id: challenge_id.to_owned(),
    };
    let call = |replica: Arc<Replica>| {
        let request = signed(request.clone(), Some(&keys().players[player]));
        async move {
            let mut lobby = LobbyServiceClient::new(replica.door.clone());
            replica.reach(lobby.accept_challenge(request)).await
        }
    };
    match insist(world, dice, call).await {
        Ok(answer) => {
            let game = answer.game.unwrap_or_default();
            let seats = [game.black, game.white].map(|seat| seat.unwrap_or_default().player_id);
            if !seats.contains(&player_id(player)) {
                world.find(format!("{} was given the game of {seats:?}", player_id(player)));
            }
            Some(game.game_id)
        }
        Err(status) => {
            let taken = |info: tonic_types::ErrorInfo| info.reason == "ALREADY_TAKEN";
            if !status.get_details_error_info().is_some_and(taken) {
                world.find(format!("an acceptance is refused: {status:?}"));
            }
            None
        }
    }
}

/// Calls until it is answered. What is lost on the way is sent again.
async fn insist<T, F>(
    world: &World,
    dice: &mut Dice,
    call: impl Fn(Arc<Replica>) -> F,
) -> Result<T, Status>
where
    F: Future<Output = Result<T, Status>>,
{
    loop {
        let answer = match world.replica(dice) {
            Some(replica) => call(replica).await,
            None => Err(Status::unavailable("no replica is up")),
        };
        let lost = !world.is_calm() && dice.chance(world.plan.answer_lost);
        match answer {
            Err(status) if matches!(status.code(), Code::Unavailable | Code::Aborted) => {}
            _ if lost => world.count("answers lost"),
            answer => return answer,
        }
        world.agenda.pause(dice.within(10..=500)).await;
    }
}

fn settings(dice: &mut Dice) -> wire::Settings {
    let lines = |dice: &mut Dice| dice.within(2..=9) as i32;
    let time = control(dice);
    let rows = lines(dice);
    let columns = if dice.chance(700) { rows } else { lines(dice) };
    let rated = time.is_some() && dice.chance(600);
    // A rated game gives five minutes, which no simulation takes.
    let window_ms = if rated { 300_000 } else { dice.within(5_000..=12_000) };
    let decides = !rated && dice.chance(400);
    wire::Settings {
        reconnect_window: Some(duration(window_ms)),
        absence: if decides { wire::Absence::OpponentDecides as i32 } else { 0 },
        size: Some(BoardSize { rows, columns }),
        rated,
        time,
        two_passes: dice.within(0..=2) as i32,
        illegal_move: dice.within(0..=2) as i32,
        out_of_turn: if dice.chance(100) { wire::OutOfTurn::Loss as i32 } else { 0 },
        counting_limit: Some(duration(dice.within(10..=30) * 1_000)),
        ..wire::Settings::default()
    }
}

/// Short ones, so that flags fall; none at times.
fn control(dice: &mut Dice) -> Option<clock::TimeControl> {
    let main = Some(duration(dice.within(1..=30_000)));
    let increment = Some(duration(dice.within(1..=3_000)));
    let period = Some(duration(dice.within(2..=6) * 1_000));
    let few = dice.within(1..=4) as i32;
    let kind = match dice.below(11) {
        0..=1 => Kind::Absolute(clock::Absolute { main }),
        2..=3 => Kind::Fischer(clock::Fischer { main, increment, cap: None }),
        4..=6 => Kind::Japanese(clock::Japanese { main, periods: few, period }),
        7..=8 => Kind::Canadian(clock::Canadian { main, stones: few, period }),
        9 => {
            let limit = Some(duration(60_000 + dice.within(0..=20_000)));
            Kind::Reserved(clock::Reserved { limit, reserved_minutes: 1 })
        }
        _ => return None,
    };
    Some(clock::TimeControl { kind: Some(kind) })
}
