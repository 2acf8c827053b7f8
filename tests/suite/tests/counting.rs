//! Counting over the wire: marks, acceptance, disputes, the limit, and rules that are agreed.
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
    Accepted, EndReason, GetRulesetRequest, IllegalMove, OutOfTurn, Phase, Settings, Settlement,
    TurnKind, TwoPasses,
};
use tengen_proto::time::duration;
use tengen_suite::Suite;
use tengen_suite::games::Pair;
use tengen_suite::player::{board, point, timed};
use tengen_suite::refusal::{reason, refused};
use tonic::Code;

tengen_suite::on_both! {
    a_mark_is_of_a_whole_string_and_clears_what_was_accepted,
    at_the_second_dispute_every_stone_stands,
    either_side_may_resign_while_counting,
    a_handicap_game_is_counted_with_the_compensation,
    a_move_on_a_forbidden_point_costs_the_turn_where_that_is_set,
    a_move_out_of_turn_loses_where_that_is_set,
    passes_end_nothing_where_that_is_set,
}

const COUNTING_MS: u32 = 60_000;

async fn begin(suite: Suite, settings: Settings) -> (Suite, Pair, String) {
    let pair = Pair::begin(suite.player("aki").await, suite.player("bo").await, settings).await;
    let id = pair.game_id.clone();
    (suite, pair, id)
}

/// A timed game with a minute for counting.
fn settings() -> Settings {
    let counting_limit = Some(duration(COUNTING_MS.into()));
    Settings { counting_limit, ..timed(board(9)) }
}

/// Black has a string of two, White one stone in the corner; the next number.
async fn stones(pair: &mut Pair) -> i32 {
    pair.take(&[(4, 4), (0, 0), (4, 5), (8, 8)].map(|(row, column)| Some(point(row, column))), 1)
        .await
}

/// Both confirm, and counting is open.
async fn confirm(pair: &mut Pair, number: i32) -> Accepted {
    let id = pair.game_id.clone();
    let first = pair.to_move(number).confirm(&id, number).await.unwrap();
    assert_eq!(first.phase(), Phase::Playing);
    let second = pair.to_move(number + 1).confirm(&id, number + 1).await.unwrap();
    assert_eq!(second.phase(), Phase::Counting);
    second
}

// rulebook: C12.4 G8   case: S2 S3
async fn a_mark_is_of_a_whole_string_and_clears_what_was_accepted(suite: Suite) {
    let (_suite, mut pair, id) = begin(suite, settings()).await;
    let number = stones(&mut pair).await;
    confirm(&mut pair, number).await;
    let empty = pair.black.game(&id).await;
    pair.white.mark(&id, point(4, 4), true).await.unwrap();
    let marked = pair.black.game(&id).await;
    assert_eq!(marked.dead, [point(4, 4), point(4, 5)]);
    assert_ne!(marked.dead_set_hash, empty.dead_set_hash);
    // White's two stones own the board now: 81 − 0 points, less komi.
    assert_eq!(marked.preview.unwrap().text, "W+88.5");

    let stale = refused(pair.black.accept_count(&id, &empty.dead_set_hash).await);
    assert_eq!((stale.code, stale.reason.as_str()), (Code::FailedPrecondition, "DEAD_SET_CHANGED"));
    assert_eq!(
        (stale.meta("given"), stale.meta("dead_set_hash")),
        (empty.dead_set_hash.as_str(), marked.dead_set_hash.as_str())
    );
    pair.white.accept_count(&id, &marked.dead_set_hash).await.unwrap();
    assert!(pair.black.game(&id).await.white.unwrap().accepted);
    pair.black.mark(&id, point(4, 5), false).await.unwrap();
    let cleared = pair.black.game(&id).await;
    assert_eq!((cleared.dead.len(), cleared.dead_set_hash), (0, empty.dead_set_hash));
    assert!(!cleared.white.unwrap().accepted);

    let nothing = refused(pair.black.mark(&id, point(2, 2), true).await);
    assert_eq!((nothing.reason.as_str(), nothing.meta("point")), ("NO_STONE", "C7"));
    let off = refused(pair.black.mark(&id, point(2, 9), true).await);
    assert_eq!((off.reason.as_str(), off.fields), ("INVALID_FIELD", vec!["point.column".into()]));
    let playing = refused(pair.black.play(&id, number + 2, point(2, 2)).await);
    assert_eq!((playing.reason.as_str(), playing.meta("phase")), ("WRONG_PHASE", "COUNTING"));
}

