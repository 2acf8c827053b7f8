//! A game played again from its record, event by event, by the rulebook alone: every event has to
//! be one that may follow.

use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::Phase;
use tengen_proto::internal::v1::stored_event::Fact;
use tengen_proto::internal::v1::{StoredEnd, StoredOpening};
use tengen_proto::time::duration_ms;
use tengen_rules::{Colour, Game, Point, PointSet, Refusal, Size};

use super::clock::Clocks;
use super::log::Logged;

/// The longest pause that both agree on.
const AGREED_PAUSE_MS: i64 = 600_000;

/// A game as the events so far leave it.
#[derive(Clone)]
pub struct Walk {
    /// What was agreed.
    pub settings: wire::Settings,
    /// The ids of the players, Black first.
    pub players: [String; 2],
    /// The board with its history.
    pub board: Game,
    /// Who took each turn, and the stone it put down.
    pub turns: Vec<(Colour, Option<Point>)>,
    /// Both clocks.
    pub clocks: Option<Clocks>,
    /// Where the game stands.
    pub phase: Phase,
    /// Whose turn it is.
    pub to_move: Colour,
    /// The stones marked dead.
    pub dead: PointSet,
    /// How it ended.
    pub end: Option<StoredEnd>,
    pub(super) lag_ms: [i64; 2],
    pub(super) pauses: Vec<(i32, i64)>,
    /// Since when counting takes its time, and until when.
    counting_ms: Option<(i64, i64)>,
    pub(super) disputes: u32,
    pub(super) accepted: [bool; 2],
    /// Confirmations in a row.
    confirms: u32,
    /// When the last event was stamped.
    pub(super) at_ms: i64,
    pub(super) draw_agreed: bool,
    /// Whether each side is away.
    pub gone: [bool; 2],
    /// The number of the last word of each side.
    pub numbers: [i64; 2],
    /// Since when each side that is away may return, and until when.
    pub(super) windows_ms: [Option<(i64, i64)>; 2],
}

pub(super) type What = Result<(), String>;

impl Walk {
    /// A game after its opening.
    pub fn open(opening: &StoredOpening, at_ms: i64) -> Option<Self> {
        let settings = opening.settings.clone()?;
        let lines = settings.size?;
        let size = Size::new(lines.rows as u8, lines.columns as u8).ok()?;
        let mut clocks = settings.time.as_ref().and_then(Clocks::new);
        if let Some(clocks) = &mut clocks {
            clocks.begin(0, at_ms);
        }
        let id = |seat: &Option<wire::Seat>| seat.clone().unwrap_or_default().player_id;
        Some(Self {
            players: [id(&opening.black), id(&opening.white)],
            settings,
            board: Game::new(size),
            turns: Vec::new(),
            clocks,
            phase: Phase::Playing,
            to_move: Colour::Black,
            dead: PointSet::new(),
            end: None,
            lag_ms: [0; 2],
            pauses: Vec::new(),
            counting_ms: None,
            disputes: 0,
            accepted: [false; 2],
            confirms: 0,
            at_ms,
            draw_agreed: false,
            gone: [false; 2],
            numbers: [0; 2],
            windows_ms: [None; 2],
        })
    }

    /// Takes in the next event.
    ///
    /// # Errors
    /// Why it may not follow.
    pub fn step(&mut self, event: &Logged) -> What {
        if self.phase == Phase::Ended {
            return Err("an event after the end".into());
        }
        self.take(event)?;
        self.keep_windows(event.at_ms);
        self.at_ms = event.at_ms;
        Ok(())
    }

