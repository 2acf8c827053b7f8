//! Where a game stood after each of its events, and whether what somebody was told of it is so.

use tengen_proto::clock::v1::Clock;
use tengen_proto::game::v1 as wire;
use tengen_proto::internal::v1::stored_event::Fact;
use tengen_proto::time::timestamp_ms;
use tengen_rules::Game;

use super::clock::Clocks;
use super::log::{Log, Logged};
use super::outages::Around;
use super::walk::Walk;
use crate::view::{dead_set, wire_colour};

/// A game after one event.
pub struct Stand {
    /// The sequence of the event.
    pub sequence: i64,
    /// The event's hash.
    pub hash: String,
    /// The event's stamp.
    pub at_ms: i64,
    /// Where the game stands.
    pub phase: wire::Phase,
    /// Whose turn it is.
    pub to_move: i32,
    /// The number the next turn has.
    pub number: i32,
    /// The board with its history.
    pub board: Game,
    /// When something falls due next.
    pub next_due_ms: Option<i64>,
    /// When absence may end the game by itself.
    pub absence_due_ms: Option<i64>,
    /// Until when each side may return.
    pub deadlines_ms: [Option<i64>; 2],
    /// Whether each side is away.
    pub gone: [bool; 2],
    /// The name of the dead set.
    pub dead_set: String,
    clocks: Option<Clocks>,
}

/// What is wrong.
type What = Result<(), String>;

/// A whole game.
pub struct Story {
    /// Where it stood after each event; after that of sequence `n` at `n - 1`.
    pub stands: Vec<Stand>,
    /// How it came out.
    pub end: Walk,
}

impl Story {
    /// Plays a record again.
    ///
    /// # Errors
    /// An event that may not follow.
    pub fn of(log: &Log, around: &Around) -> Result<Self, String> {
        let (first, rest) = log.events.split_first().ok_or("a record without events")?;
        let Fact::Opening(opening) = &first.fact else {
            return Err("a record that does not open".into());
        };
        let mut walk = Walk::open(opening, first.at_ms).ok_or("an opening that lacks something")?;
        let mut stands = vec![Stand::after(first, 1, &walk)];
        for (event, sequence) in rest.iter().zip(2..) {
            let wrong = |what| format!("event {sequence}, {:?}: {what}", event.fact);
            made_good(&walk, event, around, sequence).map_err(wrong)?;
            walk.step(event).map_err(wrong)?;
            stands.push(Stand::after(event, sequence, &walk));
        }
        Ok(Self { stands, end: walk })
    }

    /// Where it stood after the event of this sequence.
    ///
    /// # Errors
    /// There is no such event.
    pub fn at(&self, sequence: i64) -> Result<&Stand, String> {
        let index = usize::try_from(sequence - 1).ok();
        let found = index.and_then(|index| self.stands.get(index));
        found.ok_or_else(|| format!("there is no event {sequence}"))
    }
}

/// Whatever an outage cost is given back before anything else happens, and nothing besides. An event
/// that was stamped after an outage knows of it.
// fault: F4
// case: C22 R22
fn made_good(walk: &Walk, event: &Logged, around: &Around, sequence: i64) -> What {
    let committed_ms = around.committed_ms(sequence);
    let open = |(_, to_ms): &&(i64, i64)| *to_ms > walk.at_ms && *to_ms <= committed_ms;
    let owed = around.outages.iter().filter(open).find_map(|(from_ms, to_ms)| {
        let owed_ms = walk.owes_ms(*from_ms, *to_ms);
        (owed_ms > 0).then_some((to_ms - owed_ms, *to_ms))
    });
    let credit = match &event.fact {
        Fact::Credit(credit) => Some((credit.from_ms, credit.to_ms)),
        _ => None,
    };
    if credit == owed { Ok(()) } else { Err(format!("{owed:?} is owed, {credit:?} is given")) }
}

impl Stand {
    fn after(event: &Logged, sequence: i64, walk: &Walk) -> Self {
        let over = walk.phase == wire::Phase::Ended;
        Self {
            sequence,
            hash: event.hash.clone(),
            at_ms: event.at_ms,
            phase: walk.phase,
            to_move: if over { 0 } else { wire_colour(walk.to_move) },
            number: walk.number(),
            board: walk.board.clone(),
            next_due_ms: walk.next_due_ms(),
            absence_due_ms: walk.absence_due_ms(),
            deadlines_ms: walk.deadlines_ms(),
            gone: walk.gone,
            dead_set: dead_set(&walk.dead),
            clocks: walk.clocks.clone(),
        }
    }

