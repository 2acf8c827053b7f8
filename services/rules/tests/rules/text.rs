//! Points as text, and what errors say.

use tengen_rules::text::{TextError, gtp, sgf};
use tengen_rules::{Point, Refusal, Size};

fn size(side: u8) -> Size {
    Size::square(side).unwrap()
}

// rulebook: G1
#[test]
fn both_texts_name_every_point() {
    for size in [size(19), size(25), size(2), Size::new(3, 25).unwrap()] {
        for point in size.all_points().iter() {
            assert_eq!(gtp::parse(&gtp::format(point, size), size), Ok(point));
            assert_eq!(gtp::parse(&gtp::format(point, size).to_lowercase(), size), Ok(point));
            assert_eq!(sgf::parse(&sgf::format(point), size), Ok(point));
        }
    }
    let point = Point::new(3, 15);
    assert_eq!((gtp::format(point, size(19)).as_str(), sgf::format(point).as_str()), ("Q16", "pd"));
    assert_eq!(gtp::format(Point::new(0, 24), size(25)), "Z25");
    assert_eq!(gtp::format(Point::new(8, 8), size(9)), "J1");
}

#[test]
fn other_text_is_refused() {
    let off_board = |text: &str| TextError::OffBoard { text: text.into(), size: size(19) };
    for text in ["A20", "U1", "A0", "Z25", "A999999999999"] {
        assert_eq!(gtp::parse(text, size(19)), Err(off_board(text)));
    }
    for text in ["", "I5", "Q", "16", "QQ", "Q-1", "Q+1", "Q 1", "Q1x", "PASS", "围4", "Q１"] {
        assert_eq!(gtp::parse(text, size(19)), Err(TextError::NotGtp { text: text.into() }));
    }
    for text in ["tt", "at", "ta", "zz"] {
        assert_eq!(sgf::parse(text, size(19)), Err(off_board(text)));
    }
    for text in ["", "a", "aaa", "AA", "a1", "围", "a "] {
        assert_eq!(sgf::parse(text, size(19)), Err(TextError::NotSgf { text: text.into() }));
    }
}

// case: K4
#[test]
fn refusals_say_what_is_wrong() {
    let off_board = Refusal::OffBoard { point: Point::new(19, 2), size: size(19) };
    for (refusal, text) in [
        (off_board, "point at row 19, column 2: the board is 19×19"),
        (Refusal::Occupied, "point is occupied: expected an empty point"),
        (Refusal::Suicide, "point is forbidden: no liberty, and nothing is captured"),
        (
            Refusal::Superko { repeats_move: 17 },
            "point is forbidden: it recreates the board after move 17",
        ),
        (
            Refusal::Superko { repeats_move: 0 },
            "point is forbidden: the move recreates the board of the start",
        ),
    ] {
        assert_eq!(refusal.to_string(), text);
    }
}
