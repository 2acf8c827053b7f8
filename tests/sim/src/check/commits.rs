//! Commits as they happened, against the record: none is lost, none looks again too late, and
//! nothing fell due before its time.

use tengen_proto::game::v1::EndReason;
use tengen_proto::internal::v1::stored_event::Fact;

use super::Read;
use super::log::Logged;
use super::stand::Story;
use crate::book::Committed;
use crate::keeper::LEASE_MS;

/// How long after no answer came session is asked again.
const AGAIN_MS: i64 = 1_000;
/// How late a flag may be called, beyond the lease, when nothing fails (fault F2).
const LATE_MS: i64 = 1_000;

/// Checks all commits of a game; what is wrong goes to `find`. From `sound_ms` on nothing fails.
pub fn check(
    commits: &[Committed],
    game: (&Read, &Story),
    sound_ms: i64,
    find: &mut dyn FnMut(String),
) {
    for committed in commits {
        if let Err(what) = check_one(committed, game, sound_ms) {
            find(format!("the commit to {}: {what}", committed.commit.head.sequence));
        }
    }
}

fn check_one(
    Committed { at_ms, commit }: &Committed,
    (Read { record, log }, story): (&Read, &Story),
    sound_ms: i64,
) -> Result<(), String> {
    let sequence = commit.head.sequence;
    let first = usize::try_from(sequence).unwrap_or(0).saturating_sub(commit.entries.len());
    let kept = record.log.get(first..first + commit.entries.len());
    if kept != Some(&commit.entries) {
        return Err("it is not in the record".into());
    }
    let stand = story.at(sequence)?;
    // Where session was asked and did not answer, it is asked again a second later.
    let put_off_ms = if commit.entries.is_empty() { at_ms + AGAIN_MS } else { i64::MIN };
    let absence_ms = stand.absence_due_ms.map(|due_ms| due_ms.max(put_off_ms));
    if let Some(due_ms) = stand.next_due_ms.into_iter().chain(absence_ms).min()
        && commit.next_due_ms.is_none_or(|at_ms| at_ms > due_ms)
    {
        return Err(format!("due at {due_ms}, and to be looked at {:?}", commit.next_due_ms));
    }
    let Some(before) = story.stands.get(first.wrapping_sub(1)) else { return Ok(()) };
    let Some(event) = log.at(before.sequence + 1).filter(|_| !commit.entries.is_empty()) else {
        return Ok(());
    };
    let due_ms = if falls_due(event) {
        before.next_due_ms.ok_or("nothing was due")?
    } else if is_absence(event) {
        before.absence_due_ms.ok_or("nobody was away")?
    } else {
        return Ok(());
    };
    if *at_ms < due_ms {
        return Err(format!("at {at_ms}, and it was due at {due_ms}"));
    }
    if *at_ms > due_ms.max(sound_ms) + LATE_MS + LEASE_MS {
        return Err(format!("only at {at_ms}, and it was due at {due_ms}"));
    }
    Ok(())
}

/// Whether an event comes of the time alone, claimed or not.
fn falls_due(event: &Logged) -> bool {
    match &event.fact {
        Fact::End(end) => matches!(end.reason(), EndReason::Time | EndReason::TimeWhileAway),
        Fact::Dispute(_) | Fact::Resume(_) => event.request_key == 0,
        _ => false,
    }
}

/// Whether it is the end of who stayed away, which nobody claimed.
fn is_absence(event: &Logged) -> bool {
    let absence = [EndReason::Disconnected, EndReason::BothGone];
    match &event.fact {
        Fact::End(end) => event.request_key == 0 && absence.contains(&end.reason()),
        _ => false,
    }
}
