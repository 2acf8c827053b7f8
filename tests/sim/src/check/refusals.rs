//! Refusals, against the record: each is right of some moment of the game.

use tengen_rules::Refusal as Forbidden;

use super::stand::{Stand, Story};
use crate::ask::{Act, Ask, Refusal};
use crate::view::{point, wire_colour};

/// Checks a refusal.
///
/// # Errors
/// What is wrong with it.
// fault: F8
// case: D1 D14
pub fn check(ask: &Ask, refusal: &Refusal, story: &Story) -> Result<(), String> {
    let colours = tengen_rules::Colour::BOTH.into_iter();
    let seat = colours.zip(&story.end.players).find(|(_, id)| **id == ask.by.id());
    let Some((colour, _)) = seat else { return Ok(()) };
    let of_number = |number: i32| story.stands.iter().filter(move |stand| stand.number == number);
    let own = |stand: &&Stand| stand.to_move == wire_colour(colour);
    let right = match (refusal.reason.as_str(), &ask.act) {
        ("STALE_MOVE_NUMBER", Act::Play(number, _) | Act::Pass(number) | Act::Confirm(number)) => {
            let (sequence, hash) =
                refusal.head.as_ref().ok_or("it does not say where it stands")?;
            let stand = story.at(*sequence)?;
            stand.hash == *hash && stand.number != *number
        }
        ("NOT_YOUR_TURN", Act::Play(number, _) | Act::Pass(number) | Act::Confirm(number)) => {
            of_number(*number).any(|stand| !own(&stand))
        }
        (reason @ ("OCCUPIED" | "SUICIDE" | "SUPERKO"), Act::Play(number, at)) => {
            let forbidden = |stand: &Stand| match stand.board.check(colour, point(*at)) {
                Err(Forbidden::Occupied) => reason == "OCCUPIED",
                Err(Forbidden::Suicide) => reason == "SUICIDE",
                Err(Forbidden::Superko { .. }) => reason == "SUPERKO",
                Err(Forbidden::OffBoard { .. }) | Ok(()) => false,
            };
            of_number(*number).filter(own).any(forbidden)
        }
        _ => true,
    };
    if right { Ok(()) } else { Err(format!("refused by {refusal:?}")) }
}
