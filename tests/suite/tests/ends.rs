//! Every end that players can bring about, and what it comes to on the ladder.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Absolute, TimeControl};
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::{
    EndReason, GameSummary, ListMyGamesRequest, OutOfTurn, RatingState, Result, Settings,
};
use tengen_proto::rating::v1::{Counted, GetResultRatingRequest, LedgerEntry, ListFeesRequest};
use tengen_proto::time::duration;
use tengen_suite::games::Pair;
use tengen_suite::player::{board, point};
use tengen_suite::refusal::refused;
use tengen_suite::suite::START_MS;
use tengen_suite::{Player, Refused, Suite};

tengen_suite::on_both! {
    a_resignation_costs_one_stake,
    a_loss_out_of_turn_earns_no_fee,
    a_draw_is_only_counted,
    a_casual_game_moves_no_level,
    both_seats_find_their_game_and_whose_turn_it_is,
}

/// Less than access tokens live, and more than the five minutes of an escape.
const MAIN_MS: u32 = 400_000;

fn settings() -> Settings {
    let absolute = Absolute { main: Some(duration(MAIN_MS.into())) };
    let time = Some(TimeControl { kind: Some(Kind::Absolute(absolute)) });
    Settings { time, rated: true, ..board(9) }
}

/// What an end comes to for a seat: nominal change, what it counted as, game fees.
type Row = (i64, Counted, i64);

async fn begin(suite: Suite, settings: Settings) -> (Suite, Pair) {
    let pair = Pair::begin(suite.player("aki").await, suite.player("bo").await, settings).await;
    (suite, pair)
}

async fn row(suite: &Suite, player: &mut Player, game_id: &str) -> Row {
    let entries = suite.guest().ledger(&player.id).await;
    let [entry] = <[LedgerEntry; 1]>::try_from(entries).expect("one row a seat");
    assert_eq!(entry.game_id, game_id);
    let (before, after) = (entry.before.as_ref().unwrap(), entry.after.as_ref().unwrap());
    assert_eq!(after.total - before.total, entry.applied);
    let fees = player.ratings.list_fees(ListFeesRequest::default()).await.unwrap();
    let fees = fees.into_inner().fees.iter().map(|fee| fee.amount).sum();
    (entry.nominal, entry.counted(), fees)
}

/// Checks the result and the ledger of a rated game between two who stand at 1K, stake 4.
async fn check(suite: &Suite, pair: &mut Pair, result: &Result, expected: (EndReason, Row, Row)) {
    let (reason, black, white) = expected;
    assert_eq!(result.reason(), reason);
    let id = pair.game_id.clone();
    suite.rated(&id).await;
    assert_eq!(row(suite, &mut pair.black, &id).await, black, "Black: {reason:?}");
    assert_eq!(row(suite, &mut pair.white, &id).await, white, "White: {reason:?}");
    let shown = pair.black.game(&id).await.result.unwrap();
    assert_eq!(shown.rating(), RatingState::Applied);
}

// rulebook: L3 L12 G7.2
async fn a_resignation_costs_one_stake(suite: Suite) {
    let (suite, mut pair) = begin(suite, settings()).await;
    let result = pair.white.resign(&pair.game_id).await.unwrap().result.unwrap();
    let rows = ((4, Counted::Win, 1), (-4, Counted::Loss, 1));
    check(&suite, &mut pair, &result, (EndReason::Resignation, rows.0, rows.1)).await;
}

// Exactly five minutes of both together are not more than five.
// rulebook: L7   case: T5 T6
#[tokio::test]
async fn leaving_costs_two_stakes_and_pays_the_other_after_five_minutes() {
    for (last_ms, black) in [
        (149_999, (0, Counted::Unspecified, 1)),
        (150_000, (0, Counted::Unspecified, 1)),
        (150_001, (4, Counted::Win, 1)),
    ] {
        let (suite, mut pair) = begin(Suite::start().await, settings()).await;
        let id = pair.game_id.clone();
        suite.advance(150_000);
        pair.black.play(&id, 1, point(4, 4)).await.unwrap();
        suite.advance(last_ms);
        let result = pair.white.leave(&id).await.unwrap().result.unwrap();
        assert_eq!(result.text, "B+F");
        assert_eq!(result.together, Some(duration(150_000 + i64::from(last_ms))));
        let white = (-8, Counted::Escape, 0);
        check(&suite, &mut pair, &result, (EndReason::Leave, black, white)).await;
        // 1K 0 − 8 → 2K with 10 − 8.
        let standing = suite.guest().rating(&pair.white.id).await.standing.unwrap();
        assert_eq!((standing.level_name.as_str(), standing.points), ("2K", 2));
    }
}

