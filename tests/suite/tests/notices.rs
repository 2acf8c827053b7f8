//! What players are told wherever they are: each piece of news of a game, once, numbered, and again
//! to whoever comes back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::organiser_service_client::OrganiserServiceClient;
use tengen_proto::game::v1::record_service_client::RecordServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{
    ColourChoice, CreateChallengeRequest, CreateGameRequest, EndReason, ListPlayerGamesRequest,
    RatingChange, RatingState,
};
use tengen_proto::session::v1::Notice;
use tengen_proto::session::v1::notice::Notice as What;
use tengen_proto::time::timestamp_ms;
use tengen_suite::notices::Notices;
use tengen_suite::player::{Bearer, board, point, rated, request_id};
use tengen_suite::{Player, Suite};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;

tengen_suite::on_both! {
    each_piece_of_news_is_told_once_and_in_order,
}

fn what(notice: &Notice) -> &What {
    notice.notice.as_ref().expect("news")
}

async fn next(suite: &Suite, heard: &mut Notices, all: &mut Vec<Notice>) -> What {
    let notice = suite.meanwhile(heard.next()).await;
    all.push(notice.clone());
    what(&notice).clone()
}

/// A game that the other one may take, rated.
async fn challenge(challenger: &mut Player, opponent: &Player) -> String {
    let request = CreateChallengeRequest {
        request_id: request_id(),
        settings: Some(rated(board(9))),
        colour: ColourChoice::Black as i32,
        opponent_id: opponent.id.clone(),
        ..CreateChallengeRequest::default()
    };
    let made = challenger.lobby.create_challenge(request).await.unwrap().into_inner();
    made.challenge.unwrap().challenge_id
}

async fn started(suite: &Suite, heard: &mut Notices, all: &mut Vec<Notice>, players: [&str; 2]) {
    let What::GameStarted(started) = next(suite, heard, all).await else { panic!("{all:?}") };
    let game = started.game.unwrap();
    let seats = [game.black.unwrap().player_id, game.white.unwrap().player_id];
    assert_eq!(seats.each_ref().map(String::as_str), players);
    assert!(game.settings.unwrap().size.is_some() && game.result.is_none());
}

async fn presence(suite: &Suite, heard: &mut Notices, all: &mut Vec<Notice>, present: bool) {
    let What::OpponentPresence(told) = next(suite, heard, all).await else { panic!("{all:?}") };
    let deadline_ms = told.gone_deadline.as_ref().and_then(timestamp_ms);
    assert_eq!((told.present, deadline_ms.is_none()), (present, present));
}

/// The end and what it changed: two services tell of it, each in its own time.
async fn ended(suite: &Suite, heard: &mut Notices, all: &mut Vec<Notice>, player: &mut Player) {
    let mut told = [next(suite, heard, all).await, next(suite, heard, all).await];
    told.sort_by_key(|what| matches!(what, What::RatingApplied(_)));
    let [What::GameEnded(ended), What::RatingApplied(applied)] = told else { panic!("{all:?}") };
    let result = ended.game.unwrap().result.unwrap();
    assert_eq!((result.reason(), result.winner()), (EndReason::Resignation, Colour::Black));
    // What is told holds where the player stands from now on.
    let id = player.id.clone();
    assert_eq!(player.ledger(&id).await, [applied.entry.clone().unwrap()]);
    assert_eq!(player.rating(&id).await.standing, applied.entry.unwrap().after);
}

/// What players were told that the game changed is shown with it from then on.
async fn archived(suite: &Suite, game_id: &str, told: [&[Notice]; 2]) {
    suite.rated(game_id).await;
    let told = told.map(|told| {
        let entry = told.iter().find_map(|notice| match what(notice) {
            What::RatingApplied(applied) => applied.entry.clone(),
            _ => None,
        });
        let entry = entry.expect("a row");
        let (before, after) = (entry.before.clone().unwrap(), entry.after.clone().unwrap());
        RatingChange {
            colour: entry.seat,
            applied: entry.applied,
            level_before: before.level_name,
            points_before: before.points,
            level_after: after.level_name,
            points_after: after.points,
        }
    });
    let game = suite.guest().game(game_id).await;
    assert_eq!(game.result.unwrap().changes, told);
    // Whoever comes after the end is shown the same.
    match suite.guest().watch(game_id).await.next().await.unwrap() {
        Some(Message::Snapshot(shown)) => {
            let result = shown.game.unwrap().result.unwrap();
            assert_eq!((result.rating(), result.changes), (RatingState::Applied, told.to_vec()));
        }
        other => panic!("a snapshot: {other:?}"),
    }
    let player_id = game.black.unwrap().player_id;
    let request = ListPlayerGamesRequest { player_id, ..ListPlayerGamesRequest::default() };
    let listed = RecordServiceClient::new(suite.channel()).list_player_games(request).await;
    let [game] = <[_; 1]>::try_from(listed.unwrap().into_inner().games).expect("one game");
    assert_eq!(game.result.unwrap().changes, told);
}

