//! Pauses: by order, by agreement, both at once; what they cost, which is nothing.

use tengen_rules::Colour;
use tengen_table::{Act, EndReason, Fact, Offer, Ordered, Phase, Rejection};
use tengen_timing::{Control, PauseReason, Seat};

use crate::kit::{Black, Game, White, absolute, game, replay, timed, view, word};
use crate::play::every_act;

const AGREED_MS: i64 = 600_000;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn stands(game: &Game, due_ms: i64) {
    assert_eq!((game.phase(), game.running()), (Phase::Paused, None));
    assert_eq!(game.next_due_ms(), Some(due_ms));
    assert_eq!(game.due(due_ms - 1), []);
    assert_ne!(game.due(due_ms), []);
    assert_eq!(view(&replay(&game.log)), view(game));
}

fn runs(game: &Game, side: Seat) {
    assert_eq!((game.phase(), game.running()), (Phase::Playing, Some(side)));
    assert_eq!(game.pauses(), []);
}

// rulebook: C5.1: the turn goes on where it stood, and the order is told with who gave it and why.
#[test]
fn a_referee_stops_the_clocks_and_lets_them_run_again() {
    let mut game = timed(9, absolute(60_000));
    game.plays("E5").wait(10_000).halt(300_000).unwrap();
    stands(&game, game.now_ms + 300_000);
    let told = game.log.last().unwrap();
    assert_eq!((told.by, told.word.as_deref()), (None, Some(&word())));
    game.wait(200_000);
    assert_eq!(game.reading(Seat::White).total_left_ms, 50_000);
    game.order(Ordered::Resume).unwrap();
    runs(&game, Seat::White);
    assert_eq!(game.next_due_ms(), Some(game.now_ms + 50_000));
    game.wait(5_000).plays("C3");
    assert_eq!(game.last_charge().unwrap().charged_ms, 15_000);
    assert_eq!(game.thought_ms(White, game.now_ms), 15_000);
}

// rulebook: C5.1; case: C15: a pause ends by itself, with an event, and no player pays for the
// time until that was noticed.
#[test]
fn a_pause_ends_by_itself() {
    for noticed_ms in [0, 1, 4_000] {
        let mut game = timed(9, absolute(60_000));
        game.wait(10_000).halt(20_000).unwrap();
        assert!(!game.wait(19_999).tick());
        assert!(game.wait(1 + noticed_ms).tick());
        let told = game.log.last().unwrap();
        assert_eq!(told.fact, Fact::Resumed { reason: PauseReason::Referee });
        assert_eq!((told.at_ms, told.by), (game.now_ms, None));
        runs(&game, Seat::Black);
        assert_eq!(game.reading(Seat::Black).total_left_ms, 50_000);
    }
}

// case: C15: a command finds the pause over, though nobody had noticed.
#[test]
fn a_move_after_the_pause_is_played() {
    let mut game = timed(9, absolute(60_000));
    game.wait(10_000).halt(20_000).unwrap();
    game.wait(20_500).plays("E5");
    assert_eq!(game.last_charge().unwrap().used_ms, 10_000);
}

// case: C15: no pause is longer than a day, and none is over before it begins.
#[test]
fn a_pause_has_a_longest_length() {
    let mut game = timed(9, absolute(60_000));
    game.wait(1_000);
    let before = view(&game);
    for ms in [i64::MIN / 2, -1, 0, DAY_MS + 1] {
        let value = game.now_ms + ms;
        let expected = "an instant within the next 24 hours";
        let refusal = Rejection::BadTime { field: "until", value, expected };
        assert_eq!(game.halt(ms), Err(refusal));
    }
    assert_eq!(view(&game), before);
    game.halt(DAY_MS).unwrap();
    stands(&game, game.now_ms + DAY_MS);
    game.wait(500).order(Ordered::Pause { until_ms: None }).unwrap();
    stands(&game, game.now_ms + DAY_MS);
    assert_eq!(game.pauses().len(), 1, "the later order takes the place of the first");
    game.halt(1).unwrap();
    stands(&game, game.now_ms + 1);
}

// rulebook: C5.1: in a casual game both may agree, and either may end it.
#[test]
fn players_agree_on_a_pause() {
    for by in Colour::BOTH {
        let mut game = timed(9, absolute(60_000));
        game.plays("E5").wait(2_000).agree(by, Offer::Pause).unwrap();
        stands(&game, game.now_ms + AGREED_MS);
        assert_eq!(game.offer(by), None, "taken up");
        game.wait(30_000).resume(by.opponent()).unwrap();
        runs(&game, Seat::White);
        game.agree(by.opponent(), Offer::Pause).unwrap();
        game.resume(by.opponent()).unwrap();
        runs(&game, Seat::White);
        assert_eq!(game.reading(Seat::White).total_left_ms, 58_000);
    }
}

