//! Commands: what is refused, and what an accepted one makes happen. Nothing here changes a game.

use tengen_rules::{Point, Refusal};

use crate::{
    Act, Command, Decision, EndReason, Event, Fact, ForbiddenWhy, IllegalMove, OutOfTurn, Phase,
    Rejection, Request, Settlement, Table, TwoPasses,
};

pub(crate) type Decided = Result<Decision, Rejection>;

impl Table {
    /// Decides a command, in this order: a known request, what is due, the end, the number, the
    /// turn, the rules, the clock.
    ///
    /// # Errors
    /// Why the command is refused; nothing has changed.
    pub fn decide(&self, command: &Command, now_ms: i64) -> Decided {
        if let Some(known) = self.repeated(command.request) {
            return known;
        }
        let now_ms = now_ms.max(self.last_at_ms);
        let due = self.due(now_ms);
        // A claim on time is itself the call of a flag that is due.
        if !due.is_empty() && command.act != Act::ClaimTime {
            return Ok(Decision::Due(due));
        }
        if let Some(outcome) = &self.outcome {
            return Err(Rejection::Ended { reason: outcome.reason });
        }
        let decided = match command.act {
            Act::Play { number, point } => self.play(command, number, point, now_ms),
            Act::Pass { number } => self.give_up(command, number, Fact::Pass, now_ms),
            Act::Confirm { number } => self.give_up(command, number, Fact::Confirm, now_ms),
            Act::Mark { point, dead } => self.mark(command, point, dead, now_ms),
            Act::Accept { dead_set } => self.accept(command, dead_set, now_ms),
            Act::Dispute => self.dispute(command, now_ms),
            Act::Resign => Ok(self.lost_by(command, EndReason::Resignation, now_ms)),
            Act::Leave => self.leave(command, now_ms),
            Act::ClaimTime => self.claim_time(command, due),
            Act::ClaimAbsence => self.claim_absence(command, now_ms),
            Act::Arrive => self.arrive(command, now_ms),
            Act::Offer(offer) => self.offer_made(command, offer, now_ms),
            Act::Answer { offer, accept } => self.answered(command, offer, accept, now_ms),
            Act::Resume => self.resume_agreed(command, now_ms),
            Act::ConfirmRestored => self.confirm_restored(command, now_ms),
        };
        Ok(self.seen_by(command, decided?))
    }

    /// What a request that was accepted before is answered.
    pub(crate) fn repeated(&self, request: Request) -> Option<Decided> {
        let (digest, sequence) = self.known(request)?;
        Some(if digest == request.digest {
            Ok(Decision::Known { sequence })
        } else {
            Err(Rejection::RequestReused)
        })
    }

    /// Two moves in a row may cost the game, but only by the current number: a retry or a stale one
    /// never does, and a pass or a confirmation out of turn is no move (rulebook C8.1, C4.2).
    fn play(&self, command: &Command, number: u32, point: Point, now_ms: i64) -> Decided {
        match self.turn(command, number) {
            Err(Rejection::NotYourTurn { .. }) if self.settings.out_of_turn == OutOfTurn::Loss => {
                return Ok(self.lost_by(command, EndReason::OutOfTurn, now_ms));
            }
            turn => turn?,
        }
        let fact = match self.game.check(command.by, point) {
            Ok(()) => Fact::Move(point),
            Err(refusal) => self.forbidden(point, refusal)?,
        };
        Ok(accepted(vec![by(command, now_ms, fact)]))
    }

    /// What a move on a forbidden point comes to: an error, or the turn (rulebook C10, C11.1).
    fn forbidden(&self, point: Point, refusal: Refusal) -> Result<Fact, Rejection> {
        match (self.settings.illegal_move, ForbiddenWhy::of(refusal)) {
            (IllegalMove::ForfeitTurn, Some(why)) => Ok(Fact::Forfeit { point, why }),
            _ => Err(Rejection::Forbidden { point, refusal }),
        }
    }

    /// A pass or a confirmation; the second in a row that confirms opens counting (rulebook C12).
    fn give_up(&self, command: &Command, number: u32, fact: Fact, now_ms: i64) -> Decided {
        self.turn(command, number)?;
        let opens = self.last_confirms && self.confirms(&fact);
        let mut events = vec![by(command, now_ms, fact)];
        if opens {
            events.push(by(command, now_ms, Fact::CountingOpened));
        }
        Ok(accepted(events))
    }

