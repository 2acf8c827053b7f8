//! Offers between the players: a draw, a pause, taking the last move back.

use tengen_rules::{Colour, Game};
use tengen_timing::PauseReason;

use crate::decide::{Decided, accepted, by};
use crate::{Command, EndReason, Fact, Offer, Phase, Rejection, Table, TurnKind, limits, seat};

impl Table {
    pub(crate) fn offer_made(&self, command: &Command, offer: Offer, now_ms: i64) -> Decided {
        self.may_offer(command.by, offer)?;
        Ok(accepted(vec![by(command, now_ms, Fact::Offered(offer))]))
    }

    pub(crate) fn answered(
        &self,
        command: &Command,
        offer: Offer,
        accept: bool,
        now_ms: i64,
    ) -> Decided {
        let offerer = command.by.opponent();
        self.expect(Phase::Playing)?;
        if self.offers[offerer.index()] != Some(offer) {
            return Err(Rejection::NoOffer { offer });
        }
        let mut facts = vec![Fact::Answered { offer, accept }];
        if accept {
            self.may_offer(offerer, offer)?;
            if offer == Offer::Pause {
                self.no_flag_is_falling(now_ms)?;
            }
            facts.push(match offer {
                Offer::Draw => {
                    Fact::Ended { reason: EndReason::Draw, winner: None, settlement: None }
                }
                Offer::TakeBack => Fact::TakenBack,
                Offer::Pause => Fact::Paused {
                    reason: PauseReason::Agreement,
                    until_ms: Some(now_ms.saturating_add(limits::AGREED_PAUSE_MS)),
                },
            });
        }
        Ok(accepted(facts.into_iter().map(|fact| by(command, now_ms, fact)).collect()))
    }

    /// A draw may always be offered; a pause or a take-back only in casual games, and a take-back
    /// only by the side whose move is the last turn: an answered one is down (rulebook C8.2).
    fn may_offer(&self, offerer: Colour, offer: Offer) -> Result<(), Rejection> {
        self.expect(Phase::Playing)?;
        if offer != Offer::Draw && self.settings.rated {
            return Err(Rejection::Rated);
        }
        let most = limits::AGREED_PAUSES;
        match offer {
            Offer::Pause if self.agreed_pauses >= most => Err(Rejection::NoPauseLeft { most }),
            Offer::TakeBack if !self.last_is_move_of(offerer) => Err(Rejection::NoOffer { offer }),
            Offer::Draw | Offer::Pause | Offer::TakeBack => Ok(()),
        }
    }

    fn last_is_move_of(&self, side: Colour) -> bool {
        let last = self.turns.last();
        last.is_some_and(|turn| turn.colour == side && matches!(turn.kind, TurnKind::Move(_)))
    }

    /// The board is played again without the last move. Its side has the clock it was left with by
    /// that move, and begins its turn anew; what the other has thought since costs it nothing.
    pub(crate) fn fold_take_back(&mut self, at_ms: i64) -> Result<(), &'static str> {
        let turn = self.turns.pop().ok_or("nothing to take back")?;
        let mut game = Game::with_setup(self.settings.size, &self.settings.handicap, &[])
            .map_err(|_| "a handicap that cannot be set up")?;
        for turn in &self.turns {
            match turn.kind {
                TurnKind::Move(point) => {
                    game.play(turn.colour, point).map_err(|_| "a turn that cannot be played")?;
                }
                TurnKind::Pass | TurnKind::Confirm | TurnKind::Forfeit(_) => game.pass(turn.colour),
            }
        }
        self.game = game;
        self.to_move = turn.colour;
        self.last_charge = None;
        self.last_confirms = false;
        self.offers = [None; 2];
        if let Some(clock) = &mut self.clock {
            clock.begin_turn(seat(turn.colour), at_ms);
        }
        Ok(())
    }
}
