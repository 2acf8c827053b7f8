//! Between the contract's types and the domain's.

use prost::Message;
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_ladder::{Counted, End, Ladder, SettleError, Side, Terms};
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::{EndReason, RatingChange};
use tengen_proto::internal::v1::{self as internal, GameResult};
use tengen_proto::rating::v1 as wire;
use tengen_proto::session::v1 as session;
use tengen_proto::time::{duration_ms, timestamp, timestamp_ms};

use crate::store::{Account, BoardKey, BoardPage, Entry, Fee, GameEnd, Kind, Moved, Place, Ranked};

const REASON_PREFIX: &str = "END_REASON_";
const MOST_TIER: i64 = 255;

/// What the archive knows of a game that the ledger knows, too.
pub(crate) struct Archived {
    /// Black, White.
    pub(crate) players: [String; 2],
    pub(crate) tiers: [i64; 2],
    pub(crate) rated: bool,
}

/// A result as it is booked.
///
/// # Errors
/// Names each field that is wrong.
pub(crate) fn game_end(result: GameResult) -> Result<GameEnd, Refusal> {
    let mut fields = Fields::new();
    fields.id("game_id", &result.game_id);
    fields.id("black_id", &result.black_id);
    fields.id("white_id", &result.white_id);
    fields.range("version", result.version.into(), 1..=i32::MAX.into());
    if result.black_id == result.white_id {
        fields.refuse("white_id", &result.white_id, "another player than black_id");
    }
    let ended_at_ms = fields.require("at", result.at.as_ref().and_then(timestamp_ms));
    let reason = EndReason::try_from(result.reason).unwrap_or(EndReason::Unspecified);
    let name = reason.as_str_name();
    let terms = terms(&mut fields, reason, &result);
    fields.range("black_tier", result.black_tier.into(), 0..=MOST_TIER);
    fields.range("white_tier", result.white_tier.into(), 0..=MOST_TIER);
    fields.finish()?;
    Ok(GameEnd {
        result_id: result.result_id,
        game_id: result.game_id,
        version: result.version.into(),
        players: [result.black_id, result.white_id],
        rated: result.rated,
        reason: name.strip_prefix(REASON_PREFIX).unwrap_or(name).to_owned(),
        terms,
        tiers: [result.black_tier.into(), result.white_tier.into()],
        ended_at_ms: ended_at_ms.unwrap_or_default(),
    })
}

/// What the end means for both seats; nothing if a field was refused.
fn terms(fields: &mut Fields, reason: EndReason, result: &GameResult) -> [Terms; 2] {
    const NOTHING: Terms = Terms { stakes: 0, counted: Counted::Nothing, fee: false };
    let winner = match Colour::try_from(result.winner) {
        Ok(Colour::Black) => Some(Side::Black),
        Ok(Colour::White) => Some(Side::White),
        Ok(Colour::Unspecified) => None,
        Err(_) => {
            fields.refuse("winner", result.winner, "a colour, or none");
            return [NOTHING; 2];
        }
    };
    let together = || result.together.as_ref().and_then(duration_ms);
    let end = match reason {
        EndReason::Unspecified => {
            fields.refuse("reason", result.reason, "a reason of the contract");
            return [NOTHING; 2];
        }
        EndReason::Count if winner.is_none() => End::Draw,
        EndReason::Count => End::Count,
        EndReason::Resignation => End::Resignation,
        EndReason::Time => End::Time,
        EndReason::TimeWhileAway => End::FlagWhileAway,
        EndReason::SecondWarning => End::SecondWarning,
        EndReason::Ruling => End::RefereeLoss,
        EndReason::OutOfTurn => End::OutOfTurn,
        EndReason::Leave => match fields.require("together", together()) {
            Some(together_ms) => End::Leave { together_ms },
            None => return [NOTHING; 2],
        },
        EndReason::Disconnected => End::Disconnected,
        EndReason::NoShow => End::NoShow,
        EndReason::BothLate => End::BothLate,
        EndReason::BothGone => End::BothGone,
        EndReason::Draw => End::Draw,
        EndReason::Replay => End::Replay,
        EndReason::Void => End::Void,
        EndReason::Annulled => End::Annulled,
    };
    end.terms(winner).unwrap_or_else(|error| {
        let expected = match error {
            SettleError::WinnerMissing { .. } => "a colour for this reason",
            SettleError::WinnerGiven { .. } => "none for this reason",
        };
        fields.refuse("winner", result.winner, expected);
        [NOTHING; 2]
    })
}

/// The levels on the wire.
pub(crate) fn ladder(ladder: &Ladder) -> wire::GetLadderResponse {
    let top = ladder.levels().len().saturating_sub(1);
    let levels = (0..).zip(ladder.levels()).map(|(level, spec)| wire::Level {
        level,
        name: spec.name.clone(),
        stake: spec.stake,
        promote_at: if usize::try_from(level) == Ok(top) { 0 } else { spec.promote_at },
    });
    let start_level = ladder.start().level.index().into();
    wire::GetLadderResponse { levels: levels.collect(), start_level }
}

