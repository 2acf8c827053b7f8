//! What is written is read back by another's parser: the same moves, and any text whole.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use proptest::prelude::*;
use sgf_parse::go::{Move, Prop, parse};
use sgf_parse::{SgfNode, SgfProp};
use tengen_rules::{Colour, Point, Size};
use tengen_sgf::{Left, Overtime, Record, Turn, write};

fn read(text: &str) -> SgfNode<Prop> {
    let trees = parse(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
    assert_eq!(trees.len(), 1, "{text}");
    trees.into_iter().next().unwrap()
}

/// The values of a property as they stand in the file, escapes undone.
fn values(node: &SgfNode<Prop>, name: &str) -> Vec<String> {
    let found = node.properties().find(|property| property.identifier() == name);
    match found {
        Some(Prop::C(text) | Prop::GC(text)) => vec![text.text.clone()],
        Some(
            Prop::PB(text)
            | Prop::PW(text)
            | Prop::GN(text)
            | Prop::RE(text)
            | Prop::OT(text)
            | Prop::PC(text),
        ) => vec![text.text.clone()],
        Some(other) => panic!("{name} is {other:?}"),
        None => Vec::new(),
    }
}

fn record(names: [String; 2], comment: String, points: Vec<Option<(u8, u8)>>) -> Record {
    let colours = [Colour::Black, Colour::White].into_iter().cycle();
    let turns = points.into_iter().zip(colours).map(|(at, colour)| Turn {
        colour,
        point: at.map(|(row, column)| Point { row, column }),
        left: Some(Left { ms: 1_001, overtime: Some(2) }),
        comment: Some(comment.clone()),
    });
    Record {
        names,
        turns: turns.collect(),
        comment: comment.clone(),
        ..Record::new(Size::square(19).unwrap())
    }
}

/// What any reader makes of white space and control characters in one line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c }).collect()
}

fn lines(text: &str) -> String {
    text.split('\n').map(one_line).collect::<Vec<_>>().join("\n")
}

proptest! {
    // case: G1
    #[test]
    fn any_text_and_any_moves_come_back(
        names: [String; 2],
        comment in "(.|\n|[\\]\\\\:\\[;()])*",
        points in prop::collection::vec(prop::option::of((0_u8..19, 0_u8..19)), 0..40),
    ) {
        let written = record(names.clone(), comment.clone(), points.clone());
        let text = write(&written);
        let root = read(&text);
        for (name, given) in ["PB", "PW"].into_iter().zip(&names) {
            prop_assert_eq!(values(&root, name).concat(), one_line(given));
        }
        prop_assert_eq!(values(&root, "GC").concat(), lines(&comment));
        let mut nodes = root.main_variation().skip(1);
        for (number, at) in points.iter().enumerate() {
            let node = nodes.next().unwrap();
            let taken = node.get_move().unwrap();
            let expected = match at {
                Some((row, column)) => Move::Move(sgf_parse::go::Point { x: *column, y: *row }),
                None => Move::Pass,
            };
            let (Prop::B(seen) | Prop::W(seen)) = taken else { panic!("a move, not {taken:?}") };
            prop_assert_eq!(seen, &expected);
            prop_assert_eq!(taken.identifier(), ["B", "W"][number % 2]);
            prop_assert_eq!(values(node, "C").concat(), lines(&comment));
        }
        prop_assert!(nodes.next().is_none());
    }

    // case: G8
    #[test]
    fn overtime_is_read_back(number in 1_u32..100, ms in 1_i64..86_400_000) {
        for overtime in [
            Overtime::Periods { number, ms },
            Overtime::Canadian { stones: number, ms },
            Overtime::Fischer { ms },
        ] {
            prop_assert_eq!(overtime.to_string().parse(), Ok(overtime));
        }
    }
}

#[test]
fn what_is_no_overtime_is_refused() {
    for text in [
        "",
        "byo-yomi",
        "5x byo-yomi",
        "x30 byo-yomi",
        "5x30",
        "-5x30 byo-yomi",
        "5x3.0001 byo-yomi",
        "none",
    ] {
        let error = text.parse::<Overtime>().unwrap_err().to_string();
        assert!(error.contains(&format!("{text:?}")), "{error}");
    }
}

/// A file of each kind, as it is.
#[test]
fn files_as_they_are() {
    let size = Size::square(9).unwrap();
    let bare = write(&Record::new(size));
    // case: G2, G12
    assert_eq!(bare, "(;GM[1]FF[4]CA[UTF-8]SZ[9]RU[Chinese]KM[7.5])\n");
    let handicap = Record {
        names: ["aki".into(), "bo]".into()],
        name: "g1".into(),
        place: "Tengen".into(),
        application: ["Tengen".into(), "0:1".into()],
        dates: vec!["2026-11-30".into(), "2026-12-01".into()],
        komi_quarters: 0,
        handicap: vec![Point { row: 2, column: 6 }, Point { row: 6, column: 2 }],
        first: Colour::White,
        main_ms: Some(3_300_000),
        overtime: Some(Overtime::Periods { number: 5, ms: 60_000 }),
        result: Some("W+1.5".into()),
        comment: "two\nlines".into(),
        turns: vec![Turn {
            colour: Colour::White,
            point: Some(Point { row: 4, column: 4 }),
            left: Some(Left { ms: 60_000, overtime: Some(4) }),
            comment: None,
        }],
        ..Record::new(Size::new(9, 13).unwrap())
    };
    // case: G4, G5
    assert_eq!(
        write(&handicap),
        "(;GM[1]FF[4]CA[UTF-8]AP[Tengen:0\\:1]SZ[13:9]RU[Chinese]KM[0]HA[2]AB[gc][cg]PL[W]PB[aki]\
         PW[bo\\]]GN[g1]PC[Tengen]DT[2026-11-30,2026-12-01]TM[3300]OT[5x60 byo-yomi]RE[W+1.5]\
         GC[two\nlines]\n;W[ee]WL[60]OW[4])\n"
    );
}
