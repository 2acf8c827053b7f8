//! Between the service's words and those of the contract.

use bytes::Bytes;
use prost::Message as _;
use tengen_live::Message;
use tengen_proto::internal::v1::{
    PresentRequest, StoredAbsence, StoredAttempts, StoredFamily, StoredHolder,
};
use tengen_proto::session::v1 as wire;
use tengen_proto::time::timestamp;

use crate::attempts::Count;
use crate::experience::Tiers;
use crate::families::Family;
use crate::presence::{Absence, Holder, Told};
use crate::store::Account;
use crate::tokens::Issued;

/// An account as it is shown to whoever has it.
pub(crate) fn account(account: Account, tiers: &Tiers) -> wire::Account {
    wire::Account {
        experience_minutes: account.minutes,
        tier: tiers.of(account.minutes),
        deleted: account.is_deleted(),
        player_id: account.player_id,
        name: account.name,
        bot: account.bot != 0,
        owner_id: account.owner_id,
        created_at: Some(timestamp(account.created_at_ms)),
    }
}

/// What a sign-in gives.
pub(crate) fn tokens(issued: Issued, reconnect_token: String) -> wire::Tokens {
    wire::Tokens {
        access_token: issued.token,
        access_expires_at: Some(timestamp(issued.expires_at_ms)),
        reconnect_token,
        roles: issued.roles.into_iter().map(i32::from).collect(),
    }
}

/// A family as it is stored.
pub(crate) fn stored_family(family: &Family) -> Bytes {
    let Family { player_id, generation, secret, current, previous, request, exchanged_at_ms } =
        family.clone();
    let stored =
        StoredFamily { player_id, generation, secret, current, previous, request, exchanged_at_ms };
    stored.encode_to_vec().into()
}

/// A family that was stored, if it is one.
pub(crate) fn family(stored: Bytes) -> Option<Family> {
    let StoredFamily { player_id, generation, secret, current, previous, request, exchanged_at_ms } =
        StoredFamily::decode(stored).ok()?;
    Some(Family { player_id, generation, secret, current, previous, request, exchanged_at_ms })
}

/// A count of attempts; what cannot be read says nothing.
pub(crate) fn count(stored: Bytes) -> Count {
    let StoredAttempts { until_ms, known_until_ms } =
        StoredAttempts::decode(stored).unwrap_or_default();
    Count { until_ms, known_until_ms }
}

/// A count of attempts, to be stored.
pub(crate) fn stored_count(count: Count) -> Bytes {
    let Count { until_ms, known_until_ms } = count;
    StoredAttempts { until_ms, known_until_ms }.encode_to_vec().into()
}

/// What a process has told; what cannot be read says nothing.
pub(crate) fn holder(stored: Bytes) -> Holder {
    let StoredHolder { number, until_ms, player_ids, leaving } =
        StoredHolder::decode(stored).unwrap_or_default();
    Holder { number, until_ms, player_ids, leaving }
}

/// What a process has told, to be stored.
pub(crate) fn stored_holder(holder: Holder) -> Bytes {
    let Holder { number, until_ms, player_ids, leaving } = holder;
    StoredHolder { number, until_ms, player_ids, leaving }.encode_to_vec().into()
}

/// An absence; what cannot be read says nothing.
pub(crate) fn absence(stored: Bytes) -> Absence {
    let StoredAbsence { since_ms, telling, told_ms } =
        StoredAbsence::decode(stored).unwrap_or_default();
    Absence { since_ms, telling, told_ms }
}

/// An absence, to be stored.
pub(crate) fn stored_absence(absence: Absence) -> Bytes {
    let Absence { since_ms, telling, told_ms } = absence;
    StoredAbsence { since_ms, telling, told_ms }.encode_to_vec().into()
}

/// A notice to be stored: its number is the feed's.
pub(crate) fn stored_notice(mut notice: wire::Notice, now_ms: i64) -> Bytes {
    notice.sequence = 0;
    notice.at.get_or_insert_with(|| timestamp(now_ms));
    notice.encode_to_vec().into()
}

/// A notice of a feed.
pub(crate) fn notice(message: Message) -> wire::Notice {
    let notice = wire::Notice::decode(message.body).unwrap_or_default();
    wire::Notice { sequence: message.sequence, ..notice }
}

/// What a process tells.
pub(crate) fn told(request: PresentRequest) -> Told {
    let PresentRequest { holder_id, number, player_ids } = request;
    Told { holder_id, number, player_ids }
}
