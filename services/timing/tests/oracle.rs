//! The clock against a naive one that counts single milliseconds and was written from the rulebook
//! alone: no division, no budget, no deadline.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use tengen_timing::{Bank, Call, Clock, Control, Phase, Seat};

/// One side's time, a millisecond at a time.
#[derive(Clone)]
struct Naive {
    control: Control,
    rest: i64,
    /// Reserved minutes or periods.
    reserve: u32,
    /// Milliseconds of the open period that are gone.
    open: i64,
    stones: u32,
    lost: bool,
}

impl Naive {
    fn new(control: Control) -> Self {
        let (rest, reserve, stones) = match control {
            Control::Absolute { main_ms } | Control::Fischer { main_ms, .. } => (main_ms, 0, 0),
            Control::Reserved { limit_ms, reserved_minutes } => {
                (limit_ms - i64::from(reserved_minutes) * 60_000, reserved_minutes, 0)
            }
            Control::Japanese { main_ms, periods, .. } => (main_ms, periods, 0),
            Control::Canadian { main_ms, stones, .. } => (main_ms, 1, stones),
        };
        Self { control, rest, reserve, open: 0, stones, lost: false }
    }

    fn period(&self) -> i64 {
        match self.control {
            Control::Reserved { .. } => 60_000,
            Control::Japanese { period_ms, .. } | Control::Canadian { period_ms, .. } => period_ms,
            Control::Absolute { .. } | Control::Fischer { .. } => 0,
        }
    }

    /// A millisecond passes; what is said at its end.
    fn tick(&mut self) -> Vec<Call> {
        if self.lost {
            return vec![];
        }
        if self.rest > 0 {
            self.rest -= 1;
            if self.rest == 0 && self.reserve == 0 {
                self.lost = true;
                return vec![Call::TimeIsUp];
            }
            return match (self.rest, self.reserve) {
                (0, _) => vec![Call::ByoYomiBegins, self.how_much()],
                (_, 0) => self.last_minute_call(self.rest).into_iter().collect(),
                _ => vec![],
            };
        }
        self.open += 1;
        if self.open == self.period() {
            self.open = 0;
            self.reserve -= 1;
            self.lost = self.reserve == 0;
            return vec![if self.lost { Call::TimeIsUp } else { self.how_much() }];
        }
        self.second_call().into_iter().collect()
    }

    fn how_much(&self) -> Call {
        match self.control {
            Control::Canadian { .. } => Call::StonesLeft(self.stones),
            Control::Japanese { .. } => Call::PeriodsLeft(self.reserve),
            _ => Call::MinutesLeft(self.reserve),
        }
    }

    /// Where there is no byo-yomi.
    fn last_minute_call(&self, left: i64) -> Option<Call> {
        match left {
            300_000 => Some(Call::MinutesLeft(5)),
            60_000 => Some(Call::MinutesLeft(1)),
            30_000 => Some(Call::Seconds(30)),
            20_000 => Some(Call::Seconds(40)),
            10_000 => Some(Call::Seconds(50)),
            9_000 | 8_000 | 7_000 | 6_000 | 5_000 | 4_000 | 3_000 | 2_000 | 1_000 => {
                Some(Call::Count(u32::try_from(10 - left / 1_000).unwrap()))
            }
            _ => None,
        }
    }

    fn second_call(&self) -> Option<Call> {
        let gone = u32::try_from(self.open / 1_000).unwrap();
        let left = self.period() - self.open;
        match (left, self.reserve == 1) {
            (30_000 | 20_000 | 10_000, _) | (5_000 | 2_000, false) => Some(Call::Seconds(gone)),
            (1..10_000, true) if left % 1_000 == 0 => {
                Some(Call::Count(u32::try_from(10 - left / 1_000).unwrap()))
            }
            _ => None,
        }
    }

    fn move_made(&mut self) {
        match self.control {
            Control::Absolute { .. } => {}
            Control::Reserved { .. } | Control::Japanese { .. } => self.open = 0,
            Control::Canadian { stones, .. } => {
                if self.rest == 0 {
                    self.stones -= 1;
                    if self.stones == 0 {
                        self.stones = stones;
                        self.open = 0;
                    }
                }
            }
            Control::Fischer { increment_ms, max_ms, .. } => {
                for _ in 0..increment_ms {
                    if max_ms.is_none_or(|max| max == 0 || self.rest < max) {
                        self.rest += 1;
                    }
                }
            }
        }
    }

    fn bank(&self) -> Bank {
        Bank {
            main_left_ms: self.rest,
            periods_left: self.reserve,
            period_left_ms: if self.reserve > 0 { self.period() - self.open } else { 0 },
            stones_left: if self.lost { 0 } else { self.stones },
        }
    }

    fn phase(&self) -> Phase {
        let canadian = matches!(self.control, Control::Canadian { .. });
        match (self.lost, self.rest > 0, self.reserve) {
            (true, ..) => Phase::TimeUp,
            (_, true, _) => Phase::Main,
            (_, _, 1) if !canadian => Phase::LastPeriod,
            _ => Phase::ByoYomi,
        }
    }
}

