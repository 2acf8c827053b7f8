//! What is agreed before a game begins.

use std::fmt;

use tengen_rules::{Colour, Point, Size, default_compensation_quarters, handicap_points};
use tengen_timing::Control;

/// Bounds of the settings, in the units of their names.
pub mod limits {
    /// Komi and compensation either way, in quarter stones: 100 points.
    pub const QUARTERS: i32 = 200;
    /// Lines of a board a game is played on.
    pub const LINES: std::ops::RangeInclusive<u8> = 2..=25;
    /// The shortest and the longest time counting may take.
    pub const COUNTING_MS: std::ops::RangeInclusive<i64> = 10_000..=3_600_000;
    /// How long a casual player may stay away.
    pub const RECONNECT_MS: std::ops::RangeInclusive<i64> = 5_000..=3_600_000;
    /// The most a player may come late.
    pub const LATE_MS: std::ops::RangeInclusive<i64> = 0..=3_600_000;
    /// The longest pause that both agree on, and the number of them in a game (our reading).
    pub const AGREED_PAUSE_MS: i64 = 600_000;
    /// Pauses by agreement in one game.
    pub const AGREED_PAUSES: u32 = 5;
    /// The longest pause that is ordered.
    pub const ORDERED_PAUSE_MS: i64 = 24 * 60 * 60 * 1_000;
    /// How long a restored board waits for both before the game is played again (our reading of
    /// rulebook C8.4).
    pub const RESTORED_MS: i64 = 15 * 60 * 1_000;
    /// How far ahead a game may be scheduled.
    pub const START_AHEAD_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
}

/// What two passes in a row mean (rulebook G2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TwoPasses {
    /// They open counting.
    #[default]
    Confirm,
    /// Nothing: only confirmations end play.
    Nothing,
}

/// What a move on a forbidden point costs (rulebook C10, C11.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IllegalMove {
    /// An error; the turn is kept.
    #[default]
    Refuse,
    /// The turn.
    ForfeitTurn,
}

/// What a move out of turn costs (rulebook C8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutOfTurn {
    /// An error.
    #[default]
    Refuse,
    /// The game.
    Loss,
}

/// What happens when a disconnected player's time to return is over (rulebook L11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Absence {
    /// The absent player loses.
    #[default]
    Forfeit,
    /// The opponent may end the game or wait; casual games only.
    OpponentDecides,
}

/// The settings of a game; checked by [`Settings::validate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The board.
    pub size: Size,
    /// Komi in quarter stones; 15 = 3¾ stones (rulebook C2).
    pub komi_quarters: i32,
    /// Handicap stones on the board, none or 2 to 9 (rulebook C2).
    pub handicap: Vec<Point>,
    /// White's compensation for the handicap, in quarter stones (rulebook C2).
    pub compensation_quarters: i32,
    /// The clock of both sides; `None` for an untimed, casual game (rulebook C3.0).
    pub control: Option<Control>,
    /// Whether levels move.
    pub rated: bool,
    /// Two passes in a row.
    pub two_passes: TwoPasses,
    /// A move on a forbidden point.
    pub illegal_move: IllegalMove,
    /// A move out of turn.
    pub out_of_turn: OutOfTurn,
    /// How long counting may take (rulebook C12.4).
    pub counting_limit_ms: i64,
    /// How late a player may come (rulebook C14.1).
    pub late_limit_ms: i64,
    /// How long a disconnected player may stay away (rulebook L11).
    pub reconnect_window_ms: i64,
    /// What happens after that.
    pub absence: Absence,
    /// When the game begins; `None`: at once (rulebook C14).
    pub start_at_ms: Option<i64>,
}

/// A setting that cannot be played with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// The field as the API names it.
    pub field: &'static str,
    /// What was given.
    pub value: String,
    /// What was expected.
    pub expected: String,
}

impl Settings {
    /// The reconnect window of every rated game (rulebook L11).
    pub const RECONNECT_WINDOW_MS: i64 = 300_000;

