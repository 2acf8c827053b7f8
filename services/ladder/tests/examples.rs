//! The rulebook's worked examples, and corrections of a booked result.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use tengen_ladder::{Booking, Counted, End, Ladder, Side, Standing};

const ESCAPE: End = End::Leave { together_ms: 0 };

/// Reads `1K 18`.
fn at(text: &str) -> Standing {
    let ladder = Ladder::standard();
    let (name, points) = text.split_once(' ').unwrap();
    let level = ladder.level_named(name).unwrap();
    ladder.standing(i64::from(level.index()), points.parse().unwrap()).unwrap()
}

fn text(standing: Standing) -> String {
    format!("{} {}", Ladder::standard().level_name(standing.level), standing.points)
}

/// Black's booking when Black, at `own`, meets White at `other` with 0 points.
fn black(own: &str, other: &str, end: End, winner: Side) -> Booking {
    let [black, _] =
        Ladder::standard().settle(&end, Some(winner), at(own), at(&format!("{other} 0"))).unwrap();
    black
}

// rulebook: L4, L5, L6, L7, L14
// case: T15
#[test]
fn the_worked_examples_hold() {
    use Side::{Black, White};
    //  own, opponent's level, end, winner, nominal, applied, after
    let examples = [
        ("1K 18", "1K", End::Count, Black, 4, 2, "1D 0"),
        ("1K 2", "1K", End::Count, White, -4, -6, "2K 6"),
        ("1K 3", "1K", End::Count, White, -4, -7, "2K 6"),
        ("1K 4", "1K", End::Count, White, -4, -4, "1K 0"),
        ("1K 0", "3K", End::Count, White, -1, -1, "2K 9"),
        ("1D 5", "1D", ESCAPE, White, -16, -21, "1K 4"),
        ("2K 1", "2K", ESCAPE, White, -4, -5, "3K 1"),
        ("3K 0", "3K", End::Count, White, -1, 0, "3K 0"),
        ("3K 1", "3K", ESCAPE, White, -2, -1, "3K 0"),
        // One point more or less decides about a promotion.
        ("1K 15", "1K", End::Count, Black, 4, 4, "1K 19"),
        ("1K 16", "1K", End::Count, Black, 4, 4, "1D 0"),
        // Nobody can gain two levels: at most the own stake is won.
        ("3K 4", "9P", End::Count, Black, 1, 1, "2K 0"),
        // The top has no end.
        ("9P 5242879", "9P", End::Count, Black, 1 << 20, 1 << 20, "9P 6291455"),
        ("9P 6291455", "3K", End::Count, Black, 1, 1, "9P 6291456"),
        ("9P 0", "9P", ESCAPE, White, -2 << 20, -2 << 20, "8P 524288"),
        // A double loss falls one level, not two.
        ("2K 0", "2K", ESCAPE, White, -4, -4, "3K 1"),
        ("2D 0", "2D", ESCAPE, White, -32, -32, "1D 8"),
    ];
    for (own, other, end, winner, nominal, applied, after) in examples {
        let change = black(own, other, end, winner).change;
        assert_eq!(
            (change.nominal, change.applied, text(change.after).as_str()),
            (nominal, applied, after),
            "{own} against {other}, {end:?}, {winner:?} wins"
        );
        assert_eq!(change.before, at(own));
        let levels = i32::from(change.after.level.index()) - i32::from(at(own).level.index());
        assert_eq!((change.promoted(), change.demoted()), (levels == 1, levels == -1));
    }
}

// rulebook: L7
// case: T6
#[test]
fn an_escape_always_costs_double_and_pays_only_after_five_minutes() {
    for (together_ms, gain, counted) in [
        (0, 0, Counted::Nothing),
        (299_999, 0, Counted::Nothing),
        (300_000, 0, Counted::Nothing),
        (300_001, 4, Counted::Win),
        (i64::MAX, 4, Counted::Win),
    ] {
        let end = End::Leave { together_ms };
        let [leaver, other] =
            Ladder::standard().settle(&end, Some(Side::White), at("1K 10"), at("1D 10")).unwrap();
        assert_eq!(
            (leaver.change.nominal, leaver.counted, leaver.fee),
            (-8, Counted::Escape, false)
        );
        assert_eq!((other.change.nominal, other.counted, other.fee), (gain, counted, true));
    }
}

