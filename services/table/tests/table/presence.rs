//! Who goes away, who comes back, and who loses by it.

use tengen_rules::Colour;
use tengen_table::{
    Absence, Act, EndReason, Event, Fact, Offer, Ordered, Phase, Presence, Rejection, Settings,
};
use tengen_timing::{Control, CreditReason};

use crate::kit::{Black, Game, White, absolute, game, replay, scheduled, timed, view};

/// Five minutes.
const WINDOW_MS: i64 = 300_000;

/// A rated game that nobody's flag ends in these tests.
fn rated() -> Game {
    game(9, |settings| {
        settings.rated = true;
        settings.control = Some(absolute(7_200_000));
    })
}

/// A casual game, untimed, in which the opponent decides after so long.
fn friendly(window_ms: i64) -> Game {
    game(9, |settings| {
        settings.absence = Absence::OpponentDecides;
        settings.reconnect_window_ms = window_ms;
    })
}

fn facts(events: &[Event]) -> Vec<(Option<Colour>, Fact)> {
    events.iter().map(|event| (event.by, event.fact.clone())).collect()
}

// rulebook: L11; case: R7; fault: F14: until the limit and at it nothing happens and the player may
// return; a millisecond later the game is over, if the player is still gone.
#[test]
fn an_absent_player_may_return_within_the_limit() {
    for (away_ms, over) in [(0, false), (WINDOW_MS - 1, false), (WINDOW_MS, false)]
        .into_iter()
        .chain([(WINDOW_MS + 1, true), (WINDOW_MS + 200, true)])
    {
        for side in Colour::BOTH {
            let mut game = rated();
            let gone_ms = game.wait(2_000).now_ms;
            assert!(game.gone(side, 7));
            assert_eq!((game.present(side), game.present(side.opponent())), (false, true));
            assert_eq!(game.gone_deadline_ms(side), Some(gone_ms + WINDOW_MS));
            assert_eq!(game.next_due_ms(), Some(gone_ms + WINDOW_MS + 1));
            game.wait(away_ms);
            assert!(!game.tick(), "nothing ends by itself");
            assert_eq!(game.judge(), if over { vec![side] } else { vec![] }, "{away_ms}");
            if over {
                let text = if side == Black { "W+F" } else { "B+F" };
                let outcome = game.ended(EndReason::Disconnected, text);
                assert_eq!((outcome.winner, outcome.at_ms), (Some(side.opponent()), game.now_ms));
                assert!(!game.back(side, 8), "never both");
                assert_eq!(game.gone_deadline_ms(side), None);
            } else {
                assert!(game.back(side, 8));
                assert_eq!((game.present(side), game.gone_deadline_ms(side)), (true, None));
                game.wait(WINDOW_MS).plays("E5");
                assert_eq!(game.judge(), []);
            }
            assert_eq!(view(&replay(&game.log)), view(&game));
        }
    }
}

// fault: F11; rulebook: L11: without an answer nobody is forfeited; with the answer that the player
// is here, the record says so, and play goes on.
#[test]
fn nobody_is_forfeited_without_an_answer() {
    let mut game = rated();
    assert!(game.gone(White, 7));
    game.wait(WINDOW_MS + 1);
    let asked = game.absence_over(game.now_ms).unwrap();
    assert_eq!(asked.sides, [White]);
    let before = view(&game);
    game.wait(10_000);
    assert!(!game.tick(), "an hour without an answer changes nothing");
    assert_eq!(view(&game), before);
    game.plays("E5");
    assert!(game.absence_over(game.now_ms).is_some(), "it is still to be asked");
    game.still_gone = false;
    assert_eq!(game.judge(), [White]);
    assert_eq!(game.log.last().unwrap().fact, Fact::Back { number: 7 });
    assert!(game.present(White) && game.absence_over(i64::MAX).is_none());
    assert!(!game.told(White, Presence::Here), "once");
    game.plays("C3");
}

// rulebook: L11: each disconnection has five minutes of its own, and the clocks run in them.
#[test]
fn every_disconnection_has_its_own_window() {
    let mut game = rated();
    for number in [10, 20, 30] {
        assert!(game.gone(Black, number));
        assert_eq!(game.gone_deadline_ms(Black), Some(game.now_ms + WINDOW_MS));
        game.wait(WINDOW_MS);
        assert!(game.back(Black, number + 5));
    }
    assert_eq!(game.thought_ms(Black, game.now_ms), 3 * WINDOW_MS);
    // A later word of going away: the player was here between.
    assert!(game.gone(Black, 40));
    game.wait(100_000);
    assert!(game.gone(Black, 50));
    assert_eq!(game.gone_deadline_ms(Black), Some(game.now_ms + WINDOW_MS));
}