// rulebook: C12.3   case: C11 C12 S8 S16
#[tokio::test]
async fn a_dispute_reopens_play_with_the_clocks_as_they_were() {
    let (suite, mut pair, id) = begin(Suite::start().await, settings()).await;
    suite.advance(7_000);
    let number = stones(&mut pair).await;
    let opened = confirm(&mut pair, number).await.clock.unwrap();
    assert_eq!(opened.running(), Colour::Unspecified);
    pair.white.mark(&id, point(4, 4), true).await.unwrap();
    suite.advance(30_000);

    let disputed = pair.white.dispute(&id).await.unwrap();
    assert_eq!((disputed.phase(), disputed.to_move()), (Phase::Playing, Colour::Black));
    assert_eq!(disputed.move_number, number + 2);
    let clock = disputed.clock.unwrap();
    assert_eq!(clock.running(), Colour::Black);
    assert_eq!((&clock.black, &clock.white), (&opened.black, &opened.white));
    let game = pair.black.game(&id).await;
    assert_eq!((game.clock, game.head_hash), (Some(clock), disputed.head_hash));
    assert_eq!((game.disputes, game.dead.len(), game.your_turn), (1, 0, true));
    pair.black.play(&id, number + 2, point(1, 1)).await.unwrap();
}

// rulebook: C12.3   case: S5 S16
async fn at_the_second_dispute_every_stone_stands(suite: Suite) {
    let (_suite, mut pair, id) = begin(suite, settings()).await;
    let number = stones(&mut pair).await;
    confirm(&mut pair, number).await;
    pair.black.dispute(&id).await.unwrap();
    confirm(&mut pair, number + 2).await;
    pair.white.mark(&id, point(4, 4), true).await.unwrap();
    let ended = pair.black.dispute(&id).await.unwrap();
    let result = ended.result.unwrap();
    assert_eq!((ended.phase, result.reason()), (Phase::Ended as i32, EndReason::Count));
    let proof = result.proof.unwrap();
    assert_eq!((proof.settlement(), proof.dead.len()), (Settlement::AllStand, 0));
    assert_eq!((proof.black_accepted_sequence, proof.white_accepted_sequence), (0, 0));
    // 2 and 2 stones, 77 points between them: only komi decides.
    assert_eq!((proof.black_points, proof.white_points, proof.neutral_points), (2, 2, 77));
    assert_eq!((result.margin_quarters, result.text.as_str()), (-15, "W+7.5"));
}

// rulebook: G7.2
async fn either_side_may_resign_while_counting(suite: Suite) {
    let (_suite, mut pair, id) = begin(suite, settings()).await;
    let number = stones(&mut pair).await;
    confirm(&mut pair, number).await;
    let result = pair.white.resign(&id).await.unwrap().result.unwrap();
    assert_eq!((result.reason(), result.text.as_str()), (EndReason::Resignation, "B+R"));
}

// What is due happens before the command that comes after it.
// rulebook: C12.4   case: S6
#[tokio::test]
async fn counting_that_takes_too_long_is_a_dispute() {
    let (suite, mut pair, id) = begin(Suite::start().await, settings()).await;
    let number = stones(&mut pair).await;
    confirm(&mut pair, number).await;
    suite.advance(COUNTING_MS - 1);
    pair.white.mark(&id, point(4, 4), true).await.unwrap();
    let mut watch = suite.guest().watch(&id).await;
    watch.next().await.unwrap();
    suite.advance(1);
    let played = pair.black.play(&id, number + 2, point(1, 1)).await.unwrap();
    assert_eq!((played.phase(), played.move_number), (Phase::Playing, number + 3));
    let Some(Message::Event(disputed)) = watch.next().await.unwrap() else { panic!("an event") };
    let Some(Told::CountDisputed(told)) = disputed.event else { panic!("a dispute") };
    assert_eq!((told.colour(), told.disputes), (Colour::Unspecified, 1));
    let Some(Message::Event(move_played)) = watch.next().await.unwrap() else { panic!("an event") };
    assert!(matches!(move_played.event, Some(Told::MovePlayed(_))));

    confirm(&mut pair, number + 3).await;
    let hash = pair.black.game(&id).await.dead_set_hash;
    suite.advance(COUNTING_MS);
    let late = refused(pair.white.accept_count(&id, &hash).await);
    assert_eq!((late.reason.as_str(), late.meta("end")), ("GAME_ENDED", "COUNT"));
    let proof = pair.black.game(&id).await.result.unwrap().proof.unwrap();
    assert_eq!(proof.settlement(), Settlement::AllStand);
}

