//! The table of ends, row by row, through the service: levels, counts, fees.

use crate::support::World;
use crate::support::audit::clean;
use crate::support::game::{ENDED_AT_MS, black_wins, corrected, result};
use tengen_harness::{Database, on_each_database};
use tengen_proto::common::v1::Colour::{self, Black, Unspecified as Nobody, White};
use tengen_proto::game::v1::{EndReason, RatingState};
use tengen_proto::internal::v1::GameResult;
use tengen_proto::rating::v1::{Counted, Counts, GetPlayerResponse, LedgerEntry, ListFeesRequest};
use tengen_proto::time::duration;

use Counted::{DisconnectLoss, Draw, Escape, Loss, Win};

on_each_database!(
    rated_games_move_levels_counts_and_fees,
    casual_games_move_counts_alone,
    fees_are_as_set,
    who_has_experience_is_paid_a_multiple_of_the_fee,
    both_seats_are_booked_from_one_state_before,
    every_end_may_be_corrected_to_every_other,
    nobody_leaves_for_free,
);

/// What an end does to a seat: stakes, what it counts as, whether the fee is paid.
type Seat = (i64, Counted, bool);

const NOTHING: Counted = Counted::Unspecified;
/// Both are 1K.
const STAKE: i64 = 4;
const START_TOTAL: i64 = 15;

/// The rulebook's table: reason, winner, time together, then Black and White.
const ENDS: &[(EndReason, Colour, i64, Seat, Seat)] = &[
    (EndReason::Count, Black, 0, (1, Win, true), (-1, Loss, true)),
    (EndReason::Count, White, 0, (-1, Loss, true), (1, Win, true)),
    (EndReason::Count, Nobody, 0, (0, Draw, true), (0, Draw, true)),
    (EndReason::Resignation, White, 0, (-1, Loss, true), (1, Win, true)),
    (EndReason::Time, Black, 0, (1, Win, true), (-1, Loss, true)),
    (EndReason::TimeWhileAway, Black, 0, (1, Win, true), (-1, DisconnectLoss, false)),
    (EndReason::SecondWarning, Black, 0, (1, Win, true), (-1, Loss, false)),
    (EndReason::Ruling, White, 0, (-1, Loss, false), (1, Win, true)),
    (EndReason::OutOfTurn, Black, 0, (1, Win, true), (-1, Loss, false)),
    (EndReason::Leave, Black, 0, (0, NOTHING, true), (-2, Escape, false)),
    (EndReason::Leave, Black, 299_999, (0, NOTHING, true), (-2, Escape, false)),
    (EndReason::Leave, Black, 300_000, (0, NOTHING, true), (-2, Escape, false)),
    (EndReason::Leave, Black, 300_001, (1, Win, true), (-2, Escape, false)),
    (EndReason::Leave, White, 300_001, (-2, Escape, false), (1, Win, true)),
    (EndReason::Disconnected, White, 0, (-1, DisconnectLoss, false), (1, Win, true)),
    (EndReason::NoShow, Black, 0, (1, Win, true), (-1, Loss, false)),
    (EndReason::BothLate, Nobody, 0, (-1, Loss, false), (-1, Loss, false)),
    (EndReason::BothGone, Nobody, 0, (-1, Loss, false), (-1, Loss, false)),
    (EndReason::Draw, Nobody, 0, (0, Draw, true), (0, Draw, true)),
    (EndReason::Replay, Nobody, 0, (0, NOTHING, false), (0, NOTHING, false)),
    (EndReason::Void, Nobody, 0, (0, NOTHING, false), (0, NOTHING, false)),
    (EndReason::Annulled, Nobody, 0, (0, NOTHING, false), (0, NOTHING, false)),
];

fn end(n: usize, rated: bool) -> GameResult {
    let (reason, winner, together_ms, ..) = ENDS[n];
    let [black, white] = [format!("black_{n}"), format!("white_{n}")];
    let mut end = result(u64::try_from(n).unwrap(), [&black, &white], reason, winner);
    end.rated = rated;
    end.together = Some(duration(together_ms));
    end
}

fn counts(counted: Counted) -> Counts {
    let mut counts = Counts::default();
    match counted {
        Counted::Unspecified => {}
        Win => counts.won = 1,
        Loss => counts.lost = 1,
        Draw => counts.drawn = 1,
        Escape => counts.escaped = 1,
        DisconnectLoss => counts.disconnected = 1,
    }
    counts
}