// fault: F14: of words that come doubled, late or out of order the last one told counts.
#[test]
fn an_older_word_changes_nothing() {
    let mut game = rated();
    assert!(game.gone(Black, 10));
    let (before, log) = (view(&game), game.log.len());
    game.wait(1_000);
    assert!(!game.gone(Black, 10) && !game.gone(Black, 9) && !game.back(Black, 10));
    assert_eq!((view(&game), game.log.len()), (before, log));
    // The return overtakes the going away.
    assert!(game.back(Black, 30));
    assert!(!game.gone(Black, 20));
    assert!(game.present(Black));
    let mut game = rated();
    assert!(game.back(White, 30));
    assert!(!game.gone(White, 20));
    assert!(game.present(White));
    assert!(game.gone(White, 31));
}

// rulebook: L11: the other is away too when the limit passes: its own is waited for.
#[test]
fn where_both_are_away_the_later_limit_decides() {
    let both = || {
        let mut game = rated();
        assert!(game.gone(Black, 1));
        game.wait(200_000);
        assert!(game.gone(White, 1));
        let last_ms = game.now_ms + WINDOW_MS;
        assert_eq!(game.next_due_ms(), Some(last_ms + 1));
        game.wait(WINDOW_MS - 100_000 + 1);
        assert_eq!(game.judge(), [], "Black's limit has passed");
        game.now_ms = last_ms;
        assert_eq!(game.judge(), []);
        game
    };
    // It stays away: both lose.
    let mut game = both();
    game.wait(1);
    assert_eq!(game.judge(), [Black, White]);
    assert_eq!(game.ended(EndReason::BothGone, "?").winner, None);

    // It comes back within it, and wins.
    let mut game = both();
    assert!(game.back(White, 2));
    assert_eq!(game.judge(), [Black]);
    assert_eq!(game.ended(EndReason::Disconnected, "W+F").winner, Some(White));

    // The first comes back before anything is decided, and wins where the other does not.
    let mut game = both();
    assert!(game.back(Black, 2));
    assert_eq!(game.judge(), []);
    game.wait(1);
    assert_eq!(game.judge(), [White]);
    assert_eq!(game.ended(EndReason::Disconnected, "B+F").winner, Some(Black));

    // Both are here after all.
    let mut game = both();
    game.still_gone = false;
    game.wait(1);
    assert_eq!(game.judge(), [Black, White]);
    assert!(game.present(Black) && game.present(White) && game.phase() == Phase::Playing);
}

// rulebook: L11, Ends: the flag may end the game before; it counts as absence where its owner is
// away.
#[test]
fn a_flag_may_fall_first() {
    for (gone, reason) in [(Black, EndReason::TimeWhileAway), (White, EndReason::Time)] {
        let mut game = timed(9, absolute(60_000));
        assert!(game.gone(gone, 1));
        assert_eq!(game.next_due_ms(), Some(game.now_ms + 60_000));
        game.wait(60_000);
        assert!(game.tick());
        game.ended(reason, "W+T");
    }
    // Noticed late: the flag that fell still comes first, and word of presence after it.
    let mut game = timed(9, absolute(60_000));
    let flag_ms = game.now_ms + 60_000;
    game.wait(WINDOW_MS * 2);
    assert!(game.gone(Black, 1));
    assert_eq!(game.ended(EndReason::Time, "W+T").at_ms, flag_ms);
    let mut game = timed(9, absolute(60_000));
    assert!(game.gone(Black, 1));
    game.wait(WINDOW_MS * 2);
    assert!(game.absence_over(game.now_ms).is_none());
    assert!(game.back(Black, 2));
    game.ended(EndReason::TimeWhileAway, "W+T");
    // Whoever claims it is here.
    let mut game = timed(9, absolute(60_000));
    assert!(game.gone(Black, 1) && game.gone(White, 1));
    game.wait(90_000).claim(White).unwrap();
    assert_eq!(game.ended(EndReason::TimeWhileAway, "W+T").at_ms, flag_ms);
    assert!(game.present(White));
    assert_eq!(view(&replay(&game.log)), view(&game));
}

