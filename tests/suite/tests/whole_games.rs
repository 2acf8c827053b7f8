//! Whole games, from the challenge to the ladder.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::event::Event;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{EndReason, Phase, RatingState, Settlement};
use tengen_proto::rating::v1::Counted;
use tengen_suite::games::{Pair, Recorded};
use tengen_suite::player::{board, rated};
use tengen_suite::{Player, Suite};

tengen_suite::on_both! {
    a_game_on_19_lines_with_dead_stones_moves_both_ratings,
    a_game_on_9_lines_is_counted_as_it_stands,
}

/// Plays a recorded game to its count while somebody watches, and checks what came of it.
async fn finish(suite: &Suite, recorded: &Recorded) -> Pair {
    let (black, white) = (suite.player("aki").await, suite.player("bo").await);
    let mut pair = Pair::begin(black, white, rated(recorded.settings())).await;
    let id = pair.game_id.clone();
    let mut watch = suite.guest().watch(&id).await;
    let watching = tokio::spawn(async move {
        let mut seen = Vec::new();
        while let Some(message) = watch.next().await.expect("the stream ends OK") {
            seen.push(message);
        }
        seen
    });

    let number = pair.take(&recorded.moves, 1).await;
    let accepted = pair.count(number, &recorded.dead).await;

    assert_eq!(accepted.phase(), Phase::Ended);
    let game = pair.black.game(&id).await;
    let result = game.result.clone().unwrap();
    assert_eq!(result.reason(), EndReason::Count, "{}", recorded.id);
    assert_eq!(i64::from(result.margin_quarters), recorded.margin_quarters, "{}", recorded.id);
    assert_eq!(game.rows, recorded.board);
    assert_eq!(game.rows, result.proof.as_ref().unwrap().rows);
    check_proof(&result.proof.unwrap(), recorded.margin_quarters, recorded.lines);

    let seen = watching.await.unwrap();
    check_stream(&seen, accepted.sequence);
    pair
}

/// The proof adds up by itself (rulebook: G9).
fn check_proof(proof: &tengen_proto::game::v1::CountProof, margin: i64, lines: i32) {
    let points = lines * lines;
    assert_eq!(proof.black_points + proof.white_points + proof.neutral_points, points);
    assert_eq!(proof.black_quarters, 4 * proof.black_points + 2 * proof.neutral_points);
    let given = proof.komi_quarters + proof.compensation_quarters;
    assert_eq!(i64::from(proof.black_quarters - 2 * points - given), margin);
    assert_eq!(proof.settlement(), Settlement::Agreed);
    assert!(proof.white_accepted_sequence > 0);
    assert_eq!(proof.black_accepted_sequence, proof.white_accepted_sequence + 1);
}

/// A watcher sees a snapshot, then every event once and in order, each chained to the one before,
/// up to the end.
// case: A1
fn check_stream(seen: &[Message], last: i64) {
    let Message::Snapshot(snapshot) = &seen[0] else { panic!("a snapshot first: {seen:?}") };
    let game = snapshot.game.as_ref().unwrap();
    let (mut sequence, mut hash) = (game.sequence, game.head_hash.clone());
    for message in &seen[1..] {
        let Message::Event(event) = message else { panic!("an event: {message:?}") };
        sequence += 1;
        assert_eq!((event.sequence, &event.previous_hash), (sequence, &hash));
        hash.clone_from(&event.head_hash);
    }
    assert_eq!(sequence, last);
    let Some(Message::Event(end)) = seen.last() else { panic!("an event last") };
    assert!(matches!(end.event, Some(Event::Ended(_))), "{end:?}");
}

async fn standing(player: &mut Player) -> (String, i64, i64) {
    let id = player.id.clone();
    let rating = player.rating(&id).await;
    let standing = rating.standing.unwrap();
    (standing.level_name, standing.points, rating.fee_balance)
}

// rulebook: G8 G9 C12.1 L2 L3 L5 L6 L12
async fn a_game_on_19_lines_with_dead_stones_moves_both_ratings(suite: Suite) {
    let games = Recorded::of_set("kgs19");
    let recorded = games.iter().find(|game| game.dead.len() > 3 && game.margin_quarters < 0);
    let mut pair = finish(&suite, recorded.expect("a game that White won with dead stones")).await;
    suite.rated(&pair.game_id).await;

    // Both were 1K with 0 points and a stake of 4: 0 − 4 → 2K with 5 × 2 − 4.
    assert_eq!(standing(&mut pair.black).await, ("2K".into(), 6, 1));
    assert_eq!(standing(&mut pair.white).await, ("1K".into(), 4, 1));
    let id = pair.white.id.clone();
    let row = pair.black.ledger(&id).await.remove(0);
    assert_eq!((row.counted(), row.stake, row.nominal, row.applied), (Counted::Win, 4, 4, 4));
    assert_eq!((row.game_id.as_str(), row.seat()), (pair.game_id.as_str(), Colour::White));
    let result = pair.black.game(&pair.game_id).await.result.unwrap();
    assert_eq!(result.rating(), RatingState::Applied);
}

// rulebook: G9
async fn a_game_on_9_lines_is_counted_as_it_stands(suite: Suite) {
    let games = Recorded::of_set("cgos");
    let recorded = games.iter().find(|game| game.margin_quarters > 0);
    let mut pair = finish(&suite, recorded.expect("a game that Black won")).await;
    suite.rated(&pair.game_id).await;
    assert_eq!(standing(&mut pair.black).await, ("1K".into(), 4, 1));
    assert_eq!(standing(&mut pair.white).await, ("2K".into(), 6, 1));
}

// What is acknowledged is not lost: accounts and ratings survive a restart, and a token does.
// rulebook: L14
#[tokio::test]
async fn ratings_and_accounts_survive_a_restart() {
    let mut suite = Suite::start().await;
    let (black, white) = (suite.player("aki").await, suite.player("bo").await);
    let mut pair = Pair::begin(black, white, rated(board(9))).await;
    let id = pair.game_id.clone();
    pair.black.resign(&id).await.unwrap();
    suite.rated(&id).await;
    suite.restart().await;
    let rating = suite.guest().rating(&pair.white.id).await;
    assert_eq!(rating.standing.unwrap().points, 4);
    let again = suite.sign_in("aki").await;
    assert_eq!(again.id, pair.black.id);
}