// rulebook: C5.1: the clocks run again only when every reason is gone.
#[test]
fn the_clocks_wait_for_every_reason() {
    let both = || {
        let mut game = timed(9, absolute(60_000));
        game.wait(7_000).agree(White, Offer::Pause).unwrap();
        game.wait(1_000).halt(900_000).unwrap();
        stands(&game, game.now_ms - 1_000 + AGREED_MS);
        game
    };
    let mut game = both();
    game.wait(1_000).resume(Black).unwrap();
    stands(&game, game.now_ms - 1_000 + 900_000);
    game.wait(1_000).order(Ordered::Resume).unwrap();
    runs(&game, Seat::Black);

    let mut game = both();
    game.wait(1_000).order(Ordered::Resume).unwrap();
    stands(&game, game.now_ms - 2_000 + AGREED_MS);
    game.wait(1_000).resume(White).unwrap();
    runs(&game, Seat::Black);

    let mut game = both();
    assert!(game.wait(AGREED_MS).tick());
    assert_eq!(game.phase(), Phase::Paused, "the referee's is left");
    assert!(game.wait(300_000).tick());
    runs(&game, Seat::Black);

    let mut game = both();
    assert!(game.wait(DAY_MS).tick(), "both at once");
    runs(&game, Seat::Black);
    assert_eq!(game.reading(Seat::Black).total_left_ms, 53_000);
}

// rulebook: C5.1: what the referee stopped no player sets going, and the other way round.
#[test]
fn a_pause_is_ended_by_who_made_it() {
    let mut ordered = timed(9, absolute(60_000));
    ordered.halt(60_000).unwrap();
    let mut agreed = timed(9, absolute(60_000));
    agreed.agree(Black, Offer::Pause).unwrap();
    let before = [view(&ordered), view(&agreed)];
    for by in Colour::BOTH {
        let reason = PauseReason::Agreement;
        assert_eq!(ordered.resume(by), Err(Rejection::OtherPause { reason }));
    }
    let reason = PauseReason::Referee;
    assert_eq!(agreed.order(Ordered::Resume), Err(Rejection::OtherPause { reason }));
    assert_eq!([view(&ordered), view(&agreed)], before);
    let mut running = timed(9, absolute(60_000));
    let wrong = Rejection::WrongPhase { phase: Phase::Playing, expected: Phase::Paused };
    assert_eq!(running.resume(Black), Err(wrong.clone()));
    assert_eq!(running.order(Ordered::Resume), Err(wrong));
}

// case: C15: five in a game.
#[test]
fn a_game_has_five_agreed_pauses() {
    let mut game = timed(9, absolute(60_000));
    for n in 0..5 {
        let by = if n % 2 == 0 { Black } else { White };
        game.agree(by, Offer::Pause).unwrap();
        game.wait(1_000).resume(by).unwrap();
    }
    let none_left = Err(Rejection::NoPauseLeft { most: 5 });
    for by in Colour::BOTH {
        assert_eq!(game.offer_by(by, Offer::Pause), none_left);
    }
    assert_eq!(replay(&game.log).offer(Black), None);
    game.halt(1_000).unwrap();
}

// rulebook: C5.1, C8.2: a rated game has none of it.
#[test]
fn a_rated_game_has_no_agreed_pause() {
    let mut game = game(9, |settings| {
        settings.control = Some(absolute(60_000));
        settings.rated = true;
    });
    game.plays("E5");
    for by in Colour::BOTH {
        assert_eq!(game.offer_by(by, Offer::Pause), Err(Rejection::Rated));
        assert_eq!(game.offer_by(by, Offer::TakeBack), Err(Rejection::Rated));
    }
    game.halt(1_000).unwrap();
}

// case: C13: nothing that is asked of a paused game changes it but giving it up.
#[test]
fn nothing_is_played_in_a_pause() {
    let mut game = timed(9, absolute(60_000));
    game.plays("E5 C3").wait(1_000);
    game.offer_by(White, Offer::Draw).unwrap();
    game.halt(60_000).unwrap();
    game.wait(5_000);
    let before = view(&game);
    let phase = Phase::Paused;
    for act in every_act(&game) {
        let wrong = |expected| Rejection::WrongPhase { phase, expected };
        let expected = match act {
            Act::Resign | Act::Leave => continue,
            Act::Mark { .. } | Act::Accept { .. } | Act::Dispute => wrong(Phase::Counting),
            Act::Arrive => wrong(Phase::Waiting),
            Act::Resume => Rejection::OtherPause { reason: PauseReason::Agreement },
            _ => wrong(Phase::Playing),
        };
        for by in Colour::BOTH {
            assert_eq!(game.act(by, act.clone()), Err(expected.clone()), "{by} {act:?}");
        }
    }
    assert_eq!(view(&game), before);
    game.order(Ordered::Resume).unwrap();
    assert_eq!(game.offer(White), Some(Offer::Draw), "what was offered stands");
}

