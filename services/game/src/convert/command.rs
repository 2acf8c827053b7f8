//! Commands as they arrive: each request names its game, itself, and what is asked.

use prost::Message;
use sha2::{Digest, Sha256};
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_proto::common::v1 as common;
use tengen_proto::game::v1 as wire;
use tengen_rules::Point;
use tengen_table::{Act, Offer, Request};

use crate::convert::settings::parse_point;
use crate::convert::{hex, kind};

/// A request that is a command to a game.
pub trait CommandRequest: Message + Clone {
    /// What tells this kind of request from the others in its digest.
    const NAME: &'static str;
    /// The game's id, as given.
    fn game_id(&self) -> &str;
    /// The request's id, as given; taken out of the digest.
    fn request_id(&mut self) -> &mut String;
    /// What is asked; `None` if a field was refused.
    fn act(&self, fields: &mut Fields) -> Option<Act>;
}

/// A command, parsed.
pub struct Parsed {
    /// The game.
    pub game_id: String,
    /// What makes the request known again.
    pub request: Request,
    /// What is asked.
    pub act: Act,
}

/// Parses a command of `player_id`.
///
/// # Errors
/// INVALID_ARGUMENT that names each field that is wrong.
pub fn parse<M: CommandRequest>(message: &M, player_id: &str) -> Result<Parsed, Refusal> {
    let mut content = message.clone();
    let request_id = std::mem::take(content.request_id());
    let mut fields = Fields::new();
    fields.id("game_id", message.game_id());
    fields.request_id(&request_id);
    let act = message.act(&mut fields);
    let act = fields.complete(act)?;
    let request = request(player_id, &request_id, M::NAME, &content.encode_to_vec());
    Ok(Parsed { game_id: message.game_id().to_owned(), request, act })
}

/// What makes a request of this caller known again, with the same content or with other.
pub fn request(caller: &str, request_id: &str, name: &str, content: &[u8]) -> Request {
    Request { key: key(caller, request_id), digest: digest(name, content) }
}

/// A hash of player and request id; never 0, which stands for none.
fn key(player_id: &str, request_id: &str) -> u64 {
    let hash = Sha256::new().chain_update(player_id).chain_update([0]).chain_update(request_id);
    let mut key = [0; 8];
    key.copy_from_slice(&hash.finalize()[..8]);
    u64::from_be_bytes(key).max(1)
}

/// A hash of a request's content.
pub fn digest(name: &str, content: &[u8]) -> u32 {
    let hash = Sha256::new().chain_update(name).chain_update([0]).chain_update(content);
    let mut digest = [0; 4];
    digest.copy_from_slice(&hash.finalize()[..4]);
    u32::from_be_bytes(digest)
}

/// The id of what a request creates: the same request of the same caller creates the same thing.
pub fn created(prefix: char, caller: &str, request_id: &str) -> String {
    let hash = Sha256::new().chain_update(caller).chain_update([0]).chain_update(request_id);
    let mut digest = [0; 16];
    digest.copy_from_slice(&hash.finalize()[..16]);
    tengen_live::record_id(prefix, &digest)
}

/// Reads the name of a dead set.
fn dead_set(text: &str, fields: &mut Fields) -> Option<u64> {
    let digest = (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok()).flatten();
    if digest.is_none_or(|digest| hex(&digest.to_be_bytes()) != text) {
        fields.refuse("dead_set_hash", text, "16 hexadecimal digits, as the game shows them");
        return None;
    }
    digest
}

fn offer(given: i32, fields: &mut Fields) -> Option<Offer> {
    let offer = kind::parse_offer(given);
    if offer.is_none() {
        let expected = "OFFER_KIND_DRAW, OFFER_KIND_TAKE_BACK or OFFER_KIND_PAUSE";
        fields.refuse("kind", given, expected);
    }
    offer
}

fn number(given: i32, fields: &mut Fields) -> Option<u32> {
    fields.range("move_number", given.into(), 1..=i64::from(i32::MAX));
    u32::try_from(given).ok()
}

fn point(given: Option<&common::Point>, fields: &mut Fields) -> Option<Point> {
    parse_point(fields.require("point", given)?, "point", fields)
}

macro_rules! command {
    ($request:ident, |$message:ident, $fields:ident| $act:expr) => {
        impl CommandRequest for wire::$request {
            const NAME: &'static str = stringify!($request);

            fn game_id(&self) -> &str {
                &self.game_id
            }

            fn request_id(&mut self) -> &mut String {
                &mut self.request_id
            }

            fn act(&self, $fields: &mut Fields) -> Option<Act> {
                let $message = self;
                Some($act)
            }
        }
    };
}

command!(PlayMoveRequest, |message, fields| {
    let number = number(message.move_number, fields);
    Act::Play { point: point(message.point.as_ref(), fields)?, number: number? }
});
command!(PassRequest, |message, fields| Act::Pass { number: number(message.move_number, fields)? });
command!(ConfirmEndRequest, |message, fields| {
    Act::Confirm { number: number(message.move_number, fields)? }
});
command!(MarkDeadRequest, |message, fields| {
    Act::Mark { point: point(message.point.as_ref(), fields)?, dead: message.dead }
});
command!(AcceptCountRequest, |message, fields| {
    Act::Accept { dead_set: dead_set(&message.dead_set_hash, fields)? }
});
command!(DisputeCountRequest, |_message, _fields| Act::Dispute);
command!(ResignRequest, |_message, _fields| Act::Resign);
command!(LeaveRequest, |_message, _fields| Act::Leave);
command!(ClaimTimeRequest, |_message, _fields| Act::ClaimTime);
command!(ClaimAbsenceRequest, |_message, _fields| Act::ClaimAbsence);
command!(TakeSeatRequest, |_message, _fields| Act::Arrive);
command!(ResumePlayRequest, |_message, _fields| Act::Resume);
command!(ConfirmRestoredRequest, |_message, _fields| Act::ConfirmRestored);
command!(MakeOfferRequest, |message, fields| Act::Offer(offer(message.kind, fields)?));
command!(AnswerOfferRequest, |message, fields| {
    Act::Answer { offer: offer(message.kind, fields)?, accept: message.accept }
});