    /// Whether an event that a watcher was told is this one.
    ///
    /// # Errors
    /// What differs.
    pub fn is_told(&self, event: &wire::Event, before: &str) -> What {
        self.stands((event.sequence, &event.head_hash), event.phase(), event.to_move)?;
        let at_ms = event.at.as_ref().and_then(timestamp_ms);
        let told = (at_ms, event.move_number, event.previous_hash.as_str());
        if told != (Some(self.at_ms), self.number, before) {
            return Err(format!("event {}: {told:?}", self.sequence));
        }
        if let Some(wire::event::Event::PresenceChanged(told)) = &event.event {
            self.is_here(
                told.colour - 1,
                told.present,
                told.deadline.as_ref().and_then(timestamp_ms),
            )?;
        }
        self.runs(event.clock.as_ref())
    }

    // case: R3
    fn is_here(&self, side: i32, present: bool, deadline_ms: Option<i64>) -> What {
        let side = usize::try_from(side).unwrap_or(usize::MAX);
        let own = (self.gone.get(side), self.deadlines_ms.get(side).copied().flatten());
        let told = (Some(&!present), deadline_ms);
        if told == own { Ok(()) } else { Err(format!("{side} is {own:?}, and told {told:?}")) }
    }

    /// Whether a game that somebody was shown is the game as it is here.
    ///
    /// # Errors
    /// What differs.
    pub fn is_shown(&self, game: &wire::Game) -> What {
        self.stands((game.sequence, &game.head_hash), game.phase(), game.to_move)?;
        let shown = (game.move_number, game.turns.len() as i32 + 1);
        let rows = self.board.board().rows();
        if shown != (self.number, self.number) || game.rows != rows {
            return Err(format!("shown {shown:?}, {:?}, expected {rows:?}", game.rows));
        }
        for (seat, side) in [&game.black, &game.white].into_iter().zip(0..) {
            let seat = seat.clone().unwrap_or_default();
            self.is_here(side, seat.present, seat.gone_deadline.as_ref().and_then(timestamp_ms))?;
        }
        if game.phase() == wire::Phase::Counting && game.dead_set_hash != self.dead_set {
            return Err(format!("the dead set is {}, not {}", self.dead_set, game.dead_set_hash));
        }
        self.runs(game.clock.as_ref())
    }

    /// Whether an answer tells of this event.
    ///
    /// # Errors
    /// What differs.
    pub fn is_answered(&self, answer: &wire::Accepted) -> What {
        self.stands((answer.sequence, &answer.head_hash), answer.phase(), answer.to_move)?;
        if answer.move_number != self.number {
            return Err(format!("the next number is {}, not {}", self.number, answer.move_number));
        }
        self.runs(answer.clock.as_ref())
    }

    fn stands(&self, head: (i64, &String), phase: wire::Phase, to_move: i32) -> What {
        let own = ((self.sequence, &self.hash), self.phase, self.to_move);
        if (head, phase, to_move) == own {
            return Ok(());
        }
        Err(format!("told {head:?} {phase:?} {to_move}, and it is {own:?}"))
    }

    // case: C2 C12
    fn runs(&self, shown: Option<&Clock>) -> What {
        let wrong = match (&self.clocks, shown) {
            (None, None) => None,
            (Some(clocks), Some(shown)) if shown.sequence == self.sequence => clocks.differs(shown),
            _ => Some("a clock too many, too few, or of another event".to_owned()),
        };
        let stands = self.clocks.as_ref().map(|clocks| clocks.running().is_none());
        let should = self.phase != wire::Phase::Playing;
        match wrong {
            Some(wrong) => Err(format!("event {}: {wrong}", self.sequence)),
            None if stands.is_some_and(|stands| stands != should) => Err(format!(
                "event {}: in {:?} the clock stands: {stands:?}",
                self.sequence, self.phase
            )),
            None => Ok(()),
        }
    }
}
