//! Which fact belongs to which phase.

use tengen_rules::Point;
use tengen_table::{EndReason, Fact, ForbiddenWhy, Offer, Phase};
use tengen_timing::{CreditReason, PauseReason};

use crate::folding::{event, refused};
use crate::kit::{Black, Game, START_MS, absolute, replay, scheduled, timed};

/// A game in every phase that is not the end.
fn in_every_phase() -> [Game; 5] {
    let mut waiting = scheduled(absolute(600_000), 60_000);
    waiting.arrive(Black).unwrap();
    let playing = timed(5, absolute(600_000));
    let mut paused = timed(5, absolute(600_000));
    paused.halt(60_000).unwrap();
    let mut counting = timed(5, absolute(600_000));
    counting.plays("confirm confirm");
    let mut restored = timed(5, absolute(600_000));
    assert!(restored.restore());
    [waiting, playing, paused, counting, restored]
}

/// Every fact but the opening, and the phases it may be told in.
fn facts() -> [(Fact, &'static [Phase]); 23] {
    use Phase::{Counting, Paused, Playing, Restored, Waiting};
    let (point, why, side, dead) = (Point::new(0, 0), ForbiddenWhy::Suicide, Black, true);
    let (offer, accept) = (Offer::Draw, true);
    let paused = Fact::Paused { reason: PauseReason::Referee, until_ms: None };
    let (from_ms, to_ms) = (START_MS, START_MS + 1);
    let credited = Fact::Credited { reason: CreditReason::Outage, from_ms, to_ms };
    let ended = Fact::Ended { reason: EndReason::Void, winner: None, settlement: None };
    [
        (Fact::Move(point), &[Playing]),
        (Fact::Pass, &[Playing]),
        (Fact::Confirm, &[Playing]),
        (Fact::Forfeit { point, why }, &[Playing]),
        (Fact::CountingOpened, &[Playing]),
        (Fact::Marked { point, dead }, &[Counting]),
        (Fact::Accepted, &[Counting]),
        (Fact::Disputed, &[Counting]),
        (Fact::Arrived, &[Waiting]),
        (Fact::Started, &[Waiting]),
        (paused, &[Playing, Paused]),
        (Fact::Resumed { reason: PauseReason::Referee }, &[Paused]),
        (Fact::TimeAdded { side, ms: 1 }, &[Playing, Paused]),
        (credited, &[Playing, Waiting, Counting]),
        (Fact::LagMeasured { ms: 20 }, &[Waiting, Playing, Paused, Counting, Restored]),
        (Fact::Gone { number: 1 }, &[Waiting, Playing, Paused, Counting, Restored]),
        (Fact::Back { number: 1 }, &[Waiting, Playing, Paused, Counting, Restored]),
        (Fact::Offered(offer), &[Playing]),
        (Fact::Answered { offer, accept }, &[Playing]),
        (Fact::TakenBack, &[Playing]),
        (Fact::Restored, &[Playing, Paused, Counting, Restored]),
        (Fact::RestorationConfirmed, &[Restored]),
        (ended, &[Waiting, Playing, Paused, Counting, Restored]),
    ]
}

// rulebook: C5.1, C12, C14; case: C13: a fact that belongs to another phase is no part of a log.
#[test]
fn every_fact_has_its_phase() {
    for game in in_every_phase() {
        for (fact, phases) in facts() {
            let event = event(game.last_at_ms(), game.to_move(), fact.clone());
            if phases.contains(&game.phase()) {
                let folded = replay(&game.log).fold(&event);
                // A start needs both players, and a take-back a turn.
                let misfit = matches!(fact, Fact::Started | Fact::TakenBack);
                assert_eq!(folded.is_err(), misfit, "{fact:?}");
            } else {
                let (expected, phase) = (phases[0], game.phase());
                let what = format!("it needs phase {expected}, the game is in {phase}");
                refused(&game, &event, &what);
            }
        }
    }
}
