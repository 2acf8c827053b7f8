//! What holds after any sequence of operations.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use tengen_timing::CreditReason::{Outage, Shift};
use tengen_timing::{Announcement, Clock, Control, LagPolicy, MAX_HOLD_MS, Phase, Seat};

#[derive(Debug, Clone, Copy)]
enum Op {
    Think(i64),
    Press { lag: i64 },
    Stop,
    Resume,
    Begin(Seat),
    AddTime(Seat, i64),
    Outage(i64),
    Jump(i64),
    Late(Seat, i64),
}

/// A game being played, with the real time each seat's clock ran counted apart.
struct Game {
    clock: Clock,
    now: i64,
    thought: [i64; 2],
    over: bool,
}

const POLICY: LagPolicy = LagPolicy { per_move_ms: 700, per_game_ms: 2_000 };

fn at(seat: Seat) -> usize {
    usize::from(seat == Seat::White)
}

impl Game {
    fn new(control: Control) -> Self {
        let mut clock = Clock::new(control).unwrap().with_lag(POLICY).unwrap();
        clock.start(Seat::Black, 1_000_000);
        Self { clock, now: 1_000_000, thought: [0, 0], over: false }
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Think(ms) => self.think(ms),
            Op::Press { lag } => {
                let seat = self.clock.to_move();
                let due = self.clock.due_ms(lag).is_some_and(|due| self.now >= due);
                match self.clock.press(self.now, lag) {
                    Ok(charge) => {
                        assert!(!due && charge.lag_credit_ms <= lag.min(POLICY.per_move_ms));
                        assert_eq!(self.clock.to_move(), seat.other());
                    }
                    Err(flag) => {
                        assert!(due && flag.seat == seat);
                        self.end();
                    }
                }
            }
            Op::Stop => {
                if self.clock.stop(self.now).is_err() {
                    self.end();
                }
            }
            Op::Resume => self.clock.resume(self.now),
            Op::Begin(seat) if self.clock.flag(self.now).is_none() => {
                self.clock.begin_turn(seat, self.now);
            }
            Op::AddTime(seat, ms) if self.clock.flag(self.now).is_none() => {
                let before = self.clock.reading(seat, self.now).total_left_ms;
                self.clock.add_time(seat, ms).unwrap();
                let after = self.clock.reading(seat, self.now).total_left_ms;
                assert_eq!(after, before + ms, "granted time is what the clock shows more");
            }
            Op::Outage(ms) => self.outage(ms),
            Op::Jump(ms) => {
                let left = Seat::BOTH.map(|seat| self.clock.reading(seat, self.now).total_left_ms);
                self.clock.credit(Shift, self.now, self.now + ms);
                self.now += ms;
                let now = Seat::BOTH.map(|seat| self.clock.reading(seat, self.now).total_left_ms);
                assert_eq!(left, now, "a jump of the server's clock is no time");
            }
            Op::Late(seat, ms) if self.clock.running().is_none() => {
                if self.clock.late(seat, ms, self.now).is_err() {
                    assert_eq!(self.clock.reading(seat, self.now).total_left_ms, 0);
                    self.end();
                }
            }
            Op::Begin(_) | Op::AddTime(..) | Op::Late(..) => {}
        }
    }

    fn think(&mut self, ms: i64) {
        self.now += ms;
        if let Some(seat) = self.clock.running() {
            self.thought[at(seat)] += ms;
        }
    }

    /// Nothing of it may be seen on any clock.
    fn outage(&mut self, ms: i64) {
        let left = Seat::BOTH.map(|seat| self.clock.reading(seat, self.now).total_left_ms);
        let credited = self.clock.credit(Outage, self.now, self.now + ms);
        assert_eq!(credited, if self.clock.running().is_some() { ms } else { 0 });
        self.now += ms;
        let now = Seat::BOTH.map(|seat| self.clock.reading(seat, self.now).total_left_ms);
        assert_eq!(left, now);
    }

    fn end(&mut self) {
        self.clock.finish(self.now);
        self.over = true;
    }

    fn check(&self) {
        let Self { clock, now, .. } = self;
        let fallen = clock.flag(*now).is_some();
        for seat in Seat::BOTH {
            let account = clock.account(seat, *now);
            let sides = [
                account.granted_ms + account.credited_ms,
                account.consumed_ms + account.remaining_ms + account.discarded_ms,
            ];
            assert_eq!(sides[0], sides[1], "{account:?}");
            let reading = clock.reading(seat, *now);
            assert_eq!(account.remaining_ms, reading.total_left_ms);
            let fields = [
                account.granted_ms,
                account.credited_ms,
                account.consumed_ms,
                account.remaining_ms,
                account.discarded_ms,
                reading.main_left_ms,
                reading.period_left_ms,
                clock.credits(seat).lag_ms,
            ];
            assert!(fields.iter().all(|ms| *ms >= 0), "{fields:?}");
            assert!(
                reading.total_left_ms <= MAX_HOLD_MS && reading.total_left_ms <= account.granted_ms
            );
            assert!(clock.credits(seat).lag_ms <= POLICY.per_game_ms);
            assert_eq!(reading.phase == Phase::TimeUp, reading.total_left_ms == 0);
            let runs = clock.running() == Some(seat);
            assert_eq!(reading.deadline_ms.is_some(), runs);
            if runs && !fallen {
                assert_eq!(reading.deadline_ms, Some(now + reading.total_left_ms));
            }
            // In the window of lag after a deadline the clock shows nothing; the sums come later.
            if !fallen && !self.over {
                assert_eq!(clock.thought_ms(seat, *now), self.thought[at(seat)]);
            }
        }
        self.check_calls();
    }

    fn check_calls(&self) {
        let calls =
            |after| -> Vec<Announcement> { self.clock.announcements(after, i64::MAX).collect() };
        let all = calls(i64::MIN);
        assert!(all.is_sorted_by_key(|said| said.at_ms));
        // An outage that began after the deadline leaves nothing to say.
        if self.clock.flag(self.now).is_none() {
            assert_eq!(all.last().map(|said| said.at_ms), self.clock.deadline_ms());
        }
        // One who comes later hears the rest of the same.
        for after in [self.now, self.now + 1, self.now + 30_000] {
            let tail: Vec<_> = all.iter().copied().filter(|said| said.at_ms > after).collect();
            assert_eq!(calls(after), tail);
        }
        // Read out in slices, nothing is lost or said twice.
        let end = self.clock.deadline_ms().unwrap_or(self.now).max(self.now);
        let slices = (self.now..end)
            .step_by(7_777)
            .flat_map(|from| self.clock.announcements(from, (from + 7_777).min(end)));
        assert!(slices.eq(calls(self.now)));
    }
}