    /// Whether a turn of this kind confirms the end (rulebook G2.4).
    pub(crate) fn confirms(&self, fact: &Fact) -> bool {
        match fact {
            Fact::Confirm => true,
            Fact::Pass => self.settings.two_passes == TwoPasses::Confirm,
            _ => false,
        }
    }

    /// Checks that a turn is this side's to take.
    fn turn(&self, command: &Command, number: u32) -> Result<(), Rejection> {
        self.expect(Phase::Playing)?;
        let next = self.next_number();
        if number != next {
            return Err(Rejection::StaleNumber { given: number, next });
        }
        if command.by != self.to_move {
            return Err(Rejection::NotYourTurn { to_move: self.to_move });
        }
        Ok(())
    }

    fn mark(&self, command: &Command, point: Point, dead: bool, now_ms: i64) -> Decided {
        self.expect(Phase::Counting)?;
        let size = self.settings.size;
        if !size.contains(point) {
            return Err(Rejection::Forbidden { point, refusal: Refusal::OffBoard { point, size } });
        }
        if self.game.board().stone(point).is_none() {
            return Err(Rejection::NoStone { point });
        }
        Ok(accepted(vec![by(command, now_ms, Fact::Marked { point, dead })]))
    }

    /// The second acceptance of the same dead set ends the game (rulebook G8).
    fn accept(&self, command: &Command, dead_set: u64, now_ms: i64) -> Decided {
        self.expect(Phase::Counting)?;
        let current = self.counting.dead.digest();
        if dead_set != current {
            return Err(Rejection::DeadSetChanged { given: dead_set, current });
        }
        let mut events = vec![by(command, now_ms, Fact::Accepted)];
        if self.accepted(command.by.opponent()).is_some() {
            let (_, count) = self.count(&self.counting.dead);
            events.push(by(
                command,
                now_ms,
                Fact::Ended {
                    reason: EndReason::Count,
                    winner: count.winner(),
                    settlement: Some(Settlement::Agreed),
                },
            ));
        }
        Ok(accepted(events))
    }

    fn dispute(&self, command: &Command, now_ms: i64) -> Decided {
        self.expect(Phase::Counting)?;
        let mut events = self.disputed(Some(command.by), now_ms);
        for event in &mut events {
            event.by = Some(command.by);
            event.request = Some(command.request);
        }
        Ok(accepted(events))
    }

    /// Escape: leaving a game that has begun (rulebook L7).
    fn leave(&self, command: &Command, now_ms: i64) -> Decided {
        if self.phase == Phase::Waiting {
            return Err(self.wrong_phase(Phase::Playing));
        }
        Ok(self.lost_by(command, EndReason::Leave, now_ms))
    }

    /// The end of a game that the side itself has lost, whoever is to move.
    fn lost_by(&self, command: &Command, reason: EndReason, now_ms: i64) -> Decision {
        let winner = Some(command.by.opponent());
        let fact = Fact::Ended { reason, winner, settlement: None };
        accepted(vec![by(command, now_ms, fact)])
    }

    /// A claim that the opponent's flag has fallen: the claim itself ends the game.
    fn claim_time(&self, command: &Command, mut due: Vec<Event>) -> Decided {
        let opponents = self.phase == Phase::Playing && self.to_move != command.by;
        if !due.is_empty() && !opponents {
            return Ok(Decision::Due(due));
        }
        self.expect(Phase::Playing)?;
        if due.is_empty() {
            let due_ms = self.flag_due_ms().filter(|_| opponents);
            return Err(Rejection::NotDue { due_ms });
        }
        for event in &mut due {
            event.request = Some(command.request);
        }
        Ok(accepted(due))
    }

    pub(crate) fn expect(&self, expected: Phase) -> Result<(), Rejection> {
        if self.phase == expected { Ok(()) } else { Err(self.wrong_phase(expected)) }
    }

    pub(crate) const fn wrong_phase(&self, expected: Phase) -> Rejection {
        Rejection::WrongPhase { phase: self.phase, expected }
    }
}

pub(crate) const fn accepted(events: Vec<Event>) -> Decision {
    Decision::Accepted(events)
}

pub(crate) fn by(command: &Command, at_ms: i64, fact: Fact) -> Event {
    Event { at_ms, by: Some(command.by), request: Some(command.request), word: None, fact }
}