// rulebook: L3, L4
// case: T13
#[test]
fn both_seats_are_settled_from_the_standings_before_the_game() {
    // White's win carries White to 1D, Black's loss carries Black to 2K: neither moves the stake.
    let [black, white] =
        Ladder::standard().settle(&End::Count, Some(Side::White), at("1K 0"), at("1K 19")).unwrap();
    assert_eq!([black.stake, white.stake], [4, 4]);
    assert_eq!([black.change.nominal, white.change.nominal], [-4, 4]);
    assert_eq!([black.change.after, white.change.after], [at("2K 6"), at("1D 0")]);
    // The same game with the colours exchanged.
    let swapped =
        Ladder::standard().settle(&End::Count, Some(Side::Black), at("1K 19"), at("1K 0")).unwrap();
    assert_eq!(swapped, [white, black]);
}

// rulebook: L14
// case: T2
#[test]
fn compensation_takes_back_exactly_what_was_applied() {
    //  then, applied by the old row, after
    for (then, applied, after) in [
        ("1D 0", 2, "1K 18"),   // a promotion taken back
        ("2K 6", -6, "1K 2"),   // a demotion taken back
        ("1D 20", 2, "1D 18"),  // later games stay
        ("3K 0", -47, "1D 12"), // across levels
        ("1D 0", 33, "3K 2"),
        ("3K 3", 4, "3K 0"), // not below the bottom
        ("1K 7", 0, "1K 7"),
        ("9P 5242881", 1, "9P 5242880"), // past the top's mark the points go on
    ] {
        let ladder = Ladder::standard();
        let change = ladder.compensate(at(then), applied);
        assert_eq!(text(change.after), after, "{then} less {applied}");
        assert_eq!((change.nominal, change.before), (-applied, at(then)));
        assert_eq!(change.applied, ladder.total(change.after) - ladder.total(at(then)));
    }
}

// rulebook: C7.4, L14
// case: T2
#[test]
fn a_corrected_result_moves_the_player_from_where_it_stands_then() {
    let ladder = Ladder::standard();
    let old = black("1K 18", "1K", End::Count, Side::Black);
    assert_eq!((old.change.applied, text(old.change.after).as_str()), (2, "1D 0"));
    // A later game was lost; then the referee gives the first one to White.
    let later = ladder.apply(old.change.after, -8);
    assert_eq!(text(later.after), "1K 12");
    let back = ladder.compensate(later.after, old.change.applied);
    assert_eq!(text(back.after), "1K 10");
    let [terms, _] = End::RefereeLoss.terms(Some(Side::White)).unwrap();
    let new = ladder.book(terms, old.stake, back.after);
    assert_eq!(
        (text(new.change.after).as_str(), new.counted, new.fee),
        ("1K 6", Counted::Loss, false)
    );
    // The balance is still the sum of the applied changes.
    let applied = [old.change, later, back, new.change].map(|change| change.applied);
    let moved = ladder.total(new.change.after) - ladder.total(at("1K 18"));
    assert_eq!(applied.iter().sum::<i64>(), moved);
}

// rulebook: L6, L14
#[test]
fn a_late_loss_of_a_high_stake_falls_one_level_to_nothing() {
    let change = Ladder::standard().apply(at("1D 3"), -1_000);
    assert_eq!((text(change.after).as_str(), change.applied), ("1K 0", -23));
    let change = Ladder::standard().apply(at("1D 3"), i64::MIN);
    assert_eq!(text(change.after), "1K 0");
    let change = Ladder::standard().apply(at("1D 3"), i64::MAX);
    assert_eq!(text(change.after), "2D 0");
}