fn control() -> impl Strategy<Value = Control> {
    prop_oneof![
        (1..300_000_i64).prop_map(|main_ms| Control::Absolute { main_ms }),
        (0..90_000_i64, 1..=10_u32).prop_map(|(rest, reserved_minutes)| Control::Reserved {
            limit_ms: rest + i64::from(reserved_minutes) * 60_000,
            reserved_minutes
        }),
        (0..90_000_i64, 1..8_u32, 1..61_i64).prop_map(|(main_ms, periods, seconds)| {
            Control::Japanese { main_ms, periods, period_ms: seconds * 1_000 }
        }),
        (0..90_000_i64, 1..6_u32, 1..300_i64).prop_map(|(main_ms, stones, seconds)| {
            Control::Canadian { main_ms, stones, period_ms: seconds * 1_000 }
        }),
        (1..90_000_i64, 1..9_000_i64, prop::option::of(0..20_000_i64)).prop_map(
            |(main_ms, increment_ms, over)| Control::Fischer {
                main_ms,
                increment_ms,
                max_ms: over.map(|ms| main_ms + ms)
            }
        ),
    ]
}

fn seat() -> impl Strategy<Value = Seat> {
    prop_oneof![Just(Seat::Black), Just(Seat::White)]
}

fn op() -> impl Strategy<Value = Op> {
    let think = prop_oneof![0..2_000_i64, 0..70_000_i64, Just(60_000), Just(59_999)];
    prop_oneof![
        6 => think.prop_map(Op::Think),
        6 => (0..1_500_i64).prop_map(|lag| Op::Press { lag }),
        2 => Just(Op::Stop),
        3 => Just(Op::Resume),
        1 => seat().prop_map(Op::Begin),
        1 => (seat(), 1..90_000_i64).prop_map(|(seat, ms)| Op::AddTime(seat, ms)),
        1 => (1..40_000_i64).prop_map(Op::Outage),
        1 => (-20_000..20_000_i64).prop_map(Op::Jump),
        1 => (seat(), 0..100_000_i64).prop_map(|(seat, ms)| Op::Late(seat, ms)),
    ]
}