/// 1K 0 and so many stakes: a loss falls to 2K with 10 less the loss (rulebook L6).
fn standing(stakes: i64) -> (&'static str, i64) {
    if stakes < 0 { ("2K", 10 + stakes * STAKE) } else { ("1K", stakes * STAKE) }
}

fn check_player(player: &GetPlayerResponse, expected: Seat, rated: bool, what: &str) {
    let (stakes, counted, fee) = if rated { expected } else { (0, expected.1, false) };
    let found = player.standing.as_ref().unwrap();
    assert_eq!((found.level_name.as_str(), found.points), standing(stakes), "{what}");
    assert_eq!(found.total, START_TOTAL + stakes * STAKE, "{what}");
    assert_eq!(player.counts, Some(counts(counted)), "{what}");
    assert_eq!(player.fee_balance, i64::from(fee), "{what}");
}

fn check_entry(entry: &LedgerEntry, end: &GameResult, seat: Colour, expected: Seat, what: &str) {
    let (stakes, counted, _) = expected;
    let (player_id, opponent_id) = match seat {
        Black => (&end.black_id, &end.white_id),
        _ => (&end.white_id, &end.black_id),
    };
    assert_eq!(entry.seat(), seat, "{what}");
    assert_eq!((&entry.player_id, &entry.opponent_id), (player_id, opponent_id), "{what}");
    assert_eq!((&entry.game_id, entry.result_version), (&end.game_id, 1), "{what}");
    assert_eq!((entry.reason(), entry.counted()), (end.reason(), counted), "{what}");
    assert_eq!((entry.stake, entry.nominal), (STAKE, stakes * STAKE), "{what}");
    let (before, after) = (entry.before.as_ref().unwrap(), entry.after.as_ref().unwrap());
    assert_eq!((before.level_name.as_str(), before.points), ("1K", 0), "{what}");
    assert_eq!((after.level_name.as_str(), after.points), standing(stakes), "{what}");
    assert_eq!(entry.applied, after.total - before.total, "{what}");
    // Booked now, not when the game ended.
    assert!(entry.at.as_ref().unwrap().seconds > ENDED_AT_MS / 1_000 - 1, "{what}");
}

async fn check(database: Database, rated: bool) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let ends: Vec<_> = (0..ENDS.len()).map(|n| end(n, rated)).collect();
    world.results.settle(&ends).await;
    for (end, (reason, winner, together_ms, black, white)) in ends.iter().zip(ENDS) {
        let what = format!("{reason:?} {winner:?} {together_ms} rated {rated}");
        check_player(&rating.player(&end.black_id).await, *black, rated, &what);
        check_player(&rating.player(&end.white_id).await, *white, rated, &what);
        let booked = rating.result(&end.game_id).await;
        if rated {
            assert_eq!(booked.state(), RatingState::Applied, "{what}");
            assert_eq!(booked.entries.len(), 2, "{what}");
            check_entry(&booked.entries[0], end, Black, *black, &what);
            check_entry(&booked.entries[1], end, White, *white, &what);
        } else {
            assert_eq!((booked.state(), booked.entries), (RatingState::NotRated, vec![]), "{what}");
        }
    }
}

// rulebook: L3, L7, L8, L11, L12; case: T5; case: T6; case: S15
async fn rated_games_move_levels_counts_and_fees(database: Database) {
    check(database, true).await;
}

// rulebook: L12; case: T5
async fn casual_games_move_counts_alone(database: Database) {
    check(database, false).await;
}

// rulebook: L12
async fn fees_are_as_set(database: Database) {
    let mut world = World::new(database).await;
    world.config.fee = 7;
    world.config.casual_fee = true;
    let mut rating = world.rating().await;
    let rated = result(1, ["b", "w"], EndReason::Resignation, Black);
    let mut casual = result(2, ["b", "w"], EndReason::Leave, Black);
    casual.rated = false;
    world.results.settle(&[rated, casual]).await;
    assert_eq!(rating.player("b").await.fee_balance, 14);
    assert_eq!(rating.player("w").await.fee_balance, 7);
}

