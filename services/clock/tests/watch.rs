//! What watchers of clocks see and hear, and when.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::sync::atomic::Ordering;

use support::{Server, Suite, Watch, instant};
use tengen_clock::Config;
use tengen_proto::clock::v1::call::Call as Said;
use tengen_proto::clock::v1::watch_clock_response::Message as Told;
use tengen_proto::clock::v1::{Clock as Shown, ClockPhase, WatchClockRequest};
use tengen_proto::common::v1::Colour;
use tengen_proto::time::duration;
use tengen_timing::{Call, Clock, Control, Seat, preset};
use tokio::task::JoinSet;
use tonic::Status;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
/// Byo-yomi from the start, so that calls come early.
const MINUTES: Control = Control::Reserved { limit_ms: 3 * MINUTE, reserved_minutes: 3 };

async fn start() -> (Suite, Server) {
    let suite = Suite::start().await;
    // A lease that no slow machine outlasts.
    let config = Config { lease_ms: 10_000, ..Config::default() };
    let clock = suite.clock(config).await;
    (suite, clock)
}

fn said(call: Call) -> Said {
    let number = |n: u32| i32::try_from(n).unwrap();
    match call {
        Call::Seconds(n) => Said::Seconds(number(n)),
        Call::Count(n) => Said::Count(number(n)),
        Call::TimeIsUp => Said::TimeIsUp(true),
        Call::MinutesLeft(n) | Call::PeriodsLeft(n) => Said::PeriodsLeft(number(n)),
        Call::ByoYomiBegins => Said::ByoYomiBegins(true),
        Call::StonesLeft(n) => Said::StonesLeft(number(n)),
    }
}

/// Black's first turn from `from_ms` into it to the flag: nothing but the calls of the timing
/// crate, each at its instant and none before.
async fn check_turn(control: Control, from_ms: i64) {
    let (suite, server) = start().await;
    let (id, began_ms) = suite.game(Some(control)).await;
    let mut expected = Clock::new(control).unwrap();
    expected.start(Seat::Black, began_ms);

    suite.advance(from_ms);
    let mut watch = server.watch(&id).await;
    let now_ms = began_ms + from_ms;
    let first = watch.clock().await;
    let reading = expected.reading(Seat::Black, now_ms);
    assert_eq!(instant(first.server_now.as_ref()), now_ms);
    assert_eq!(instant(first.deadline.as_ref()), reading.deadline_ms.unwrap());
    let black = first.black.unwrap();
    assert_eq!(black.main_left, Some(duration(reading.main_left_ms)));
    assert_eq!(black.period_left, Some(duration(reading.period_left_ms)));
    assert_eq!(black.total_left, Some(duration(reading.total_left_ms)));

    let mut at_ms = now_ms;
    for call in expected.announcements(now_ms, i64::MAX) {
        if call.at_ms > at_ms {
            at_ms = call.at_ms;
            suite.advance_to(at_ms - 1);
            server.settle(&id).await;
            watch.assert_silent();
            suite.advance(1);
        }
        assert_eq!(watch.call().await, (at_ms, said(call.call)));
    }
    let last = watch.ended().await.expect("a timed game");
    assert_eq!(last.black.unwrap().phase(), ClockPhase::Flagged);
    assert_eq!((last.running(), last.deadline), (Colour::Unspecified, None));
}

// rulebook: C3.2a, case: C9
#[tokio::test]
async fn the_last_minute_of_a_local_game_is_read_aloud() {
    check_turn(preset("local").unwrap(), 59 * MINUTE - 5 * SECOND).await;
}

// rulebook: C3.2a, case: C9
#[tokio::test]
async fn the_last_minutes_of_a_national_game_are_read_aloud() {
    check_turn(preset("national").unwrap(), 175 * MINUTE - 1).await;
}

// rulebook: C3.3
#[tokio::test]
async fn a_blitz_turn_is_read_aloud_from_within_a_period() {
    check_turn(preset("blitz").unwrap(), 5 * MINUTE + 27 * SECOND).await;
}