// rulebook: C14.5 C3.1   case: C2
#[tokio::test]
async fn a_claim_on_time_is_right_from_the_deadline_on() {
    let (suite, mut pair) = begin(Suite::start().await, settings()).await;
    let id = pair.game_id.clone();
    suite.advance(MAIN_MS - 1);
    let early = refused(pair.white.claim_time(&id).await);
    let due_ms = (START_MS + i64::from(MAIN_MS)).to_string();
    assert_eq!((early.reason.as_str(), early.meta("due_ms")), ("NOT_DUE", due_ms.as_str()));
    assert_eq!(refused(pair.black.claim_time(&id).await).reason, "NOT_DUE");
    suite.advance(1);
    // The timekeeper may be first.
    if let Err(status) = pair.white.claim_time(&id).await {
        let refused = Refused::from(&status);
        assert_eq!((refused.reason.as_str(), refused.meta("end")), ("GAME_ENDED", "TIME"));
    }
    let result = pair.white.game(&id).await.result.unwrap();
    assert_eq!((result.winner(), result.text.as_str()), (Colour::White, "W+T"));
    let rows = ((-4, Counted::Loss, 1), (4, Counted::Win, 1));
    check(&suite, &mut pair, &result, (EndReason::Time, rows.0, rows.1)).await;
}

// A move at the deadline has lost, whether anybody claims or not.
// rulebook: C3.1   case: C2
#[tokio::test]
async fn a_move_at_the_deadline_is_too_late() {
    let (suite, mut pair) = begin(Suite::start().await, settings()).await;
    let id = pair.game_id.clone();
    suite.advance(MAIN_MS - 1);
    pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    suite.advance(MAIN_MS);
    let (mut black, mut white) = (suite.sign_in("aki").await, suite.sign_in("bo").await);
    let late = refused(white.play(&id, 2, point(2, 2)).await);
    assert_eq!((late.reason.as_str(), late.meta("end")), ("GAME_ENDED", "TIME"));
    let result = black.game(&id).await.result.unwrap();
    assert_eq!(result.text, "B+T");
    (pair.black, pair.white) = (black, white);
    let rows = ((4, Counted::Win, 1), (-4, Counted::Loss, 1));
    check(&suite, &mut pair, &result, (EndReason::Time, rows.0, rows.1)).await;
}

// rulebook: C8.1
async fn a_loss_out_of_turn_earns_no_fee(suite: Suite) {
    let loss = OutOfTurn::Loss as i32;
    let (suite, mut pair) = begin(suite, Settings { out_of_turn: loss, ..settings() }).await;
    let played = pair.white.play(&pair.game_id, 1, point(4, 4)).await.unwrap();
    let rows = ((4, Counted::Win, 1), (-4, Counted::Loss, 0));
    let expected = (EndReason::OutOfTurn, rows.0, rows.1);
    check(&suite, &mut pair, &played.result.unwrap(), expected).await;
}

// One stone each and no komi: 40½ each.
// rulebook: G9 L8   case: S15
async fn a_draw_is_only_counted(suite: Suite) {
    let (suite, mut pair) = begin(suite, Settings { komi_quarters: Some(0), ..settings() }).await;
    let number = pair.take(&[Some(point(4, 4)), Some(point(2, 2))], 1).await;
    let result = pair.count(number, &[]).await.result.unwrap();
    assert_eq!((result.winner(), result.text.as_str()), (Colour::Unspecified, "0"));
    let row = (0, Counted::Draw, 1);
    check(&suite, &mut pair, &result, (EndReason::Count, row, row)).await;
    let counts = suite.guest().rating(&pair.black.id).await.counts.unwrap();
    assert_eq!((counts.won, counts.lost, counts.drawn), (0, 0, 1));
}

// rulebook: L7
async fn a_casual_game_moves_no_level(suite: Suite) {
    let (suite, mut pair) = begin(suite, board(9)).await;
    let result = pair.white.leave(&pair.game_id).await.unwrap().result.unwrap();
    assert_eq!(result.rating(), RatingState::NotRated);
    let mut guest = suite.guest();
    loop {
        let request = GetResultRatingRequest { game_id: pair.game_id.clone() };
        let answer = guest.ratings.get_result_rating(request).await.unwrap().into_inner();
        if answer.state() != RatingState::Pending {
            assert_eq!(answer.state(), RatingState::NotRated);
            break;
        }
        tokio::task::yield_now().await;
    }
    for player in [&pair.black, &pair.white] {
        let standing = guest.rating(&player.id).await.standing.unwrap();
        assert_eq!((standing.level_name.as_str(), standing.points), ("1K", 0));
    }
}

async fn mine(player: &mut Player) -> Vec<GameSummary> {
    player.games.list_my_games(ListMyGamesRequest {}).await.unwrap().into_inner().games
}

// case: D11
async fn both_seats_find_their_game_and_whose_turn_it_is(suite: Suite) {
    let (suite, mut pair) = begin(suite, settings()).await;
    let id = pair.game_id.clone();
    assert!(mine(&mut suite.player("cho").await).await.is_empty());
    for number in 1..=4 {
        for player in [&mut pair.black, &mut pair.white] {
            let game = player.game(&id).await;
            let [listed] = <[GameSummary; 1]>::try_from(mine(player).await).unwrap();
            assert_eq!((listed.game_id.as_str(), listed.move_number), (id.as_str(), number));
            assert_eq!((listed.to_move, listed.phase), (game.to_move, game.phase));
            assert_eq!((listed.black, listed.white), (game.black.clone(), game.white.clone()));
            let seat = if player.id == game.black.unwrap().player_id { 1 } else { 2 };
            assert_eq!(game.your_turn, listed.to_move == seat);
        }
        pair.take(&[Some(point(number, number))], number).await;
    }
    pair.black.resign(&id).await.unwrap();
    assert!(mine(&mut pair.black).await.is_empty() && mine(&mut pair.white).await.is_empty());
}
