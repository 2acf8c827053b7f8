//! What an event leaves of both clocks, and what they read from then on.

use tengen_proto::clock::v1 as wire;
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1 as game;
use tengen_proto::time::{duration, duration_ms, timestamp, timestamp_ms};
use tengen_timing::{Announcement, Bank, Control, Phase, RunningTurn, Seat};

use super::{ms, number};

/// What is known of a game's clocks since its last event.
#[derive(Debug, Clone)]
pub struct State {
    /// When that was.
    pub at_ms: i64,
    /// Whether the game is over.
    pub ended: bool,
    /// `None` in an untimed game.
    pub clocks: Option<Clocks>,
}

/// Both clocks of a game as an event left them, and the turn that has run since.
#[derive(Debug, Clone)]
pub struct Clocks {
    read: wire::Clock,
    at_ms: i64,
    /// `None` while no clock runs.
    turn: Option<RunningTurn>,
}

impl State {
    /// A game as it is.
    pub fn of_game(game: game::Game, control: Option<Control>) -> Self {
        let ended = game.phase() == game::Phase::Ended;
        let clocks = game.clock.map(|clock| Clocks::new(clock, control));
        Self { at_ms: clocks.as_ref().map_or(0, |clocks| clocks.at_ms), ended, clocks }
    }

    /// What an event made of it.
    pub fn of_event(event: game::Event, control: Option<Control>) -> Self {
        let ended = event.phase() == game::Phase::Ended;
        Self {
            at_ms: event.at.as_ref().and_then(timestamp_ms).unwrap_or(0),
            ended,
            clocks: event.clock.map(|clock| Clocks::new(clock, control)),
        }
    }
}

impl Clocks {
    /// Clocks as they were sent, in a game with this control. One that runs and makes no sense is
    /// shown as it is, and nothing is called for it.
    pub fn new(read: wire::Clock, control: Option<Control>) -> Self {
        let at_ms = read.server_now.as_ref().and_then(timestamp_ms).unwrap_or(0);
        let turn = control.and_then(|control| running(&read, control, at_ms));
        if turn.is_none() && read.running() != Colour::Unspecified {
            tracing::error!(sequence = read.sequence, "a running clock makes no sense");
        }
        Self { read, at_ms, turn }
    }

    /// What they read at an instant, if nobody has acted since.
    pub fn at(&self, now_ms: i64) -> wire::Clock {
        let now_ms = now_ms.max(self.at_ms);
        let mut shown = self.read;
        let Some(turn) = &self.turn else {
            // A clock that stands reads the same at any instant.
            if shown.running() == Colour::Unspecified {
                shown.server_now = Some(timestamp(now_ms));
            }
            return shown;
        };
        shown.server_now = Some(timestamp(now_ms));
        let reading = turn.reading(now_ms);
        let side = match reading.seat {
            Seat::Black => &mut shown.black,
            Seat::White => &mut shown.white,
        };
        if let Some(side) = side {
            let ran_ms = turn.reading(self.at_ms).total_left_ms - reading.total_left_ms;
            let thought_ms = ms(side.thought.as_ref()).unwrap_or(0);
            side.thought = Some(duration(thought_ms.saturating_add(ran_ms)));
            side.phase = phase(reading.phase) as i32;
            side.main_left = Some(duration(reading.main_left_ms));
            // Never more than was read: kinds that have no periods to show read 0.
            side.periods_left = side.periods_left.min(number(reading.periods_left));
            side.period_left = Some(duration(reading.period_left_ms));
            side.stones_left = number(reading.stones_left);
            side.total_left = Some(duration(reading.total_left_ms));
        }
        shown
    }

    /// Whether `next` is what these clocks read by themselves by then.
    pub fn go_on_as(&self, next: &Self) -> bool {
        let expected = wire::Clock { sequence: next.read.sequence, ..self.at(next.at_ms) };
        expected == next.read
    }

    /// The calls that are due after `after_ms` and up to `until_ms`, if nobody acts.
    pub fn announcements(
        &self,
        after_ms: i64,
        until_ms: i64,
    ) -> impl Iterator<Item = Announcement> {
        let turn = self.turn.into_iter();
        turn.flat_map(move |turn| turn.announcements(after_ms, until_ms))
    }
}

/// The turn that runs; `None` if none does, or what is read of it cannot be.
fn running(read: &wire::Clock, control: Control, at_ms: i64) -> Option<RunningTurn> {
    let (seat, side) = match read.running() {
        Colour::Black => (Seat::Black, read.black.as_ref()?),
        Colour::White => (Seat::White, read.white.as_ref()?),
        Colour::Unspecified => return None,
    };
    let total_left_ms = ms(side.total_left.as_ref())?;
    let left = Bank {
        main_left_ms: ms(side.main_left.as_ref())?,
        periods_left: match control {
            // Not shown: there is one, until time is up.
            Control::Canadian { .. } => u32::from(total_left_ms > 0),
            _ => side.periods_left.try_into().ok()?,
        },
        period_left_ms: side.period_left.as_ref().and_then(duration_ms)?,
        stones_left: side.stones_left.try_into().ok()?,
    };
    RunningTurn::new(control, seat, left, at_ms).ok()
}

const fn phase(phase: Phase) -> wire::ClockPhase {
    match phase {
        Phase::Main => wire::ClockPhase::Main,
        Phase::ByoYomi => wire::ClockPhase::ByoYomi,
        Phase::LastPeriod => wire::ClockPhase::LastPeriod,
        Phase::TimeUp => wire::ClockPhase::Flagged,
    }
}