/// A player on the wire.
pub(crate) fn player(ladder: &Ladder, account: &Account) -> wire::GetPlayerResponse {
    let counts = account.counts;
    wire::GetPlayerResponse {
        standing: Some(standing(ladder, Place::of(ladder, account.standing))),
        counts: Some(wire::Counts {
            won: int32(counts.won),
            lost: int32(counts.lost),
            drawn: int32(counts.drawn),
            escaped: int32(counts.escaped),
            disconnected: int32(counts.disconnected),
        }),
        fee_balance: account.fee_balance,
    }
}

/// A ledger row on the wire.
pub(crate) fn entry(ladder: &Ladder, entry: &Entry) -> wire::LedgerEntry {
    let seat = colour(entry.seat);
    let kind = match entry.kind {
        Kind::Result => wire::EntryKind::Result,
        Kind::Compensation => wire::EntryKind::Compensation,
        Kind::Correction => wire::EntryKind::Correction,
    };
    let counted = match entry.counted {
        Counted::Win => wire::Counted::Win,
        Counted::Loss => wire::Counted::Loss,
        Counted::Draw => wire::Counted::Draw,
        Counted::Escape => wire::Counted::Escape,
        Counted::DisconnectLoss => wire::Counted::DisconnectLoss,
        Counted::Nothing => wire::Counted::Unspecified,
    };
    let reason = EndReason::from_str_name(&format!("{REASON_PREFIX}{}", entry.reason));
    wire::LedgerEntry {
        entry_id: entry.entry_id,
        player_id: entry.player_id.clone(),
        game_id: entry.game_id.clone(),
        seat: seat.into(),
        kind: kind.into(),
        result_version: int32(entry.result_version),
        reason: reason.unwrap_or(EndReason::Unspecified).into(),
        counted: counted.into(),
        stake: entry.stake,
        nominal: entry.nominal,
        applied: entry.applied,
        before: Some(standing(ladder, entry.before)),
        after: Some(standing(ladder, entry.after)),
        opponent_id: entry.opponent_id.clone(),
        at: Some(timestamp(entry.at_ms)),
        pair_capped: entry.is_pair_capped(),
    }
}

/// What a player is told of a ledger row; the same row has the same key.
pub(crate) fn notice(ladder: &Ladder, entry: &Entry) -> internal::NotifyRequest {
    let applied = session::RatingApplied { entry: Some(self::entry(ladder, entry)) };
    let seat = match entry.seat {
        Side::Black => "black",
        Side::White => "white",
    };
    internal::NotifyRequest {
        player_id: entry.player_id.clone(),
        key: format!("{}:{}:{seat}", entry.game_id, entry.result_version),
        notice: Some(session::Notice {
            sequence: 0,
            at: Some(timestamp(entry.at_ms)),
            notice: Some(session::notice::Notice::RatingApplied(applied)),
        }),
    }
}

/// What a result changed, for the archive; nothing of one that moves no levels.
pub(crate) fn changes(
    ladder: &Ladder,
    result_id: &str,
    moved: &[Moved],
) -> Option<internal::ResultChanges> {
    let change = |moved: &Moved| {
        let [before, after] = [moved.before, moved.after].map(|place| standing(ladder, place));
        RatingChange {
            colour: colour(moved.seat).into(),
            applied: moved.applied,
            level_before: before.level_name,
            points_before: before.points,
            level_after: after.level_name,
            points_after: after.points,
        }
    };
    let changes = moved.iter().map(change).collect();
    let changes = internal::ResultChanges { result_id: result_id.to_owned(), changes };
    (!moved.is_empty()).then_some(changes)
}

/// A page of the leaderboard on the wire.
pub(crate) fn board(ladder: &Ladder, (players, next): BoardPage) -> wire::ListLeaderboardResponse {
    let player = |ranked: Ranked| wire::RankedPlayer {
        rank: int32(ranked.rank),
        standing: Some(standing(ladder, ranked.place)),
        player_id: ranked.player_id,
    };
    let token = |BoardKey { level, points, player_id }| format!("{level}.{points}.{player_id}");
    wire::ListLeaderboardResponse {
        players: players.into_iter().map(player).collect(),
        next_page_token: next.map_or_else(String::new, token),
    }
}

/// The place that a page of the leaderboard goes on behind.
pub(crate) fn board_key(fields: &mut Fields, token: &str) -> BoardKey {
    if token.is_empty() {
        return BoardKey::top();
    }
    let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0);
    let mut parts = token.splitn(3, '.');
    let key = (|| {
        let (level, points) = (number(parts.next()?)?, number(parts.next()?)?);
        Some(BoardKey { level, points, player_id: parts.next()?.to_owned() })
    })();
    key.unwrap_or_else(|| {
        fields.refuse("page_token", token, "the next_page_token of an answer");
        BoardKey::top()
    })
}

