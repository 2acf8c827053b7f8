//! What a player does about what it sees: sense mostly, nonsense now and then.

use tengen_proto::common::v1::Point as WirePoint;
use tengen_proto::game::v1::OfferKind;
use tengen_rules::{Colour, PointSet};

use crate::ask::Act;
use crate::dice::Dice;
use crate::view::{View, wire_point};

/// What may be offered.
const OFFERS: [OfferKind; 3] = [OfferKind::Draw, OfferKind::TakeBack, OfferKind::Pause];

/// One's own turn: a stone, a pass, the end of the game; an illegal move or a wrong number at times.
pub fn move_or_pass(view: &View, colour: Colour, tired: bool, dice: &mut Dice) -> Act {
    let number = match dice.below(40) {
        0 => view.number - 1,
        1 => view.number + 1,
        _ => view.number,
    };
    let opponent_passed = view.turns.last().is_some_and(|(_, at)| at.is_none());
    let passes = match (opponent_passed, tired) {
        (true, _) => 600,
        (false, true) => 300,
        (false, false) => 10 + view.turns.len() as u32,
    };
    if dice.chance(passes) {
        return if dice.chance(500) { Act::Pass(number) } else { Act::Confirm(number) };
    }
    if dice.chance(60) {
        return Act::Play(number, anywhere(view, dice));
    }
    let legal = view.board.legal_points(colour);
    match of(&legal, dice) {
        Some(at) => Act::Play(number, at),
        None => Act::Pass(number),
    }
}

/// The other's turn: mostly nothing.
pub fn out_of_turn(view: &View, dice: &mut Dice) -> Option<Act> {
    match dice.below(100) {
        0 => Some(Act::Play(view.number, anywhere(view, dice))),
        1 => Some(Act::Pass(view.number)),
        2..=7 => Some(Act::Claim),
        8..=12 => Some(Act::Offer(*dice.pick(&OFFERS))),
        13 => Some(Act::Dispute),
        14 => Some(Act::ClaimAbsence),
        _ => None,
    }
}

/// An answer to what the opponent offers, or to nothing.
pub fn answer(view: &View, colour: Colour, dice: &mut Dice) -> Option<Act> {
    match view.offers[colour.opponent().index()] {
        // A draw ends the game: not too often.
        Some(OfferKind::Draw) => dice.chance(500).then(|| {
            let accept = dice.chance(150);
            Act::Answer(OfferKind::Draw, accept)
        }),
        Some(kind) => dice.chance(600).then(|| Act::Answer(kind, dice.chance(600))),
        None => dice.chance(5).then(|| Act::Answer(*dice.pick(&OFFERS), true)),
    }
}

/// Counting: marks, an acceptance, a dispute, or nothing until the time for it is over.
pub fn count(view: &View, dice: &mut Dice) -> Option<Act> {
    match dice.below(20) {
        0..=4 => Some(Act::Mark(anywhere(view, dice), dice.chance(700))),
        5 => Some(Act::Accept("0123456789abcdef".to_owned())),
        6..=11 => Some(Act::Accept(view.dead_set.clone())),
        12 => Some(Act::Dispute),
        13 => Some(Act::Play(view.number, anywhere(view, dice))),
        _ => None,
    }
}

/// Some point, also one off the board by a line.
fn anywhere(view: &View, dice: &mut Dice) -> WirePoint {
    let size = view.board.board().size();
    let mut line = |lines: u8| {
        let beyond = usize::from(dice.chance(30));
        dice.below(usize::from(lines) + beyond) as i32
    };
    WirePoint { row: line(size.rows()), column: line(size.columns()) }
}

fn of(points: &PointSet, dice: &mut Dice) -> Option<WirePoint> {
    let count = points.len();
    let at = (count > 0).then(|| points.iter().nth(dice.below(count)))?;
    at.map(wire_point)
}