// rulebook: L10, L12
async fn who_has_experience_is_paid_a_multiple_of_the_fee(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let tiers = |black_tier, end| GameResult { black_tier, ..end };
    let won = tiers(2, black_wins(1, ["b", "w"]));
    // The second is of a game service that tells no tiers.
    world.results.settle(&[won.clone(), black_wins(2, ["b", "w"])]).await;
    assert_eq!(rating.player("b").await.fee_balance, 4);
    assert_eq!(rating.player("w").await.fee_balance, 2);
    // What is reversed is what was paid, and what is paid after all is by the same tier.
    world.results.settle(&[corrected(&won, 2, EndReason::Annulled, Nobody)]).await;
    assert_eq!(rating.player("b").await.fee_balance, 1);
    world.results.settle(&[corrected(&won, 3, EndReason::Count, White)]).await;
    let request = world.signed("b", ListFeesRequest::default());
    let fees = rating.client.list_fees(request).await.unwrap().into_inner().fees;
    let fees: Vec<_> = fees.iter().map(|fee| (fee.amount, fee.tier, fee.balance)).collect();
    assert_eq!(fees, [(3, 2, 4), (-3, 2, 1), (1, 0, 4), (3, 2, 3)]);
    assert_eq!(rating.player("w").await.fee_balance, 2);
    clean(&world.database).await;
}

// rulebook: C7.3, L12, L14; case: T2
async fn every_end_may_be_corrected_to_every_other(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    let pairs = (0..ENDS.len()).flat_map(|wrong| (0..ENDS.len()).map(move |right| (wrong, right)));
    let (mut wrong, mut right) = (Vec::new(), Vec::new());
    for (n, (from, to)) in (0..).zip(pairs) {
        let [black, white] = [format!("black_{from}_{to}"), format!("white_{from}_{to}")];
        let ended = |row: usize| {
            let (reason, winner, together_ms, ..) = ENDS[row];
            let together = Some(duration(together_ms));
            GameResult { together, ..result(n, [&black, &white], reason, winner) }
        };
        let result_id = format!("{}:2", ended(to).game_id);
        wrong.push(ended(from));
        right.push((to, GameResult { version: 2, result_id, ..ended(to) }));
    }
    world.results.settle(&wrong).await;
    let corrections: Vec<_> = right.iter().map(|(_, end)| end.clone()).collect();
    world.results.settle(&corrections).await;
    // Nothing is left of the first version: points, counts and fees are those of the second alone.
    for (row, end) in right {
        let (reason, .., black, white) = ENDS[row];
        let what = format!("{} corrected to {reason:?}", end.black_id);
        check_player(&rating.player(&end.black_id).await, black, true, &what);
        check_player(&rating.player(&end.white_id).await, white, true, &what);
    }
    clean(&world.database).await;
}

// case: T6; case: T9
async fn nobody_leaves_for_free(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    // What both agree to, a count finds or a referee orders may cost nothing.
    let together = [EndReason::Draw, EndReason::Replay, EndReason::Void, EndReason::Annulled];
    let agreed = |row: &usize| {
        let (reason, winner, ..) = ENDS[*row];
        together.contains(&reason) || (reason == EndReason::Count && winner == Nobody)
    };
    let rows: Vec<_> = (0..ENDS.len()).filter(|row| !agreed(row)).collect();
    let ends: Vec<_> = rows.iter().map(|row| end(*row, true)).collect();
    world.results.settle(&ends).await;
    for end in ends {
        let losers = match end.winner() {
            Black => vec![&end.white_id],
            White => vec![&end.black_id],
            Nobody => vec![&end.black_id, &end.white_id],
        };
        for loser in losers {
            let total = rating.player(loser).await.standing.unwrap().total;
            assert!(total < START_TOTAL, "{loser}: {:?}", end.reason());
        }
    }
}

// rulebook: L4; case: T13
async fn both_seats_are_booked_from_one_state_before(database: Database) {
    let world = World::new(database).await;
    let mut rating = world.rating().await;
    // Black's fifth win is one too many for 1K: 20 points are 1D 0 (rulebook L5).
    let wins: Vec<_> =
        (0..5).map(|n| result(n, ["b", &format!("w{n}")], EndReason::Count, Black)).collect();
    world.results.settle(&wins).await;
    let found = rating.player("b").await.standing.unwrap();
    assert_eq!((found.level_name.as_str(), found.points, found.total), ("1D", 0, 35));
    // 1D 0 against 1K: the lower stake counts for both, and Black falls to 1K 20 - 4.
    world.results.settle(&[result(5, ["b", "w5"], EndReason::Count, White)]).await;
    let booked = rating.ledger("b", 100).await.pop().unwrap();
    assert_eq!((booked.stake, booked.nominal, booked.applied), (4, -4, -4));
    let after = booked.after.unwrap();
    assert_eq!((after.level_name.as_str(), after.points), ("1K", 16));
}
