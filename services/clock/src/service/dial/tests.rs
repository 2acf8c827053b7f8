//! The order of what is told, where the instants of calls and events meet.

use tengen_proto::clock::v1::call::Call as Said;
use tengen_proto::clock::v1::{Clock, ClockPhase, SeatClock};
use tengen_proto::common::v1::Colour;
use tengen_proto::time::{duration, timestamp};
use tengen_timing::Control;
use tokio::sync::broadcast::Receiver;

use super::*;

const MINUTES: Control = Control::Reserved { limit_ms: 120_000, reserved_minutes: 2 };

/// Both sides in byo-yomi, the minute whole; `running` has begun its turn at `at_ms`.
fn state(sequence: i64, running: Colour, at_ms: i64) -> State {
    let side = SeatClock {
        phase: ClockPhase::ByoYomi as i32,
        main_left: Some(duration(0)),
        periods_left: 2,
        period_left: Some(duration(60_000)),
        stones_left: 0,
        total_left: Some(duration(120_000)),
        thought: Some(duration(0)),
        lag_credited: Some(duration(0)),
        outage_credited: Some(duration(0)),
    };
    let runs = running != Colour::Unspecified;
    let clock = Clock {
        server_now: Some(timestamp(at_ms)),
        deadline: runs.then(|| timestamp(at_ms + 120_000)),
        sequence,
        running: running as i32,
        black: Some(side),
        white: Some(side),
    };
    State { at_ms, ended: false, clocks: Some(Clocks::new(clock, Some(MINUTES))) }
}

/// A dial on which Black's turn began at 0, and what its watchers got after the first clock.
fn watched() -> (Dial, Receiver<Message>) {
    let mut dial = Dial::new(state(1, Colour::Black, 0));
    let (first, messages) = dial.join(0);
    assert!(matches!(first.unwrap().message, Some(Told::Clock(_))));
    (dial, messages.unwrap())
}

/// What was told since, in short: `call 30` or `clock 2`.
fn heard(messages: &mut Receiver<Message>) -> Vec<String> {
    let mut heard = Vec::new();
    while let Ok(message) = messages.try_recv() {
        heard.push(match message.message.as_ref().unwrap() {
            Told::Clock(clock) => format!("clock {}", clock.sequence),
            Told::Ended(_) => "ended".to_owned(),
            Told::Call(call) => match call.call.unwrap() {
                Said::Seconds(seconds) => format!("call {seconds}"),
                other => format!("{other:?}"),
            },
        });
    }
    heard
}

// rulebook: C3.2a: a call that was due when the turn ended stands before what ended it, whichever
// of the two is noticed first; one that was not is never made.
#[test]
fn what_was_due_is_called_before_the_event() {
    for (at_ms, expected) in [
        (29_999, vec!["clock 2"]),
        (30_000, vec!["call 30", "clock 2"]),
        (30_200, vec!["call 30", "clock 2"]),
        (30_501, vec!["clock 2"]),
    ] {
        let (mut dial, mut messages) = watched();
        dial.event(state(2, Colour::White, at_ms), at_ms);
        dial.call(at_ms + 25_000);
        assert_eq!(heard(&mut messages), expected, "a move at {at_ms}");
    }
    let (mut dial, mut messages) = watched();
    let end = State { ended: true, ..state(2, Colour::Unspecified, 30_000) };
    dial.event(end, 30_100);
    assert_eq!(heard(&mut messages), ["call 30", "ended"]);
    assert!(dial.ended());
}

// Whoever joins at the instant of a call hears it as little as one who joins a moment later.
#[test]
fn who_joins_gets_only_what_comes() {
    let (mut dial, mut early) = watched();
    let (_, late) = dial.join(30_000);
    assert_eq!(heard(&mut early), ["call 30"]);
    dial.call(40_000);
    assert_eq!(heard(&mut late.unwrap()), ["call 40"]);
}

// fault: F10: while events do not come in, the turn may be over: nothing is called; afterwards, what
// is not too late.
#[test]
fn nothing_is_called_while_the_game_is_out_of_sight() {
    let (mut dial, mut messages) = watched();
    dial.set_live(false);
    assert_eq!(dial.due_ms(), None);
    dial.call(30_000);
    dial.call(40_000);
    assert!(heard(&mut messages).is_empty());
    dial.set_live(true);
    assert_eq!(dial.due_ms(), Some(30_000));
    dial.call(40_100);
    assert_eq!(heard(&mut messages), ["call 40"]);
    assert_eq!(dial.due_ms(), Some(50_000));
}

#[test]
fn an_event_that_changes_no_clock_is_not_told() {
    let (mut dial, mut messages) = watched();
    let running = |clocks: &Clocks| Clock { sequence: 2, ..clocks.at(12_000) };
    let offered = State {
        at_ms: 12_000,
        ended: false,
        clocks: dial
            .state
            .clocks
            .as_ref()
            .map(|clocks| Clocks::new(running(clocks), Some(MINUTES))),
    };
    dial.event(offered, 12_000);
    assert!(heard(&mut messages).is_empty());
    assert_eq!(dial.due_ms(), Some(30_000), "the turn goes on");

    dial.event(state(3, Colour::Unspecified, 13_000), 13_000);
    dial.event(state(4, Colour::Unspecified, 20_000), 20_000);
    assert_eq!(heard(&mut messages), ["clock 3"], "a mark in counting");
    let (first, _) = dial.join(20_000);
    let Some(Told::Clock(clock)) = first.unwrap().message else {
        panic!("expected a clock");
    };
    assert_eq!(clock.sequence, 4, "but it is known");
}
