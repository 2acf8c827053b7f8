//! Refusals: each rejection of a game, and each failure of a store, as the contract names it.

use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_live::LiveError;
use tengen_rules::{Refusal as Forbidden, text};
use tengen_table::Rejection;
use tonic::Code;

use crate::convert::{colour, dead_set_hash, hex, kind};
use crate::record::{Broken, GameRecord};

/// A rejection of a command to this game.
pub fn rejected(rejection: &Rejection, record: &GameRecord) -> Refusal {
    let refusal = |reason| Refusal::new(Code::FailedPrecondition, reason, rejection.to_string());
    match rejection {
        Rejection::RequestReused => {
            let message = rejection.to_string();
            Refusal::new(Code::InvalidArgument, "REQUEST_ID_REUSED", message)
                .field("request_id", "expected one that was not used before")
        }
        Rejection::Ended { reason } => {
            refusal("GAME_ENDED").meta("end", name(kind::reason(*reason).as_str_name()))
        }
        Rejection::WrongPhase { phase, expected } => {
            refusal("WRONG_PHASE").meta("phase", phase).meta("expected", expected)
        }
        Rejection::StaleNumber { given, next } => refusal("STALE_MOVE_NUMBER")
            .meta("given", given)
            .meta("move_number", next)
            .meta("sequence", record.head.sequence)
            .meta("head_hash", hex(&record.head.hash)),
        Rejection::NotYourTurn { to_move } => {
            refusal("NOT_YOUR_TURN").meta("to_move", name(colour(*to_move).as_str_name()))
        }
        Rejection::Forbidden { point, refusal: why } => {
            let size = record.table.settings().size;
            let gtp = text::gtp::format(*point, size);
            match why {
                Forbidden::Occupied => refusal("OCCUPIED").meta("point", gtp),
                Forbidden::Suicide => refusal("SUICIDE").meta("point", gtp),
                Forbidden::Superko { repeats_move } => {
                    refusal("SUPERKO").meta("point", gtp).meta("repeats_move", repeats_move)
                }
                Forbidden::OffBoard { .. } => off_board(record, *point),
            }
        }
        Rejection::NoStone { point } => {
            let size = record.table.settings().size;
            refusal("NO_STONE").meta("point", text::gtp::format(*point, size))
        }
        Rejection::DeadSetChanged { given, current } => refusal("DEAD_SET_CHANGED")
            .meta("given", dead_set_hash(*given))
            .meta("dead_set_hash", dead_set_hash(*current)),
        Rejection::Rated => refusal("CASUAL_ONLY"),
        Rejection::NoOffer { offer } => {
            let name = kind::offer(*offer).as_str_name();
            refusal("NO_OFFER").meta("offer", name.trim_start_matches("OFFER_KIND_"))
        }
        Rejection::OtherPause { reason } => {
            let name = kind::pause(*reason).as_str_name();
            let expected = name.trim_start_matches("PAUSE_REASON_");
            refusal("WRONG_PHASE").meta("phase", "PAUSED").meta("expected", expected)
        }
        Rejection::NoPauseLeft { most } => {
            let most = usize::try_from(*most).unwrap_or(usize::MAX);
            limit("pauses by agreement", most)
        }
        Rejection::BadTime { field, value, expected } => {
            let mut fields = Fields::new();
            fields.refuse(field, value, expected);
            fields.finish().err().unwrap_or_else(|| refusal("INVALID_FIELD"))
        }
        Rejection::NotDue { due_ms } => not_due(rejection, *due_ms),
        Rejection::MayReturn { until_ms } => not_due(rejection, Some(until_ms.saturating_add(1))),
        Rejection::OpponentBack => refusal("OPPONENT_BACK"),
    }
}

fn not_due(rejection: &Rejection, due_ms: Option<i64>) -> Refusal {
    let refusal = Refusal::new(Code::FailedPrecondition, "NOT_DUE", rejection.to_string());
    match due_ms {
        Some(at_ms) => refusal.meta("due_ms", at_ms),
        None => refusal,
    }
}

fn off_board(record: &GameRecord, point: tengen_rules::Point) -> Refusal {
    let size = record.table.settings().size;
    let mut fields = Fields::new();
    fields.range("point.row", point.row.into(), 0..=i64::from(size.rows()) - 1);
    fields.range("point.column", point.column.into(), 0..=i64::from(size.columns()) - 1);
    match fields.finish() {
        Err(refusal) => refusal,
        Ok(()) => Refusal::new(Code::InvalidArgument, "INVALID_FIELD", "point: off the board"),
    }
}

/// A game that does not exist.
pub fn no_game(game_id: &str) -> Refusal {
    let message = format!("there is no game {game_id}");
    Refusal::new(Code::NotFound, "GAME_NOT_FOUND", message).meta("game_id", game_id)
}

/// A challenge that does not exist, or that the caller may not see.
pub fn no_challenge(challenge_id: &str) -> Refusal {
    let message = format!("there is no challenge {challenge_id}");
    Refusal::new(Code::NotFound, "CHALLENGE_NOT_FOUND", message).meta("challenge_id", challenge_id)
}

/// A caller without a seat in the game.
pub fn not_seated(game_id: &str) -> Refusal {
    let message = "only the two players of a game may do this";
    Refusal::new(Code::PermissionDenied, "NOT_SEATED", message).meta("game_id", game_id)
}

/// A referee who plays in the game.
pub fn own_game(game_id: &str) -> Refusal {
    let message = "nobody rules in a game he plays";
    Refusal::new(Code::PermissionDenied, "OWN_GAME", message).meta("game_id", game_id)
}

/// A player who does not exist.
pub fn no_player(field: &str, player_id: &str) -> Refusal {
    let message = format!("{field}: there is no player {player_id}");
    Refusal::new(Code::NotFound, "PLAYER_NOT_FOUND", message).meta("player_id", player_id)
}

/// A request id that made something else before.
pub fn request_reused(request_id: &str) -> Refusal {
    let message = "request_id was used before with other content; expected a new one";
    Refusal::new(Code::InvalidArgument, "REQUEST_ID_REUSED", message)
        .meta("request_id", request_id)
        .field("request_id", "expected one that was not used before")
}

/// A limit of this service.
pub fn limit(limit: &str, most: usize) -> Refusal {
    let message = format!("no more than {most} {limit}");
    Refusal::new(Code::ResourceExhausted, "LIMIT_REACHED", message)
        .meta("limit", limit)
        .meta("most", most)
}

/// Too many commits raced.
pub fn contended(tries: usize) -> Refusal {
    let message = "too many commands at once; try again with the same request_id";
    Refusal::new(Code::Aborted, "CONTENDED", message).meta("tries", tries).retry_after_ms(50)
}

/// A failure of the live state. What it says stays in the log.
pub fn live(error: &LiveError) -> Refusal {
    tracing::warn!(%error, "the live state failed");
    match error {
        LiveError::Full(what) => limit(what, 0).retry_after_ms(60_000),
        _ => Refusal::behind_unavailable("live state"),
    }
}

/// A record that cannot be read.
pub fn broken(error: &Broken) -> Refusal {
    tracing::error!(%error, "a record is broken");
    Refusal::behind_unavailable("the game's record")
}

/// An enum's name without its prefix of one word, as refusals show it.
fn name(full: &str) -> &str {
    full.strip_prefix("END_REASON_").or_else(|| full.strip_prefix("COLOUR_")).unwrap_or(full)
}