// rulebook: L11: whoever commands is here; one fact with what it does.
#[test]
fn a_command_is_a_return() {
    let mut game = rated();
    assert!(game.gone(Black, 5));
    let log = game.log.len();
    let sequence = game.wait(WINDOW_MS + 50).play("E5").unwrap();
    let point = game.point("E5");
    let back = (Some(Black), Fact::Back { number: 5 });
    assert_eq!(facts(&game.log[log..]), [back, (Some(Black), Fact::Move(point))]);
    assert_eq!(sequence, game.sequence(), "the answer is the move's");
    assert!(game.present(Black) && !game.gone(Black, 5), "the late word is an old one");
    // Whatever it is.
    assert!(game.gone(White, 5));
    game.offer_by(White, Offer::Draw).unwrap();
    assert!(game.present(White) && game.gone(White, 6));
    // A refused one changes nothing.
    let before = view(&game);
    assert!(game.play_as(White, 9, "E6").is_err());
    assert_eq!(view(&game), before);
    game.act(White, Act::Leave).unwrap();
    game.ended(EndReason::Leave, "B+F");
}

// rulebook: L11, C14; case: R6: in play only. Before the start lateness alone applies, and whoever
// is away when play begins or goes on has the whole window from then.
#[test]
fn a_window_runs_in_play_only() {
    let mut waiting = scheduled(absolute(7_200_000), 60_000);
    let alone = waiting.next_due_ms();
    assert!(waiting.gone(Black, 1) && waiting.gone(White, 1));
    assert_eq!((waiting.gone_deadline_ms(Black), waiting.next_due_ms()), (None, alone));
    waiting.arrive(White).unwrap();
    assert!(waiting.present(White));
    waiting.arrive(Black).unwrap();
    assert!(waiting.gone(Black, 2));
    waiting.wait(60_000);
    assert!(waiting.tick());
    assert_eq!(waiting.gone_deadline_ms(Black), Some(waiting.now_ms + WINDOW_MS));

    type Halt = (fn(&mut Game), fn(&mut Game));
    let halts: [Halt; 4] = [
        (|game| drop(game.halt(3_600_000)), |game| drop(game.order(Ordered::Resume))),
        (|game| drop(game.halt(900_000)), |game| assert!(game.wait(900_000).tick())),
        (|game| drop(game.plays("confirm").confirm()), |game| drop(game.dispute(White))),
        (|game| assert!(game.restore()), |game| drop(game.order(Ordered::Resume))),
    ];
    for (stop, go_on) in halts {
        let mut game = rated();
        game.plays("E5 D4");
        stop(&mut game);
        assert!(game.gone(Black, 1), "{}", game.phase());
        assert_eq!((game.present(Black), game.gone_deadline_ms(Black)), (false, None));
        game.wait(WINDOW_MS / 2);
        assert_eq!(game.judge(), []);
        assert!(game.claim_absence(White).is_err());
        go_on(&mut game);
        assert_eq!(game.phase(), Phase::Playing);
        let deadline_ms = game.now_ms + WINDOW_MS;
        assert_eq!(game.gone_deadline_ms(Black), Some(deadline_ms));
        game.wait(1_000).halt(60_000).unwrap();
        assert_eq!(game.gone_deadline_ms(Black), None);
        game.order(Ordered::Resume).unwrap();
        assert_eq!(game.gone_deadline_ms(Black), Some(deadline_ms + 1_000), "a whole one again");
        assert_eq!(view(&replay(&game.log)), view(&game));
    }
}

impl Game {
    fn claim_absence(&mut self, by: Colour) -> Result<i64, Rejection> {
        self.act(by, Act::ClaimAbsence)
    }
}

// rulebook: L11; case: R4, R13: in a friendly game nothing ends by itself; the opponent may claim
// the game from the limit on, for as long as the other is gone, or wait.
#[test]
fn the_opponent_may_decide() {
    for window_ms in [5_000, 3_600_000] {
        let mut game = friendly(window_ms);
        assert!(game.gone(Black, 1));
        let until_ms = game.now_ms + window_ms;
        assert_eq!((game.gone_deadline_ms(Black), game.next_due_ms()), (Some(until_ms), None));
        for early_ms in [0, window_ms - 1, window_ms] {
            game.now_ms = until_ms - window_ms + early_ms;
            assert_eq!(game.claim_absence(White), Err(Rejection::MayReturn { until_ms }));
        }
        game.wait(window_ms * 10);
        assert_eq!((game.judge(), game.tick()), (vec![], false));
        // Back after all: the claim comes too late.
        let mut returned = friendly(window_ms);
        assert!(returned.gone(Black, 1));
        assert!(returned.wait(window_ms * 2).back(Black, 2));
        assert_eq!(returned.claim_absence(White), Err(Rejection::OpponentBack));

        let log = game.log.len();
        game.claim_absence(White).unwrap();
        game.ended(EndReason::Disconnected, "W+F");
        assert_eq!(game.log[log].by, Some(White));
        assert!(!game.back(Black, 2));
    }
}