// Two stones on star points, no komi; half a stone for White for each of them.
// rulebook: C2   case: S12 S13
async fn a_handicap_game_is_counted_with_the_compensation(suite: Suite) {
    let (_suite, mut pair, id) = begin(suite, Settings { handicap: 2, ..timed(board(9)) }).await;
    let game = pair.black.game(&id).await;
    let agreed = game.settings.clone().unwrap();
    assert_eq!((agreed.komi_quarters, agreed.compensation_quarters), (Some(0), Some(4)));
    assert_eq!((game.to_move(), game.rows.concat().matches('X').count()), (Colour::White, 2));
    let request = GetRulesetRequest { game_id: id.clone() };
    let rules = pair.black.games.get_ruleset(request).await.unwrap().into_inner().ruleset.unwrap();
    assert_eq!((rules.compensation_quarters, rules.suicide), (4, false));
    assert_eq!((rules.scoring.as_str(), rules.ko.as_str()), ("AREA", "POSITIONAL"));

    assert_eq!(reason(pair.black.play(&id, 1, point(4, 4)).await), "NOT_YOUR_TURN");
    pair.white.play(&id, 1, point(4, 4)).await.unwrap();
    pair.black.confirm(&id, 2).await.unwrap();
    pair.white.confirm(&id, 3).await.unwrap();
    let hash = pair.black.game(&id).await.dead_set_hash;
    pair.black.accept_count(&id, &hash).await.unwrap();
    let result = pair.white.accept_count(&id, &hash).await.unwrap().result.unwrap();
    // Black 2 + 78 / 2 = 41 of 40½, less 1 stone.
    let proof = result.proof.unwrap();
    assert_eq!((proof.black_quarters, proof.compensation_quarters), (164, 4));
    assert_eq!((result.margin_quarters, result.text.as_str()), (-2, "W+1"));
}

// rulebook: C10 C11.1 G2.4   case: D14
async fn a_move_on_a_forbidden_point_costs_the_turn_where_that_is_set(suite: Suite) {
    let forfeit = IllegalMove::ForfeitTurn as i32;
    let (_suite, mut pair, id) = begin(suite, Settings { illegal_move: forfeit, ..board(9) }).await;
    pair.take(&[(0, 1), (8, 8), (1, 0)].map(|(row, column)| Some(point(row, column))), 1).await;
    assert_eq!(reason(pair.white.play(&id, 3, point(0, 0)).await), "STALE_MOVE_NUMBER");
    assert_eq!(reason(pair.white.play(&id, 4, point(0, 1)).await), "OCCUPIED");
    let forfeited = pair.white.play(&id, 4, point(0, 0)).await.unwrap();
    assert_eq!((forfeited.to_move(), forfeited.move_number), (Colour::Black, 5));
    let turn = *pair.white.game(&id).await.turns.last().unwrap();
    assert_eq!((turn.kind(), turn.point), (TurnKind::Forfeited, Some(point(0, 0))));
    // A turn that was forfeited confirms nothing.
    pair.black.confirm(&id, 5).await.unwrap();
    pair.white.play(&id, 6, point(0, 0)).await.unwrap();
    let confirmed = pair.black.confirm(&id, 7).await.unwrap();
    assert_eq!(confirmed.phase(), Phase::Playing);
    assert_eq!(pair.white.confirm(&id, 8).await.unwrap().phase(), Phase::Counting);
}

// rulebook: C8.1 C4.2
async fn a_move_out_of_turn_loses_where_that_is_set(suite: Suite) {
    let loss = OutOfTurn::Loss as i32;
    let (_suite, mut pair, id) = begin(suite, Settings { out_of_turn: loss, ..board(9) }).await;
    pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    assert_eq!(reason(pair.black.play(&id, 1, point(2, 2)).await), "STALE_MOVE_NUMBER");
    assert_eq!(reason(pair.black.pass(&id, 2).await), "NOT_YOUR_TURN");
    assert_eq!(reason(pair.black.confirm(&id, 2).await), "NOT_YOUR_TURN");
    let ended = pair.black.play(&id, 2, point(2, 2)).await.unwrap();
    let result = ended.result.unwrap();
    assert_eq!((result.reason(), result.winner()), (EndReason::OutOfTurn, Colour::White));
    assert_eq!(result.text, "W+F");
}

// rulebook: G2.4 C12.1
async fn passes_end_nothing_where_that_is_set(suite: Suite) {
    let nothing = TwoPasses::Nothing as i32;
    let (_suite, mut pair, id) = begin(suite, Settings { two_passes: nothing, ..board(9) }).await;
    let number = pair.take(&[None, None, None, None], 1).await;
    assert_eq!(pair.black.game(&id).await.phase(), Phase::Playing);
    // A confirmation is taken back by playing on.
    pair.black.confirm(&id, number).await.unwrap();
    pair.white.pass(&id, number + 1).await.unwrap();
    confirm(&mut pair, number + 2).await;
}