/// Plays until a flag falls; the game's state after each operation is handed to `each`.
fn play(control: Control, ops: &[Op], mut each: impl FnMut(&Game)) -> Game {
    let mut game = Game::new(control);
    each(&game);
    for op in ops {
        if game.over {
            break;
        }
        game.apply(*op);
        each(&game);
    }
    game
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    // case: C14, C18, C20, C21, C22, C30: nothing is negative, and every millisecond is accounted for.
    // rulebook: C3.2a, L7
    #[test]
    fn any_game_keeps_its_account(control in control(), ops in prop::collection::vec(op(), 0..40)) {
        play(control, &ops, Game::check);
    }

    // case: C18: a clock folded again from the same operations is the same clock at every step.
    #[test]
    fn a_clock_is_rebuilt_by_folding(control in control(), ops in prop::collection::vec(op(), 0..20)) {
        let mut states = Vec::new();
        play(control, &ops, |game| states.push(game.clock.clone()));
        for (cut, state) in states.iter().enumerate() {
            prop_assert_eq!(&play(control, &ops[..cut], |_| ()).clock, state);
        }
    }

    // rulebook: C3.2, C5.1: one turn in a piece or in many, paused anywhere, comes to the same.
    // case: C14
    #[test]
    fn a_turn_in_pieces_is_one_turn(
        control in control(),
        pieces in prop::collection::vec((0..30_000_i64, 0..100_000_i64), 1..12),
    ) {
        let used: i64 = pieces.iter().map(|(used, _)| used).sum();
        let paused: i64 = pieces.iter().map(|(_, pause)| pause).sum();
        let mut whole = Clock::new(control).unwrap();
        whole.start(Seat::Black, 0);
        let mut pieced = whole.clone();
        let all: Vec<_> = whole.announcements(0, used).map(|said| said.call).collect();
        let (mut now, mut said) = (0, Vec::new());
        for (used, pause) in pieces {
            said.extend(pieced.announcements(now, now + used).map(|said| said.call));
            now += used;
            if pieced.stop(now).is_err() {
                break;
            }
            now += pause;
            pieced.resume(now);
        }
        prop_assert_eq!(said, all, "calls go on where they stopped");
        match whole.press(used, 0) {
            Ok(charge) => {
                prop_assert_eq!(now, used + paused);
                prop_assert_eq!(pieced.press(now, 0), Ok(charge));
            }
            Err(flag) => {
                prop_assert_eq!(pieced.flag(now).map(|flag| flag.seat), Some(flag.seat));
            }
        }
    }

    // rulebook: C3.2: a turn within the period is free, whatever was played before.
    #[test]
    fn broken_periods_are_free(periods in 1..10_u32, turns in prop::collection::vec(0..60_000_i64, 1..50)) {
        let control = Control::Reserved {
            limit_ms: i64::from(periods) * 60_000,
            reserved_minutes: periods,
        };
        let mut clock = Clock::new(control).unwrap();
        clock.start(Seat::Black, 0);
        let mut now = 0;
        for turn in turns {
            now += turn;
            let charge = clock.press(now, 0);
            prop_assert_eq!(charge.map(|charge| charge.left.periods_left), Ok(periods));
        }
    }
}
