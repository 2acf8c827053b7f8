//! Records as files, read back by programs of others: the same moves and the same result.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Reserved, TimeControl};
use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::{ExportSgfRequest, Settings};
use tengen_proto::time::duration;
use tengen_sgf::points;
use tengen_suite::Suite;
use tengen_suite::games::{Pair, Recorded};
use tengen_suite::player::{board, point};
use tengen_suite::readers::{Read, gnugo, sabaki, sgfmill};

tengen_suite::on_both! {
    a_counted_game_is_read_back_by_others,
    a_handicap_game_is_read_back_by_others,
}

async fn export(suite: &Suite, game_id: &str) -> String {
    let request = ExportSgfRequest { game_id: game_id.to_owned() };
    suite.guest().records.export_sgf(request).await.expect("exported").into_inner().sgf
}

/// Holds what others read in the file of a game against what was played. Gives the file.
async fn check(suite: &Suite, pair: &mut Pair, turns: &[Option<Point>], first: &str) -> String {
    let id = pair.game_id.clone();
    let sgf = export(suite, &id).await;
    let game = pair.black.game(&id).await;
    let settings = game.settings.unwrap();
    let lines = settings.size.unwrap().rows;
    let colours = ["B", "W"].into_iter().cycle().skip_while(|colour| *colour != first);
    let turns: Vec<_> =
        turns.iter().zip(colours).map(|(at, by)| by.to_owned() + &text(*at)).collect();
    let mut stones: Vec<_> = settings.handicap_points.iter().map(|at| text(Some(*at))).collect();
    stones.sort();
    let expected = Read {
        size: lines,
        komi: points(settings.komi_quarters.unwrap()),
        stones,
        turns,
        result: game.result.map(|result| result.text),
        names: [game.black, game.white].map(|seat| seat.unwrap().name),
    };
    assert_eq!(sgfmill(&sgf), expected, "{sgf}");
    assert_eq!(sabaki(&sgf), expected, "{sgf}");
    assert_eq!(gnugo(&sgf, lines), (expected.turns, expected.komi), "{sgf}");
    sgf
}

/// A point as SGF has it; nothing for none.
fn text(at: Option<Point>) -> String {
    let letter = |line: i32| char::from(b'a' + u8::try_from(line).unwrap());
    at.map(|at| [letter(at.column), letter(at.row)].into_iter().collect()).unwrap_or_default()
}

// A margin in stones is twice as many points.
// case: G6 G7
async fn a_counted_game_is_read_back_by_others(suite: Suite) {
    let games = Recorded::of_set("kgs19");
    let recorded = games.iter().find(|game| game.dead.len() > 3).expect("one with dead stones");
    let (black, white) = (suite.player("aki").await, suite.player("白石").await);
    let mut pair = Pair::begin(black, white, recorded.settings()).await;
    let next = pair.take(&recorded.moves, 1).await;
    let running = check(&suite, &mut pair, &recorded.moves, "B").await;
    assert!(!running.contains("RE["), "{running}");

    pair.count(next, &recorded.dead).await;
    let mut turns = recorded.moves.clone();
    turns.resize(pair.black.game(&pair.game_id).await.turns.len(), None);
    let finished = check(&suite, &mut pair, &turns, "B").await;
    let winner = if recorded.margin_quarters < 0 { 'W' } else { 'B' };
    let margin = points(i32::try_from(recorded.margin_quarters.abs()).unwrap());
    assert!(finished.contains(&format!("RE[{winner}+{margin}]")), "{margin}: {finished}");
    assert_eq!(finished.matches("C[Confirms").count(), turns.len() - recorded.moves.len());
}

// Every turn has the clock after it, and the handicap stones lie where they lay.
// case: G2 G4 G5 G8
async fn a_handicap_game_is_read_back_by_others(suite: Suite) {
    let reserved = Reserved { limit: Some(duration(60_000)), reserved_minutes: 1 };
    let settings = Settings {
        time: Some(TimeControl { kind: Some(Kind::Reserved(reserved)) }),
        handicap: 3,
        ..board(13)
    };
    let (black, white) = (suite.player("aki").await, suite.player("bo").await);
    let mut pair = Pair::begin(black, white, settings).await;
    let id = pair.game_id.clone();
    let turns = [Some(point(6, 6)), None, Some(point(3, 5))];
    pair.white.play(&id, 1, turns[0].unwrap()).await.unwrap();
    pair.black.pass(&id, 2).await.unwrap();
    pair.white.play(&id, 3, turns[2].unwrap()).await.unwrap();
    pair.black.resign(&id).await.unwrap();

    let sgf = check(&suite, &mut pair, &turns, "W").await;
    for part in ["GM[1]FF[4]CA[UTF-8]AP[Tengen:", "HA[3]", "PL[W]", "TM[0]OT[1x60 byo-yomi]RE[W+R]"]
    {
        assert!(sgf.contains(part), "{part} in {sgf}");
    }
    for (turn, line) in ["W[gg]WL[", "B[]BL[", "W[fd]WL["].into_iter().zip(sgf.lines().skip(1)) {
        assert!(line.contains(turn) && line.contains(&format!("]O{}[1]", &turn[..1])), "{line}");
    }
    let day = sgf.split_once("DT[").expect("a day").1;
    assert!(day.starts_with("202") && day.as_bytes()[10] == b']', "{sgf}");
}