// Whoever comes in the middle of anything gets the reading that GetClock gives (rulebook C7.1),
// as structured fields and instants. case: C17, C25, C27, C30, V2
#[tokio::test]
async fn a_late_watcher_reads_what_everybody_reads() {
    let controls = [
        Control::Absolute { main_ms: 10 * MINUTE },
        MINUTES,
        Control::Japanese { main_ms: 5 * SECOND, periods: 3, period_ms: 30 * SECOND },
        Control::Canadian { main_ms: 5 * SECOND, stones: 2, period_ms: 90 * SECOND },
        Control::Fischer {
            main_ms: 2 * MINUTE,
            increment_ms: 7 * SECOND,
            max_ms: Some(2 * MINUTE),
        },
    ];
    let (suite, server) = start().await;
    for control in controls {
        let (id, _) = suite.game(Some(control)).await;
        let mut first = server.watch(&id).await;
        assert_eq!(Some(first.clock().await), server.get_clock(&id).await);
        let turns = [Seat::Black, Seat::White].into_iter().cycle();
        for (number, seat) in (1..=4).zip(turns) {
            for step_ms in [0, 1, 4_999, 28_000, 1_234] {
                suite.advance(step_ms);
                let mut late = server.watch(&id).await;
                let (seen, asked) = (late.clock().await, server.get_clock(&id).await);
                assert_eq!(Some(seen), asked, "{control:?}, turn {number}");
            }
            suite.play(&id, seat, number).await;
        }
        suite.resign(&id, Seat::Black).await;
    }
}

// rulebook: C3.2a: in every minute of every turn; and none for a turn that is over.
#[tokio::test]
async fn a_late_watcher_hears_what_is_to_come() {
    let (suite, server) = start().await;
    let (id, began_ms) = suite.game(Some(MINUTES)).await;
    let mut early = server.watch(&id).await;
    early.clock().await;
    suite.advance(30 * SECOND);
    assert_eq!(early.call().await, (began_ms + 30_000, Said::Seconds(30)));
    suite.advance(3 * SECOND);
    let mut late = server.watch(&id).await;
    let black = late.clock().await.black.unwrap();
    assert_eq!(black.period_left, Some(duration(27_000)));
    assert_eq!((black.periods_left, black.phase()), (3, ClockPhase::ByoYomi));

    suite.advance(7 * SECOND);
    for watch in [&mut early, &mut late] {
        assert_eq!(watch.call().await, (began_ms + 40_000, Said::Seconds(40)));
    }

    // Black moves at 45 s: the minute was free, and its 50 s are not called.
    suite.advance(5 * SECOND);
    suite.play(&id, Seat::Black, 1).await;
    for watch in [&mut early, &mut late] {
        let clock = watch.clock().await;
        assert_eq!((clock.running(), clock.sequence), (Colour::White, 2));
        let black = clock.black.unwrap();
        assert_eq!(black.period_left, Some(duration(MINUTE)));
    }
    suite.advance(5 * SECOND);
    server.settle(&id).await;
    early.assert_silent();
    late.assert_silent();

    suite.advance(25 * SECOND);
    for watch in [&mut early, &mut late] {
        assert_eq!(watch.call().await, (began_ms + 75_000, Said::Seconds(30)));
    }
}

// rulebook: C5.1, C12.4, case: C28: a clock that stands shows where it stood, and is not called.
#[tokio::test]
async fn a_clock_that_stands_is_silent() {
    let (suite, server) = start().await;
    let (id, _) = suite.game(Some(MINUTES)).await;
    let mut watch = server.watch(&id).await;
    watch.clock().await;
    suite.advance(10 * SECOND);
    suite.pass(&id, Seat::Black, 1).await;
    assert_eq!(watch.clock().await.running(), Colour::White);
    suite.advance(10 * SECOND);
    suite.pass(&id, Seat::White, 2).await;
    // The pass, then the opening of counting.
    let mut clock = watch.clock().await;
    if clock.running() != Colour::Unspecified {
        clock = watch.clock().await;
    }
    assert_eq!((clock.running(), clock.deadline), (Colour::Unspecified, None));
    assert_eq!(clock.white.unwrap().period_left, Some(duration(MINUTE)));
    for _ in 0..6 {
        suite.advance(10 * SECOND);
        server.settle(&id).await;
        watch.assert_silent();
    }
    // Also for one who comes now.
    let late = server.watch(&id).await.clock().await;
    assert_eq!(late.black, clock.black);
    assert_eq!(late.running(), Colour::Unspecified);
}

