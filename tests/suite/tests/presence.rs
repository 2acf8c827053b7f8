//! A line that drops: both seats see it, whoever returns in time plays on, and whoever does not has
//! lost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::event::Event as Told;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{
    Absence, ClaimAbsenceRequest, EndReason, Event, Game, PresenceChanged, Settings,
};
use tengen_proto::time::{duration, timestamp_ms};
use tengen_suite::Suite;
use tengen_suite::games::Pair;
use tengen_suite::player::{Watch, board, point, request_id, timed};
use tengen_suite::refusal::refused;

tengen_suite::on_both! {
    whoever_leaves_is_seen_and_comes_back_to_the_seat,
    whoever_stays_away_has_lost_and_is_told_on_return,
    an_opponent_who_decides_claims_or_waits,
    of_two_who_are_away_none_wins,
}

/// The shortest window that a casual game may have.
const WINDOW_MS: i64 = 5_000;

async fn pair(suite: &Suite, absence: Absence) -> Pair {
    let settings = Settings {
        reconnect_window: Some(duration(WINDOW_MS)),
        absence: absence as i32,
        ..timed(board(9))
    };
    Pair::begin(suite.player("aki").await, suite.player("bo").await, settings).await
}

/// Waits until the service knows who is here: it has just begun.
async fn steady(suite: &Suite, pair: &mut Pair) -> (Watch, Watch) {
    let id = pair.game_id.clone();
    let mut black = pair.black.watch(&id).await;
    let mut white = pair.white.watch(&id).await;
    for watch in [&mut black, &mut white] {
        assert!(matches!(watch.next().await.unwrap(), Some(Message::Snapshot(_))));
    }
    // Two heartbeats: as long as silence may last.
    for _ in 0..2 {
        suite.meanwhile(white.heartbeat()).await;
    }
    (black, white)
}

async fn event(watch: &mut Watch) -> Event {
    match watch.next().await.unwrap() {
        Some(Message::Event(event)) => event,
        other => panic!("an event: {other:?}"),
    }
}

/// The next event, which has to be about a player's presence.
async fn presence(suite: &Suite, watch: &mut Watch) -> PresenceChanged {
    match suite.meanwhile(event(watch)).await.event {
        Some(Told::PresenceChanged(changed)) => changed,
        other => panic!("presence: {other:?}"),
    }
}

async fn ended(suite: &Suite, watch: &mut Watch) -> (EndReason, Colour) {
    match suite.meanwhile(event(watch)).await.event {
        Some(Told::Ended(ended)) => {
            let result = ended.result.unwrap();
            (result.reason(), result.winner())
        }
        other => panic!("the end: {other:?}"),
    }
}

fn seats(game: &Game) -> [(bool, Option<i64>); 2] {
    [&game.black, &game.white].map(|seat| {
        let seat = seat.as_ref().unwrap();
        (seat.present, seat.gone_deadline.as_ref().and_then(timestamp_ms))
    })
}

/// The game as somebody is shown it who begins to watch.
async fn spectator(suite: &Suite, game_id: &str) -> Game {
    match suite.guest().watch(game_id).await.next().await.unwrap() {
        Some(Message::Snapshot(snapshot)) => snapshot.game.unwrap(),
        other => panic!("a snapshot first: {other:?}"),
    }
}

