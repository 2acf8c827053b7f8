//! Positional superko over the whole of a game (rulebook G4.3, G6, C11).

use tengen_rules::{Colour, Colour::Black, Colour::White, Game, Point, Refusal};

use crate::common::{diagram, moves, play, points, rows};

/// Plays the moves; all are legal but the last, which recreates the board after `repeats_move`.
fn check(setup: &[&str], list: &str, repeats_move: u32) -> Game {
    let mut game = diagram(setup);
    let plies = moves(list, game.board().size());
    let (&(colour, point), before) = plies.split_last().unwrap();
    play(&mut game, before);
    let (board, ply) = (rows(&game), game.ply());
    let refusal = Refusal::Superko { repeats_move };
    assert_eq!(game.check(colour, point.unwrap()), Err(refusal));
    assert_eq!(game.play(colour, point.unwrap()), Err(refusal));
    assert!(!game.legal_points(colour).contains(point.unwrap()));
    assert_eq!((rows(&game), game.ply()), (board, ply));
    game
}

const KO: [&str; 3] = [".XO..", "XO.O.", ".XO.."];

// rulebook: G4.3, G6, C11.1
#[test]
fn a_ko_may_not_be_retaken_until_the_board_differs() {
    let mut game = check(&KO, "Bcb Wbb", 0);
    // A threat and its answer, and the board differs.
    let size = game.board().size();
    play(&mut game, &moves("Wea Beb Wbb", size));
    assert_eq!(game.captured_by(White), 1);
    // Now Black may not retake: the board after its own answer stood at ply 3.
    let cb = points("cb", size)[0];
    assert_eq!(game.check(Black, cb), Err(Refusal::Superko { repeats_move: 3 }));
}

// rulebook: G6 (a pass never repeats); case: K12
#[test]
fn passes_lift_no_ko() {
    check(&KO, "Bcb W-- B-- Wbb", 0);
    check(&KO, &format!("Bcb {} Wbb", "W-- B-- ".repeat(200)), 0);
    // The earliest of the equal boards is named, not the pass after it.
    check(&KO, "Wea B-- W-- Bcb Wbb", 1);
}

// rulebook: G6, C11.3; case: K9
#[test]
fn send_two_return_one_is_refused() {
    // Black sends a second stone, White takes both, Black takes one back: the start again.
    let setup = [
        ".X.O.", //
        "XOOO.", "XXXX.", ".....",
    ];
    check(&setup, "Bca Waa Bba", 0);
}

// rulebook: G6: a move that captures nothing can repeat a board too
#[test]
fn a_repeating_move_need_not_capture() {
    let setup = [
        ".XXO.", //
        "XOOO.", "XXXX.", ".....",
    ];
    check(&setup, "Waa Bba W-- Bca", 0);
}

// rulebook: C11.3 (triple ko)
#[test]
fn a_triple_ko_ends_at_the_first_board() {
    let [first, second, third] = [0, 1, 2].map(|n| ko(n, true));
    let [back_1, back_2, back_3] = [0, 1, 2].map(|n| ko(n, false));
    let mut game = kos(3);
    for (colour, point) in
        [(Black, first), (Black, second), (White, back_1), (Black, third), (White, back_2)]
    {
        game.play(colour, point).unwrap();
    }
    // Black holds the third alone; White returning it restores the start.
    assert_eq!(game.check(White, back_3), Err(Refusal::Superko { repeats_move: 0 }));
    // And Black may not take the second: the board after move 4 had second and third.
    assert_eq!(game.check(Black, second), Err(Refusal::Superko { repeats_move: 4 }));
    assert_eq!(game.check(Black, first), Ok(()));
}

// rulebook: G6 (any length); case: K7, K11
#[test]
fn a_cycle_of_any_length_is_refused() {
    for (kos, passes) in [(3, false), (6, false), (6, true), (9, true), (11, false)] {
        check_gray_cycle(kos, passes);
    }
}

/// Takes and retakes kos so that every state of them stands once, until the last move would bring
/// back the start.
fn check_gray_cycle(number: u32, passes: bool) {
    let mut game = kos(number);
    let mut taken = vec![false; number as usize];
    let cycle = 1_u32 << number;
    for step in 1..=cycle {
        // The Gray code: after 2ⁿ steps every state was there once. The last step returns.
        let n = (step.trailing_zeros()).min(number - 1) as usize;
        taken[n] = !taken[n];
        let colour = if taken[n] { Black } else { White };
        let point = ko(n as u8, taken[n]);
        assert_eq!(game.legal_points(colour).contains(point), step < cycle);
        if step == cycle {
            let refusal = Refusal::Superko { repeats_move: 0 };
            assert_eq!(game.play(colour, point), Err(refusal));
        } else {
            game.play(colour, point).unwrap();
        }
        if passes {
            game.pass(colour.opponent());
        }
    }
    assert!(taken.iter().all(|taken| !taken));
    assert_eq!(game.ply(), cycle - 1 + if passes { cycle } else { 0 });
}

/// A board of up to 16 kos that do not touch, all held by White.
fn kos(number: u32) -> Game {
    let mut rows = vec![[b'.'; 17]; 17];
    for n in 0..number as usize {
        let (top, left) = (n / 4 * 4, n % 4 * 4);
        for (row, text) in (top..).zip(KO) {
            rows[row][left..left + 4].copy_from_slice(&text.as_bytes()[..4]);
        }
    }
    diagram(&rows.iter().map(|row| String::from_utf8_lossy(row)).collect::<Vec<_>>())
}

/// Where Black takes the nth ko, or White takes it back.
fn ko(n: u8, take: bool) -> Point {
    Point::new(n / 4 * 4 + 1, n % 4 * 4 + if take { 2 } else { 1 })
}

// rulebook: G1.2: no limit from a stock of stones
#[test]
fn a_game_may_exceed_361_moves() {
    let mut game = kos(9);
    let mut colour: Colour = Black;
    for _ in 0..5000 {
        game.pass(colour);
        colour = colour.opponent();
    }
    assert_eq!(game.ply(), 5000);
    assert_eq!(game.play(Black, ko(0, true)).map(|played| played.ply), Ok(5001));
    assert_eq!(game.check(White, ko(0, false)), Err(Refusal::Superko { repeats_move: 0 }));
}