/// Every millisecond of a turn, past its deadline: what is shown, what is said, and what a press
/// there would come to.
fn every_millisecond(mut clock: Clock, mut naive: Naive, start: i64) {
    let seat = clock.to_move();
    let deadline = clock.deadline_ms().unwrap();
    let mut said = Vec::new();
    for now in start..deadline + 1_500 {
        let shown = clock.reading(seat, now);
        let bank = Bank {
            main_left_ms: shown.main_left_ms,
            periods_left: shown.periods_left,
            period_left_ms: shown.period_left_ms,
            stones_left: shown.stones_left,
        };
        assert_eq!(bank, naive.bank(), "{:?} at {now}", naive.control);
        assert_eq!(shown.phase, naive.phase(), "{:?} at {now}", naive.control);
        assert_eq!(shown.total_left_ms, (deadline - now).max(0));
        assert_eq!(clock.flag(now).is_some(), naive.lost, "{:?} at {now}", naive.control);
        let left = clock.clone().press(now, 0).ok().map(|charge| charge.left);
        let expected = (!naive.lost).then(|| {
            let mut next = naive.clone();
            next.move_made();
            next.bank()
        });
        assert_eq!(left, expected, "{:?} pressed at {now}", naive.control);
        said.extend(naive.tick().into_iter().map(|call| (now + 1, call)));
    }
    let calls: Vec<_> =
        clock.announcements(start, i64::MAX).map(|told| (told.at_ms, told.call)).collect();
    assert_eq!(calls, said, "{:?}", naive.control);
    clock.finish(deadline);
    assert_eq!(clock.reading(seat, deadline).total_left_ms, 0);
}

fn reserved(rest: i64, reserved_minutes: u32) -> Control {
    Control::Reserved { limit_ms: rest + i64::from(reserved_minutes) * 60_000, reserved_minutes }
}

// rulebook: C3.1, C3.2, C3.2a, C3.3: main → byo-yomi, minute → minute, last minute → loss.
// case: C18
#[test]
fn every_millisecond_of_a_first_turn_is_the_rulebooks() {
    let japanese = |main_ms, periods, period_ms| Control::Japanese { main_ms, periods, period_ms };
    let canadian = |main_ms, stones, period_ms| Control::Canadian { main_ms, stones, period_ms };
    let fischer = |main_ms, max_ms| Control::Fischer { main_ms, increment_ms: 3_000, max_ms };
    let controls = [
        Control::Absolute { main_ms: 1 },
        Control::Absolute { main_ms: 61_000 },
        Control::Absolute { main_ms: 301_001 },
        reserved(0, 1),
        reserved(0, 5),
        reserved(1, 1),
        reserved(999, 2),
        reserved(20_000, 5),
        reserved(60_000, 3),
        reserved(60_001, 10),
        japanese(0, 1, 1_000),
        japanese(10_000, 3, 5_000),
        japanese(777, 2, 20_000),
        japanese(5_000, 5, 30_000),
        japanese(0, 2, 90_000),
        canadian(0, 1, 1_000),
        canadian(12_345, 1, 40_000),
        canadian(60_000, 25, 120_000),
        fischer(1, None),
        fischer(62_000, Some(0)),
        fischer(62_000, Some(63_000)),
        fischer(62_000, Some(62_000)),
    ];
    for control in controls {
        let mut clock = Clock::new(control).unwrap();
        clock.start(Seat::Black, 0);
        every_millisecond(clock, Naive::new(control), 0);
    }
}

fn control() -> impl Strategy<Value = Control> {
    let main = prop_oneof![Just(0), Just(1), 0..3_000_i64];
    let main_too = prop_oneof![Just(1), 1..5_000_i64];
    prop_oneof![
        main_too.clone().prop_map(|main_ms| Control::Absolute { main_ms }),
        (0..3_000_i64, 1..3_u32).prop_map(|(rest, minutes)| reserved(rest, minutes)),
        (main.clone(), 1..6_u32, 1..3_i64).prop_map(|(main_ms, periods, seconds)| {
            Control::Japanese { main_ms, periods, period_ms: seconds * 1_000 }
        }),
        (main, 1..5_u32, 1..9_i64).prop_map(|(main_ms, stones, seconds)| {
            Control::Canadian { main_ms, stones, period_ms: seconds * 1_000 }
        }),
        (main_too, 1..900_i64, prop::option::of(0..4_000_i64)).prop_map(|(main_ms, add, over)| {
            Control::Fischer { main_ms, increment_ms: add, max_ms: over.map(|ms| main_ms + ms) }
        }),
    ]
}

/// Lengths of turns, most of them next to a border of whatever kind of period is played.
fn turns() -> impl Strategy<Value = Vec<i64>> {
    let near = (0..5_i64, -1..=1_i64).prop_map(|(n, off)| (n * 1_000 + off).max(0));
    let minute = (-1..=1_i64).prop_map(|off| 60_000 + off);
    prop::collection::vec(prop_oneof![4 => near, 4 => 0..2_500_i64, 1 => minute], 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    // rulebook: C3.2, C3.3: whole games, several borders in a turn, and the turn after them read
    // millisecond by millisecond.
    #[test]
    fn games_run_as_the_naive_clock_says(control in control(), turns in turns()) {
        let mut clock = Clock::new(control).unwrap();
        clock.start(Seat::Black, 0);
        let mut naive = Naive::new(control);
        let mut now = 0;
        for turn in turns {
            let said = clock.announcements(now, now + turn).map(|told| (told.at_ms, told.call));
            let said: Vec<_> = said.collect();
            let ticks = (now + 1..=now + turn)
                .flat_map(|at| naive.tick().into_iter().map(move |call| (at, call)));
            prop_assert_eq!(said, ticks.collect::<Vec<_>>());
            now += turn;
            let pressed = clock.press(now, 0);
            prop_assert_eq!(pressed.is_err(), naive.lost);
            let Ok(charge) = pressed else { return Ok(()) };
            naive.move_made();
            prop_assert_eq!(charge.left, naive.bank());
            clock.press(now, 0).unwrap();
        }
        // Reading a long turn at every millisecond is the table test's; here only short ones.
        if clock.deadline_ms().unwrap() - now < 20_000 {
            every_millisecond(clock, naive, now);
        }
    }
}
