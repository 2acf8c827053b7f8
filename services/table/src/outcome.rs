//! How a game ended, with the proof of a count.

use tengen_rules::{Area, Colour, Count, PointSet};

/// Why a game ended (rulebook, Ends).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// By count.
    Count,
    /// By resignation (rulebook G7.2).
    Resignation,
    /// On time, the player being present (rulebook C14.5).
    Time,
    /// On time, the player being away (rulebook L11).
    TimeWhileAway,
    /// By the second warning (rulebook C16.2).
    SecondWarning,
    /// By the referee's ruling (rulebook C4.1).
    Ruling,
    /// By a move out of turn (rulebook C8.1).
    OutOfTurn,
    /// By leaving on purpose (rulebook L7).
    Leave,
    /// By staying away beyond the limit (rulebook L11).
    Disconnected,
    /// By not coming, or too late (rulebook C14.1).
    NoShow,
    /// Both came too late (rulebook C14.2).
    BothLate,
    /// Both stayed away (rulebook L11).
    BothGone,
    /// Drawn by agreement or ruling.
    Draw,
    /// To be played again.
    Replay,
    /// Void.
    Void,
    /// Annulled afterwards.
    Annulled,
}

/// How a counted result came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Settlement {
    /// Both accepted the same dead set.
    Agreed,
    /// The second dispute or expiry: every stone stands (rulebook C12.3, C12.4).
    AllStand,
}

/// A count and what it was made of (rulebook G9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// How it was settled.
    pub settlement: Settlement,
    /// The stones that were taken off.
    pub dead: PointSet,
    /// The points of both and of neither.
    pub area: Area,
    /// The count in quarter stones.
    pub count: Count,
    /// The events by which Black and White accepted; `None` where all stand.
    pub accepted: [Option<i64>; 2],
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Why.
    pub reason: EndReason,
    /// Who won; `None` for a draw, no result, or a loss of both.
    pub winner: Option<Colour>,
    /// The count, where there was one.
    pub counted: Option<Counted>,
    /// When.
    pub at_ms: i64,
    /// Thinking time of both together (rulebook L7).
    pub together_ms: i64,
}

impl Outcome {
    /// As SGF writes it: `B+1.5`, `W+R`, `B+T`, `B+F`, `0`, `Void`, `?`.
    pub fn text(&self) -> String {
        let letter = |winner| if winner == Colour::Black { "B" } else { "W" };
        match (self.reason, self.winner, &self.counted) {
            (EndReason::Count, _, Some(counted)) => counted.count.to_string(),
            (EndReason::Resignation, Some(winner), _) => format!("{}+R", letter(winner)),
            (EndReason::Time | EndReason::TimeWhileAway, Some(winner), _) => {
                format!("{}+T", letter(winner))
            }
            (EndReason::Draw, ..) => "0".into(),
            (EndReason::Replay | EndReason::Void | EndReason::Annulled, ..) => "Void".into(),
            (_, Some(winner), _) => format!("{}+F", letter(winner)),
            (_, None, _) => "?".into(),
        }
    }
}