    fn take(&mut self, event: &Logged) -> What {
        let at_ms = event.at_ms;
        let side = side(event.seat);
        if event.request_key != 0 && side.is_some_and(|side| self.gone[side]) {
            return Err("a command of one who is away".into());
        }
        match &event.fact {
            Fact::Move(index) => {
                let at = self.point(*index);
                let played = self.board.play(self.to_move, at);
                played.map_err(|refusal| format!("an illegal move: {refusal}"))?;
                self.turn(event, Some(at), false)
            }
            Fact::Pass(_) => {
                let confirms = self.settings.two_passes() != wire::TwoPasses::Nothing;
                self.give_up(event, confirms)
            }
            Fact::Confirm(_) => self.give_up(event, true),
            Fact::Forfeit(forfeit) => {
                let at = self.point(forfeit.point);
                let lost = self.settings.illegal_move() == wire::IllegalMove::ForfeitTurn;
                match self.board.check(self.to_move, at) {
                    Err(Refusal::Suicide | Refusal::Superko { .. }) if lost => {}
                    other => return Err(format!("a turn forfeited by {other:?}")),
                }
                self.give_up(event, false)
            }
            Fact::Counting(_) => self.open_counting(at_ms),
            Fact::Dead(index) => self.mark(self.point(*index), true),
            Fact::Living(index) => self.mark(self.point(*index), false),
            Fact::Accept(_) => {
                self.accepted[side.ok_or("nobody's acceptance")?] = true;
                self.expect(Phase::Counting)
            }
            Fact::Dispute(_) => self.dispute(at_ms),
            Fact::Pause(pause) => self.pause(pause.reason, pause.until_ms, at_ms),
            Fact::Resume(reason) => self.resume(*reason, at_ms),
            Fact::Time(time) => {
                let side = self::side(time.side).ok_or("time for nobody")?;
                self.clocks.as_mut().ok_or("time without a clock")?.add(side, time.ms);
                Ok(())
            }
            Fact::Credit(credit) => self.credit(credit.from_ms, credit.to_ms),
            Fact::LagMs(ms) => {
                self.lag_ms[side.ok_or("nobody's delay")?] = *ms;
                Ok(())
            }
            Fact::Gone(number) => self.word(side, *number, true),
            Fact::Back(number) => self.word(side, *number, false),
            Fact::Offer(_) | Fact::Decline(_) => self.expect(Phase::Playing),
            Fact::Agree(kind) => {
                self.draw_agreed = *kind == wire::OfferKind::Draw as i32;
                self.expect(Phase::Playing)
            }
            Fact::TakeBack(_) => self.take_back(at_ms),
            Fact::End(end) => self.finish(*end, event),
            other => Err(format!("an event that nothing here leads to: {other:?}")),
        }
    }

    /// When something falls due next by itself.
    pub fn next_due_ms(&self) -> Option<i64> {
        match self.phase {
            Phase::Playing => self.clocks.as_ref()?.due_ms(self.lag_ms[self.to_move.index()]),
            Phase::Counting => self.counting_ms.map(|(_, until_ms)| until_ms),
            Phase::Paused => self.pauses.iter().map(|(_, until_ms)| *until_ms).min(),
            _ => None,
        }
    }

    /// What an outage cost: of the running clock, or of the time for counting (rulebook C8.4).
    pub fn owes_ms(&self, from_ms: i64, to_ms: i64) -> i64 {
        let since_ms = match self.phase {
            Phase::Playing => self.clocks.as_ref().and_then(Clocks::since_ms),
            Phase::Counting => self.counting_ms.map(|(since_ms, _)| since_ms),
            _ => None,
        };
        let windows_ms = self.windows_ms.into_iter().flatten().map(|(since_ms, _)| since_ms);
        let owed = |since_ms: i64| (to_ms - from_ms.max(since_ms)).max(0);
        since_ms.into_iter().chain(windows_ms).map(owed).max().unwrap_or(0)
    }

    /// The number the next turn has.
    pub fn number(&self) -> i32 {
        self.turns.len() as i32 + 1
    }

    fn point(&self, index: i32) -> Point {
        let columns = i32::from(self.board.board().size().columns());
        Point::new((index / columns) as u8, (index % columns) as u8)
    }

    fn expect(&self, phase: Phase) -> What {
        if self.phase == phase { Ok(()) } else { Err(format!("in phase {:?}", self.phase)) }
    }

    fn give_up(&mut self, event: &Logged, confirms: bool) -> What {
        self.board.pass(self.to_move);
        self.turn(event, None, confirms)
    }