    /// An even game on this board with the code's komi, untimed and casual.
    pub fn even(size: Size) -> Self {
        Self {
            size,
            komi_quarters: 15,
            handicap: Vec::new(),
            compensation_quarters: 0,
            control: None,
            rated: false,
            two_passes: TwoPasses::default(),
            illegal_move: IllegalMove::default(),
            out_of_turn: OutOfTurn::default(),
            counting_limit_ms: 300_000,
            late_limit_ms: 900_000,
            reconnect_window_ms: Self::RECONNECT_WINDOW_MS,
            absence: Absence::default(),
            start_at_ms: None,
        }
    }

    /// The same with handicap stones on the star points, no komi, and the usual compensation.
    ///
    /// # Errors
    /// A number of stones the board has no star points for.
    pub fn with_handicap(mut self, stones: u8) -> Result<Self, SettingsError> {
        self.handicap = handicap_points(self.size, stones)
            .map_err(|error| SettingsError::new("handicap", stones, error))?;
        self.komi_quarters = 0;
        self.compensation_quarters = default_compensation_quarters(stones);
        Ok(self)
    }

    /// Who moves first: White in a handicap game (rulebook C2), else Black (rulebook G2.1).
    pub fn first_to_move(&self) -> Colour {
        if self.handicap.is_empty() { Colour::Black } else { Colour::White }
    }

    /// Checks every field, and the fields against each other.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn validate(&self) -> Result<(), SettingsError> {
        self.validate_board()?;
        if let Some(control) = &self.control {
            control
                .validate()
                .map_err(|error| SettingsError::new(error.field, error.value, error.expected))?;
        }
        between("counting_limit", self.counting_limit_ms, &limits::COUNTING_MS)?;
        between("late_limit", self.late_limit_ms, &limits::LATE_MS)?;
        between("reconnect_window", self.reconnect_window_ms, &limits::RECONNECT_MS)?;
        if self.rated {
            self.validate_rated()?;
        }
        Ok(())
    }

    fn validate_board(&self) -> Result<(), SettingsError> {
        for (field, lines) in
            [("size.rows", self.size.rows()), ("size.columns", self.size.columns())]
        {
            between(field, lines, &limits::LINES)?;
        }
        let quarters = -limits::QUARTERS..=limits::QUARTERS;
        between("komi_quarters", self.komi_quarters, &quarters)?;
        between("compensation_quarters", self.compensation_quarters, &quarters)?;
        let stones = self.handicap.len();
        if stones == 1 || stones > 9 {
            return Err(SettingsError::new("handicap", stones, "0, or 2 to 9"));
        }
        if stones == 0 && self.compensation_quarters != 0 {
            let expected = "0 in a game without handicap";
            return Err(SettingsError::new(
                "compensation_quarters",
                self.compensation_quarters,
                expected,
            ));
        }
        tengen_rules::Game::with_setup(self.size, &self.handicap, &[])
            .map(drop)
            .map_err(|error| SettingsError::new("handicap_points", stones, error))
    }

    /// A rated game is timed (rulebook C3.0), and a disconnection is judged as the ladder has it
    /// (rulebook L11).
    fn validate_rated(&self) -> Result<(), SettingsError> {
        if self.control.is_none() {
            return Err(SettingsError::new("time", "none", "a time control in a rated game"));
        }
        if self.reconnect_window_ms != Self::RECONNECT_WINDOW_MS {
            let value = self.reconnect_window_ms;
            return Err(SettingsError::new("reconnect_window", value, "300000 in a rated game"));
        }
        if self.absence != Absence::Forfeit {
            let expected = "FORFEIT in a rated game";
            return Err(SettingsError::new("absence", "OPPONENT_DECIDES", expected));
        }
        Ok(())
    }
}

impl SettingsError {
    fn new(field: &'static str, value: impl ToString, expected: impl ToString) -> Self {
        Self { field, value: value.to_string(), expected: expected.to_string() }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, expected {}", self.field, self.value, self.expected)
    }
}

impl std::error::Error for SettingsError {}

fn between<T: PartialOrd + fmt::Display + Copy>(
    field: &'static str,
    value: T,
    range: &std::ops::RangeInclusive<T>,
) -> Result<(), SettingsError> {
    if range.contains(&value) {
        return Ok(());
    }
    let expected = format!("{} to {}", range.start(), range.end());
    Err(SettingsError::new(field, value, expected))
}