// fault: F13
// case: R2 R3 R7 V3: a short drop costs nothing but the clock that runs.
async fn whoever_leaves_is_seen_and_comes_back_to_the_seat(suite: Suite) {
    let mut pair = pair(&suite, Absence::Forfeit).await;
    let id = pair.game_id.clone();
    let (mut black, mut white) = steady(&suite, &mut pair).await;
    pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    let last = event(&mut black).await;
    event(&mut white).await;
    drop(black);
    let gone = presence(&suite, &mut white).await;
    let deadline_ms = gone.deadline.as_ref().and_then(timestamp_ms);
    assert_eq!((gone.colour(), gone.present), (Colour::Black, false));
    assert_eq!(seats(&suite.guest().game(&id).await), [(false, deadline_ms), (true, None)]);
    assert_eq!(seats(&spectator(&suite, &id).await), [(false, deadline_ms), (true, None)]);
    pair.white.play(&id, 2, point(2, 2)).await.unwrap();
    event(&mut white).await;

    let mut returned = pair.black.reconnect().await.unwrap();
    let mut black = returned.resume(&id, last.sequence, &last.head_hash).await.unwrap();
    let missed = [event(&mut black).await, event(&mut black).await];
    assert!(matches!(missed[0].event, Some(Told::PresenceChanged(_))), "{missed:?}");
    assert!(matches!(missed[1].event, Some(Told::MovePlayed(_))), "{missed:?}");
    for watch in [&mut black, &mut white] {
        let back = presence(&suite, watch).await;
        assert_eq!((back.colour(), back.present), (Colour::Black, true));
    }
    returned.play(&id, 3, point(6, 6)).await.unwrap();
    assert_eq!(seats(&returned.game(&id).await), [(true, None); 2]);
    assert_eq!(seats(&spectator(&suite, &id).await), [(true, None); 2]);
}

// case: R11
async fn whoever_stays_away_has_lost_and_is_told_on_return(suite: Suite) {
    let mut pair = pair(&suite, Absence::Forfeit).await;
    let id = pair.game_id.clone();
    let (black, mut white) = steady(&suite, &mut pair).await;
    drop(black);
    let gone = presence(&suite, &mut white).await;
    let lost = ended(&suite, &mut white).await;
    assert_eq!(lost, (EndReason::Disconnected, Colour::White));
    assert!(white.next().await.unwrap().is_none());

    let mut returned = pair.black.reconnect().await.unwrap();
    let game = returned.game(&id).await;
    let result = game.result.unwrap();
    assert_eq!((result.reason(), result.winner()), lost);
    let ended_ms = result.at.as_ref().and_then(timestamp_ms);
    let deadline_ms = gone.deadline.as_ref().and_then(timestamp_ms);
    assert!(ended_ms > deadline_ms, "{ended_ms:?} {deadline_ms:?}");
    let refusal = refused(returned.play(&id, 1, point(4, 4)).await);
    assert_eq!(refusal.reason, "GAME_ENDED");
}

// case: R4 R13
async fn an_opponent_who_decides_claims_or_waits(suite: Suite) {
    let mut pair = pair(&suite, Absence::OpponentDecides).await;
    let id = pair.game_id.clone();
    let (black, mut white) = steady(&suite, &mut pair).await;
    let claim = || ClaimAbsenceRequest { game_id: id.clone(), request_id: request_id() };
    let refusal = refused(pair.white.games.claim_absence(claim()).await);
    assert_eq!(refusal.reason, "OPPONENT_BACK");
    drop(black);
    presence(&suite, &mut white).await;
    let refusal = refused(pair.white.games.claim_absence(claim()).await);
    assert_eq!(refusal.reason, "NOT_DUE");
    // Nothing ends by itself.
    let mut games = pair.white.games.clone();
    let claimed = async {
        loop {
            match games.claim_absence(claim()).await {
                Ok(_) => return,
                Err(status) => assert_eq!(refused::<()>(Err(status)).reason, "NOT_DUE"),
            }
        }
    };
    suite.meanwhile(claimed).await;
    let end = ended(&suite, &mut white).await;
    assert_eq!(end, (EndReason::Disconnected, Colour::White));
}

// rulebook: L11
async fn of_two_who_are_away_none_wins(suite: Suite) {
    let mut pair = pair(&suite, Absence::Forfeit).await;
    let id = pair.game_id.clone();
    let (black, white) = steady(&suite, &mut pair).await;
    let mut guest = suite.guest().watch(&id).await;
    guest.next().await.unwrap();
    drop((black, white));
    for _ in 0..2 {
        assert!(!presence(&suite, &mut guest).await.present);
    }
    let end = ended(&suite, &mut guest).await;
    assert_eq!(end, (EndReason::BothGone, Colour::Unspecified));
}