// fault: F10: what is more than 500 ms late helps nobody.
#[tokio::test]
async fn a_late_call_is_dropped_and_the_next_one_is_right() {
    let (suite, server) = start().await;
    let (id, began_ms) = suite.game(Some(MINUTES)).await;
    let mut watch = server.watch(&id).await;
    watch.clock().await;
    suite.advance(30 * SECOND + 500);
    assert_eq!(watch.call().await, (began_ms + 30_000, Said::Seconds(30)));
    suite.advance(10 * SECOND + 1);
    server.settle(&id).await;
    watch.assert_silent();
    suite.advance_to(began_ms + 50_000);
    assert_eq!(watch.call().await, (began_ms + 50_000, Said::Seconds(50)));
}

/// The calls of one minute and the end, as one watcher got them.
async fn transcript(mut watch: Watch) -> Vec<Told> {
    let mut heard = Vec::new();
    while let Some(message) = watch.next().await.unwrap() {
        heard.push(message);
    }
    heard
}

// case: V2: all see and hear the same, by one feed.
#[tokio::test]
async fn a_thousand_watchers_cost_one_feed() {
    let (suite, server) = start().await;
    let (id, _) = suite.game(Some(MINUTES)).await;
    let mut leader = server.watch(&id).await;
    leader.clock().await;
    let mut watchers = JoinSet::new();
    for _ in 0..1_000 {
        let watch = server.watch(&id).await;
        watchers.spawn(transcript(watch));
    }
    assert_eq!(suite.feeds.load(Ordering::Relaxed), 1);
    for second in [30, 40, 50, 55, 58] {
        let passed_ms = suite.time_since_start();
        suite.advance(second * SECOND - passed_ms);
        assert_eq!(leader.call().await.1, Said::Seconds(second.try_into().unwrap()));
    }
    suite.resign(&id, Seat::White).await;
    let heard = watchers.join_all().await;
    assert_eq!(heard[0].len(), 1 + 5 + 1, "clock, calls, end");
    for other in &heard {
        assert_eq!(other, &heard[0]);
    }
}

// rulebook: C7.1: the last message is the end, then the stream closes.
#[tokio::test]
async fn the_end_closes_the_stream() {
    let (suite, server) = start().await;
    let (id, began_ms) = suite.game(Some(MINUTES)).await;
    let mut watch = server.watch(&id).await;
    watch.clock().await;
    suite.advance(12_345);
    suite.resign(&id, Seat::Black).await;
    let last = watch.ended().await.expect("a timed game");
    assert_eq!(instant(last.server_now.as_ref()), began_ms + 12_345);
    assert_eq!(last.black.unwrap().thought, Some(duration(12_345)));
    // Whoever comes afterwards gets the end at once.
    let again = server.watch(&id).await.ended().await.unwrap();
    let unchanged = Shown { server_now: last.server_now, ..again };
    assert_eq!(unchanged, last);
}

#[tokio::test]
async fn an_untimed_game_has_nothing_to_tell_but_its_end() {
    let (suite, server) = start().await;
    let (id, _) = suite.game(None).await;
    assert_eq!(server.get_clock(&id).await, None);
    let mut watch = server.watch(&id).await;
    suite.play(&id, Seat::Black, 1).await;
    server.settle(&id).await;
    watch.assert_silent();
    suite.resign(&id, Seat::White).await;
    assert_eq!(watch.ended().await, None);
}

