//! Every case of `tests/data`: games, legal sets and positions.

use serde_json::Value;
use tengen_rules::{Area, Colour, Count, PointSet, Refusal, area, ownership};

use crate::common::{
    diagram, load, moves, number, numbers, play, points, rows, size, start, strings, text,
};

// rulebook: G2, G4, G9, C2; case: S10, S11
#[test]
fn every_game_is_replayed_and_counted() {
    let mut counted = 0;
    let mut refused = 0;
    for case in load("games.jsonl") {
        if case.get("refused").is_some() {
            check_refused(&case);
            refused += 1;
        } else {
            counted += u32::from(check_game(&case));
        }
    }
    assert_eq!((counted, refused), (899, 49));
}

/// True when the case tells the result.
fn check_game(case: &Value) -> bool {
    let (id, size) = (text(case, "id"), size(case));
    let mut game = start(case);
    play(&mut game, &moves(text(case, "moves"), size));
    assert_eq!(rows(&game), strings(&case["board"]), "{id}");
    let captured = Colour::BOTH.map(|colour| game.captured_by(colour) as i32);
    assert_eq!(captured, numbers(&case["captured_by"]), "{id}");
    let as_stands = area(game.board(), &PointSet::new());
    assert_eq!(triple(as_stands), numbers(&case["area_as_stands"]), "{id}");

    let dead = PointSet::from_iter(points(text(case, "dead"), size));
    let removed = area(game.board(), &dead);
    if let Some(expected) = case.get("area_after_removal") {
        assert_eq!(triple(removed), numbers(expected), "{id}");
    }
    let Some(margin) = case.get("margin_quarters") else {
        return false;
    };
    let [komi, compensation] =
        ["komi_quarters", "compensation_quarters"].map(|field| number(&case[field]));
    let count = Count::new(removed, komi, compensation);
    assert_eq!(count.margin_quarters, number(margin), "{id}");
    true
}

// rulebook: G6
fn check_refused(case: &Value) {
    let mut game = start(case);
    let plies = moves(text(case, "moves"), size(case));
    let [ply, repeats_move] = numbers(&case["refused"]);
    let (&(colour, point), before) = plies.split_last().unwrap();
    assert_eq!(plies.len() as i32, ply);
    play(&mut game, before);
    let refusal = Refusal::Superko { repeats_move: repeats_move as u32 };
    assert_eq!(game.play(colour, point.unwrap()), Err(refusal), "{}", text(case, "id"));
}

// rulebook: G5, G6; case: K1
#[test]
fn every_legal_set_is_exact() {
    let cases = load("legal_sets.jsonl");
    assert_eq!(cases.len(), 158);
    for case in cases {
        let (id, size) = (text(&case, "id"), size(&case));
        let mut game = start(&case);
        play(&mut game, &moves(text(&case, "moves"), size));
        assert_eq!(rows(&game), strings(&case["board"]), "{id}");
        for (colour, field) in [(Colour::Black, "legal_black"), (Colour::White, "legal_white")] {
            let expected = PointSet::from_iter(points(text(&case, field), size));
            assert_eq!(game.legal_points(colour), expected, "{id} {colour}");
        }
    }
}

#[test]
fn every_position_holds() {
    let mut kinds = [0; 6];
    for case in load("positions.jsonl") {
        let (kind, check): (_, fn(&Value)) = match text(&case, "kind") {
            "play" => (0, check_play),
            "area" => (1, check_area),
            "ownership" => (2, check_ownership),
            "area_after_moves" => (3, check_result),
            "legality" => (4, check_legality),
            "legal_count_trace" => (5, check_trace),
            kind => panic!("unknown kind {kind}"),
        };
        check(&case);
        kinds[kind] += 1;
    }
    assert_eq!(kinds, [9, 51, 13, 9, 5, 2]);
}

fn check_play(case: &Value) {
    let mut game = start(case);
    play(&mut game, &moves(text(case, "moves"), size(case)));
    assert_eq!(rows(&game), strings(&case["board"]), "{}", text(case, "id"));
    let count = Count::new(area(game.board(), &PointSet::new()), 0, 0);
    assert_eq!(count.margin_quarters, number(&case["lead_quarters"]), "{}", text(case, "id"));
}

fn check_area(case: &Value) {
    let dead = points(text(case, "dead"), size(case)).into_iter().collect();
    let found = area(start(case).board(), &dead);
    assert_eq!(triple(found), numbers(&case["area"]), "{}", text(case, "id"));
    if let Some(komi) = case.get("komi_quarters") {
        let count = Count::new(found, number(komi), 0);
        assert_eq!(count.margin_quarters, number(&case["margin_quarters"]));
    }
}

fn check_ownership(case: &Value) {
    check_area(case);
    let owner = strings(&case["owner"]);
    let dead = points(text(case, "dead"), size(case)).into_iter().collect();
    let found = ownership(start(case).board(), &dead);
    let expected = ['B', 'W', ' '].map(|symbol| crate::common::marked(&owner, symbol));
    assert_eq!([found.black, found.white, found.neutral], expected, "{}", text(case, "id"));
}

fn check_result(case: &Value) {
    let mut game = start(case);
    play(&mut game, &moves(text(case, "moves"), size(case)));
    let found = area(game.board(), &PointSet::new());
    let count = Count::new(found, number(&case["komi_quarters"]), 0);
    assert_eq!(count.to_string(), text(case, "result"), "{}", text(case, "id"));
}

fn check_legality(case: &Value) {
    let size = size(case);
    let plies = moves(text(case, "moves"), size);
    for check in case["checks"].as_array().unwrap() {
        let mut game = start(case);
        play(&mut game, &plies[..number(&check["after"]) as usize]);
        for (colour, point) in moves(text(check, "move"), size) {
            let legal = game.check(colour, point.unwrap()).is_ok();
            assert_eq!(Some(legal), check["legal"].as_bool(), "{}", text(case, "id"));
        }
    }
}

fn check_trace(case: &Value) {
    let steps = case["steps"].as_array().unwrap();
    let mut game = diagram(&strings(&steps[0]["board"]));
    let mut mover = Colour::Black;
    for step in steps {
        let board = diagram(&strings(&step["board"])).board().clone();
        if step != &steps[0] {
            // The move between two boards is the mover's new stone, or a pass.
            let new = board.stones(mover).difference(&game.board().stones(mover));
            let plies: Vec<_> = new.iter().map(|point| (mover, Some(point))).collect();
            play(&mut game, if plies.is_empty() { &[(Colour::Black, None)] } else { &plies });
        }
        assert_eq!(game.board(), &board, "{}", text(case, "id"));
        mover = if text(step, "to_move") == "B" { Colour::Black } else { Colour::White };
        assert_eq!(game.legal_points(mover).len() as i32, number(&step["legal"]));
    }
}

fn triple(Area { black, white, neutral }: Area) -> [i32; 3] {
    [black, white, neutral].map(|points| points as i32)
}