// fault: F11; case: R4: a claim is good on a fresh answer only.
#[test]
fn a_claim_needs_an_answer() {
    let mut game = friendly(5_000);
    assert!(game.gone(White, 1) && game.gone(Black, 1));
    game.wait(5_001).still_gone = false;
    assert_eq!(game.claim_absence(Black), Err(Rejection::OpponentBack));
    assert!(game.present(White));
    assert!(!game.present(Black), "who is refused has done nothing");
    assert!(game.gone(White, 2));
    game.wait(5_001).still_gone = true;
    let command = game.command(Black, Act::ClaimAbsence);
    let sequence = game.send(&command).unwrap();
    game.ended(EndReason::Disconnected, "B+F");
    assert!(game.present(Black), "who claims is here");
    assert_eq!(game.send(&command), Ok(sequence), "the same again");
}

// Where the server forfeits, the opponent may claim as well: no timekeeper is needed.
#[test]
fn a_claim_does_what_the_limit_does() {
    let mut game = rated();
    assert_eq!(game.claim_absence(White), Err(Rejection::OpponentBack));
    assert!(game.gone(Black, 1));
    game.wait(WINDOW_MS + 1).claim_absence(White).unwrap();
    game.ended(EndReason::Disconnected, "W+F");
    let mut counting = timed(9, absolute(60_000));
    counting.plays("E5 confirm confirm");
    assert!(counting.gone(Black, 1));
    let wrong = Rejection::WrongPhase { phase: Phase::Counting, expected: Phase::Playing };
    assert_eq!(counting.claim_absence(White), Err(wrong));
}

// rulebook: C8.4, L11; case: R22: an outage moves a window, once, timed or not; a drop of one's own
// gives nothing back.
#[test]
fn an_outage_moves_a_window() {
    let controls: [Option<Control>; 2] = [None, Some(absolute(7_200_000))];
    for control in controls {
        let mut game = game(9, |settings: &mut Settings| settings.control = control);
        game.wait(10_000);
        assert!(game.gone(Black, 1));
        let (gone_ms, deadline_ms) = (game.now_ms, game.now_ms + WINDOW_MS);
        let reason = CreditReason::Outage;
        game.wait(60_000);
        // It began before the player went away.
        assert!(game.credit(reason, gone_ms - 3_000, gone_ms + 8_000));
        assert_eq!(game.gone_deadline_ms(Black), Some(deadline_ms + 8_000));
        game.wait(60_000);
        let now_ms = game.now_ms;
        assert!(game.credit(reason, now_ms - 20_000, now_ms));
        assert_eq!(game.gone_deadline_ms(Black), Some(deadline_ms + 28_000));
        if control.is_none() {
            assert!(!game.credit(reason, now_ms - 20_000, now_ms), "once");
        } else {
            let thought_ms = game.thought_ms(Black, now_ms);
            assert_eq!(thought_ms, 130_000 - 31_000, "only the outage is given back");
        }
        game.now_ms = deadline_ms + 28_000;
        assert_eq!(game.judge(), []);
        game.wait(1);
        assert_eq!(game.judge(), [Black]);
        assert_eq!(view(&replay(&game.log)), view(&game));
    }
}

// After the end nobody's presence changes a record.
#[test]
fn an_ended_game_is_told_nothing() {
    let mut game = rated();
    assert!(game.gone(White, 1));
    game.resign(Black).unwrap();
    assert_eq!((game.present(White), game.gone_deadline_ms(White)), (false, None));
    assert!(!game.back(White, 2) && !game.gone(Black, 2) && !game.told(White, Presence::Here));
    let reason = EndReason::Resignation;
    assert_eq!(game.claim_absence(Black), Err(Rejection::Ended { reason }));
}
