//! What a clock shows.

use crate::Seat;

/// Which part of its time a seat is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Main time.
    Main,
    /// A byo-yomi minute or period that is not the last; every Canadian one.
    ByoYomi,
    /// The last reserved minute or period: using it up loses.
    LastPeriod,
    /// Nothing is left.
    TimeUp,
}

/// One seat's clock at one instant: running, stopped or waiting. Nothing in it is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reading {
    /// Whose clock.
    pub seat: Seat,
    /// The part of its time the seat is in.
    pub phase: Phase,
    /// Main time left.
    pub main_left_ms: i64,
    /// Reserved minutes or periods left, the open one included.
    pub periods_left: u32,
    /// What is left of the open minute or period; a whole one where none is open.
    pub period_left_ms: i64,
    /// Canadian: stones to play in the period.
    pub stones_left: u32,
    /// All that may be used before the flag falls.
    pub total_left_ms: i64,
    /// When the flag falls; `None` while this clock does not run.
    pub deadline_ms: Option<i64>,
}
