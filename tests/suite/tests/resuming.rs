//! Coming back: what a client is told after it was away, and what it may do at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::game::v1::event::Event as Told;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{AnswerOfferRequest, Game, MakeOfferRequest, OfferKind};
use tengen_suite::games::Pair;
use tengen_suite::player::{Watch, board, point, rated, request_id, timed};
use tengen_suite::refusal::refused;
use tengen_suite::{Player, Suite};
use tonic::Code;

tengen_suite::on_both! {
    the_first_command_after_a_return_is_accepted,
    a_pending_move_is_void_after_a_resync,
    an_undo_and_the_end_are_events,
    coming_back_changes_no_rating,
}

async fn snapshot(watch: &mut Watch) -> Game {
    match watch.next().await.unwrap() {
        Some(Message::Snapshot(snapshot)) => snapshot.game.unwrap(),
        other => panic!("a snapshot first: {other:?}"),
    }
}

async fn event(watch: &mut Watch) -> Told {
    match watch.next().await.unwrap() {
        Some(Message::Event(event)) => event.event.unwrap(),
        other => panic!("an event: {other:?}"),
    }
}

async fn pair(suite: &Suite) -> Pair {
    Pair::begin(suite.player("aki").await, suite.player("bo").await, timed(board(9))).await
}

/// Drops whatever the player has open, and comes back.
async fn comes_back(suite: &Suite, name: &str, game_id: &str) -> (Player, Game) {
    let mut player = suite.sign_in(name).await;
    let mut watch = player.watch(game_id).await;
    let shown = snapshot(&mut watch).await;
    (player, shown)
}

// case: R12 D8 D13: the snapshot says whose turn it is and which number it has, and the first
// command with that number is accepted, after any number of turns.
async fn the_first_command_after_a_return_is_accepted(suite: Suite) {
    let mut pair = pair(&suite).await;
    let id = pair.game_id.clone();
    for number in 1..=8 {
        let name = if number % 2 == 1 { "aki" } else { "bo" };
        let (mut player, shown) = comes_back(&suite, name, &id).await;
        assert!(shown.your_turn, "turn {number}");
        assert_eq!(shown.move_number, number);
        player.play(&id, shown.move_number, point(number, 4)).await.unwrap();
        let (_, shown) = comes_back(&suite, name, &id).await;
        assert!(!shown.your_turn);
    }
    assert_eq!(pair.black.game(&id).await.turns.len(), 8);
}

// case: D12 D3 D13: what a client had pending before it was away is void: with the old number it
// is refused, wherever it was drawn; the same request again tells that it was taken.
async fn a_pending_move_is_void_after_a_resync(suite: Suite) {
    let mut pair = pair(&suite).await;
    let id = pair.game_id.clone();
    let pending = tengen_proto::game::v1::PlayMoveRequest {
        game_id: id.clone(),
        request_id: request_id(),
        move_number: 1,
        point: Some(point(4, 4)),
    };
    let taken = pair.black.games.play_move(pending.clone()).await.unwrap().into_inner();
    pair.white.play(&id, 2, point(2, 2)).await.unwrap();
    let (mut black, shown) = comes_back(&suite, "aki", &id).await;
    let again = black.games.play_move(pending).await.unwrap().into_inner();
    assert_eq!(again, taken, "the answer of then");
    // Another device had its own idea of move 1, on a point that is White's by now.
    let stale = refused(black.play(&id, 1, point(2, 2)).await);
    assert_eq!(
        (stale.code, stale.reason.as_str()),
        (Code::FailedPrecondition, "STALE_MOVE_NUMBER")
    );
    assert_eq!(black.game(&id).await.head_hash, shown.head_hash);
}

// case: R18 V5: a heartbeat carries the head, so a client that lacks something knows it in 5 s, and
// what was told before it was not behind.
#[tokio::test]
async fn a_heartbeat_carries_the_head() {
    let suite = Suite::start().await;
    let mut pair = pair(&suite).await;
    let id = pair.game_id.clone();
    let mut watch = suite.guest().watch(&id).await;
    snapshot(&mut watch).await;
    for number in 1..=3 {
        pair.take(&[Some(point(number, number))], number).await;
        event(&mut watch).await;
        suite.advance(5_000);
        let beat = watch.heartbeat().await;
        let game = pair.black.game(&id).await;
        assert_eq!((beat.sequence, beat.head_hash), (game.sequence, game.head_hash));
    }
}

// case: V7: an undo and the end come as events of their own; nobody is thrown back to a new
// snapshot for them.
async fn an_undo_and_the_end_are_events(suite: Suite) {
    let mut pair = pair(&suite).await;
    let id = pair.game_id.clone();
    let mut watch = suite.guest().watch(&id).await;
    snapshot(&mut watch).await;
    pair.take(&[Some(point(4, 4))], 1).await;
    let kind = OfferKind::TakeBack as i32;
    let offer = MakeOfferRequest { game_id: id.clone(), request_id: request_id(), kind };
    pair.black.games.make_offer(offer).await.unwrap();
    let answer =
        AnswerOfferRequest { game_id: id.clone(), request_id: request_id(), kind, accept: true };
    pair.white.games.answer_offer(answer).await.unwrap();
    pair.black.resign(&id).await.unwrap();
    let mut told = Vec::new();
    while let Some(message) = watch.next().await.unwrap() {
        let Message::Event(event) = message else { panic!("an event: {message:?}") };
        told.push(event.event.unwrap());
    }
    assert!(
        matches!(
            told[..],
            [
                Told::MovePlayed(_),
                Told::OfferMade(_),
                Told::OfferAnswered(_),
                Told::MoveAnnulled(_),
                Told::Ended(_),
            ]
        ),
        "{told:?}"
    );
}

// case: R21: coming back writes nothing to anybody's rating.
async fn coming_back_changes_no_rating(suite: Suite) {
    let (aki, bo) = (suite.player("aki").await, suite.player("bo").await);
    let mut first = Pair::begin(aki.clone(), bo.clone(), rated(board(9))).await;
    first.white.resign(&first.game_id).await.unwrap();
    suite.rated(&first.game_id).await;
    let second = Pair::begin(aki.clone(), bo.clone(), rated(board(9))).await;
    let mut guest = suite.guest();
    let mut before = Vec::new();
    for player in [&aki, &bo] {
        before.push((guest.rating(&player.id).await, guest.ledger(&player.id).await));
    }
    assert!(before.iter().all(|(_, ledger)| ledger.len() == 1), "{before:?}");
    for _ in 0..5 {
        for name in ["aki", "bo"] {
            comes_back(&suite, name, &second.game_id).await;
        }
    }
    let mut after = Vec::new();
    for player in [&aki, &bo] {
        after.push((guest.rating(&player.id).await, guest.ledger(&player.id).await));
    }
    assert_eq!(after, before);
}
