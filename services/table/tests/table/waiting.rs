//! Scheduled games: who comes when, what lateness costs, and who is not waited for any longer.

use tengen_rules::{Colour, Size};
use tengen_table::{Act, EndReason, Fact, Ordered, Phase, Rejection, Settings, seat};
use tengen_timing::{Control, Seat};

use crate::kit::{Black, Game, START_MS, White, absolute, game, replay, scheduled, view};
use crate::play::every_act;

/// The start of each of these games, an hour after it was made.
const AHEAD_MS: i64 = 3_600_000;
const BEGIN_MS: i64 = START_MS + AHEAD_MS;
/// Ten minutes, the last five of them reserved.
const TEN_MINUTES: Control = Control::Reserved { limit_ms: 600_000, reserved_minutes: 5 };
/// Nobody is waited for longer, unless the time limit is shorter.
const LIMIT_MS: i64 = 900_000;

/// A scheduled game at an instant, as milliseconds from its start.
fn at(control: Control, from_start_ms: i64) -> Game {
    let mut game = scheduled(control, AHEAD_MS);
    game.now_ms = BEGIN_MS + from_start_ms;
    game
}

/// Both come, so long after the start; the one who is earlier comes first.
fn comes(control: Control, black_ms: i64, white_ms: i64) -> Game {
    let mut game = scheduled(control, AHEAD_MS);
    let mut arrivals = [(black_ms, Black), (white_ms, White)];
    arrivals.sort_by_key(|(ms, _)| *ms);
    for (ms, side) in arrivals {
        game.now_ms = BEGIN_MS + ms;
        game.arrive(side).unwrap();
    }
    game
}

/// Nothing runs, and what is due next is due then.
fn waits(game: &Game, due_ms: i64) {
    assert_eq!((game.phase(), game.running()), (Phase::Waiting, None));
    assert_eq!(game.next_due_ms(), Some(due_ms));
    assert_eq!(game.due(due_ms - 1), []);
    assert_ne!(game.due(due_ms), []);
    assert_eq!(Colour::BOTH.map(|side| game.thought_ms(side, due_ms)), [0, 0]);
}

// rulebook: C14.1: whoever comes early waits, and the clock of the first to move runs at the start.
#[test]
fn a_game_begins_at_its_time_when_both_are_there() {
    let mut game = at(TEN_MINUTES, -3_000_000);
    let late_ms = BEGIN_MS + 600_000 + 1;
    waits(&game, late_ms);
    game.arrive(White).unwrap();
    waits(&game, late_ms);
    assert_eq!(game.arrived_ms(White), Some(BEGIN_MS - 3_000_000));
    game.wait(1_000).arrive(Black).unwrap();
    waits(&game, BEGIN_MS);
    game.now_ms = BEGIN_MS - 1;
    assert!(!game.tick());
    game.wait(1);
    assert!(game.tick());
    assert_eq!(game.log.last().unwrap().fact, Fact::Started);
    assert_eq!((game.phase(), game.running()), (Phase::Playing, Some(Seat::Black)));
    for side in Seat::BOTH {
        assert_eq!(game.reading(side).total_left_ms, 600_000);
    }
    assert_eq!(game.next_due_ms(), Some(BEGIN_MS + 600_000));
    game.plays("E5 C3");
}

// A start that is noticed late costs nobody what passed until then.
#[test]
fn a_start_noticed_late_is_nobodys_lateness() {
    let mut game = comes(TEN_MINUTES, -20, -10);
    game.now_ms = BEGIN_MS + 7_000;
    game.plays("E5");
    assert_eq!(game.last_charge().unwrap().used_ms, 0);
    assert_eq!(Colour::BOTH.map(|side| game.late_ms(side)), [0, 0]);
}

// rulebook: C14.3: who comes just then is not late, and the last to come starts the game.
#[test]
fn the_last_to_come_starts_the_game() {
    for (black_ms, white_ms) in [(-5, 0), (0, -5), (0, 0)] {
        let game = comes(TEN_MINUTES, black_ms, white_ms);
        assert_eq!(game.phase(), Phase::Playing);
        assert_eq!(game.reading(Seat::Black).total_left_ms, 600_000);
        assert_eq!(game.reading(Seat::White).total_left_ms, 600_000);
        let started = game.log.last().unwrap();
        assert_eq!((&started.fact, started.at_ms), (&Fact::Started, BEGIN_MS));
    }
}

