//! Every end against every pair of levels, beside a second, naive reading of the rulebook.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use tengen_ladder::{Counted, End, Ladder, SettleError, Side, Standing};

/// The table of ends: stakes, counter and fee of the loser and of the other; where there is no
/// loser, of both.
const ENDS: &str = "
count           | -1 loss            fee | +1 win     fee
resignation     | -1 loss            fee | +1 win     fee
time            | -1 loss            fee | +1 win     fee
second warning  | -1 loss            -   | +1 win     fee
referee         | -1 loss            -   | +1 win     fee
out of turn     | -1 loss            -   | +1 win     fee
leave 0         | -2 escape          -   |  0 nothing fee
leave 299999    | -2 escape          -   |  0 nothing fee
leave 300000    | -2 escape          -   |  0 nothing fee
leave 300001    | -2 escape          -   | +1 win     fee
disconnected    | -1 disconnect_loss -   | +1 win     fee
flag while away | -1 disconnect_loss -   | +1 win     fee
no show         | -1 loss            -   | +1 win     fee
both late       | -1 loss            -
both gone       | -1 loss            -
draw            |  0 draw            fee
replay          |  0 nothing         -
void            |  0 nothing         -
annulled        |  0 nothing         -
";

fn end(name: &str) -> End {
    match name {
        "count" => End::Count,
        "resignation" => End::Resignation,
        "time" => End::Time,
        "second warning" => End::SecondWarning,
        "referee" => End::RefereeLoss,
        "out of turn" => End::OutOfTurn,
        "disconnected" => End::Disconnected,
        "flag while away" => End::FlagWhileAway,
        "no show" => End::NoShow,
        "both late" => End::BothLate,
        "both gone" => End::BothGone,
        "draw" => End::Draw,
        "replay" => End::Replay,
        "void" => End::Void,
        "annulled" => End::Annulled,
        leave => End::Leave { together_ms: leave.strip_prefix("leave ").unwrap().parse().unwrap() },
    }
}

struct Cell {
    stakes: i64,
    counted: Counted,
    fee: bool,
}

fn cell(text: &str) -> Cell {
    let words: Vec<_> = text.split_whitespace().collect();
    let counted = match words[1] {
        "win" => Counted::Win,
        "loss" => Counted::Loss,
        "draw" => Counted::Draw,
        "escape" => Counted::Escape,
        "disconnect_loss" => Counted::DisconnectLoss,
        "nothing" => Counted::Nothing,
        other => panic!("no counter {other}"),
    };
    Cell { stakes: words[0].parse().unwrap(), counted, fee: words[2] == "fee" }
}

/// Rows as (end, [loser, other]) or (end, [both]).
fn rows() -> Vec<(End, Vec<Cell>)> {
    let read = |line: &str| {
        let mut cells = line.split('|');
        (end(cells.next().unwrap().trim()), cells.map(cell).collect())
    };
    ENDS.trim().lines().map(read).collect()
}

/// The rulebook's arithmetic, on plain numbers: (level, points) after a gain or loss.
fn naive(level: i64, points: i64, change: i64) -> (i64, i64) {
    let full = |k: i64| 5 * 2_i64.pow(u32::try_from(k).unwrap());
    match points + change {
        new if new >= full(level) && level < 20 => (level + 1, 0),
        new if new >= 0 => (level, new),
        _ if level == 0 => (0, 0),
        _ => (level - 1, full(level - 1) + change),
    }
}

fn naive_total(level: i64, points: i64) -> i64 {
    (0..level).map(|k| 5 * 2_i64.pow(u32::try_from(k).unwrap())).sum::<i64>() + points
}

/// Points worth trying at level `k`: both edges, and just beside one or two stakes from them.
fn points(k: i64) -> Vec<i64> {
    let stake = 1 << k;
    let mut points =
        vec![0, 1, stake - 1, stake, 2 * stake, 4 * stake - 1, 4 * stake, 5 * stake - 1];
    points.retain(|p| (0..5 * stake).contains(p));
    points.sort_unstable();
    points.dedup();
    points
}

fn plain(standing: Standing) -> (i64, i64) {
    (i64::from(standing.level.index()), standing.points)
}

fn check_seat(booking: &tengen_ladder::Booking, cell: &Cell, stake: i64, before: (i64, i64)) {
    let nominal = cell.stakes * stake;
    let after = naive(before.0, before.1, nominal);
    let applied = naive_total(after.0, after.1) - naive_total(before.0, before.1);
    assert_eq!(plain(booking.change.before), before);
    assert_eq!(plain(booking.change.after), after, "{before:?} {nominal:+}");
    assert_eq!(
        (booking.stake, booking.change.nominal, booking.change.applied),
        (stake, nominal, applied)
    );
    assert_eq!((booking.counted, booking.fee), (cell.counted, cell.fee));
}

// rulebook: L3, L4, L5, L6, L7, L8, L11, L12, L14, Ends
// case: T5, T6, T9, T13, T15
#[test]
fn every_end_between_every_two_levels() {
    let ladder = Ladder::standard();
    let mut games = 0;
    for (end, cells) in rows() {
        let winners: &[_] =
            if cells.len() == 2 { &[Some(Side::Black), Some(Side::White)] } else { &[None] };
        for (a, b) in (0..21).flat_map(|a| (0..21).map(move |b| (a, b))) {
            for (p, q) in
                points(a).into_iter().flat_map(|p| points(b).into_iter().map(move |q| (p, q)))
            {
                let stake = 1 << a.min(b);
                let [black, white] = [(a, p), (b, q)].map(|(k, p)| ladder.standing(k, p).unwrap());
                for winner in winners {
                    let [for_black, for_white] = match winner {
                        Some(Side::Black) => [&cells[1], &cells[0]],
                        Some(Side::White) => [&cells[0], &cells[1]],
                        None => [&cells[0]; 2],
                    };
                    let booked = ladder.settle(&end, *winner, black, white).unwrap();
                    check_seat(&booked[0], for_black, stake, (a, p));
                    check_seat(&booked[1], for_white, stake, (b, q));
                    games += 1;
                }
            }
        }
    }
    // 13 rows with a loser count for both winners, 6 treat the seats alike.
    let standings: usize = (0..21).map(|k| points(k).len()).sum();
    assert_eq!(games, (13 * 2 + 6) * standings * standings);
}

// case: T9
#[test]
fn only_a_draw_or_a_struck_game_costs_nothing() {
    for (end, cells) in rows() {
        let free = matches!(end, End::Draw | End::Replay | End::Void | End::Annulled);
        assert_eq!(cells[0].stakes == 0, free, "{end:?}");
    }
}

#[test]
fn a_winner_must_fit_the_end() {
    for (end, cells) in rows() {
        if cells.len() == 2 {
            assert_eq!(end.terms(None), Err(SettleError::WinnerMissing { end }));
        } else {
            assert_eq!(end.terms(Some(Side::Black)), Err(SettleError::WinnerGiven { end }));
        }
    }
    let start = Ladder::standard().start();
    let words = |end: End, winner| {
        Ladder::standard().settle(&end, winner, start, start).unwrap_err().to_string()
    };
    assert_eq!(
        words(End::Count, None),
        "winner: none given, expected black or white for the end Count"
    );
    assert_eq!(
        words(End::Draw, Some(Side::White)),
        "winner: given, expected none for the end Draw"
    );
}