/// Whatever a device has, any replica gives it the rest and nothing else.
async fn resumed(player: &Player, replica: &Channel, all: &[Notice]) {
    let numbers: Vec<_> = all.iter().map(|notice| notice.sequence).collect();
    assert_eq!(numbers, (1..).take(all.len()).collect::<Vec<_>>(), "without a gap");
    let keys: Vec<_> = all.iter().map(what).collect();
    assert!(keys.iter().all(|key| keys.iter().filter(|other| other == &key).count() == 1));
    for (after, has) in (0..).zip(0..=all.len()) {
        let mut device = player.attach_at(replica, &format!("device-{after}"), after).await;
        let (rest, last) = device.heartbeat().await;
        assert_eq!(rest, all[has..], "after {after}");
        assert_eq!(usize::try_from(last), Ok(all.len()));
    }
}

// case: A3 T4: the news carry who plays, by which settings, the result and what it changed.
// rulebook: L11
async fn each_piece_of_news_is_told_once_and_in_order(mut suite: Suite) {
    let (mut aki, mut bo) = (suite.player("aki").await, suite.player("bo").await);
    let mut by_bo = Vec::new();
    let mut heard = bo.attach("phone", 0).await;
    let challenge_id = challenge(&mut aki, &bo).await;
    let What::ChallengeReceived(told) = next(&suite, &mut heard, &mut by_bo).await else {
        panic!("{by_bo:?}");
    };
    let challenger = told.challenger.unwrap();
    assert_eq!((&told.challenge_id, &challenger.player_id), (&challenge_id, &aki.id));
    assert_eq!(challenger.name, "aki");
    let id = bo.accept(&challenge_id).await.unwrap().game_id;
    started(&suite, &mut heard, &mut by_bo, [&aki.id, &bo.id]).await;

    let mut watch = aki.watch(&id).await;
    watch.next().await.unwrap();
    // Two heartbeats: as long as a service that has just begun takes nobody for gone.
    for _ in 0..2 {
        suite.meanwhile(watch.heartbeat()).await;
    }
    drop(watch);
    presence(&suite, &mut heard, &mut by_bo, false).await;
    let mut by_aki = Vec::new();
    let mut returned = aki.attach("phone", 0).await;
    presence(&suite, &mut heard, &mut by_bo, true).await;
    started(&suite, &mut returned, &mut by_aki, [&aki.id, &bo.id]).await;

    aki.play(&id, 1, point(4, 4)).await.unwrap();
    bo.resign(&id).await.unwrap();
    ended(&suite, &mut heard, &mut by_bo, &mut bo).await;
    ended(&suite, &mut returned, &mut by_aki, &mut aki).await;
    archived(&suite, &id, [&by_aki, &by_bo]).await;
    let replica = suite.another_session().await;
    resumed(&bo, &replica, &by_bo).await;
    resumed(&aki, &replica, &by_aki).await;
    assert_eq!((by_bo.len(), by_aki.len()), (6, 3));
}

// case: A2
#[tokio::test]
async fn a_game_that_an_organiser_makes_is_told_to_both() {
    let mut suite = Suite::start().await;
    let eun = suite.player("eun").await;
    suite.appoint(&[], &[&eun]).await;
    let eun = suite.sign_in("eun").await;
    let mut players = [suite.player("aki").await, suite.player("bo").await];
    let [black_id, white_id] = players.each_ref().map(|player| player.id.clone());
    let channel = InterceptedService::new(suite.channel(), Bearer::new(&eun.token));
    let request = CreateGameRequest {
        request_id: request_id(),
        settings: Some(board(9)),
        black_id: black_id.clone(),
        white_id: white_id.clone(),
    };
    OrganiserServiceClient::new(channel).create_game(request).await.unwrap();
    for player in &mut players {
        let mut heard = player.attach("phone", 0).await;
        started(&suite, &mut heard, &mut Vec::new(), [&black_id, &white_id]).await;
    }
}
