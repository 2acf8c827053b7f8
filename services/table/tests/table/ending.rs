//! Passes and confirmations: what opens counting.

use tengen_table::{Act, EndReason, Outcome, Phase, Rejection, TurnKind, TwoPasses};

use crate::kit::{Black, White, absolute, game, timed};

/// After these turns, with passes meaning `two_passes`, counting is open or is not.
fn check(two_passes: TwoPasses, turns: &str, expected: Phase) {
    let mut game = game(9, |settings| settings.two_passes = two_passes);
    game.plays(turns);
    assert_eq!(game.phase(), expected, "{two_passes:?}: {turns}");
}

// rulebook: G2.4, C12.1, G7.1
#[test]
fn two_in_a_row_open_counting() {
    use Phase::{Counting, Playing};
    for (turns, by_passes, by_confirmations) in [
        ("pass", Playing, Playing),
        ("confirm", Playing, Playing),
        ("pass pass", Counting, Playing),
        ("confirm confirm", Counting, Counting),
        ("pass confirm", Counting, Playing),
        ("confirm pass", Counting, Playing),
        ("E5 pass pass", Counting, Playing),
        ("E5 pass C3 pass", Playing, Playing),
        ("pass C3 pass D4 confirm", Playing, Playing),
        ("confirm E5 confirm", Playing, Playing),
        ("confirm E5 confirm confirm", Counting, Counting),
        ("E5 confirm D4 pass C3 confirm pass", Counting, Playing),
    ] {
        check(TwoPasses::Confirm, turns, by_passes);
        check(TwoPasses::Nothing, turns, by_confirmations);
    }
    // A pass between two confirmations takes the first one back where passes mean nothing.
    check(TwoPasses::Nothing, "confirm pass confirm", Playing);
    check(TwoPasses::Nothing, "confirm pass confirm confirm", Counting);
    check(TwoPasses::Nothing, "pass pass pass pass pass pass", Playing);
}

// rulebook: C12.1, C4.2: seen at once; taken back only by the opponent's playing on.
#[test]
fn who_confirmed_has_its_move_back_when_the_other_plays_on() {
    let mut game = game(9, |_| {});
    game.plays("E5 C3 confirm");
    assert!(game.confirmed(Black) && !game.confirmed(White));
    assert_eq!(game.mover(), White);
    let not_yours = Err(Rejection::NotYourTurn { to_move: White });
    assert_eq!(game.play_as(Black, 4, "D4"), not_yours, "not by its own");
    game.plays("G7");
    assert!(!game.confirmed(Black) && !game.confirmed(White));
    assert_eq!((game.mover(), game.next_number()), (Black, 5));
    game.plays("D4 confirm");
    assert!(game.confirmed(White) && !game.confirmed(Black));
    game.plays("confirm");
    assert!(game.confirmed(White) && game.confirmed(Black));
}

// rulebook: C12.1: the history stays in force; case: K12.
#[test]
fn a_confirmation_lifts_no_ko() {
    let mut game = crate::kit::Game::drawn(&crate::play::KO, |_| {});
    game.plays("C4 confirm E1 A1 D1 E4 confirm B4");
    let repeated = game.play("C4").unwrap_err();
    assert!(matches!(repeated, Rejection::Forbidden { .. }), "{repeated}");
}

// rulebook: G2.4: a pass and a confirmation are different facts in the record.
#[test]
fn the_record_tells_a_pass_from_a_confirmation() {
    let mut game = game(9, |_| {});
    game.plays("pass confirm");
    let kinds: Vec<_> = game.turns().iter().map(|turn| turn.kind).collect();
    assert_eq!(kinds, [TurnKind::Pass, TurnKind::Confirm]);
    assert_eq!(game.game().ply(), 2, "both are plies");
}

// rulebook: C12.4; case: C12: no clock runs while counting, however long it takes.
#[test]
fn counting_stops_both_clocks() {
    let mut game = timed(9, absolute(60_000));
    game.wait(1_000).plays("confirm").wait(2_000).plays("confirm");
    assert_eq!(game.running(), None);
    let thought = [Black, White].map(|side| game.thought_ms(side, game.now_ms));
    assert_eq!(thought, [1_000, 2_000]);
    game.wait(200_000);
    assert!(!game.tick());
    let later = [Black, White].map(|side| game.thought_ms(side, game.now_ms));
    assert_eq!(later, thought);
}

// rulebook: G1.2, G2.4: no number of turns ends a game.
#[test]
fn a_game_may_be_long() {
    let mut game = game(5, |settings| settings.two_passes = TwoPasses::Nothing);
    for number in 1..=1_000 {
        game.act(game.mover(), Act::Pass { number }).unwrap();
    }
    assert_eq!((game.phase(), game.next_number()), (Phase::Playing, 1_001));
}

// rulebook: C4.1: every end has a reason, and its text comes from it.
#[test]
fn every_end_reads_as_sgf_writes_it() {
    let check = |reason, winner, expected: &str| {
        let outcome = Outcome { reason, winner, counted: None, at_ms: 0, together_ms: 0 };
        assert_eq!(outcome.text(), expected, "{reason:?}");
    };
    for (reason, letter) in [
        (EndReason::Resignation, 'R'),
        (EndReason::Time, 'T'),
        (EndReason::TimeWhileAway, 'T'),
        (EndReason::SecondWarning, 'F'),
        (EndReason::Ruling, 'F'),
        (EndReason::OutOfTurn, 'F'),
        (EndReason::Leave, 'F'),
        (EndReason::Disconnected, 'F'),
        (EndReason::NoShow, 'F'),
    ] {
        check(reason, Some(Black), &format!("B+{letter}"));
        check(reason, Some(White), &format!("W+{letter}"));
    }
    check(EndReason::Draw, None, "0");
    for reason in [EndReason::Replay, EndReason::Void, EndReason::Annulled] {
        check(reason, None, "Void");
    }
    for reason in [EndReason::BothLate, EndReason::BothGone] {
        check(reason, None, "?");
    }
}
