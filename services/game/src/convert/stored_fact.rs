//! What happened, as it is stored.

use tengen_proto::game::v1 as wire;
use tengen_proto::internal::v1::stored_event::Fact as Stored;
use tengen_proto::internal::v1::{StoredCredit, StoredEnd, StoredForfeit, StoredPause, StoredTime};
use tengen_rules::{Colour, Point, Size};
use tengen_table::{Fact, ForbiddenWhy, Settlement};

use crate::convert::kind;

/// The stored form of suicide in a forfeited turn.
const SUICIDE: i32 = -1;

/// What is wrong with a stored fact.
type What = String;

/// A fact as it is stored; none for an opening, which is stored with its players.
pub fn render(fact: &Fact, size: Size) -> Option<Stored> {
    let at = |point| index(point, size);
    Some(match fact {
        Fact::Opened(_) => return None,
        Fact::Move(point) => Stored::Move(at(*point)),
        Fact::Pass => Stored::Pass(true),
        Fact::Confirm => Stored::Confirm(true),
        Fact::Forfeit { point, why } => {
            Stored::Forfeit(StoredForfeit { point: at(*point), repeats_move: repeats(*why) })
        }
        Fact::CountingOpened => Stored::Counting(true),
        Fact::Marked { point, dead: true } => Stored::Dead(at(*point)),
        Fact::Marked { point, dead: false } => Stored::Living(at(*point)),
        Fact::Accepted => Stored::Accept(true),
        Fact::Disputed => Stored::Dispute(true),
        Fact::Arrived => Stored::Arrive(true),
        Fact::Started => Stored::Start(true),
        Fact::Paused { reason, until_ms } => Stored::Pause(StoredPause {
            reason: kind::pause(*reason) as i32,
            until_ms: until_ms.unwrap_or(0),
        }),
        Fact::Resumed { reason } => Stored::Resume(kind::pause(*reason) as i32),
        Fact::TimeAdded { side, ms } => {
            Stored::Time(StoredTime { side: seat(Some(*side)), ms: *ms })
        }
        Fact::Credited { reason, from_ms, to_ms } => Stored::Credit(StoredCredit {
            reason: kind::credit(*reason) as i32,
            from_ms: *from_ms,
            to_ms: *to_ms,
        }),
        Fact::LagMeasured { ms } => Stored::LagMs(*ms),
        Fact::Gone { number } => Stored::Gone(*number),
        Fact::Back { number } => Stored::Back(*number),
        Fact::Offered(offer) => Stored::Offer(kind::offer(*offer) as i32),
        Fact::Answered { offer, accept: true } => Stored::Agree(kind::offer(*offer) as i32),
        Fact::Answered { offer, accept: false } => Stored::Decline(kind::offer(*offer) as i32),
        Fact::TakenBack => Stored::TakeBack(true),
        Fact::Restored => Stored::Restored(true),
        Fact::RestorationConfirmed => Stored::RestorationConfirmed(true),
        Fact::Ended { reason, winner, settlement } => Stored::End(StoredEnd {
            reason: kind::reason(*reason) as i32,
            winner: seat(*winner),
            settlement: kind::settlement(*settlement) as i32,
        }),
    })
}

