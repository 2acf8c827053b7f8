//! Settings: what a game may be played with, and what is refused.

use tengen_rules::{Point, Size};
use tengen_table::{Absence, Event, Settings, Table};
use tengen_timing::{Control, preset};

use crate::kit::{Black, White, absolute, game};

fn size(rows: u8, columns: u8) -> Size {
    Size::new(rows, columns).unwrap()
}

/// With this change the settings are refused for `field`, or not at all; and a game opens only
/// with valid ones.
fn check(set: impl FnOnce(&mut Settings), field: Option<&str>) {
    let mut settings = Settings::even(size(19, 19));
    settings.control = preset("national");
    settings.rated = true;
    set(&mut settings);
    let refused = settings.validate().map_err(|error| error.field);
    assert_eq!(refused, field.map_or(Ok(()), Err), "{settings:?}");
    let opened = Table::open(&Event::opened(settings, 0));
    assert_eq!(opened.is_ok(), field.is_none());
}

fn points(list: &[(u8, u8)]) -> Vec<Point> {
    list.iter().map(|&(row, column)| Point::new(row, column)).collect()
}

// rulebook: G1, C2
#[test]
fn boards_and_komi_have_their_range() {
    check(|_| {}, None);
    for (rows, columns) in [(9, 9), (13, 13), (2, 2), (25, 25), (2, 25)] {
        check(|settings| settings.size = size(rows, columns), None);
    }
    check(|settings| settings.size = size(1, 9), Some("size.rows"));
    check(|settings| settings.size = size(9, 1), Some("size.columns"));
    for komi in [-200, 0, 15, 200] {
        check(|settings| settings.komi_quarters = komi, None);
    }
    for komi in [-201, 201, i32::MIN, i32::MAX] {
        check(|settings| settings.komi_quarters = komi, Some("komi_quarters"));
    }
}

// rulebook: C2; case: S12, S13: stones and compensation are two fields, and one stone is none.
#[test]
fn handicap_is_none_or_two_to_nine_stones() {
    let line = |stones: u8| (0..stones).map(|n| Point::new(3, n)).collect::<Vec<_>>();
    for stones in [0, 2, 9] {
        check(|settings| settings.handicap = line(stones), None);
    }
    for stones in [1, 10] {
        check(|settings| settings.handicap = line(stones), Some("handicap"));
    }
    for wrong in [[(3, 3), (3, 3)], [(3, 3), (19, 3)], [(3, 3), (3, 255)]] {
        let wrong = points(&wrong);
        check(|settings| settings.handicap = wrong, Some("handicap_points"));
    }
    let full = |settings: &mut Settings| {
        settings.size = size(2, 2);
        settings.handicap = points(&[(0, 0), (0, 1), (1, 0), (1, 1)]);
    };
    check(full, Some("handicap_points"));
    let compensated = |stones: u8, quarters: i32| {
        move |settings: &mut Settings| {
            settings.handicap = (0..stones).map(|n| Point::new(3, n)).collect();
            settings.compensation_quarters = quarters;
        }
    };
    check(compensated(2, 200), None);
    check(compensated(2, 0), None);
    check(compensated(2, 201), Some("compensation_quarters"));
    check(compensated(0, 1), Some("compensation_quarters"));
}

// rulebook: C2; case: S12: White gets half a stone a stone, and moves first.
#[test]
fn a_usual_handicap() {
    for stones in 2..=9 {
        let settings = Settings::even(size(19, 19)).with_handicap(stones).unwrap();
        assert_eq!(settings.handicap.len(), usize::from(stones));
        assert_eq!(settings.compensation_quarters, 2 * i32::from(stones));
        assert_eq!((settings.komi_quarters, settings.first_to_move()), (0, White));
        assert_eq!(settings.validate(), Ok(()));
    }
    assert_eq!(Settings::even(size(19, 19)).first_to_move(), Black);
    for (lines, stones) in [(19, 0), (19, 1), (19, 10), (5, 2), (8, 5)] {
        let error = Settings::even(size(lines, lines)).with_handicap(stones);
        assert_eq!(error.unwrap_err().field, "handicap");
    }
}

// rulebook: C2, G9: the compensation is in the count: 9 stones on an otherwise empty board.
#[test]
fn compensation_is_counted() {
    let mut game = game(9, |settings| {
        *settings = settings.clone().with_handicap(9).unwrap();
    });
    game.plays("confirm confirm");
    let count = game.preview().count;
    assert_eq!((count.komi_quarters, count.compensation_quarters), (0, 18));
    // All 81 points are Black's: 324 quarters, 162 above the half, and 18 are given.
    assert_eq!((count.black_quarters, count.margin_quarters), (324, 144));
}

// rulebook: C3, C3.2: a clock's numbers are checked by field.
#[test]
fn controls_are_checked() {
    let control = |control| move |settings: &mut Settings| settings.control = Some(control);
    check(control(absolute(1)), None);
    check(control(absolute(0)), Some("main_ms"));
    check(control(absolute(-1)), Some("main_ms"));
    let reserved = |limit_ms, reserved_minutes| Control::Reserved { limit_ms, reserved_minutes };
    check(control(reserved(600_000, 5)), None);
    check(control(reserved(299_999, 5)), Some("reserved_minutes"));
    let japanese = Control::Japanese { main_ms: 0, periods: 1, period_ms: 999 };
    check(control(japanese), Some("period_ms"));
}

// rulebook: C3.0, L11: a rated game is timed, and a disconnection costs what the ladder says.
#[test]
fn a_rated_game_is_timed_and_its_absences_are_the_ladders() {
    let casual = |settings: &mut Settings| settings.rated = false;
    check(|settings| settings.control = None, Some("time"));
    check(|settings| settings.reconnect_window_ms = 299_999, Some("reconnect_window"));
    check(|settings| settings.absence = Absence::OpponentDecides, Some("absence"));
    let all = |settings: &mut Settings| {
        casual(settings);
        settings.control = None;
        settings.reconnect_window_ms = 5_000;
        settings.absence = Absence::OpponentDecides;
    };
    check(all, None);
}

// rulebook: C12.4, C14.1, L11
#[test]
fn limits_have_their_range() {
    let counting = |ms| move |settings: &mut Settings| settings.counting_limit_ms = ms;
    let late = |ms| move |settings: &mut Settings| settings.late_limit_ms = ms;
    let reconnect = |ms| {
        move |settings: &mut Settings| {
            settings.rated = false;
            settings.reconnect_window_ms = ms;
        }
    };
    for ms in [10_000, 3_600_000] {
        check(counting(ms), None);
    }
    for ms in [i64::MIN, 0, 9_999, 3_600_001, i64::MAX] {
        check(counting(ms), Some("counting_limit"));
    }
    for ms in [0, 3_600_000] {
        check(late(ms), None);
    }
    for ms in [-1, 3_600_001, i64::MAX] {
        check(late(ms), Some("late_limit"));
    }
    for ms in [5_000, 3_600_000] {
        check(reconnect(ms), None);
    }
    for ms in [-1, 4_999, 3_600_001] {
        check(reconnect(ms), Some("reconnect_window"));
    }
}

// A refusal names the field, the value and what was expected.
#[test]
fn a_refusal_reads_as_a_sentence() {
    let mut settings = Settings::even(size(19, 19));
    settings.komi_quarters = 201;
    let error = settings.validate().unwrap_err();
    assert_eq!(error.to_string(), "komi_quarters is 201, expected -200 to 200");
    settings.komi_quarters = 15;
    settings.rated = true;
    let error = settings.validate().unwrap_err();
    assert_eq!(error.to_string(), "time is none, expected a time control in a rated game");
}