// rulebook: G7.2, L7: a pause is part of the game: it can be given up and left.
#[test]
fn a_paused_game_may_be_given_up() {
    for (act, reason, text) in
        [(Act::Resign, EndReason::Resignation, "W+R"), (Act::Leave, EndReason::Leave, "W+F")]
    {
        let mut game = timed(9, absolute(60_000));
        game.wait(4_000).halt(60_000).unwrap();
        game.wait(30_000).act(Black, act).unwrap();
        assert_eq!(game.ended(reason, text).together_ms, 4_000);
        assert_eq!(game.pauses(), []);
    }
}

// rulebook: C5.1; case: C14: a thousand pauses change the time left by nothing.
#[test]
fn pauses_give_nothing_back() {
    for control in crate::time::CONTROLS {
        let mut game = timed(9, control);
        game.wait(3_000);
        let left_ms = game.reading(Seat::Black).total_left_ms;
        for n in 0..1_000 {
            game.halt(1_000 + n).unwrap();
            game.wait(1_000 + n);
            assert!(game.tick());
            assert_eq!(game.reading(Seat::Black).total_left_ms, left_ms, "{control:?}");
        }
        let account = game.clock().unwrap().account(Seat::Black, game.now_ms);
        assert_eq!((account.consumed_ms, account.credited_ms), (3_000, 0));
        assert_eq!(account.granted_ms, account.consumed_ms + account.remaining_ms);
    }
}

// rulebook: C5.1; case: C28: in byo-yomi the minute is shown as it stood, and goes on there.
#[test]
fn a_paused_minute_is_frozen() {
    let control = Control::Reserved { limit_ms: 360_000, reserved_minutes: 5 };
    let mut game = timed(9, control);
    game.wait(60_000 + 60_000 + 17_500).halt(600_000).unwrap();
    for _ in 0..3 {
        let reading = game.wait(100_000).reading(Seat::Black);
        assert_eq!((reading.periods_left, reading.period_left_ms), (4, 42_500));
        assert_eq!((reading.main_left_ms, reading.deadline_ms), (0, None));
    }
    game.order(Ordered::Resume).unwrap();
    game.wait(42_499);
    assert_eq!(game.reading(Seat::Black).period_left_ms, 1);
    game.plays("E5");
    assert_eq!(game.last_charge().unwrap().periods_taken, 1);
}

type Asked = fn(&mut Game) -> Result<i64, Rejection>;

// rulebook: C3.1: what is ordered after the deadline comes after the flag.
#[test]
fn a_flag_falls_before_a_pause() {
    let pauses: [Asked; 2] =
        [|game| game.halt(60_000), |game| game.answer(White, Offer::Pause, true)];
    for pause in pauses {
        for after_ms in [0, 1, 5_000] {
            let mut game = timed(9, absolute(60_000));
            game.plays("E5").offer_by(Black, Offer::Pause).unwrap();
            let deadline_ms = game.now_ms + 60_000;
            game.now_ms = deadline_ms + after_ms;
            let reason = EndReason::Time;
            assert_eq!(pause(&mut game), Err(Rejection::Ended { reason }));
            assert_eq!(game.ended(reason, "B+T").at_ms, deadline_ms);
        }
    }
}

// rulebook: C3.1; case: C29: while a move may be in flight a clock without time is not stopped;
// the move counts if it comes, and else the flag falls.
#[test]
fn no_pause_begins_while_a_flag_is_falling() {
    let falling = || {
        let mut game = timed(9, absolute(60_000));
        game.lag(White, 400);
        game.plays("E5").offer_by(White, Offer::Pause).unwrap();
        let due_ms = Some(game.now_ms + 60_400);
        game.wait(60_399);
        let before = view(&game);
        assert_eq!(game.halt(60_000), Err(Rejection::NotDue { due_ms }));
        let answer = game.answer(Black, Offer::Pause, true);
        assert_eq!(answer, Err(Rejection::NotDue { due_ms }));
        assert!(!game.lag(White, 0) && !game.lag(White, 900), "the flag stays where it is");
        assert_eq!(view(&game), before);
        game
    };
    let mut game = falling();
    game.plays("C3").halt(60_000).unwrap();
    let mut game = falling();
    assert!(game.wait(1).tick());
    game.ended(EndReason::Time, "B+T");
}

// rulebook: C12: counting has its own time, which nobody stops.
#[test]
fn a_count_is_not_paused() {
    let mut game = timed(9, absolute(60_000));
    game.plays("confirm confirm");
    let wrong = Rejection::WrongPhase { phase: Phase::Counting, expected: Phase::Playing };
    assert_eq!(game.halt(1_000), Err(wrong.clone()));
    assert_eq!(game.offer_by(Black, Offer::Pause), Err(wrong));
}

// Without clocks a pause stops the moves alone.
#[test]
fn an_untimed_game_may_be_paused() {
    let mut game = game(9, |_| {});
    game.plays("E5").halt(60_000).unwrap();
    assert!(game.play("C3").is_err());
    assert!(game.wait(60_000).tick());
    game.plays("C3");
    assert_eq!(game.next_due_ms(), None);
}