// fault: F10, F21: the game service goes away and comes back: the stream heals, misses nothing, and
// a call whose time passed meanwhile is not made up for.
#[tokio::test]
async fn a_restarted_game_service_is_found_again() {
    let (mut suite, server) = start().await;
    let (id, began_ms) = suite.game(Some(MINUTES)).await;
    let mut watch = server.watch(&id).await;
    watch.clock().await;
    suite.stop_game().await;
    suite.advance(31 * SECOND);
    suite.restart_game().await;
    suite.play(&id, Seat::Black, 1).await;
    let told = healed(&suite, &server, &id, &mut watch).await;
    let Ok(Some(Told::Clock(clock))) = told else {
        panic!("expected a clock, got {told:?}");
    };
    assert_eq!((clock.running(), clock.sequence), (Colour::White, 2));
    assert_eq!(instant(clock.server_now.as_ref()), began_ms + 31_000);

    // And goes on as before.
    suite.advance_to(began_ms + 61_000);
    assert_eq!(watch.call().await, (began_ms + 61_000, Said::Seconds(30)));
    suite.resign(&id, Seat::White).await;
    assert!(watch.ended().await.is_some());
}

/// Moves the time on, as slowly as the services follow, until a watcher gets something.
async fn healed(
    suite: &Suite,
    server: &Server,
    id: &str,
    watch: &mut Watch,
) -> Result<Option<Told>, Status> {
    server.reach_game(id).await;
    for _ in 0..200 {
        tokio::select! {
            biased;
            message = watch.next() => return message,
            () = server.settle(id) => suite.advance(20),
        }
    }
    panic!("the stream does not heal");
}

// fault: F5: acknowledged events were lost: the clocks that stand now are shown, and called.
#[tokio::test]
async fn a_rewound_game_is_read_anew() {
    let (mut suite, server) = start().await;
    let (id, began_ms) = suite.game(Some(MINUTES)).await;
    let mut watch = server.watch(&id).await;
    watch.clock().await;
    suite.advance(SECOND);
    suite.play(&id, Seat::Black, 1).await;
    assert_eq!(watch.clock().await.sequence, 2);

    suite.forget_games().await;
    let again = suite.game(Some(MINUTES)).await;
    assert_eq!(again, (id.clone(), began_ms + SECOND), "another game by the same id");
    suite.restart_game().await;
    let told = healed(&suite, &server, &id, &mut watch).await;
    let Ok(Some(Told::Clock(clock))) = told else {
        panic!("expected a clock, got {told:?}");
    };
    assert_eq!((clock.running(), clock.sequence), (Colour::Black, 1));
    suite.advance_to(began_ms + 31 * SECOND);
    assert_eq!(watch.call().await, (began_ms + 31_000, Said::Seconds(30)));
}

// A game that is gone for good cannot be followed.
#[tokio::test]
async fn a_lost_game_ends_its_streams() {
    let (mut suite, server) = start().await;
    let (id, _) = suite.game(Some(MINUTES)).await;
    let (other, _) = suite.game(None).await;
    let mut watch = server.watch(&id).await;
    watch.clock().await;
    suite.forget_games().await;
    // Of the two, the second is there again.
    suite.skip_request_ids(2);
    assert_eq!(suite.game(None).await.0, other);
    suite.restart_game().await;
    let status = healed(&suite, &server, &other, &mut watch).await.unwrap_err();
    support::assert_refused(&status, tonic::Code::Unavailable, "RESUME_ELSEWHERE");
    let request = WatchClockRequest { game_id: id };
    let status = server.clocks().watch_clock(request).await.unwrap_err();
    support::assert_refused(&status, tonic::Code::NotFound, "GAME_NOT_FOUND");
}

// fault: F21: a replica that goes away sends its watchers to another.
#[tokio::test]
async fn a_shutdown_ends_streams() {
    let (suite, server) = start().await;
    let (id, _) = suite.game(Some(MINUTES)).await;
    let mut watch = server.watch(&id).await;
    watch.clock().await;
    let other = suite.clock(Config::default()).await;
    server.begin_shutdown();
    let status = watch.next().await.unwrap_err();
    support::assert_refused(&status, tonic::Code::Unavailable, "RESUME_ELSEWHERE");
    let mut elsewhere = other.watch(&id).await;
    assert_eq!(elsewhere.clock().await.sequence, 1);
}
