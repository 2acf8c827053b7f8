//! What holds on every ladder and in every sequence of games.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use tengen_ladder::{Change, End, Ladder, LevelSpec, Side, Standing};

fn ends() -> impl Strategy<Value = (End, Option<Side>)> {
    let lost = prop_oneof![
        Just(End::Count),
        Just(End::Resignation),
        Just(End::Time),
        Just(End::SecondWarning),
        Just(End::RefereeLoss),
        Just(End::OutOfTurn),
        (299_990..300_010_i64).prop_map(|together_ms| End::Leave { together_ms }),
        Just(End::Disconnected),
        Just(End::FlagWhileAway),
        Just(End::NoShow),
    ];
    let alike = prop_oneof![
        Just(End::BothLate),
        Just(End::BothGone),
        Just(End::Draw),
        Just(End::Replay),
        Just(End::Void),
        Just(End::Annulled),
    ];
    let winner = prop_oneof![Just(Side::Black), Just(Side::White)];
    prop_oneof![
        3 => (lost, winner).prop_map(|(end, winner)| (end, Some(winner))),
        1 => alike.prop_map(|end| (end, None)),
    ]
}

/// The default ladder, or any other, whose marks need not follow the stakes.
fn ladders() -> impl Strategy<Value = Ladder> {
    let any = prop::collection::vec((1..50_i64, 1..300_i64), 2..30).prop_map(|levels| {
        let spec = |(k, (stake, promote_at)): (usize, (i64, i64))| LevelSpec {
            name: k.to_string(),
            stake,
            promote_at,
        };
        Ladder::new(levels.into_iter().enumerate().map(spec).collect(), 0).unwrap()
    });
    prop_oneof![Just(Ladder::standard()), any]
}

/// A ladder and some standings on it, the edges often.
fn players(count: usize) -> impl Strategy<Value = (Ladder, Vec<Standing>)> {
    let place = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8);
    (ladders(), prop::collection::vec(place, count)).prop_map(|(ladder, places)| {
        let on = |(level, points, edge): &(prop::sample::Index, prop::sample::Index, u8)| {
            let level = level.index(ladder.levels().len());
            let last = ladder.levels()[level].promote_at - 1;
            let points = match edge {
                0 => 0,
                1 => last,
                _ => points.index(usize::try_from(last).unwrap() + 1).try_into().unwrap(),
            };
            ladder.standing(level.try_into().unwrap(), points).unwrap()
        };
        let standings = places.iter().map(on).collect();
        (ladder, standings)
    })
}

fn levels_moved(change: &Change) -> u8 {
    change.after.level.index().abs_diff(change.before.level.index())
}

/// Holds for every change: whole points, the total, the bounds of the level.
fn sound(ladder: &Ladder, change: &Change) -> Result<(), TestCaseError> {
    prop_assert_eq!(change.applied, ladder.total(change.after) - ladder.total(change.before));
    let level = i64::from(change.after.level.index());
    // Refuses points outside 0..promote_at, the top apart.
    prop_assert_eq!(ladder.standing(level, change.after.points), Ok(change.after));
    Ok(())
}

proptest! {
    // rulebook: L5, L6, L14
    // case: T8, T15
    #[test]
    fn a_game_moves_at_most_one_level_and_keeps_the_books(
        (ladder, players) in players(2),
        games in prop::collection::vec(ends(), 1..60),
    ) {
        let mut standings = [players[0], players[1]];
        let opening = standings.map(|standing| ladder.total(standing));
        let mut balances = [0; 2];
        for (end, winner) in games {
            let [black, white] = standings;
            let booked = ladder.settle(&end, winner, black, white).unwrap();
            for seat in 0..2 {
                let change = &booked[seat].change;
                sound(&ladder, change)?;
                prop_assert!(levels_moved(change) <= 1);
                prop_assert!(change.nominal.abs() <= 2 * ladder.stake(black.level, white.level));
                prop_assert_eq!(change.promoted(), change.after.level > change.before.level);
                balances[seat] += change.applied;
                standings[seat] = change.after;
                prop_assert_eq!(opening[seat] + balances[seat], ladder.total(standings[seat]));
            }
        }
    }

    // rulebook: L8
    // case: T11
    #[test]
    fn a_draw_changes_no_standing_and_no_rank((ladder, players) in players(12)) {
        let mut after = players.clone();
        for pair in after.chunks_mut(2) {
            let booked = ladder.settle(&End::Draw, None, pair[0], pair[1]).unwrap();
            prop_assert!(booked.iter().all(|seat| seat.change.applied == 0 && seat.change.nominal == 0));
            pair[0] = booked[0].change.after;
            pair[1] = booked[1].change.after;
        }
        prop_assert_eq!(after, players);
    }

    // rulebook: L14
    // case: T11
    #[test]
    fn better_means_a_greater_total((ladder, players) in players(2)) {
        let [a, b] = [players[0], players[1]];
        prop_assert_eq!(a.cmp(&b), ladder.total(a).cmp(&ladder.total(b)));
    }

    // rulebook: L14
    // case: T2
    #[test]
    fn a_change_taken_back_at_once_leaves_no_trace(
        (ladder, players) in players(2),
        (end, winner) in ends(),
    ) {
        for seat in ladder.settle(&end, winner, players[0], players[1]).unwrap() {
            let back = ladder.compensate(seat.change.after, seat.change.applied);
            sound(&ladder, &back)?;
            prop_assert_eq!(back.after, seat.change.before);
            prop_assert_eq!(back.applied, -seat.change.applied);
        }
    }

    // rulebook: L6, L14
    #[test]
    fn any_amount_leaves_a_sound_standing(
        (ladder, players) in players(1),
        amount in prop_oneof![-3_000_000..3_000_000_i64, -60..60_i64],
    ) {
        let applied = ladder.apply(players[0], amount);
        sound(&ladder, &applied)?;
        prop_assert!(levels_moved(&applied) <= 1);
        sound(&ladder, &ladder.compensate(players[0], amount))?;
    }
}

// case: T8
#[test]
fn the_crate_counts_in_whole_points() {
    let sources = [
        include_str!("../src/change.rs"),
        include_str!("../src/ends.rs"),
        include_str!("../src/levels.rs"),
        include_str!("../src/standard.rs"),
    ];
    for source in sources {
        assert!(!source.contains("f32") && !source.contains("f64"));
    }
}