    fn turn(&mut self, event: &Logged, stone: Option<Point>, confirms: bool) -> What {
        self.expect(Phase::Playing)?;
        let mover = self.to_move.index();
        if side(event.seat) != Some(mover) {
            return Err("a turn of the other side".into());
        }
        if let Some(clocks) = &mut self.clocks {
            clocks.press(event.at_ms, self.lag_ms[mover])?;
        }
        self.turns.push((self.to_move, stone));
        self.to_move = self.to_move.opponent();
        self.confirms = if confirms { self.confirms + 1 } else { 0 };
        Ok(())
    }

    fn open_counting(&mut self, at_ms: i64) -> What {
        self.expect(Phase::Playing)?;
        if self.confirms < 2 {
            return Err("counting before both confirmed".into());
        }
        self.phase = Phase::Counting;
        let limit = self.settings.counting_limit.as_ref().and_then(duration_ms);
        self.counting_ms = Some((at_ms, at_ms + limit.unwrap_or(300_000)));
        self.clocks.as_mut().map_or(Ok(()), |clocks| clocks.stop(at_ms))
    }

    fn mark(&mut self, at: Point, dead: bool) -> What {
        self.expect(Phase::Counting)?;
        let string = self.board.board().string(at).ok_or("a mark where no stone is")?;
        let before = self.dead;
        self.dead = if dead { before.union(&string) } else { before.difference(&string) };
        if self.dead != before {
            self.accepted = [false; 2];
        }
        Ok(())
    }

    fn dispute(&mut self, at_ms: i64) -> What {
        self.expect(Phase::Counting)?;
        self.disputes += 1;
        (self.accepted, self.dead) = ([false; 2], PointSet::new());
        (self.phase, self.counting_ms) = (Phase::Playing, None);
        self.confirms = 0;
        if let Some(clocks) = &mut self.clocks {
            clocks.resume(at_ms);
        }
        Ok(())
    }

    fn credit(&mut self, from_ms: i64, to_ms: i64) -> What {
        let owed_ms = self.owes_ms(from_ms, to_ms);
        if self.phase == Phase::Counting {
            let later =
                |(since_ms, until_ms): (i64, i64)| (since_ms.max(to_ms), until_ms + owed_ms);
            self.counting_ms = self.counting_ms.map(later);
        } else if let Some(clocks) = &mut self.clocks {
            clocks.outage(from_ms, to_ms);
        }
        self.move_windows(from_ms, to_ms);
        Ok(())
    }

    fn pause(&mut self, reason: i32, until_ms: i64, at_ms: i64) -> What {
        if reason == wire::PauseReason::Agreement as i32 && until_ms != at_ms + AGREED_PAUSE_MS {
            return Err(format!("an agreed pause from {at_ms} until {until_ms}"));
        }
        self.pauses.retain(|(held, _)| *held != reason);
        self.pauses.push((reason, until_ms));
        self.phase = Phase::Paused;
        self.clocks.as_mut().map_or(Ok(()), |clocks| clocks.stop(at_ms))
    }

    fn resume(&mut self, reason: i32, at_ms: i64) -> What {
        self.expect(Phase::Paused)?;
        self.pauses.retain(|(held, _)| *held != reason);
        if self.pauses.is_empty() {
            self.phase = Phase::Playing;
            if let Some(clocks) = &mut self.clocks {
                clocks.resume(at_ms);
            }
        }
        Ok(())
    }

    fn take_back(&mut self, at_ms: i64) -> What {
        self.expect(Phase::Playing)?;
        let (colour, _) = self.turns.pop().ok_or("nothing to take back")?;
        self.board = Game::new(self.board.board().size());
        for (colour, stone) in &self.turns {
            match stone {
                Some(at) => drop(self.board.play(*colour, *at)),
                None => self.board.pass(*colour),
            }
        }
        (self.to_move, self.confirms) = (colour, 0);
        if let Some(clocks) = &mut self.clocks {
            clocks.begin(colour.index(), at_ms);
        }
        Ok(())
    }
}

/// The side of a stored seat.
pub fn side(seat: i32) -> Option<usize> {
    usize::try_from(seat - 1).ok().filter(|side| *side < 2)
}
