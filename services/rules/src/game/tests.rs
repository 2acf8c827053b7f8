//! What only the inside can show: hashes that collide.

use super::*;
use crate::keys::Keys;

static COLLIDING: Keys = Keys::colliding();

/// A fixed sequence of numbers that look random.
fn numbers() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(361_u64), |&last| {
        Some(last.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    })
    .map(|number| number >> 33)
}

// rulebook: G6 (a hash hit is confirmed by comparing boards); case: K11
#[test]
fn colliding_hashes_are_told_apart() {
    let size = Size::new(3, 4).unwrap();
    let mut true_keys = Game::new(size);
    let mut colliding = Game::from_board(Board::new(size, &COLLIDING));
    let mut superkos = 0;
    for number in numbers().take(4000) {
        let colour = if number & 1 == 0 { Colour::Black } else { Colour::White };
        let point = Point::new((number / 2 % 3) as u8, (number / 6 % 4) as u8);
        let answer = true_keys.play(colour, point);
        assert_eq!(colliding.play(colour, point), answer);
        assert_eq!(colliding.board(), true_keys.board());
        assert_eq!(colliding.board().hash(), 0);
        superkos += u32::from(matches!(answer, Err(Refusal::Superko { .. })));
        for colour in Colour::BOTH {
            assert_eq!(colliding.legal_points(colour), true_keys.legal_points(colour));
        }
    }
    // Both kinds of hits happened: boards that were the same, and boards that were not.
    assert!(superkos > 100 && true_keys.ply() > 100, "{superkos} {}", true_keys.ply());
}

// rulebook: G6: every earlier board can be rebuilt
#[test]
fn earlier_boards_are_rebuilt() {
    let size = Size::square(5).unwrap();
    let mut game = Game::new(size);
    let stones = |game: &Game| Colour::BOTH.map(|colour| game.board.stones(colour));
    let mut boards = vec![stones(&game)];
    for number in numbers().take(2000) {
        let colour = if number & 1 == 0 { Colour::Black } else { Colour::White };
        let point = Point::new((number / 2 % 5) as u8, (number / 10 % 5) as u8);
        if number % 17 == 0 {
            game.pass(colour);
        } else if game.play(colour, point).is_err() {
            continue;
        }
        boards.push(stones(&game));
    }
    assert!(boards.len() > 400 && game.captured_by(Colour::Black) > 100);
    for (ply, &board) in (0..).zip(&boards) {
        assert_eq!(game.history.stones_at(ply, stones(&game)), board);
    }
}