/// Reads a fact back.
///
/// # Errors
/// What is wrong with it.
pub fn parse(stored: &Stored, size: Size) -> Result<Fact, What> {
    let at = |index| point(index, size);
    Ok(match stored {
        Stored::Opening(_) => return Err("a second opening".into()),
        Stored::Move(index) => Fact::Move(at(*index)?),
        Stored::Pass(_) => Fact::Pass,
        Stored::Confirm(_) => Fact::Confirm,
        Stored::Forfeit(forfeit) => {
            Fact::Forfeit { point: at(forfeit.point)?, why: why(forfeit.repeats_move) }
        }
        Stored::Counting(_) => Fact::CountingOpened,
        Stored::Dead(index) => Fact::Marked { point: at(*index)?, dead: true },
        Stored::Living(index) => Fact::Marked { point: at(*index)?, dead: false },
        Stored::Accept(_) => Fact::Accepted,
        Stored::Dispute(_) => Fact::Disputed,
        Stored::Arrive(_) => Fact::Arrived,
        Stored::Start(_) => Fact::Started,
        Stored::Pause(pause) => Fact::Paused {
            reason: kind::parse_pause(pause.reason).ok_or("a pause without a reason")?,
            until_ms: (pause.until_ms != 0).then_some(pause.until_ms),
        },
        Stored::Resume(reason) => Fact::Resumed {
            reason: kind::parse_pause(*reason).ok_or("a resumption without a reason")?,
        },
        Stored::Time(time) => {
            Fact::TimeAdded { side: side(time.side)?.ok_or("time for nobody")?, ms: time.ms }
        }
        Stored::Credit(credit) => Fact::Credited {
            reason: kind::parse_credit(credit.reason).ok_or("a credit without a reason")?,
            from_ms: credit.from_ms,
            to_ms: credit.to_ms,
        },
        Stored::LagMs(ms) => Fact::LagMeasured { ms: *ms },
        Stored::Gone(number) => Fact::Gone { number: *number },
        Stored::Back(number) => Fact::Back { number: *number },
        Stored::Offer(offer) => {
            Fact::Offered(kind::parse_offer(*offer).ok_or("an offer of nothing")?)
        }
        Stored::Agree(offer) => answered(*offer, true)?,
        Stored::Decline(offer) => answered(*offer, false)?,
        Stored::TakeBack(_) => Fact::TakenBack,
        Stored::Restored(_) => Fact::Restored,
        Stored::RestorationConfirmed(_) => Fact::RestorationConfirmed,
        Stored::End(end) => Fact::Ended {
            reason: kind::parse_reason(end.reason()).ok_or("the end has no reason")?,
            winner: side(end.winner)?,
            settlement: match end.settlement() {
                wire::Settlement::Unspecified => None,
                wire::Settlement::Agreed => Some(Settlement::Agreed),
                wire::Settlement::AllStand => Some(Settlement::AllStand),
            },
        },
    })
}

fn answered(offer: i32, accept: bool) -> Result<Fact, What> {
    let offer = kind::parse_offer(offer).ok_or("an answer to nothing")?;
    Ok(Fact::Answered { offer, accept })
}

fn repeats(why: ForbiddenWhy) -> i32 {
    match why {
        ForbiddenWhy::Suicide => SUICIDE,
        ForbiddenWhy::Superko { repeats_move } => i32::try_from(repeats_move).unwrap_or(i32::MAX),
    }
}

fn why(repeats_move: i32) -> ForbiddenWhy {
    match u32::try_from(repeats_move) {
        Ok(repeats_move) => ForbiddenWhy::Superko { repeats_move },
        Err(_) => ForbiddenWhy::Suicide,
    }
}

fn index(point: Point, size: Size) -> i32 {
    i32::from(point.row) * i32::from(size.columns()) + i32::from(point.column)
}

fn point(index: i32, size: Size) -> Result<Point, What> {
    let columns = i32::from(size.columns());
    let (row, column) = (index.div_euclid(columns), index.rem_euclid(columns));
    match (u8::try_from(row), u8::try_from(column)) {
        (Ok(row), Ok(column)) if row < size.rows() => Ok(Point::new(row, column)),
        _ => Err(format!("point {index} lies off the board")),
    }
}

/// A side as it is stored.
pub fn seat(side: Option<Colour>) -> i32 {
    side.map_or(0, |colour| match colour {
        Colour::Black => 1,
        Colour::White => 2,
    })
}

/// Reads a side back.
///
/// # Errors
/// It is none.
pub fn side(seat: i32) -> Result<Option<Colour>, What> {
    match seat {
        0 => Ok(None),
        1 => Ok(Some(Colour::Black)),
        2 => Ok(Some(Colour::White)),
        other => Err(format!("there is no seat {other}")),
    }
}