// rulebook: C14.3: off the unreserved part first, then whole minutes of the reserve.
#[test]
fn lateness_is_taken_off_the_clock() {
    for (late_ms, main_left_ms, minutes_left) in [
        (0, 300_000, 5),
        (1, 299_999, 5),
        (180_000, 120_000, 5),
        (299_999, 1, 5),
        (300_000, 0, 5),
        (359_999, 0, 5),
        (360_000, 0, 4),
        (450_000, 0, 3),
        (599_999, 0, 1),
    ] {
        for late in Colour::BOTH {
            let mut arrivals = [-1_000; 2];
            arrivals[late.index()] = late_ms;
            let game = comes(TEN_MINUTES, arrivals[0], arrivals[1]);
            let reading = game.reading(seat(late));
            let left = (reading.main_left_ms, reading.periods_left, reading.period_left_ms);
            assert_eq!(left, (main_left_ms, minutes_left, 60_000), "{late_ms} ms late");
            assert_eq!(game.reading(seat(late.opponent())).total_left_ms, 600_000);
            assert_eq!(game.late_ms(late), late_ms);
            assert_eq!(game.running(), Some(Seat::Black), "whoever was late");
            let black_left_ms = game.reading(Seat::Black).total_left_ms;
            assert_eq!(game.next_due_ms(), Some(game.now_ms + black_left_ms));
            assert_eq!(view(&replay(&game.log)), view(&game));
        }
    }
}

// rulebook: C14.3: lateness that uses up all the time has lost, and the clock shows it.
#[test]
fn lateness_may_use_up_all_the_time() {
    for (late, text) in [(Black, "W+T"), (White, "B+T")] {
        let mut arrivals = [-1_000; 2];
        arrivals[late.index()] = 600_000;
        let game = comes(TEN_MINUTES, arrivals[0], arrivals[1]);
        let outcome = game.ended(EndReason::Time, text);
        assert_eq!((outcome.winner, outcome.together_ms), (Some(late.opponent()), 0));
        assert_eq!(outcome.at_ms, BEGIN_MS + 600_000);
        assert_eq!(game.reading(seat(late)).total_left_ms, 0);
        assert_eq!(game.reading(seat(late.opponent())).total_left_ms, 600_000);
    }
    let game = comes(TEN_MINUTES, 600_000, 600_000);
    assert_eq!(game.ended(EndReason::BothLate, "?").winner, None);
}

// rulebook: C14.3: each pays for its own lateness.
#[test]
fn both_may_be_late() {
    let game = comes(TEN_MINUTES, 180_000, 450_000);
    assert_eq!(game.reading(Seat::Black).main_left_ms, 120_000);
    assert_eq!(game.reading(Seat::White).periods_left, 3);
    let started = game.log.last().unwrap();
    assert_eq!((&started.fact, started.at_ms), (&Fact::Started, BEGIN_MS + 450_000));
}

// rulebook: C14.1: exactly at the limit is not late beyond it, a millisecond later is.
#[test]
fn nobody_is_waited_for_beyond_the_limit() {
    for (early, text) in [(Black, "B+F"), (White, "W+F")] {
        let late = early.opponent();
        let waiting = || {
            let mut game = at(absolute(3_600_000), -10);
            game.arrive(early).unwrap();
            waits(&game, BEGIN_MS + LIMIT_MS + 1);
            game
        };
        let mut game = waiting();
        game.now_ms = BEGIN_MS + LIMIT_MS;
        game.arrive(late).unwrap();
        assert_eq!(game.phase(), Phase::Playing);
        assert_eq!(game.reading(seat(late)).total_left_ms, 2_700_000);

        let mut game = waiting();
        game.now_ms = BEGIN_MS + LIMIT_MS + 1;
        let reason = EndReason::NoShow;
        assert_eq!(game.arrive(late), Err(Rejection::Ended { reason }));
        let outcome = game.ended(reason, text);
        assert_eq!((outcome.winner, outcome.together_ms), (Some(early), 0));
    }
}

// rulebook: C14.2: who comes beyond the limit has lost, also to nobody.
#[test]
fn both_beyond_the_limit_lose() {
    let mut game = at(absolute(3_600_000), LIMIT_MS + 1);
    let reason = EndReason::BothLate;
    assert_eq!(game.arrive(White), Err(Rejection::Ended { reason }));
    assert_eq!(game.ended(reason, "?").winner, None);
}

