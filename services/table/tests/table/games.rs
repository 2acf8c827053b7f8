//! Whole games of `tests/data`, from the opening to both acceptances.

use std::fs;

use serde_json::Value;
use tengen_rules::text::sgf;
use tengen_rules::{Point, PointSet, Size};
use tengen_table::{Act, EndReason, Phase, Settings, TwoPasses};
use tengen_timing::preset;

use crate::kit::{Black, Game, White, replay, view};

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/games.jsonl");

// rulebook: G8, G9, C2, C12.1; case: S3, S11: the moves, the stones that both took for dead, and
// the result as it was played.
#[test]
fn games_end_with_the_result_they_had() {
    let text = fs::read_to_string(GAMES).unwrap();
    let mut counted = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let told = ["dead", "margin_quarters"].iter().all(|field| case.get(field).is_some());
        if case["set"] == "kgs19" && told {
            check(&case);
            counted += 1;
        }
    }
    assert_eq!(counted, 254);
}

fn check(case: &Value) {
    let id = case["id"].as_str().unwrap();
    let mut game = Game::new(agreed(case));
    for turn in words(case, "moves") {
        let (colour, point) = turn.split_at(1);
        let colour = if colour == "B" { Black } else { White };
        let number = game.next_number();
        let act = match point {
            "--" => Act::Pass { number },
            point => Act::Play { number, point: sgf::parse(point, game.settings().size).unwrap() },
        };
        game.wait(1_000)
            .act(colour, act)
            .unwrap_or_else(|error| panic!("{id}, {turn} as move {number}: {error}"));
    }
    let board: Vec<_> =
        case["board"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
    game.shows(&board);

    game.plays("confirm confirm");
    assert_eq!(game.phase(), Phase::Counting, "{id}");
    let dead = PointSet::from_iter(points(case, "dead"));
    for point in dead.iter() {
        game.act(Black, Act::Mark { point, dead: true }).unwrap();
    }
    assert_eq!(game.dead(), &dead, "{id}: the dead are whole strings");
    game.accept(White).unwrap();
    game.accept(Black).unwrap();

    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.reason, EndReason::Count, "{id}");
    let count = outcome.counted.as_ref().unwrap().count;
    assert_eq!(Some(count.margin_quarters.into()), case["margin_quarters"].as_i64(), "{id}");
    assert_eq!(view(&replay(&game.log)), view(&game), "{id}");
}

/// Passes were made for many reasons, so they mean nothing: the end is confirmed.
fn agreed(case: &Value) -> Settings {
    let quarters = |field: &str| i32::try_from(case[field].as_i64().unwrap()).unwrap();
    let mut settings = Settings::even(Size::square(19).unwrap());
    settings.handicap = points(case, "black");
    settings.komi_quarters = quarters("komi_quarters");
    settings.compensation_quarters = quarters("compensation_quarters");
    settings.control = preset("local");
    settings.two_passes = TwoPasses::Nothing;
    settings
}

fn words<'a>(case: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    case[field].as_str().unwrap_or("").split_whitespace()
}

fn points(case: &Value, field: &str) -> Vec<Point> {
    let size = Size::square(19).unwrap();
    words(case, field).map(|point| sgf::parse(point, size).unwrap()).collect()
}