/// Black, White, their tiers and whether it is rated, of a game as the archive holds it.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn archived(log: &[u8]) -> Result<Archived, String> {
    let unreadable = |error: prost::DecodeError| error.to_string();
    let game = internal::ArchivedGame::decode(log).map_err(unreadable)?;
    let first = game.entries.first().ok_or("it has no events")?;
    let first = internal::StoredEvent::decode(first.as_ref()).map_err(unreadable)?;
    let Some(internal::stored_event::Fact::Opening(opening)) = first.fact else {
        return Err("its first event is no opening".into());
    };
    let (Some(settings), Some(black), Some(white)) =
        (opening.settings, opening.black, opening.white)
    else {
        return Err("its opening is not complete".into());
    };
    Ok(Archived {
        tiers: [black.tier, white.tier].map(i64::from),
        players: [black.player_id, white.player_id],
        rated: settings.rated,
    })
}

/// A game fee on the wire.
pub(crate) fn fee(fee: &Fee) -> wire::FeeEntry {
    wire::FeeEntry {
        game_id: fee.game_id.clone(),
        amount: fee.amount,
        balance: fee.balance,
        at: Some(timestamp(fee.at_ms)),
        tier: int32(fee.tier),
    }
}

fn colour(seat: Side) -> Colour {
    match seat {
        Side::Black => Colour::Black,
        Side::White => Colour::White,
    }
}

/// A row of another ladder may name a level that this one lacks: it has no name then.
fn standing(ladder: &Ladder, place: Place) -> wire::Standing {
    let spec = usize::try_from(place.level).ok().and_then(|level| ladder.levels().get(level));
    wire::Standing {
        level: int32(place.level),
        level_name: spec.map_or_else(String::new, |spec| spec.name.clone()),
        points: place.points,
        total: place.total,
    }
}

fn int32(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use tengen_kit::status::Refusal;
    use tengen_proto::time::duration;
    use tonic::Status;
    use tonic_types::StatusExt;

    use super::*;

    type Spoil = fn(&mut GameResult);

    fn good() -> GameResult {
        GameResult {
            result_id: "g00-1:1".to_owned(),
            game_id: "g00-1".to_owned(),
            version: 1,
            black_id: "b".to_owned(),
            white_id: "w".to_owned(),
            rated: true,
            reason: EndReason::Leave.into(),
            winner: Colour::Black.into(),
            together: Some(duration(1)),
            at: Some(timestamp(1)),
            black_tier: 2,
            white_tier: 0,
            traceparent: String::new(),
        }
    }

    fn fields(refusal: Refusal) -> Vec<String> {
        let details = Status::from(refusal).get_error_details();
        let violations = details.bad_request().unwrap().field_violations.clone();
        violations.into_iter().map(|violation| violation.field).collect()
    }

    #[test]
    fn every_way_in_which_a_result_is_malformed_names_its_field() {
        let spoils: [(&str, Spoil); 18] = [
            ("game_id", |r| r.game_id.clear()),
            ("black_id", |r| r.black_id = "b b".to_owned()),
            ("white_id", |r| r.white_id.clear()),
            ("white_id", |r| r.white_id = r.black_id.clone()),
            ("version", |r| r.version = 0),
            ("black_tier", |r| r.black_tier = -1),
            ("white_tier", |r| r.white_tier = 256),
            ("at", |r| r.at = None),
            ("reason", |r| r.reason = 0),
            ("reason", |r| r.reason = 17),
            ("winner", |r| r.winner = 3),
            ("winner", |r| r.winner = 0),
            ("winner", |r| r.set_reason(EndReason::Draw)),
            ("winner", |r| r.set_reason(EndReason::BothGone)),
            ("winner", |r| r.set_reason(EndReason::Annulled)),
            ("together", |r| r.together = None),
            // Less than a millisecond is no time of this suite.
            ("together", |r| r.together.as_mut().unwrap().nanos += 1),
            ("at", |r| r.at.as_mut().unwrap().nanos += 1),
        ];
        assert!(game_end(good()).is_ok());
        for (field, spoil) in spoils {
            let mut result = good();
            spoil(&mut result);
            assert_eq!(fields(game_end(result.clone()).unwrap_err()), [field], "{result:?}");
        }
    }

    #[test]
    fn a_reason_is_kept_by_its_name() {
        for number in 1..=16 {
            let reason = EndReason::try_from(number).unwrap();
            let winner = match number {
                11..=16 => Colour::Unspecified,
                _ => Colour::White,
            };
            let result = GameResult { reason: number, winner: winner.into(), ..good() };
            let kept = game_end(result).unwrap().reason;
            let full = format!("{REASON_PREFIX}{kept}");
            assert_eq!(EndReason::from_str_name(&full), Some(reason), "{kept}");
        }
    }
}