// rulebook: C14.1: the limit is never above the time limit, whatever was set.
#[test]
fn the_limit_is_no_longer_than_the_time() {
    let mut game = at(absolute(60_000), 0);
    game.arrive(Black).unwrap();
    waits(&game, BEGIN_MS + 60_001);
    assert!(game.wait(60_001).tick());
    game.ended(EndReason::NoShow, "B+F");

    let mut strict =
        Game::new(Settings { late_limit_ms: 0, ..at(TEN_MINUTES, 0).settings().clone() });
    waits(&strict, BEGIN_MS + 1);
    strict.now_ms = BEGIN_MS;
    strict.arrive(Black).unwrap();
    strict.arrive(White).unwrap();
    assert_eq!(strict.phase(), Phase::Playing);
}

// Without a clock there is nothing to take lateness off.
#[test]
fn lateness_costs_nothing_in_an_untimed_game() {
    let mut game = game(9, |settings| settings.start_at_ms = Some(BEGIN_MS));
    waits(&game, BEGIN_MS + LIMIT_MS + 1);
    game.now_ms = BEGIN_MS + LIMIT_MS;
    game.arrive(White).unwrap();
    game.arrive(Black).unwrap();
    assert_eq!((game.phase(), game.next_due_ms()), (Phase::Playing, None));
}

// rulebook: C14, L7: before the start there is nothing to play, to leave or to pause: a player may
// come, or give the game up.
#[test]
fn nothing_is_played_before_the_start() {
    let mut game = at(TEN_MINUTES, -1_000);
    game.arrive(Black).unwrap();
    let before = view(&game);
    let phase = Phase::Waiting;
    for act in every_act(&game) {
        let expected = match act {
            Act::Arrive | Act::Resign => continue,
            Act::Mark { .. } | Act::Accept { .. } | Act::Dispute => Phase::Counting,
            Act::Resume => Phase::Paused,
            _ => Phase::Playing,
        };
        for by in Colour::BOTH {
            let answer = game.act(by, act.clone());
            assert_eq!(answer, Err(Rejection::WrongPhase { phase, expected }), "{by} {act:?}");
        }
    }
    let expected = Phase::Playing;
    let wrong = Err(Rejection::WrongPhase { phase, expected });
    assert_eq!(game.halt(1_000), wrong);
    assert_eq!(game.order(Ordered::AddTime { side: White, ms: 1_000 }), wrong);
    assert_eq!(view(&game), before);
    game.resign(Black).unwrap();
    let outcome = game.ended(EndReason::Resignation, "W+R");
    assert_eq!(outcome.together_ms, 0);
}

// A player who comes twice has come the first time.
#[test]
fn the_first_arrival_counts() {
    let mut game = at(TEN_MINUTES, -500);
    game.arrive(White).unwrap();
    game.wait(60_500).arrive(White).unwrap();
    assert_eq!(game.arrived_ms(White), Some(BEGIN_MS - 500));
    game.arrive(Black).unwrap();
    assert_eq!((game.late_ms(Black), game.late_ms(White)), (60_000, 0));
    let phase = Phase::Playing;
    let wrong = Err(Rejection::WrongPhase { phase, expected: Phase::Waiting });
    assert_eq!(game.arrive(White), wrong);
}

// rulebook: L7: lateness is no thinking time.
#[test]
fn lateness_is_not_thought() {
    let mut game = comes(TEN_MINUTES, 240_000, -5);
    game.wait(30_000).plays("E5").wait(20_000);
    game.act(White, Act::Leave).unwrap();
    assert_eq!(game.ended(EndReason::Leave, "B+F").together_ms, 50_000);
    assert_eq!(game.reading(Seat::Black).total_left_ms, 600_000 - 270_000);
}

// rulebook: C2: in a handicap game it is White's clock that runs at the start.
#[test]
fn white_moves_first_in_a_scheduled_handicap_game() {
    let mut settings = Settings::even(Size::square(9).unwrap()).with_handicap(2).unwrap();
    settings.control = Some(TEN_MINUTES);
    settings.start_at_ms = Some(BEGIN_MS);
    let mut game = Game::new(settings);
    assert_eq!((game.to_move(), game.running()), (Some(White), None));
    game.now_ms = BEGIN_MS + 1_000;
    game.arrive(White).unwrap();
    game.arrive(Black).unwrap();
    assert_eq!(game.running(), Some(Seat::White));
    assert_eq!(game.next_due_ms(), Some(game.now_ms + 599_000));
    game.plays("E5 E6");
}
