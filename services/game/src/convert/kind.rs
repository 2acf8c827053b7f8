//! Enums of the contract beside those of the domain.

use tengen_proto::game::v1 as wire;
use tengen_table::{EndReason, Offer, Phase, Settlement};
use tengen_timing::{CreditReason, PauseReason};

/// A phase on the wire.
pub const fn phase(phase: Phase) -> wire::Phase {
    match phase {
        Phase::Waiting => wire::Phase::Waiting,
        Phase::Paused => wire::Phase::Paused,
        Phase::Restored => wire::Phase::Restored,
        Phase::Playing => wire::Phase::Playing,
        Phase::Counting => wire::Phase::Counting,
        Phase::Ended => wire::Phase::Ended,
    }
}

/// How a count was settled, on the wire.
pub const fn settlement(settlement: Option<Settlement>) -> wire::Settlement {
    match settlement {
        None => wire::Settlement::Unspecified,
        Some(Settlement::Agreed) => wire::Settlement::Agreed,
        Some(Settlement::AllStand) => wire::Settlement::AllStand,
    }
}

/// Each end reason beside its wire form.
const REASONS: [(EndReason, wire::EndReason); 16] = [
    (EndReason::Count, wire::EndReason::Count),
    (EndReason::Resignation, wire::EndReason::Resignation),
    (EndReason::Time, wire::EndReason::Time),
    (EndReason::TimeWhileAway, wire::EndReason::TimeWhileAway),
    (EndReason::SecondWarning, wire::EndReason::SecondWarning),
    (EndReason::Ruling, wire::EndReason::Ruling),
    (EndReason::OutOfTurn, wire::EndReason::OutOfTurn),
    (EndReason::Leave, wire::EndReason::Leave),
    (EndReason::Disconnected, wire::EndReason::Disconnected),
    (EndReason::NoShow, wire::EndReason::NoShow),
    (EndReason::BothLate, wire::EndReason::BothLate),
    (EndReason::BothGone, wire::EndReason::BothGone),
    (EndReason::Draw, wire::EndReason::Draw),
    (EndReason::Replay, wire::EndReason::Replay),
    (EndReason::Void, wire::EndReason::Void),
    (EndReason::Annulled, wire::EndReason::Annulled),
];

/// An end reason on the wire.
pub fn reason(reason: EndReason) -> wire::EndReason {
    let known = REASONS.iter().find(|(domain, _)| *domain == reason);
    known.map_or(wire::EndReason::Unspecified, |(_, wire)| *wire)
}

/// An end reason from the wire; `None` for one that says nothing.
pub fn parse_reason(reason: wire::EndReason) -> Option<EndReason> {
    REASONS.iter().find(|(_, wire)| *wire == reason).map(|(domain, _)| *domain)
}

/// Each reason to stand beside its wire form.
const PAUSES: [(PauseReason, wire::PauseReason); 3] = [
    (PauseReason::Schedule, wire::PauseReason::Schedule),
    (PauseReason::Referee, wire::PauseReason::Referee),
    (PauseReason::Agreement, wire::PauseReason::Agreement),
];

/// A reason to stand, on the wire.
pub fn pause(reason: PauseReason) -> wire::PauseReason {
    let known = PAUSES.iter().find(|(domain, _)| *domain == reason);
    known.map_or(wire::PauseReason::Unspecified, |(_, wire)| *wire)
}

/// A reason to stand from its number on the wire.
pub fn parse_pause(number: i32) -> Option<PauseReason> {
    PAUSES.iter().find(|(_, wire)| *wire as i32 == number).map(|(domain, _)| *domain)
}

/// Why time is given back, on the wire.
pub const fn credit(reason: CreditReason) -> wire::CreditReason {
    match reason {
        CreditReason::Outage => wire::CreditReason::Outage,
        CreditReason::Shift => wire::CreditReason::Shift,
    }
}

/// Why time is given back, from its number on the wire.
pub fn parse_credit(number: i32) -> Option<CreditReason> {
    match wire::CreditReason::try_from(number).ok()? {
        wire::CreditReason::Unspecified => None,
        wire::CreditReason::Outage => Some(CreditReason::Outage),
        wire::CreditReason::Shift => Some(CreditReason::Shift),
    }
}

/// An offer on the wire.
pub const fn offer(offer: Offer) -> wire::OfferKind {
    match offer {
        Offer::Draw => wire::OfferKind::Draw,
        Offer::TakeBack => wire::OfferKind::TakeBack,
        Offer::Pause => wire::OfferKind::Pause,
    }
}

/// An offer from its number on the wire; a replay is offered to nobody yet.
pub fn parse_offer(number: i32) -> Option<Offer> {
    match wire::OfferKind::try_from(number).ok()? {
        wire::OfferKind::Unspecified | wire::OfferKind::Replay => None,
        wire::OfferKind::Draw => Some(Offer::Draw),
        wire::OfferKind::TakeBack => Some(Offer::TakeBack),
        wire::OfferKind::Pause => Some(Offer::Pause),
    }
}
